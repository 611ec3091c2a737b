import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core'
import { DESKTOP } from './devices.ts'

/** The path of Chromium or Chrome, or null; `CHROMIUM` overrides it. */
export function findChromium(): string | null {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return (
    process.env.CHROMIUM ??
    names.map((name) => Bun.which(name)).find((path) => path !== null) ??
    (existsSync(mac) ? mac : null)
  )
}

/**
 * The path of Chromium's headless shell, or null. It takes half the processor time, but has no pop-up blocker. Not used
 * if `CHROMIUM` names a browser.
 */
export function findHeadlessShell(): string | null {
  if (process.env.CHROMIUM !== undefined) return null
  return Bun.which('chromium-headless-shell') ?? Bun.which('chrome-headless-shell')
}

/** Whether the pop-up blocker is on, which is what people have but not Playwright's default. */
export interface Popups {
  popups: 'blocked' | 'allowed'
}

const browsers = new Map<Popups['popups'], Promise<Browser>>()

/**
 * Chromium, whose contexts share nothing: one for all test files of a process, because starting it takes a second of a
 * core. It ends with the process.
 */
export async function openChromium({ popups }: Popups): Promise<Browser> {
  const open = browsers.get(popups)
  if (open !== undefined && (await open).isConnected()) return open
  const opening = chromium.launch(launchOptions({ popups }))
  browsers.set(popups, opening)
  return opening
}

/** Opens Chromium with one profile, whose settings can be changed. */
export function openChromiumProfile(popups: Popups): Promise<BrowserContext> {
  return chromium.launchPersistentContext('', launchOptions(popups))
}

/** Features to disable. Chromium uses only the last such list, so it repeats Playwright's. */
const DISABLED_FEATURES = [
  // Pages that every new window loads for address bar suggestions: most of the cost of a window.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

function launchOptions({ popups }: Popups): LaunchOptions {
  const executablePath = (popups === 'allowed' ? findHeadlessShell() : null) ?? findChromium()
  if (executablePath === null) throw new Error('no Chromium: run the tests with `bun run test`, which installs it')
  return {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // The service counts what people do, and headless Chromium says that it is a bot.
      `--user-agent=${DESKTOP}`,
      `--disable-features=${DISABLED_FEATURES.join()}`,
    ],
    ...(popups === 'blocked' ? { ignoreDefaultArgs: ['--disable-popup-blocking'] } : {}),
  }
}
