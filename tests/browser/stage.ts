import { afterAll, afterEach, beforeAll, setDefaultTimeout } from 'bun:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { startHere } from '../here.ts'
import type { Visitor } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { openChromium, type Popups } from './chromium.ts'
import { enter } from './people.ts'

/** What a page's console said. */
interface Heard {
  /** Errors and warnings. */
  complaints: string[]
  /** The addresses that were answered 4xx, which the browser notes as well: a form that is refused is meant to be. */
  refusals: string[]
}

/** A page in a context of its own. */
interface Opened extends Heard {
  page: Page
  context: BrowserContext
}

/** What browser tests play on. */
interface Stage {
  readonly server: Server
  readonly browser: Browser
  /** A page of the service as somebody sees it who is signed in, or nobody. */
  open(path: string, as: Visitor | null, options?: BrowserContextOptions): Promise<Opened>
}

interface Setting extends Partial<Popups> {
  env?: Record<string, string>
  /** A file that outlives the service, which is then a process of its own: it can be stopped and started again. */
  database?: string
}

/** Opens the service and Chromium for the tests of a file, and closes whatever each of them has opened. */
export function setStage({ popups = 'allowed', env = {}, database }: Setting = {}): Stage {
  let server: Server
  let browser: Browser
  // A guard against hanging, not a promise: the machine may be busy.
  setDefaultTimeout(180_000)
  beforeAll(async () => {
    const opening = openChromium({ popups })
    server = await (database === undefined ? startHere(env) : startServer({ env, database }))
    browser = await opening
  })
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })
  return {
    get server() {
      return server
    },
    get browser() {
      return browser
    },
    async open(path, as, options = {}) {
      const context = await browser.newContext({ baseURL: server.origin, ...options })
      if (as !== null) await enter(context, as)
      const page = await context.newPage()
      const heard = listen(page)
      await page.goto(path)
      return { page, context, ...heard }
    },
  }
}

/** Listens to the console of a page from now on. */
export function listen(page: Page): Heard {
  const heard: Heard = { complaints: [], refusals: [] }
  page.on('pageerror', ({ message }) => heard.complaints.push(message))
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    if (/status of 4\d\d/.test(message.text())) heard.refusals.push(message.location().url)
    else heard.complaints.push(message.text())
  })
  return heard
}
