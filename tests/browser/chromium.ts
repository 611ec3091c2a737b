import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

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
 * Chromium as people have it: with its pop-up blocker on, which Playwright turns off. `allowed` leaves it off,
 * as for a viewer who allows pop-ups.
 */
export function openChromium({ popups }: { popups: 'blocked' | 'allowed' }): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('no Chromium: run the tests with `bun run test`, which installs it')
  const options: LaunchOptions = {
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
  return chromium.launch(options)
}
