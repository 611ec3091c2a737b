import type { UrlMetadata } from '../../db/schema.ts'
import { LINK_FIELDS, LINK_NAMES, type LinkName } from './link-fields.ts'

// The texts of a link besides its URL. The command loads this, so it must not import server code.

/** All texts of a link besides its URL: notes, sections, tags. */
export function textsBeside(metadata: UrlMetadata): string[] {
  return LINK_NAMES.filter((name) => ['text', 'tags'].includes(LINK_FIELDS[name].kind)).flatMap((name) => {
    const value = metadata[name] ?? []
    return typeof value === 'object' ? [...value] : String(value)
  })
}

/** The fields that are texts, in which placeholders may stand. */
export type LinkText = {
  [Name in LinkName]: (typeof LINK_FIELDS)[Name]['kind'] extends 'text' ? Name : never
}[LinkName]

export const LINK_TEXTS = LINK_NAMES.filter((name): name is LinkText => LINK_FIELDS[name].kind === 'text')

/** The same fields of a link, or of a tab, with each text that it has changed. */
export function withTexts<Fields extends { [Name in LinkText]?: string }>(
  fields: Fields,
  change: (text: string) => string,
): Fields {
  const texts = LINK_TEXTS.flatMap((name) => {
    const text = fields[name]
    return text === undefined ? [] : [[name, change(text)]]
  })
  return { ...fields, ...Object.fromEntries(texts) }
}
