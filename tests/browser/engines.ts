import { isLeftOut } from '../needs.ts'
import { MATRIX } from '../server.ts'
import { startChromium } from './chromium-viewer.ts'
import { startFirefox } from './firefox.ts'
import type { Engine } from './viewer.ts'
import { startWebKit } from './webkit.ts'

/** A browser that launchers are tested in. */
export interface Kind {
  name: 'Chromium' | 'Firefox' | 'WebKit'
  /** Whether to test in it: it is there, or this is CI. */
  isThere(): boolean
  start(): Promise<Engine>
  /** How many tabs one press opens while the pop-up blocker is as the browser comes. */
  perPress: number
  /** Whether going back shows the page as it was (the back/forward cache). Playwright turns that off in Chromium. */
  keepsPages: boolean
}

export const KINDS: readonly Kind[] = [
  {
    name: 'Chromium',
    isThere: () => !isLeftOut('Chromium'),
    start: startChromium,
    perPress: 1,
    keepsPages: false,
  },
  {
    name: 'Firefox',
    isThere: () => !isLeftOut('Firefox'),
    start: startFirefox,
    perPress: 1,
    keepsPages: true,
  },
  {
    name: 'WebKit',
    isThere: () => !isLeftOut('WebKit'),
    start: startWebKit,
    // WebKitGTK lets one click open any number of windows.
    perPress: Number.POSITIVE_INFINITY,
    keepsPages: true,
  },
]

/**
 * The browsers to go one way of a person in, of those that are there: in the usual part of the matrix the one whose turn it
 * is, so that all ways together go through every browser; in the rest of it the others.
 */
export function kindsOfWay(turn: Kind['name']): readonly Kind[] {
  const there = KINDS.filter((kind) => kind.isThere())
  const usual = there.find(({ name }) => name === turn) ?? there[0]
  return { usual: there.filter((kind) => kind === usual), rest: there.filter((kind) => kind !== usual), all: there }[
    MATRIX
  ]
}
