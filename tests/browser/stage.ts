import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout } from 'bun:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { startInProcess } from '../in-process.ts'
import type { Visitor } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { openChromium, type Popups } from './chromium.ts'
import { addSession } from './people.ts'
import { SparePages } from './spare-pages.ts'

/** Messages of the consoles of pages. */
interface ConsoleMessages {
  /** Errors and warnings. No test may leave any: one that causes them takes them out and looks at them. */
  complaints: string[]
  /** Addresses that were answered 4xx, which the browser logs too; a refused form is no error of the page. */
  refusals: string[]
}

/** A page in its own context. */
interface Opened extends ConsoleMessages {
  page: Page
  context: BrowserContext
}

/** The service and the browser of a test file. */
export interface Stage {
  readonly server: Server
  readonly browser: Browser
  /** Opens a page of the service, signed in or as an anonymous visitor. */
  open(path: string, as: Visitor | null, options?: BrowserContextOptions): Promise<Opened>
}

interface Setting extends Partial<Popups> {
  env?: Record<string, string>
  /** A database file. The service then runs in its own process, and can be stopped and started again. */
  database?: string
}

/**
 * Starts the service, and Chromium if no other file has, for the tests of a file. After each test it empties its page for the
 * next one (spare-pages.ts), and fails if a page of the service, or a tab that it opened there, has left an error or a warning
 * in the console.
 */
export function setStage({ popups = 'allowed', env = {}, database }: Setting = {}): Stage {
  let server: Server
  let browser: Browser
  let spare: SparePages
  const messages = new Map<BrowserContext, ConsoleMessages>()
  const hear = (context: BrowserContext) => {
    const known = messages.get(context)
    if (known !== undefined) return known
    const heard: ConsoleMessages = { complaints: [], refusals: [] }
    messages.set(context, heard)
    for (const page of context.pages()) listen(page, heard, server.origin)
    context.on('page', (page) => listen(page, heard, server.origin))
    return heard
  }
  // Only guards against hanging; generous, because the machine may be busy.
  setDefaultTimeout(180_000)
  beforeAll(async () => {
    const opening = openChromium({ popups })
    server = await (database === undefined ? startInProcess(env) : startServer({ env, database }))
    browser = await opening
    browser.on('context', hear)
    spare = new SparePages(browser, `${server.origin}/healthz`)
  })
  afterEach(async () => {
    await Promise.all([...messages.keys()].map((context) => spare.giveBack(context)))
    const complaints = [...messages.values()].flatMap((heard) => heard.complaints)
    messages.clear()
    expect(complaints, 'in the console').toEqual([])
  })
  afterAll(async () => {
    browser?.off('context', hear)
    await spare?.close()
    return server?.stop()
  })
  return {
    get server() {
      return server
    },
    get browser() {
      return browser
    },
    async open(path, as, options = {}) {
      const { page, context } = await spare.take({ baseURL: server.origin, ...options })
      const heard = hear(context)
      if (as !== null) await addSession(context, as)
      await page.goto(path)
      return { page, context, ...heard }
    },
  }
}

/** Collects the console messages of a page from now on, while it shows an address that begins with `origin`. */
export function listen(
  page: Page,
  messages: ConsoleMessages = { complaints: [], refusals: [] },
  origin = '',
): ConsoleMessages {
  page.on('pageerror', ({ message }) => messages.complaints.push(message))
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || !page.url().startsWith(origin)) return
    if (/status of 4\d\d/.test(message.text())) messages.refusals.push(message.location().url)
    else messages.complaints.push(message.text())
  })
  return messages
}
