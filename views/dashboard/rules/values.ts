// Display names of condition values.

import type { DEVICES } from '../../../src/audience/device.ts'
import { regionName } from '../../../src/policies/countries.ts'

/** A text of the rule's author, isolated so that its direction does not affect the words around it. */
export function isolated(value: string): string {
  const isPlain = /^[^\s,;()“”]+$/u.test(value)
  return `\u2068${isPlain ? value : `“${value}”`}\u2069`
}

function nameIn(names: Record<string, string>, value: string): string {
  const key = value.toLowerCase()
  return Object.hasOwn(names, key) ? names[key]! : isolated(value)
}

const SYSTEMS = {
  windows: 'Windows',
  macos: 'macOS',
  ios: 'iOS',
  android: 'Android',
  linux: 'Linux',
  'chrome os': 'ChromeOS',
}
const BROWSERS = { chrome: 'Chrome', firefox: 'Firefox', safari: 'Safari', edge: 'Edge', opera: 'Opera' }

export function systemName(value: string): string {
  return nameIn(SYSTEMS, value)
}

export function browserName(value: string): string {
  return nameIn(BROWSERS, value)
}

/** Names values from a fixed list, with the words before them: `a phone`. */
export function choiceName(choices: Record<string, string>, wordsOf: (name: string) => string) {
  const names = Object.fromEntries(Object.entries(choices).map(([value, name]) => [value, wordsOf(name)]))
  return (value: string) => nameIn(names, value)
}

export const DEVICE_NAMES: Record<(typeof DEVICES)[number], string> = {
  mobile: 'phone',
  tablet: 'tablet',
  desktop: 'computer',
}

const languages = new Intl.DisplayNames('en-GB', { type: 'language', fallback: 'none' })

/** The name and tag of a language. @param more `…` if only the beginning of the tag is known. */
export function languageName(value: string, more: '…' | '' = ''): string {
  const name = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2}$/i.test(value) ? languages.of(value) : undefined
  return name === undefined ? isolated(value + more) : `${name} (${value}${more})`
}

export function countryName(value: string): string {
  return (/^[a-z]{2}$/i.test(value) ? regionName(value.toUpperCase()) : undefined) ?? isolated(value)
}
