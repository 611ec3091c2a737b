import { lazy } from './lazy.ts'
import { entryOf } from './untyped.ts'

/** `tab` for 1, `tabs` for 2; for text that formats the number itself. */
export function plural(number: number, noun: string, nouns = `${noun}s`): string {
  return number === 1 ? noun : nouns
}

/** `1 tab`, `2 tabs`. */
export function count(number: number, noun: string, nouns?: string): string {
  return `${number} ${plural(number, noun, nouns)}`
}

const ordinals = lazy(() => new Intl.PluralRules('en-GB', { type: 'ordinal' }))
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** `1st`, `12th`. */
export function ordinal(number: number): string {
  return `${number}${ENDINGS[ordinals().select(number)] ?? 'th'}`
}

const grouped = lazy(() => new Intl.NumberFormat('en-GB'))

/** `1,234,567`. */
export function formatInteger(number: number): string {
  return grouped().format(number)
}

export const PLAN_NAMES = { free: 'Free', pro: 'Pro' } as const

/** `DE, AT or CH`. */
export function joinList(texts: readonly string[], last: 'and' | 'or'): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${last} ${texts.at(-1)}`
}

/** A waiting time, rounded up: `45 seconds`, `3 minutes`, `2 hours`. */
export function duration(seconds: number): string {
  if (seconds < 120) return count(seconds, 'second')
  return seconds < 7_200 ? count(Math.ceil(seconds / 60), 'minute') : count(Math.ceil(seconds / 3_600), 'hour')
}

/** The error for a list with too many links. */
export function tooMany(links: number, max: number): string {
  return `That’s ${links} links; the limit is ${max}. Remove ${links - max}.`
}

/** A number of bytes: `64 MiB`. */
export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}

/** Operating systems with irregular capitalisation. */
const OS_NAMES: Record<string, string> = { macos: 'macOS', ios: 'iOS', 'chrome os': 'ChromeOS' }

/** A browser’s display name, `Firefox on Windows`; null if it does not identify itself. */
export function browserLabel({ browser, os }: { browser: string | null; os: string | null }): string | null {
  const names = [browser, os]
    .filter((name) => name !== null)
    .map((name) => entryOf(OS_NAMES, name) ?? capitalised(name))
  return names.length === 0 ? null : names.join(' on ')
}

/** Capitalises a text for the beginning of a sentence. */
export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Adapts a text to the middle of a sentence. */
export function inSentence(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** A sentence without its full stop, to end another one. */
export function dropFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

/** Capitalises each word: `Chrome Os`. */
export function capitalised(text: string): string {
  return text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
