import {
  isDefault,
  LINK_FIELDS,
  LINK_NAMES,
  type Link,
  type LinkName,
  linkField,
  linkText,
  optionsOf,
} from './link-fields.ts'
import { SWITCH_TEXTS } from './values.ts'

// What says that a field of a link has not its default. The command loads this, so it must not import server code.

/** What is stored of a link. */
type Metadata = { readonly [Name in LinkName]?: Link[Name] | undefined }

/** Those that every view of a link has a place for. */
const PLACED: readonly LinkName[] = ['note', 'tags', 'section']

/** The fields that views of a link show as marks on it. */
export const MARK_NAMES = LINK_NAMES.filter((name) => !PLACED.includes(name))

/** What pages show its owner as marks on a link: `open manually`. */
export function marksOf(metadata: Metadata): string[] {
  return marks(metadata, MARK_NAMES, wordOf)
}

/** The same for viewers. */
export function publicMarksOf(metadata: Metadata): string[] {
  return marks(metadata, PUBLIC_MARK_NAMES, wordOf)
}

const PUBLIC_MARK_NAMES = MARK_NAMES.filter((name) => LINK_FIELDS[name].isPublic)

function wordOf(name: LinkName, text: string): string {
  return optionsOf(name)?.get(text)?.mark ?? `${linkField(name).label}: ${text}`
}

/** The same for terminals and programs, in the words of the API: `manual`. */
export function plainMarksOf(metadata: Metadata): string[] {
  return marks(metadata, MARK_NAMES, (name, text) => {
    const { kind } = linkField(name)
    return kind === 'choice' ? text : kind === 'switch' && text === SWITCH_TEXTS.on ? name : `${name}: ${text}`
  })
}

/** A mark for each field that has not its default. */
function marks(
  metadata: Metadata,
  names: readonly LinkName[],
  markOf: (name: LinkName, text: string) => string,
): string[] {
  return names.flatMap((name) => {
    const value = metadata[name]
    return value === undefined || isDefault(name, value) ? [] : [markOf(name, linkText(value))]
  })
}
