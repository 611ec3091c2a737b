import type { Content, SharedName } from '../../db/schema.ts'
import { BOUNDS } from './bounds.ts'

// The command loads this, so it must not import server code.

export type Kind = 'text' | 'links' | 'rules'

/** Properties of a field of a bundle’s content. */
interface Field {
  /** The label shown above it. */
  label: string
  /** How it is sent, compared, merged and edited: every `Record` of kinds has one entry for each. */
  kind: Kind
  /** Whether lists of bundles include it. */
  isListed: boolean
  /**
   * Whether all viewers of the launcher can see it. Launchers read all content: the trigger `bundle_changed` watches
   * it.
   */
  isShown: boolean
  /** Whether versions with equal large values share one stored copy per bundle (`stored.ts`). */
  isShared: boolean
}

/** A string, or null for none; compared and replaced as a whole. */
interface TextField extends Field {
  kind: 'text'
  /** In code points. */
  max: number
  /** Single-line or multi-line. */
  lines: 'one' | 'many'
  /** Help text of its command-line flag. */
  help: string
}

type FieldOf<Value> = [string | null] extends [Value] ? TextField : Field & { kind: Exclude<Kind, 'text'> }

/**
 * The content of a version, in the order of the API’s answers. A new column of `contentColumns` (db/schema.ts) does not
 * compile until it is described here.
 */
export const CONTENT = {
  urls: { kind: 'links', label: 'Links', isListed: true, isShown: true, isShared: true },
  urlMetadata: { kind: 'links', label: 'Links', isListed: true, isShown: true, isShared: true },
  title: {
    kind: 'text',
    label: 'Title',
    help: 'Title of the page',
    max: BOUNDS.title,
    lines: 'one',
    isListed: true,
    isShown: true,
    isShared: false,
  },
  description: {
    kind: 'text',
    label: 'Description',
    help: 'Text below the title',
    max: BOUNDS.description,
    lines: 'many',
    isListed: true,
    isShown: true,
    isShared: true,
  },
  resolutionPolicy: {
    kind: 'rules',
    label: 'Rules',
    isListed: false,
    isShown: false,
    isShared: true,
  },
} as const satisfies {
  [Name in keyof Content]: FieldOf<Content[Name]> & { isShared: Name extends SharedName ? true : false }
}

/** The fields with some properties. */
export type NameWith<Part> = {
  [Name in keyof Content]: (typeof CONTENT)[Name] extends Part ? Name : never
}[keyof Content]
export type TextName = NameWith<{ kind: 'text' }>
export type ShownName = NameWith<{ isShown: true }>

export const NAMES = Object.keys(CONTENT) as (keyof Content)[]
export const TEXT_NAMES = namesWith({ kind: 'text' })
export const LISTED_NAMES = namesWith({ isListed: true })
export const UNLISTED_NAMES = namesWith({ isListed: false })
export const SHOWN_NAMES = namesWith({ isShown: true })
export const SHARED_NAMES = namesWith({ isShared: true })

function namesWith<const Part extends Partial<Field>>(part: Part): NameWith<Part>[] {
  const isSo = (name: keyof Content) =>
    Object.entries(part).every(([key, value]) => CONTENT[name][key as keyof Field] === value)
  return NAMES.filter(isSo) as NameWith<Part>[]
}

/** Single- or multi-line text fields. */
export function textsOf(lines: TextField['lines']): TextName[] {
  return TEXT_NAMES.filter((name) => CONTENT[name].lines === lines)
}

/** Whether a name is that of a text field. */
export function isText(name: unknown): name is TextName {
  return TEXT_NAMES.some((text) => text === name)
}

/** Some fields of an object, in the order of `names`. */
export function pick<Name extends string, From extends Record<Name, unknown>>(
  names: readonly Name[],
  from: From,
): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>
}

/** A value for each text field. */
export function eachText<T>(make: (name: TextName) => T): Record<TextName, T> {
  return Object.fromEntries(TEXT_NAMES.map((name) => [name, make(name)])) as Record<TextName, T>
}

/** The content from which a new bundle starts. */
export const NOTHING: Content = { urls: [], urlMetadata: [], ...eachText(() => null), resolutionPolicy: null }
