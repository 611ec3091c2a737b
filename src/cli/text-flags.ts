import { eachText, type TextName } from '../bundles/content.ts'

const LETTERS: Partial<Record<TextName, string>> = { title: 't', description: 'd' }

/** A flag for each text of a bundle. */
export function textFlags(described: (name: TextName) => string) {
  return eachText((name) => {
    const alias = LETTERS[name]
    return { type: 'string' as const, description: described(name), ...(alias === undefined ? {} : { alias }) }
  })
}
