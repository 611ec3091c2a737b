import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'
import { readImport } from '../../src/imports/import.ts'
import { becomes } from '../eventually.ts'
import { ODD, ONBOARDING } from './bundles.ts'
import { startDestinations } from './destinations.ts'
import { focusedText } from './keyboard.ts'
import { ORDINARY } from './ordinary.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'
import { follow } from './waiting.ts'
import { weigh } from './weight.ts'

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 } }

const stage = setStage()

describe('the launcher', () => {
  test('shows the title, the description, and the host, note and tags of every destination', async () => {
    const page = await launcher(ONBOARDING)
    expect(await page.title()).toBe(`${ONBOARDING.title} · Openall`)
    expect(await page.textContent('h1')).toBe(ONBOARDING.title ?? '')
    expect(await page.textContent('.description')).toBe(ONBOARDING.description ?? '')
    const rows = await page.locator('.tabs > li').allInnerTexts()
    for (const [index, url] of ONBOARDING.urls.entries()) {
      const { note = '', tags = [] } = ONBOARDING.urlMetadata?.[index] ?? {}
      for (const text of [new URL(url).host, ...note.split('\n'), ...tags]) expect(rows[index]).toContain(text)
    }
  })

  test('names a destination without a note after its host', async () => {
    const page = await launcher({ urls: ['https://example.com/a?b#c'] })
    expect(await page.textContent('.tab .name')).toBe('example.com')
    expect(await page.textContent('.tab .where')).toBe('/a?b#c')
  })

  test('shows markup, other scripts and long words as text', async () => {
    const page = await launcher(ODD, PHONE)
    expect(await page.textContent('h1')).toBe(ODD.title ?? '')
    expect(await page.textContent('.description')).toBe(ODD.description ?? '')
    expect(await page.locator('main script, main b, main i').count()).toBe(0)
    const { urlMetadata = [] } = ODD
    for (const [index, row] of (await page.locator('.tabs > li').all()).entries()) {
      const tags = await row.locator('.tags li:not(.by-hand)').allTextContents()
      expect(tags).toEqual(urlMetadata[index]?.tags ?? [])
    }
  })

  test('of an unknown bundle explains possible reasons and links to the page for a new one', async () => {
    const page = await stage.browser.newPage()
    const answer = await page.goto(`${stage.server.origin}/l/no-such-bundle`)
    expect(answer?.status()).toBe(404)
    expect(await page.textContent('main')).toContain('It may have been deleted, or the link may be mistyped.')
    await follow(page, 'New bundle')
    expect(page.url()).toBe(`${stage.server.origin}/new`)
  })

  test('keeps Open all visible at the end of 25 tabs, on a phone and on a desktop', async () => {
    for (const options of [PHONE, {}]) {
      const page = await launcher(ODD, options)
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      const lies = await page.locator('#open').boundingBox()
      const height = page.viewportSize()?.height ?? 0
      expect(lies?.y).toBeGreaterThanOrEqual(0)
      expect((lies?.y ?? 0) + (lies?.height ?? 0)).toBeLessThanOrEqual(height)
    }
  })

  test('keeps Open all visible below a long description, and a description on the same side as its title', async () => {
    const description = 'دليل الفريق الجديد، وفيه كل ما يلزم للأسبوع الأول. '.repeat(35)
    const page = await launcher(
      { ...ONBOARDING, title: 'دليل الفريق', description },
      { viewport: { width: 1280, height: 720 } },
    )
    const button = await page.locator('#open').boundingBox()
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(720)
    const [title, text] = [await page.locator('h1').boundingBox(), await page.locator('.description').boundingBox()]
    const right = (box: typeof title) => Math.round((box?.x ?? 0) + (box?.width ?? 0))
    expect(right(text)).toBe(right(title))
  })

  test('names the host alone below a title, and the whole address under the pointer, in a row of the same height', async () => {
    const page = await launcher(ONBOARDING)
    const row = page.locator('.tabs > li').nth(1)
    const looks = () =>
      row.evaluate((row) => {
        const tab = row.querySelector('.tab') as HTMLElement
        const { display, content } = getComputedStyle(tab, '::after')
        return [tab.innerText, display === 'none' ? '' : content, row.getBoundingClientRect().height]
      })
    const [text, , height] = await looks()
    expect(text).toBe('Your introductions this week\ncalendar.google.com')
    await row.hover()
    expect(await looks()).toEqual([
      'Your introductions this week',
      '"https://calendar.google.com/calendar/u/0/r/week"',
      height as number,
    ])
  })

  test('leaves the last tab and the footer visible above a phone’s bar', async () => {
    const page = await launcher(ONBOARDING, PHONE)
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    const footer = await page.locator('footer').boundingBox()
    const bar = await page.locator('.bar').boundingBox()
    expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
  })

  test('of 25 ordinary links is received in at most 16 KB: page, style, script and icon, with their headers', async () => {
    const page = await stage.browser.newPage()
    const weight = await weigh(page)
    await page.goto((await createBundle(stage.server.origin, ORDINARY)).url, { waitUntil: 'networkidle' })
    const bytes = await weight.bytes()
    expect(bytes).toBeGreaterThan(2_000)
    expect(bytes).toBeLessThanOrEqual(16 * 1024)
  })

  test('leaves nothing in the browser but what is open, in the page’s own history entry', async () => {
    const page = await launcher(ONBOARDING)
    await page.click('#open')
    await page.locator('.opened').first().waitFor()
    const left = await page.evaluate(async () => ({
      cookies: document.cookie,
      stored: localStorage.length + sessionStorage.length,
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      opened: (history.state as { opened: string[] }).opened.length > 0,
    }))
    expect(left).toEqual({ cookies: '', stored: 0, databases: 0, caches: 0, workers: 0, opened: true })
    expect(await page.context().cookies()).toEqual([])
  })

  test.each([
    ['the clipboard API', ''],
    ['a clipboard API without several forms', 'delete globalThis.ClipboardItem'],
    ['no clipboard API', 'Object.defineProperty(navigator, "clipboard", { value: undefined })'],
  ])('copies all links, with their titles, as text and as links, by %s', async (_, script) => {
    const urls = ['https://a.example/x?y=1&z=<2>', 'https://b.example/', 'https://c.example/#d']
    const urlMetadata = [{ note: 'R&D <b>*plan*</b> day\nMore of it' }, {}, { note: 'تقرير' }]
    const { url } = await createBundle(stage.server.origin, { urls, urlMetadata })
    const { page } = await stage.open('/healthz', null, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.addInitScript(script)
    await page.goto(url)
    await page.getByRole('button', { name: 'Copy links' }).click()
    await page.getByText('All 3 links are copied.').waitFor()
    const reader = await page.context().newPage()
    await reader.goto(`${stage.server.origin}/healthz`)
    const [text, html] = await reader.evaluate(async () => {
      const [item] = await navigator.clipboard.read()
      return Promise.all(['text/plain', 'text/html'].map(async (type) => (await item!.getType(type)).text()))
    })
    const hrefs = await page
      .locator('a.tab')
      .evaluateAll((tabs) => (tabs as HTMLAnchorElement[]).map(({ href }) => href))
    const titles = ['R&D <b>plan</b> day', '', 'تقرير']
    expect(text?.split('\n')).toEqual(hrefs.map((href, at) => (titles[at] ? `${titles[at]}: ${href}` : href)))
    await reader.setContent(html ?? '')
    const links = await reader
      .locator('li > a')
      .evaluateAll((all) => all.map((a) => [a.getAttribute('href'), a.textContent]))
    expect(links).toEqual(hrefs.map((href, at) => [href, titles[at] || href]))
    // As our own pages read what is pasted: markup is no part of a title there.
    const read = readImport(text ?? '').bundles.flatMap((bundle) => bundle.links)
    expect(read.map(({ url, metadata }) => [url, metadata.note ?? ''])).toEqual(
      hrefs.map((href, at) => [href, (titles[at] ?? '').replaceAll(/<\/?b>/g, '')]),
    )
  })

  test('keeps the focus where it was when it copies without the clipboard API, as on plain http', async () => {
    const page = await launcher(ONBOARDING)
    const isRefused = () => navigator.clipboard.writeText('').then(Boolean, () => true)
    expect(await page.evaluate(isRefused)).toBe(true)
    await page.locator('#copy').press('Enter')
    await page.getByText('All 7 links are copied.').waitFor()
    await becomes(() => focusedText(page), 'Copy links')
  })

  test('is printed with whole addresses, its own, and its QR code, from folded sections too', async () => {
    const long = `https://a.example/${'path/'.repeat(60)}end`
    const urls = [long, ...Array.from({ length: 12 }, (_, at) => `https://b.example/${at}`)]
    const urlMetadata = urls.map((_, at) => ({ note: `Tab ${at}`, section: `Part ${at % 3}` }))
    for (const javaScriptEnabled of [true, false]) {
      const { url } = await createBundle(stage.server.origin, { urls, urlMetadata })
      const page = await (await stage.browser.newContext({ javaScriptEnabled })).newPage()
      await page.goto(url)
      expect(await page.isVisible('.address')).toBe(false)
      await page.emulateMedia({ media: 'print' })
      expect(await page.locator('.address').innerText()).toBe(url)
      const shown = await page.locator('.qr img').evaluate((image: HTMLImageElement) => {
        image.scrollIntoView()
        return image
          .decode()
          .then(() => [image.naturalWidth > 0, image.checkVisibility({ contentVisibilityAuto: true })])
      })
      expect(shown).toEqual([true, true])
      for (const tab of await page.locator('a.tab').all()) {
        const [box, content, href] = await tab.evaluate((link: HTMLAnchorElement) => {
          const { scrollWidth, clientWidth } = link
          return [scrollWidth <= clientWidth, getComputedStyle(link, '::after').content, link.href] as const
        })
        expect([await tab.isVisible(), box, content]).toEqual([true, true, JSON.stringify(href)])
      }
      expect(await page.locator('button:visible, .where:visible, footer:visible').count()).toBe(0)
      await page.context().close()
    }
  })

  test('offers a bookmarks file with every destination under the title', async () => {
    const page = await launcher(ODD)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Bookmarks file' }).click(),
    ])
    const file = readFileSync(await download.path(), 'utf8')
    expect(file).toStartWith('<!DOCTYPE NETSCAPE-Bookmark-file-1>')
    const reader = await stage.browser.newPage()
    await reader.setContent(file)
    const links = reader.locator('a')
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual(ODD.urls)
    expect(await reader.textContent('h3')).toBe(ODD.title ?? '')
  })

  test('offers a bookmarks file with the same tabs that the viewer sees, query parameters included', async () => {
    const when = { op: 'equals', field: 'referrerDomain', value: 'partner.example' }
    const tabs = [{ url: 'https://partners.example/' }]
    const resolutionPolicy = { version: 1, rules: [{ name: 'Partners', when, tabs }] }
    const made = await createBundle(stage.server.origin, { ...ONBOARDING, resolutionPolicy } as never)
    const page = await stage.browser.newPage()
    await page.goto(`${made.url}?a=1`, { referer: 'https://partner.example/links' })
    expect(await page.getAttribute('a.tab', 'href')).toBe('https://partners.example/')
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#bookmarks')])
    expect(readFileSync(await download.path(), 'utf8')).toContain('HREF="https://partners.example/"')
  })

  test('keeps a rule’s name clear of the corners of its badge, however long it is', async () => {
    const when = { op: 'not', of: { op: 'signedIn' } }
    const rules = [{ name: 'W'.repeat(120), showBadge: true, when, tabs: [{ url: 'https://a.example/' }] }]
    const made = await createBundle(stage.server.origin, {
      ...ONBOARDING,
      resolutionPolicy: { version: 1, rules },
    } as never)
    const page = await stage.browser.newPage(PHONE)
    await page.goto(made.url)
    const { height, radius } = await page.locator('.badge').evaluate((badge) => ({
      height: badge.getBoundingClientRect().height,
      radius: Number.parseFloat(getComputedStyle(badge).borderTopLeftRadius),
    }))
    expect(height).toBeGreaterThan(60)
    expect(radius).toBeLessThan(20)
  })

  test('shows a QR code of its address', async () => {
    const page = await launcher(ONBOARDING)
    await page.getByText('QR code').click()
    const code = page.getByRole('img', { name: 'QR code' })
    await code.waitFor()
    await page.waitForFunction(() => (document.querySelector('.qr img') as HTMLImageElement).naturalWidth > 0)
    const src = await code.getAttribute('src')
    expect(`${stage.server.origin}${src}`).toBe(`${page.url()}/qr.svg`)
    await page.locator('h1').click()
    expect(await code.isVisible()).toBe(false)
  })

  test('works by keyboard alone: Open all, copy, and a QR code that Escape closes', async () => {
    const destinations = startDestinations()
    const permissions = ['clipboard-read', 'clipboard-write']
    const page = await launcher({ urls: destinations.urls(3) }, { permissions })
    await page.keyboard.press('Tab')
    await becomes(() => focusedText(page), 'Open all')
    await page.keyboard.press('Enter')
    await page.locator('#status', { hasText: 'All 3 tabs are open.' }).waitFor({ state: 'attached' })
    await page.bringToFront()
    await page.keyboard.press('Tab')
    await becomes(() => focusedText(page), 'Copy links')
    await page.keyboard.press('Space')
    await page.getByText('All 3 links are copied.').waitFor()
    await page.keyboard.press('Tab')
    await becomes(() => focusedText(page), 'Bookmarks file')
    await page.keyboard.press('Tab')
    await becomes(() => focusedText(page), 'QR code')
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('img', { name: 'QR code' }).isVisible()).toBe(false)
    await becomes(() => focusedText(page), 'QR code')
    await page.keyboard.press('Tab')
    await becomes(() => focusedText(page), 'Open again')
    await page.keyboard.press('Tab')
    await becomes(() => focusedText(page), 'Bookmark this page')
    await page.keyboard.press('Enter')
    await becomes(() => focusedText(page), 'Press Ctrl+D')
    await page.keyboard.press('Tab')
    await becomes(() => focusedText(page), expect.stringMatching(/^127\.0\.0\.1/))
    destinations.stop()
  })

  test('shows the keyboard focus', async () => {
    const page = await launcher(ONBOARDING)
    const stops = await page.locator('button:visible, summary, a').count()
    for (let stop = 0; stop < stops; stop += 1) {
      await page.keyboard.press('Tab')
      const outline = await page.evaluate(() => {
        const at = document.activeElement as HTMLElement
        // The whole row of a tab is its link.
        const { outlineStyle, outlineWidth } = getComputedStyle(at, at.matches('.tab') ? '::before' : null)
        return `${outlineStyle} ${outlineWidth}`
      })
      expect(outline).toBe('solid 2px')
    }
  })
})

describe('the launcher without JavaScript', () => {
  test('has no dead button, says why, and every tab is a link', async () => {
    const destinations = startDestinations()
    for (const options of [PHONE, {}]) {
      destinations.visits.length = 0
      const page = await launcher({ urls: destinations.urls(3) }, { ...options, javaScriptEnabled: false })
      expect(await page.locator('button:visible').count()).toBe(0)
      expect(await page.isVisible('body noscript .hint')).toBe(true)
      expect(await page.locator('.bar').evaluate((bar) => getComputedStyle(bar).position)).toBe('static')
      expect(await page.getByText('Bookmarks file').evaluate((word) => word.clientWidth)).toBeGreaterThan(40)
      for (const link of await page.locator('a.tab').all()) {
        await page.bringToFront()
        const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()])
        await opened.waitForLoadState()
      }
      expect(destinations.visits.map(({ path }) => path)).toEqual(['/1', '/2', '/3'])
      expect(destinations.visits.every(({ referrer }) => referrer === null)).toBe(true)
    }
    destinations.stop()
  })

  test('still offers the bookmarks file and the QR code', async () => {
    const page = await launcher(ONBOARDING, { javaScriptEnabled: false })
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Bookmarks file').click()])
    expect(readFileSync(await download.path(), 'utf8')).toContain('handbook.northwind.example')
    await page.getByText('QR code').click()
    expect(await page.getByRole('img', { name: 'QR code' }).isVisible()).toBe(true)
  })
})

async function launcher(bundle: NewBundle, options: BrowserContextOptions = {}): Promise<Page> {
  const { url } = await createBundle(stage.server.origin, bundle)
  return (await stage.open(url, null, options)).page
}
