import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core'
import { findChromium, findHeadlessShell, need } from '../needs.ts'
import { DESKTOP } from './devices.ts'

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
  const opening = chromium.launch(chromiumOptions({ popups }))
  browsers.set(popups, opening)
  return opening
}

/** Opens Chromium with one profile, whose settings can be changed. */
export function openChromiumProfile(popups: Popups): Promise<BrowserContext> {
  return chromium.launchPersistentContext('', chromiumOptions(popups))
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

/** How Chromium is started here. */
export function chromiumOptions({ popups }: Popups): LaunchOptions {
  need('Chromium')
  return {
    executablePath: (popups === 'allowed' ? findHeadlessShell() : null) ?? findChromium() ?? '',
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
