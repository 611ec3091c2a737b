import { findChromium } from './chromium.ts'
import { startChromium } from './chromium-viewer.ts'
import { findFirefox, startFirefox } from './firefox.ts'
import type { Engine } from './viewer.ts'
import { findMiniBrowser, startWebKit } from './webkit.ts'

/** A browser that launchers are tested in. */
export interface Kind {
  name: 'Chromium' | 'Firefox' | 'WebKit'
  isThere(): boolean
  start(): Promise<Engine>
  /** The Debian packages that bring it. */
  packages: readonly string[]
  /** How many tabs one press opens while the pop-up blocker is as the browser comes. */
  perPress: number
  /** Whether going back shows the page as it was (the back/forward cache). Playwright turns that off in Chromium. */
  keepsPages: boolean
}

export const KINDS: readonly Kind[] = [
  {
    name: 'Chromium',
    isThere: () => findChromium() !== null,
    start: startChromium,
    packages: ['chromium'],
    perPress: 1,
    keepsPages: false,
  },
  {
    name: 'Firefox',
    isThere: () => findFirefox() !== null,
    start: startFirefox,
    packages: ['firefox-esr'],
    perPress: 1,
    keepsPages: true,
  },
  {
    name: 'WebKit',
    isThere: () => findMiniBrowser() !== null,
    start: startWebKit,
    packages: ['webkit2gtk-driver', 'xvfb'],
    // WebKitGTK lets one click open any number of windows.
    perPress: Number.POSITIVE_INFINITY,
    keepsPages: true,
  },
]
