import { openChromium } from './chromium.ts'
import { listen } from './stage.ts'
import { type Conditions, type Engine, PHONE, type Viewer } from './viewer.ts'

/** Starts Chromium with its pop-up blocker, and one without. Every visit is a private window, as Playwright's are. */
export async function startChromium(): Promise<Engine> {
  const [blocking, allowing] = await Promise.all(
    (['blocked', 'allowed'] as const).map((popups) => openChromium({ popups })),
  )
  if (blocking === undefined || allowing === undefined) throw new Error('no Chromium')

  async function open(url: string, { popups, scripts, screen }: Conditions): Promise<Viewer> {
    const browser = popups === 'allowed' ? allowing : blocking
    const isPhone = screen === 'phone'
    const phone = isPhone ? { viewport: PHONE, isMobile: true, hasTouch: true } : {}
    const context = await browser!.newContext({ javaScriptEnabled: scripts !== 'off', ...phone })
    const heard = { complaints: [], refusals: [] }
    context.on('page', (page) => listen(page, heard, new URL(url).origin))
    const page = await context.newPage()
    const tree = await context.newCDPSession(page)
    await page.goto(url)
    async function leaveAndReturn() {
      await page.goto('about:blank')
      await page.goBack()
    }
    return {
      async goTo(url) {
        await page.goto(url)
      },
      async click(selector, how = 'left') {
        await page.bringToFront()
        const found = page.locator(selector).first()
        if (isPhone) await found.tap()
        else await found.click(how === 'with Ctrl' ? { modifiers: ['Control'] } : { button: how })
      },
      async tap(selector, times) {
        await page.bringToFront()
        const box = await page.locator(selector).boundingBox()
        const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2]
        await page.mouse.move(x, y)
        const taps = Array.from({ length: times }, () => [page.mouse.down(), page.mouse.up()])
        await Promise.all(taps.flat())
      },
      async press(keys) {
        await page.bringToFront()
        await page.keyboard.press(keys)
      },
      async type(text) {
        await page.bringToFront()
        await page.keyboard.type(text)
      },
      async focused() {
        const { result } = await tree.send('Runtime.evaluate', { expression: 'document.activeElement' })
        const objectId = result.objectId ?? ''
        const { nodes } = await tree.send('Accessibility.getPartialAXTree', { objectId, fetchRelatives: false })
        const [{ role, name } = {}] = nodes
        return { role: String(role?.value).toLowerCase(), name: String(name?.value ?? '').trim() }
      },
      fill: (selector, text) => page.locator(selector).first().fill(text),
      async choose(selector, value) {
        await page.locator(selector).first().selectOption(value)
      },
      drag: (selector, onto) => page.dragAndDrop(selector, onto, { targetPosition: { x: 8, y: 2 }, steps: 12 }),
      resize: (width) => page.setViewportSize({ ...PHONE, width }),
      complaints: async () => heard.complaints,
      picture: (selector) => page.locator(selector).first().screenshot(),
      read: (expression) => page.evaluate(expression),
      async reload() {
        await page.reload()
      },
      leaveAndReturn,
      // It keeps no page that was left.
      unload: leaveAndReturn,
      close: () => context.close(),
    }
  }

  return {
    name: `Chromium ${blocking.version()}`,
    open,
    // Other files of the process use the same browsers.
    async stop() {},
  }
}
