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

function launchOptions({ popups }: Popups): LaunchOptions {
  const executablePath = findChromium()
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
    ],
    ...(popups === 'blocked' ? { ignoreDefaultArgs: ['--disable-popup-blocking'] } : {}),
  }
}
