/** `1 tab`, `2 tabs`. */
export function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : nouns}`
}

/** `DE, AT or CH`. */
export function listed(texts: readonly string[], last: 'and' | 'or'): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${last} ${texts.at(-1)}`
}

/** A time to wait, as people say it, never too short: `45 seconds`, `3 minutes`, `2 hours`. */
export function duration(seconds: number): string {
  if (seconds < 120) return count(seconds, 'second')
  return seconds < 7_200 ? count(Math.ceil(seconds / 60), 'minute') : count(Math.ceil(seconds / 3_600), 'hour')
}

/** A refusal as it reads beside the field that it names: `name must be …` becomes `This must be ….` */
export function besideField(message: string): string {
  return `${message.replace(/^(?:The password|name|email) must /, 'This must ').replace(/\.$/, '')}.`
}

/** A number of bytes in words: `64 MiB`. */
export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}

/** Names that are not written with one capital. */
const WRITTEN: Record<string, string> = { macos: 'macOS', ios: 'iOS', 'chrome os': 'ChromeOS' }

/** What people call a browser, `Firefox on Windows`; null where it does not say what it is. */
export function browserName({ browser, os }: { browser: string | null; os: string | null }): string | null {
  const names = [browser, os].filter((name) => name !== null).map((name) => WRITTEN[name] ?? capitalised(name))
  return names.length === 0 ? null : names.join(' on ')
}

function capitalised(text: string): string {
  return text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
