import type { Content } from '../../db/schema.ts'
import { BOUNDS } from './bounds.ts'

// Loaded by the command too, so nothing of the server may be imported here.

export type Kind = 'text' | 'links' | 'rules'

/** What can be said of any part of a bundle's content. */
interface Field {
  /** What people read above it. */
  label: string
  /** How it is sent, compared, merged and edited: each kind is handled by one entry wherever a `Record` of kinds stands. */
  kind: Kind
  /** Whether lists of bundles have it. */
  isListed: boolean
  /** Whether the search of lists looks in it. */
  isSearched: boolean
  /** Whether every viewer of the launcher may see it. All content is read there: the trigger `bundle_changed` names it. */
  isShown: boolean
}

/** A text, or null for none: compared as a whole, and replaced as a whole. */
interface TextField extends Field {
  kind: 'text'
  /** In code points. */
  max: number
  /** How many lines it may have. */
  lines: 'one' | 'many'
  /** What the command's help calls it. */
  help: string
}

type FieldOf<Value> = [string | null] extends [Value] ? TextField : Field & { kind: Exclude<Kind, 'text'> }

/**
 * What a version of a bundle holds, in the order in which answers show it. A new column of `contentColumns`
 * (db/schema.ts) does not compile until it is described here.
 */
export const CONTENT = {
  urls: { kind: 'links', label: 'Links', isListed: true, isSearched: true, isShown: true },
  urlMetadata: { kind: 'links', label: 'Links', isListed: true, isSearched: false, isShown: true },
  title: {
    kind: 'text',
    label: 'Title',
    help: 'What the page is called',
    max: BOUNDS.title,
    lines: 'one',
    isListed: true,
    isSearched: true,
    isShown: true,
  },
  description: {
    kind: 'text',
    label: 'Description',
    help: 'What stands below the title',
    max: BOUNDS.description,
    lines: 'many',
    isListed: true,
    isSearched: true,
    isShown: true,
  },
  resolutionPolicy: { kind: 'rules', label: 'Rules', isListed: false, isSearched: false, isShown: false },
} as const satisfies { [Name in keyof Content]: FieldOf<Content[Name]> }

/** The fields of which something is so. */
export type NameWith<Part> = {
  [Name in keyof Content]: (typeof CONTENT)[Name] extends Part ? Name : never
}[keyof Content]
export type TextName = NameWith<{ kind: 'text' }>
export type ShownName = NameWith<{ isShown: true }>

export const NAMES = Object.keys(CONTENT) as (keyof Content)[]
export const TEXT_NAMES = namesWith({ kind: 'text' })
export const LISTED_NAMES = namesWith({ isListed: true })
export const UNLISTED_NAMES = namesWith({ isListed: false })
export const SEARCHED_NAMES = namesWith({ isSearched: true })
export const SHOWN_NAMES = namesWith({ isShown: true })

function namesWith<const Part extends Partial<Field>>(part: Part): NameWith<Part>[] {
  const isSo = (name: keyof Content) =>
    Object.entries(part).every(([key, value]) => CONTENT[name][key as keyof Field] === value)
  return NAMES.filter(isSo) as NameWith<Part>[]
}

/** Some fields of whatever has them, in the order of `names`. */
export function pick<Name extends string, From extends Record<Name, unknown>>(
  names: readonly Name[],
  from: From,
): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>
}

/** What is made of each text by itself. */
export function eachText<T>(make: (name: TextName) => T): Record<TextName, T> {
  return Object.fromEntries(TEXT_NAMES.map((name) => [name, make(name)])) as Record<TextName, T>
}

/** The content of a bundle before it was made. */
export const NOTHING: Content = { urls: [], urlMetadata: [], ...eachText(() => null), resolutionPolicy: null }
