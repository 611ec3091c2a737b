import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core'

/** The path of this machine's Chromium or Chrome, or null. `CHROMIUM` names another. */
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
 * The path of Chromium without windows, or null: the same pages for half the work, and no pop-up blocker. Where
 * `CHROMIUM` names a browser, that one is meant.
 */
export function findHeadlessShell(): string | null {
  if (process.env.CHROMIUM !== undefined) return null
  return Bun.which('chromium-headless-shell') ?? Bun.which('chrome-headless-shell')
}

/** Whether the pop-up blocker is on, as people have it and Playwright does not, or off, as for a viewer who allowed them. */
export interface Popups {
  popups: 'blocked' | 'allowed'
}

/** Chromium, whose contexts share nothing. */
export function openChromium(popups: Popups): Promise<Browser> {
  return chromium.launch(launchOptions(popups))
}

/** Chromium with one profile, which has settings that can be changed. */
export function openChromiumProfile(popups: Popups): Promise<BrowserContext> {
  return chromium.launchPersistentContext('', launchOptions(popups))
}

/** Browser features that tests do without. Of two such lists the last one counts, so Playwright's is said again. */
const WITHOUT = [
  // Pages that each new window loads for suggestions in an address bar that nobody sees: most of what a window costs.
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
      `--disable-features=${WITHOUT.join()}`,
    ],
    ...(popups === 'blocked' ? { ignoreDefaultArgs: ['--disable-popup-blocking'] } : {}),
  }
}
