import type { Reason, Said } from '../bundles/list/found.ts'
import { asSentence } from '../core/words.ts'
import { excerptOf, type ImportedLink, type Remark } from './plan.ts'

/** A notice about a link, as the rest of a sentence that begins with its line. */
const SAYINGS: Record<Reason, (by: string) => string> = {
  unwrapped: (by) => `was unwrapped from ${by}`,
  mended: () => 'was mistyped and mended',
  joined: (by) => `was joined from ${by || 'two lines'}`,
  guessed: () => 'is a guess: letters follow it',
  cut: () => 'ends in dots, and may be cut off',
  password: () => 'holds a password that everyone gets',
  signed: () => 'holds a key that everyone gets',
  keyword: () => 'holds %s, for what follows its keyword',
  private: () => 'was private where it comes from',
}

/** All notices that a link can have. */
export const REASONS = Object.keys(SAYINGS) as Reason[]

/** The notices about a link on one line: `Unwrapped from Safe Links. Holds a password, …`; `''` for none. */
export function sentenceOf(said: readonly Said[] = []): string {
  return said.map(({ reason, by = '' }) => `${asSentence(SAYINGS[reason](by).replace(/^was /, ''))}.`).join(' ')
}

/** The notices about several links, as remarks on their lines. */
export function saidRemarks(links: readonly ImportedLink[]): Remark[] {
  return links.flatMap(({ line, url, said = [] }) =>
    said.map(({ reason, by = '' }) => ({ line, text: excerptOf(url), reason: SAYINGS[reason](by) })),
  )
}
