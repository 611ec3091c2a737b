import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'

// A new context with its page costs a process and half a second of a core or more; one that is emptied, a tenth of it.

/** What would stay when a page is emptied: whoever calls one of these keeps the context until it is closed. */
const STAYS: readonly string[] = [
  'addInitScript',
  'exposeBinding',
  'exposeFunction',
  'grantPermissions',
  'newCDPSession',
  'routeWebSocket',
  'setDefaultNavigationTimeout',
  'setDefaultTimeout',
  'setExtraHTTPHeaders',
  'setGeolocation',
  'setOffline',
] satisfies (keyof BrowserContext | keyof Page)[]

const HEARD_BY_CONTEXTS = [
  'console',
  'dialog',
  'page',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
] as const

const DEFAULT_VIEWPORT = { width: 1280, height: 720 }

/** A page in a context of its own. */
interface Kept {
  readonly page: Page
  readonly context: BrowserContext
  readonly options: BrowserContextOptions
  readonly session: CDPSession
  isMarked: boolean
}

/** Pages of one browser for one test after another, each as new: signed out, nothing stored or cached, no history. */
export class SparePages {
  readonly #kept = new Map<BrowserContext, Kept>()
  readonly #spare = new Map<string, Kept[]>()
  readonly #browser: Browser
  /** A page of the service that stores and runs nothing. */
  readonly #rest: string

  constructor(browser: Browser, rest: string) {
    this.#browser = browser
    this.#rest = rest
  }

  /** A page with these options. */
  async take(options: BrowserContextOptions): Promise<{ page: Page; context: BrowserContext }> {
    const spare = this.#spare.get(keyOf(options))?.pop() ?? (await this.#open(options))
    this.#kept.set(spare.context, spare)
    // All pages of a context with the viewport null have the size of their window.
    if (options.viewport !== null) await spare.page.setViewportSize(options.viewport ?? DEFAULT_VIEWPORT)
    return spare
  }

  /** Empties the page of a context for the next test, or closes the context if something in it would stay. */
  async giveBack(context: BrowserContext): Promise<void> {
    const kept = this.#kept.get(context)
    this.#kept.delete(context)
    if (kept === undefined || kept.isMarked || kept.page.isClosed()) return context.close()
    try {
      await this.#empty(kept)
    } catch {
      // For instance a page that crashed or that cannot be left.
      return context.close()
    }
    const key = keyOf(kept.options)
    this.#spare.set(key, [...(this.#spare.get(key) ?? []), kept])
  }

  /** Closes what is spare. */
  async close(): Promise<void> {
    const all = [...this.#spare.values()].flat()
    this.#spare.clear()
    await Promise.all(all.map(({ context }) => context.close()))
  }

  async #open(options: BrowserContextOptions): Promise<Kept> {
    const context = await this.#browser.newContext(options)
    const page = await context.newPage()
    const kept = { page, context, options, session: await context.newCDPSession(page), isMarked: false }
    const mark = () => (kept.isMarked = true)
    for (const one of [context, page]) markCallsOf(one, STAYS, mark)
    const { clock } = context
    markCallsOf(clock, Object.getOwnPropertyNames(Object.getPrototypeOf(clock)), mark)
    return kept
  }

  async #empty({ page, context, options, session }: Kept): Promise<void> {
    page.removeAllListeners()
    for (const event of HEARD_BY_CONTEXTS) context.removeAllListeners(event)
    const others = context.pages().filter((other) => other !== page)
    await Promise.all([
      ...others.map((other) => other.close()),
      page.unrouteAll({ behavior: 'ignoreErrors' }),
      context.unrouteAll({ behavior: 'ignoreErrors' }),
    ])
    // First it leaves what it shows, which may store something as it goes.
    await page.goto(this.#rest)
    const { colorScheme = null, reducedMotion = null, forcedColors = null, contrast = null } = options
    await Promise.all([
      context.clearCookies(),
      session.send('Storage.clearDataForOrigin', { origin: new URL(this.#rest).origin, storageTypes: 'all' }),
      session.send('Network.clearBrowserCache'),
      session.send('Page.resetNavigationHistory'),
      page.evaluate(() => sessionStorage.clear()),
      page.emulateMedia({ media: null, colorScheme, reducedMotion, forcedColors, contrast }),
      // Outside, so that nothing of the next page is under the mouse.
      page.mouse.move(-1, -1),
    ])
  }
}

/** What of the options makes two contexts different: not the size, which a page can change. */
const keyOf = ({ viewport, ...rest }: BrowserContextOptions) => JSON.stringify([rest, viewport === null])

/** Tells when a method of an object is called. */
function markCallsOf(target: object, methods: readonly string[], mark: () => void): void {
  const all = target as Record<string, unknown>
  for (const method of methods) {
    const original = all[method]
    if (typeof original !== 'function' || method === 'constructor') continue
    all[method] = (...args: unknown[]) => {
      mark()
      return original.apply(target, args)
    }
  }
}
