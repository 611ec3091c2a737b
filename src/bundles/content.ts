import type { Content, SharedName } from '../../db/schema.ts'
import { BOUNDS } from './bounds.ts'
import type { Field, FieldOf, ScalarField, TextField } from './kinds.ts'

// The command loads this, so it must not import server code.

/**
 * The content of a version, in the order of the API’s answers. A new column of `contentColumns` (db/content-schema.ts) does not
 * compile until it is described here.
 */
export const CONTENT = {
  urls: { kind: 'links', label: 'Links', isListed: true, isPublic: true, isShared: true },
  urlMetadata: { kind: 'links', label: 'Links', isListed: true, isPublic: true, isShared: true },
  variables: { kind: 'variables', label: 'Variables', isListed: true, isPublic: true, isShared: true },
  title: {
    kind: 'text',
    label: 'Title',
    group: 'about',
    flag: 'title',
    help: 'Title of the page',
    max: BOUNDS.title,
    lines: 'one',
    isListed: true,
    isPublic: true,
    isShared: false,
  },
  description: {
    kind: 'text',
    label: 'Description',
    group: 'about',
    flag: 'description',
    help: 'Text below the title',
    max: BOUNDS.description,
    lines: 'many',
    isListed: true,
    isPublic: true,
    isShared: true,
  },
  opensAt: {
    kind: 'time',
    label: 'Opening time',
    group: 'opening',
    flag: 'opens',
    help: 'Time from which viewers see it, such as 2026-12-01T09:00',
    isListed: true,
    isPublic: false,
    isShared: false,
  },
  closesAt: {
    kind: 'time',
    label: 'Closing time',
    group: 'opening',
    flag: 'closes',
    help: 'Time from which viewers no longer see it',
    isListed: true,
    isPublic: false,
    isShared: false,
  },
  closedNote: {
    kind: 'text',
    label: 'Note after closing',
    group: 'opening',
    flag: 'closed-note',
    help: 'Text that viewers see once it has closed',
    max: BOUNDS.closedNote,
    lines: 'many',
    isListed: true,
    isPublic: false,
    isShared: false,
  },
  access: {
    kind: 'choice',
    label: 'Who can see it',
    group: 'visibility',
    flag: 'access',
    help: 'Who can see it: link (anyone with the link), members or password',
    options: ['link', 'members', 'password'],
    words: { link: 'Anyone with the link', members: 'Only members', password: 'Anyone with the password' },
    isListed: true,
    isPublic: false,
    isShared: false,
  },
  copyable: {
    kind: 'switch',
    label: 'Copies by viewers',
    group: 'visibility',
    flag: 'copyable',
    help: 'Whether viewers can make a copy of what they see: yes or no',
    isOn: false,
    says: 'Viewers can make a copy of what they see',
    isListed: true,
    isPublic: false,
    isShared: false,
  },
  icons: {
    kind: 'switch',
    label: 'Icons',
    group: 'visibility',
    flag: 'icons',
    help: 'Whether its page shows icons of the sites: yes or no',
    isOn: true,
    says: 'Its page shows icons of the sites',
    isListed: true,
    isPublic: false,
    isShared: false,
  },
  resolutionPolicy: { kind: 'rules', label: 'Rules', isListed: false, isPublic: false, isShared: true },
} as const satisfies {
  [Name in keyof Content]: FieldOf<Content[Name]> & { isShared: Name extends SharedName ? true : false }
}

/** The names of the fields that have the given properties. */
export type NameWith<Part> = {
  [Name in keyof Content]: (typeof CONTENT)[Name] extends Part ? Name : never
}[keyof Content]
type ChoiceName = NameWith<{ kind: 'choice' }>
/** The fields that are a string or null. */
export type ValueName = NameWith<{ kind: 'text' | 'time' }>
type SwitchName = NameWith<{ kind: 'switch' }>
/** The fields that always have one of a few values, by default the first, or off. */
export type SettingName = ChoiceName | SwitchName
/** The fields that are one value, each with its flag on the command line. */
export type ScalarName = ValueName | SettingName
/** Those that its editors alone decide. */
export type GuardedName = NameWith<{ group: 'visibility' }>
/** Those that everybody who reads a bundle may propose. */
export type ProposableName = Exclude<ScalarName, GuardedName>
export type AboutName = NameWith<{ kind: 'text'; group: 'about' }>

export const NAMES = Object.keys(CONTENT) as (keyof Content)[]
export const TEXT_NAMES = namesWith({ kind: 'text' })
export const TIME_NAMES = namesWith({ kind: 'time' })
export const CHOICE_NAMES = namesWith({ kind: 'choice' })
export const SWITCH_NAMES = namesWith({ kind: 'switch' })
export const SCALAR_NAMES = NAMES.filter((name): name is ScalarName => 'flag' in CONTENT[name])
export const SETTING_NAMES: SettingName[] = [...CHOICE_NAMES, ...SWITCH_NAMES]
export const GUARDED_NAMES = scalarsIn('visibility') as GuardedName[]
export const PROPOSABLE_NAMES = SCALAR_NAMES.filter(
  (name): name is ProposableName => CONTENT[name].group !== 'visibility',
)
export const VALUE_NAMES = NAMES.filter((name): name is ValueName => ['text', 'time'].includes(CONTENT[name].kind))
export const ABOUT_NAMES = TEXT_NAMES.filter((name): name is AboutName => CONTENT[name].group === 'about')
export const LISTED_NAMES = namesWith({ isListed: true })
export const UNLISTED_NAMES = namesWith({ isListed: false })
export const PUBLIC_NAMES = namesWith({ isPublic: true })
export const SHARED_NAMES = namesWith({ isShared: true })

function namesWith<const Part extends Partial<Field>>(part: Part): NameWith<Part>[] {
  const wanted = Object.entries(part) as [keyof Field, unknown][]
  return NAMES.filter((name) => wanted.every(([key, value]) => CONTENT[name][key] === value)) as NameWith<Part>[]
}

/** The single- or multi-line text fields that forms ask for with the title. */
export function aboutTextsOf(lines: TextField['lines']): AboutName[] {
  return ABOUT_NAMES.filter((name) => CONTENT[name].lines === lines)
}

/** The fields that forms ask for in one place. */
export function scalarsIn(group: ScalarField['group']): ScalarName[] {
  return SCALAR_NAMES.filter((name) => CONTENT[name].group === group)
}

/** Whether a name is that of a field of the content. */
export function isContent(name: string): name is keyof Content {
  return Object.hasOwn(CONTENT, name)
}

/** Whether a name is that of a field that is one value. */
export function isScalar(name: unknown): name is ScalarName {
  return SCALAR_NAMES.some((scalar) => scalar === name)
}

/** Some fields of an object, in the order of `names`. */
export function pick<Name extends string, From extends Record<Name, unknown>>(
  names: readonly Name[],
  from: From,
): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>
}

/** A value for each of some fields. */
export function each<Name extends string, T>(names: readonly Name[], make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>
}

/** A value for each field that is a string or null. */
export function eachValue<T>(make: (name: ValueName) => T): Record<ValueName, T> {
  return each(VALUE_NAMES, make)
}

/** A value for each field that is one value. */
export function eachScalar<T>(make: (name: ScalarName) => T): Record<ScalarName, T> {
  return each(SCALAR_NAMES, make)
}
