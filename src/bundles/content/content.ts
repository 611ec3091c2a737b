import type { Content, SharedName } from '../../../db/schema.ts'
import { MAX_VALUE } from '../../core/template.js'
import { MAX_EMAIL, MAX_URL } from '../../core/text.ts'
import { asSentence } from '../../core/words.ts'

/** The description of a text field, of a bundle or a link. */
export interface TextKind {
  kind: 'text'
  /** In code points. */
  max: number
  /** Single-line or multi-line. */
  lines: 'one' | 'many'
}

/** The description of a field whose value is one of a few words, of a bundle or a link. */
export interface ChoiceKind<Option extends string, Words> {
  kind: 'choice'
  /** The first is the default. */
  options: readonly [Option, ...Option[]]
  words: Readonly<Record<Option, Words>>
}

export type Kind = 'text' | 'time' | 'choice' | 'switch' | 'links' | 'variables' | 'rules'

/** The kind of a field of a bundle’s content, and who sees it. */
interface Field {
  /** The label shown above it. */
  label: string
  /** How it is sent, compared, merged and edited: every `Record` of kinds has one entry for each. */
  kind: Kind
  /** Whether lists of bundles include it. */
  isListed: boolean
  /** Whether all viewers of the open launcher see it. Launchers read all content: the trigger `bundle_changed` watches all. */
  isPublic: boolean
  /** Whether versions with equal large values share one stored copy per bundle (`stored.ts`). */
  isShared: boolean
}

/** One value, compared and replaced as a whole. */
interface ScalarField extends Field {
  /** Where forms ask for it: with the title, with the opening times, or with the access, which nobody may propose. */
  group: 'about' | 'opening' | 'visibility'
  /** Its command-line flag. */
  flag: string
  /** The flag’s help text. */
  help: string
}

/** A string, or null for none. */
type TextField = ScalarField & TextKind

/** An instant, or null for none: ISO 8601 in UTC, with milliseconds. */
interface TimeField extends ScalarField {
  kind: 'time'
}

/** One of a few words. */
type ChoiceField<Option extends string> = ScalarField & ChoiceKind<Option, string>

/** On or off. */
interface SwitchField extends ScalarField {
  kind: 'switch'
  /** Its value in a new bundle. */
  isOn: boolean
  /** What it means if it is on, as a sentence without a full stop. */
  says: string
}

type FieldOf<Value> = [string | null] extends [Value]
  ? TextField | TimeField
  : [Value] extends [string]
    ? ChoiceField<Value>
    : [Value] extends [boolean]
      ? SwitchField
      : Field & { kind: 'links' | 'variables' | 'rules' }

/** Limits of a bundle’s fields, in Unicode code points or entries. */
export const BOUNDS = {
  urls: 25,
  url: MAX_URL,
  title: 200,
  description: 2000,
  closedNote: 500,
  password: 128,
  /** The most days by which a copy can shift times: ten years. */
  shiftDays: 3660,
  note: 500,
  section: 60,
  tags: 10,
  tag: 40,
  variables: 5,
  /** Placeholders in one text or link. */
  placeholders: 10,
  /** Placeholders that one viewer sees: in the title, the description, and one list of links with its notes and sections. */
  placeholdersSeen: 100,
  variableLabel: 60,
  variableExample: 100,
  variableDefault: MAX_VALUE,
  options: 50,
  option: 100,
  externalId: 128,
  aliases: 5,
  metadataKeys: 50,
  metadataValue: 500,
  /** Bundles that one call creates or edits. */
  bulk: 100,
  /** Entries on one page of a list. */
  page: 100,
  email: MAX_EMAIL,
} as const

// The command loads this, so it must not import server code.

/**
 * The content of a version, in the order of the API’s answers. A new column in `contentColumns` (db/content-schema.ts) does not
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
    help: 'Allow copies by viewers: yes or no',
    isOn: false,
    says: 'Allow copies',
    isListed: true,
    isPublic: false,
    isShared: false,
  },
  icons: {
    kind: 'switch',
    label: 'Icons',
    group: 'visibility',
    flag: 'icons',
    help: 'Show site icons: yes or no',
    isOn: true,
    says: 'Show site icons',
    isListed: true,
    isPublic: false,
    isShared: false,
  },
  listed: {
    kind: 'switch',
    label: 'On the start page',
    group: 'visibility',
    flag: 'listed',
    help: 'List it on the organisation’s start page: yes or no',
    isOn: false,
    says: 'List on the start page',
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
/** The scalar fields: one value each, with a command-line flag. */
export type ScalarName = ValueName | SettingName
/** The scalar fields that only editors can change. */
export type GuardedName = NameWith<{ group: 'visibility' }>
/** The scalar fields for which every reader of a bundle may propose a value. */
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

/** The scalar fields in one group of a form. */
export function scalarsIn(group: ScalarField['group']): ScalarName[] {
  return SCALAR_NAMES.filter((name) => CONTENT[name].group === group)
}

/** Whether a name is that of a content field. */
export function isContent(name: string): name is keyof Content {
  return Object.hasOwn(CONTENT, name)
}

/** Whether a name is that of a scalar field. */
export function isScalar(name: unknown): name is ScalarName {
  return SCALAR_NAMES.some((scalar) => scalar === name)
}

/** The given fields of an object, in the order of `names`. */
export function pick<Name extends string, From extends Record<Name, unknown>>(
  names: readonly Name[],
  from: From,
): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>
}

/** A copy of an object without the given fields. */
export function omit<From extends object, Name extends keyof From>(
  names: readonly Name[],
  from: From,
): Omit<From, Name> {
  const rest: Partial<From> = { ...from }
  for (const name of names) delete rest[name]
  return rest as Omit<From, Name>
}

/** A record with a value for each of the given names. */
export function each<Name extends string, T>(names: readonly Name[], make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>
}

/** A record with a value for each field that is a string or null. */
export function eachValue<T>(make: (name: ValueName) => T): Record<ValueName, T> {
  return each(VALUE_NAMES, make)
}

/** A record with a value for each scalar field. */
export function eachScalar<T>(make: (name: ScalarName) => T): Record<ScalarName, T> {
  return each(SCALAR_NAMES, make)
}

// Scalar fields as texts.

/** The texts for a switch in forms, in differences and on the command line. */
export const SWITCH_TEXTS = { on: 'yes', off: 'no' } as const

/** The text for the value of a scalar field; `''` for none. `valueIn` is the opposite. */
export function textOf(value: string | boolean | null): string {
  return typeof value === 'boolean' ? SWITCH_TEXTS[value ? 'on' : 'off'] : (value ?? '')
}

/** The value of a scalar field given as text. It accepts unknown words for a choice: the service refuses them. */
export function valueIn<Name extends ScalarName>(name: Name, text: string): Content[Name] {
  const { kind } = CONTENT[name]
  const value = text.trim() === '' ? NOTHING[name] : kind === 'switch' ? text === SWITCH_TEXTS.on : text.trim()
  return value as Content[Name]
}

/** The text of `textOf` as pages show it. */
export function inWords(name: ScalarName, text: string): string {
  const field = CONTENT[name]
  if (field.kind === 'switch') return asSentence(text)
  const words: Readonly<Record<string, string>> = field.kind === 'choice' ? field.words : {}
  return Object.hasOwn(words, text) ? (words[text] ?? text) : text
}

/** What readers of a copyable bundle are told. */
export const CAN_COPY = 'viewers can copy it'

/** What a copy has whatever its original has: it must not appear on a start page unasked. */
export const IN_COPIES = { listed: false }

/** The content with which a new bundle starts. */
export const NOTHING: Content = {
  urls: [],
  urlMetadata: [],
  variables: [],
  ...eachValue(() => null),
  ...each(CHOICE_NAMES, (name) => CONTENT[name].options[0]),
  ...each(SWITCH_NAMES, (name) => CONTENT[name].isOn),
  resolutionPolicy: null,
}
