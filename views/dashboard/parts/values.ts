import type { Content } from '../../../db/schema.ts'
import { type ChoiceName, CONTENT, type ScalarName } from '../../../src/bundles/content.ts'
import { asSentence } from '../../../src/core/words.ts'

/** The options of each choice, in words. */
export const CHOICES: { readonly [Name in ChoiceName]: Readonly<Record<Content[Name], string>> } = {
  access: {
    link: 'Anyone with the link',
    members: 'Only members',
    password: 'Anyone with the password',
  },
}

/** A field’s value as pages show it. */
export function inWords(name: ScalarName, value: string): string {
  if (CONTENT[name].kind === 'switch' && value !== '') return asSentence(value)
  if (name !== 'access') return value
  return value in CHOICES.access ? CHOICES.access[value as Content['access']] : value
}
