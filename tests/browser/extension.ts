import { afterAll, beforeAll, setDefaultTimeout } from 'bun:test'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright-core'
import { manifestFor } from '../../extension/parts/manifest.ts'
import { routes } from '../../src/core/routes.ts'
import { becomes, eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import type { Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { chromiumOptions } from './chromium.ts'
import { addSession } from './people.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The id in Chromium, which follows from the key in the manifest. */
const EXTENSION_ID = 'bkaponblkacannagnmjgpnnlphhgochb'

/** The service, and a browser with the extension. */
interface ExtensionStage {
  readonly server: Server
  readonly context: BrowserContext
  /** The running worker; waits for one that was stopped. */
  worker(): Promise<Worker>
  /** Opens one of its pages in a tab: `options.html`. */
  open(page: string): Promise<Page>
  /** The window of a sign-in that was begun. */
  signIn(): Promise<Page>
  /** Connects the service on the page of options, for somebody or, with null, without an account. @returns the page. */
  connect(person: Visitor | null): Promise<Page>
  /** Ends the worker, as the browser does with an idle one. */
  stopWorker(): Promise<void>
}

let built: Promise<string> | undefined

/** Builds the extension once for all files of a process. @returns the folder that has a folder for each browser. */
export function builtExtension(): Promise<string> {
  built ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'openall-extension-'))
    const child = Bun.spawn([process.execPath, 'tools/extension.ts', folder], { cwd: ROOT, stderr: 'inherit' })
    if ((await child.exited) !== 0) throw new Error('the extension was not built')
    return folder
  })()
  return built
}

/**
 * Starts the service, and Chromium with the built extension. The profile is fresh, but its user has allowed all that the
 * extension may ask for: nothing here can press the browser's own button. Extensions need the whole browser, in its new
 * headless mode. The blocker of pop-ups is on.
 */
export async function startExtension(env: Record<string, string> = {}) {
  const folder = join(await builtExtension(), 'chromium')
  const server = await startInProcess(env)
  const profile = mkdtempSync(join(tmpdir(), 'openall-profile-'))
  mkdirSync(join(profile, 'Default'))
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(allowed(folder)))
  const { args = [], ...options } = chromiumOptions({ popups: 'blocked' })
  const context = await chromium.launchPersistentContext(profile, {
    ...options,
    headless: false,
    args: [...args, '--headless=new', `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    ignoreDefaultArgs: ['--disable-extensions', '--disable-popup-blocking'],
  })
  const worker = async () =>
    context.serviceWorkers().find((one) => one.url().includes(EXTENSION_ID)) ??
    (await context.waitForEvent('serviceworker'))
  const open = async (page: string) => {
    const tab = await context.newPage()
    await tab.goto(`chrome-extension://${EXTENSION_ID}/${page}`)
    return tab
  }
  const signIn = async () => {
    const isSignIn = (page: Page) => page.url().startsWith(server.origin + routes.account.authorize.href())
    await eventually(() => context.pages().some(isSignIn), 'the window of the sign-in opens')
    return context.pages().find(isSignIn) as Page
  }
  await worker()
  // An installation opens the page of options, in the tab that happens to be empty.
  const isOptions = (page: Page) => page.url().endsWith('/options.html')
  await eventually(() => context.pages().some(isOptions), 'the page of options opens')
  await context.newPage()
  for (const page of context.pages().filter(isOptions)) await page.close()
  return {
    server,
    context,
    worker,
    open,
    signIn,
    async connect(person: Visitor | null) {
      const options = await open('options.html')
      await options.getByLabel('Address of the service').fill(server.origin)
      if (person === null) {
        await options.getByRole('button', { name: 'Use without an account' }).click()
      } else {
        await addSession(context, person)
        await options.getByRole('button', { name: 'Sign in', exact: true }).click()
        await pressConnect(await signIn())
      }
      const said = async () => (await options.locator('#said, #error').allInnerTexts()).join('')
      await becomes(async () => (await said()).replace(/ to .*/s, ''), 'Connected').catch(async (error) => {
        const pages = context.pages().map(async (page) => [page.url(), await page.locator('body').innerText()])
        throw new Error(`It is not connected: ${JSON.stringify(await Promise.all(pages))}`, { cause: error })
      })
      return options
    },
    async stopWorker() {
      const session = await context.newCDPSession(context.pages()[0] ?? (await context.newPage()))
      await session.send('ServiceWorker.enable')
      await session.send('ServiceWorker.stopAllWorkers')
      await session.detach()
    },
    async stop() {
      await context.close()
      await server.stop()
    },
  }
}

/** Connects in the window of a sign-in. It takes no press for a second after it got the focus. */
export async function pressConnect(signIn: Page): Promise<void> {
  const isClosed = async () => {
    if (!signIn.isClosed()) {
      await signIn
        .getByRole('button', { name: 'Connect', exact: true })
        .click({ timeout: 1_000 })
        .catch(() => {})
      await signIn.waitForEvent('close', { timeout: 1_000 }).catch(() => {})
    }
    return signIn.isClosed()
  }
  await eventually(isClosed, 'the window of the sign-in closes')
}

/** Starts the service and Chromium with the extension for the tests of a file. */
export function setExtensionStage(env: Record<string, string> = {}): ExtensionStage {
  let started: Awaited<ReturnType<typeof startExtension>>
  setDefaultTimeout(180_000)
  beforeAll(async () => {
    started = await startExtension(env)
  })
  afterAll(() => started?.stop())
  return {
    get server() {
      return started.server
    },
    get context() {
      return started.context
    },
    worker: () => started.worker(),
    open: (page) => started.open(page),
    signIn: () => started.signIn(),
    connect: (person) => started.connect(person),
    stopWorker: () => started.stopWorker(),
  }
}

/** What Chromium stores once somebody has allowed all optional permissions, and the host of the tests' services. */
function allowed(folder: string) {
  const { permissions, optional_permissions } = manifestFor('chromium')
  const granted = {
    api: [...permissions, ...optional_permissions],
    explicit_host: ['http://localhost/*'],
    manifest_permissions: [],
    scriptable_host: [],
  }
  const settings = {
    [EXTENSION_ID]: { path: folder, location: 8, active_permissions: granted, granted_permissions: granted },
  }
  return { extensions: { settings } }
}
