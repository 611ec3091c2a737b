import type { Content } from '../../db/schema.ts'
import { asSentence } from '../core/words.ts'
import { CHOICE_NAMES, CONTENT, each, eachValue, type ScalarName, SWITCH_NAMES } from './content.ts'

// Fields that are one value, as texts. The command loads this, so it must not import server code.

/** The texts of a field that is on or off, in forms, differences and the command line. */
export const SWITCH_TEXTS = { on: 'yes', off: 'no' } as const

/** The value of a field that is one value as such a text; `''` for none. */
export function textOf(value: string | boolean | null): string {
  return typeof value === 'boolean' ? SWITCH_TEXTS[value ? 'on' : 'off'] : (value ?? '')
}

/** The value of such a text. A word that is none of a choice’s is left to the service to refuse. */
export function valueIn<Name extends ScalarName>(name: Name, text: string): Content[Name] {
  const { kind } = CONTENT[name]
  const value = text.trim() === '' ? NOTHING[name] : kind === 'switch' ? text === SWITCH_TEXTS.on : text.trim()
  return value as Content[Name]
}

/** The same text as pages show it. */
export function inWords(name: ScalarName, text: string): string {
  const field = CONTENT[name]
  if (field.kind === 'switch') return asSentence(text)
  const words: Readonly<Record<string, string>> = field.kind === 'choice' ? field.words : {}
  return Object.hasOwn(words, text) ? (words[text] ?? text) : text
}

/** The content from which a new bundle starts. */
export const NOTHING: Content = {
  urls: [],
  urlMetadata: [],
  variables: [],
  ...eachValue(() => null),
  ...each(CHOICE_NAMES, (name) => CONTENT[name].options[0]),
  ...each(SWITCH_NAMES, (name) => CONTENT[name].isOn),
  resolutionPolicy: null,
}
