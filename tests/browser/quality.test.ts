import { beforeAll, describe, expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { MATRIX } from '../server.ts'
import { flawsOf, objectionsTo, overflowOf } from './flaws.ts'
import { keepHome, prepareWorld, scenes, type World } from './scenes.ts'
import { listen, setStage } from './stage.ts'

const NAMES = Object.keys(scenes) as (keyof typeof scenes)[]
const WIDTHS = [390, 1280]
const PHONE_LIGHT = { width: 390, colorScheme: 'light' } as const
const DESK_DARK = { width: 1280, colorScheme: 'dark' } as const
const PHONE_DARK = { width: 390, colorScheme: 'dark' } as const
const DESK_LIGHT = { width: 1280, colorScheme: 'light' } as const
/** How a page is shown to axe: each width and each scheme once, the other two pairs in the full run. */
const SHOWN = {
  usual: [PHONE_LIGHT, DESK_DARK],
  rest: [PHONE_DARK, DESK_LIGHT],
  all: [PHONE_LIGHT, PHONE_DARK, DESK_LIGHT, DESK_DARK],
}[MATRIX]

const stage = setStage()
let world: World
beforeAll(async () => {
  world = await prepareWorld(stage.server)
})

describe.each(NAMES)('the page %s', (name) => {
  test('is sound HTML that axe does not object to, light and dark, on a phone and on a desk', async () => {
    // The policy would keep axe itself out; `breaks nothing` looks at the page with the policy on.
    const { page, documents } = await open(name, { bypassCSP: true, reducedMotion: 'reduce' })
    const html = (await documents.at(-1)) ?? ''
    expect(html).toStartWith('<!doctype html>')
    expect(await flawsOf(html)).toEqual([])
    for (const { colorScheme, width } of SHOWN) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      expect(await objectionsTo(page), `${colorScheme}, ${width}`).toEqual([])
    }
  })

  // The widths at the same time: most of it is waiting for nothing to come any more. The usual run has had them.
  test.skipIf(MATRIX === 'rest')(
    'breaks nothing: no error, no refused content, no other origin asked, no shift of the layout, nothing wider than the window',
    async () => {
      const looks = WIDTHS.map(async (width) => {
        const { page, complaints, refusals, elsewhere } = await open(name, { viewport: { width, height: 844 } })
        await page.waitForLoadState('networkidle')
        const { shift, violations } = await page.evaluate(
          () => (globalThis as unknown as { observed: Observed }).observed,
        )
        // That the page itself came with a 4xx is meant here.
        const refused = refusals.filter((url) => url !== page.url())
        const overflow = Math.max(0, await overflowOf(page))
        return { width, violations, shift, complaints, refused, elsewhere, overflow }
      })
      expect(await Promise.all(looks)).toEqual(
        WIDTHS.map((width) => ({
          width,
          violations: [],
          shift: 0,
          complaints: [],
          refused: [],
          elsewhere: [],
          overflow: 0,
        })),
      )
    },
  )
})

interface Observed {
  shift: number
  violations: string[]
}

/** A scene in a context of its own, watched from its first byte. */
async function open(name: (typeof NAMES)[number], options: BrowserContextOptions) {
  const context = await stage.browser.newContext(options)
  await keepHome(context)
  const page = await context.newPage()
  const watched = { page, ...listen(page), ...listenToNetwork(page) }
  await observe(page)
  await scenes[name](page, world)
  return watched
}

/** Requests to other origins, and the documents as they were sent. */
function listenToNetwork(page: Page) {
  const elsewhere: string[] = []
  const documents: Promise<string>[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${stage.server.origin}/`)) elsewhere.push(request.url())
  })
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) documents.push(response.text().catch(() => ''))
  })
  return { elsewhere, documents }
}

async function observe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const observed: Observed = { shift: 0, violations: [] }
    Object.assign(globalThis, { observed })
    document.addEventListener('securitypolicyviolation', (event) => observed.violations.push(event.violatedDirective))
    // What moves within half a second of a press has been asked for, says the browser; here also within half a second of
    // the answer to a press, for that may take longer on a busy machine.
    const ASKED_MS = 500
    let pressed = Number.NEGATIVE_INFINITY
    let answered = Number.NEGATIVE_INFINITY
    document.addEventListener('pointerdown', ({ timeStamp }) => (pressed = timeStamp), { capture: true })
    const { fetch } = globalThis
    globalThis.fetch = Object.assign(async (...request: Parameters<typeof fetch>) => {
      const isAnswer = performance.now() - pressed <= ASKED_MS
      const answer = await fetch(...request)
      if (isAnswer) answered = performance.now()
      return answer
    }, fetch)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput && entry.startTime - answered > ASKED_MS) observed.shift += entry.value
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}
