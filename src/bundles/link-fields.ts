import type { Tab } from '../../db/policy.ts'
import type { UrlMetadata } from '../../db/schema.ts'
import { BOUNDS } from './bounds.ts'
import { each, pick } from './content.ts'
import type { ChoiceKind, TextKind } from './kinds.ts'
import { readTags, writeTags } from './tags.ts'
import { SWITCH_TEXTS, textOf } from './values.ts'

// The command loads this, so it must not import server code.

export type LinkName = keyof UrlMetadata

/** A link with all its metadata, unset fields having their defaults. */
export type Link = { url: string } & { readonly [Name in LinkName]: Readonly<Required<UrlMetadata>[Name]> }

interface Field {
  /** The name of its control, and of its value where it has no place of its own. */
  label: string
  /** Whether tabs of rules have it too. */
  isInRules: boolean
  /** Whether viewers and readers of the launcher are told of it. */
  isPublic: boolean
}

/** A string, or `''` for none. */
type TextField = Field & TextKind

/** Several words. */
interface TagsField extends Field {
  kind: 'tags'
  /** Of each, in code points. */
  max: number
  /** How many a link can have. */
  most: number
}

/** How one of a few values is called. */
interface Words {
  /** In a list of them. */
  option: string
  /** On a link that has it; the default is not shown. */
  mark: string
  /** Where an edit has chosen it. */
  change: string
}

/** One of a few words. */
type ChoiceField<Option extends string> = Field & ChoiceKind<Option, Words>

interface SwitchField extends Field {
  kind: 'switch'
  isOnByDefault: boolean
  words: Readonly<Record<(typeof SWITCH_TEXTS)['on' | 'off'], Words>>
}

type LinkField = TextField | TagsField | ChoiceField<string> | SwitchField

type FieldOf<Value> = [Value] extends [boolean]
  ? SwitchField
  : [Value] extends [string[]]
    ? TagsField
    : string extends Value
      ? TextField
      : [Value] extends [string]
        ? ChoiceField<Value>
        : never

/** The fields of a link, in the order of answers. A new one of `UrlMetadata` does not compile until it is described here. */
export const LINK_FIELDS = {
  note: { kind: 'text', label: 'Title', max: BOUNDS.note, lines: 'many', isInRules: true, isPublic: true },
  tags: { kind: 'tags', label: 'Tags', max: BOUNDS.tag, most: BOUNDS.tags, isInRules: false, isPublic: true },
  section: { kind: 'text', label: 'Section', max: BOUNDS.section, lines: 'one', isInRules: true, isPublic: true },
  openPolicy: {
    kind: 'choice',
    label: 'Opens',
    options: ['auto', 'manual'],
    words: {
      auto: { option: 'With Open all', mark: 'open with the others', change: 'Open all now opens it' },
      manual: { option: 'Manually', mark: 'open manually', change: 'Open all now leaves it out' },
    },
    isInRules: false,
    isPublic: true,
  },
  check: {
    kind: 'switch',
    label: 'Check the link',
    isOnByDefault: true,
    words: {
      yes: { option: 'Yes', mark: 'checked', change: 'The service now checks it' },
      no: { option: 'No', mark: 'not checked', change: 'The service no longer checks it' },
    },
    isInRules: false,
    isPublic: false,
  },
} as const satisfies {
  [Name in LinkName]-?: FieldOf<NonNullable<UrlMetadata[Name]>> & { isInRules: Name extends keyof Tab ? true : false }
}

export const LINK_NAMES = Object.keys(LINK_FIELDS) as LinkName[]
/** Those that tabs of rules have too. */
export const RULE_NAMES = LINK_NAMES.filter((name): name is LinkName & keyof Tab => LINK_FIELDS[name].isInRules)

/** Those that viewers are told of. */
export const PUBLIC_LINK_NAMES = LINK_NAMES.filter(
  (
    name,
  ): name is { [Name in LinkName]: (typeof LINK_FIELDS)[Name]['isPublic'] extends true ? Name : never }[LinkName] =>
    LINK_FIELDS[name].isPublic,
)

/** The description of a field, whatever its kind. */
export function linkField(name: LinkName): LinkField {
  return LINK_FIELDS[name]
}

type Value = string | readonly string[] | boolean

/** How values of each kind are read: from what people type or files store, and from unchecked JSON. */
const READ: {
  [Kind in LinkField['kind']]: (field: Extract<LinkField, { kind: Kind }>) => {
    none: Value
    ofText(text: string): Value
    ofJson(value: unknown): Value
  }
} = {
  text: () => ({
    none: '',
    ofText: (text) => text.trim(),
    ofJson: (value) => (typeof value === 'string' ? value : ''),
  }),
  tags: () => ({
    none: [],
    ofText: readTags,
    ofJson: (value) => (Array.isArray(value) ? value.filter((tag) => typeof tag === 'string') : []),
  }),
  choice: ({ options }) => ({
    none: options[0],
    ofText: (text) => options.find((option) => option === text.trim().toLowerCase()) ?? options[0],
    ofJson: (value) => options.find((option) => option === value) ?? options[0],
  }),
  switch: ({ isOnByDefault }) => ({
    none: isOnByDefault,
    ofText: (text) => SWITCHED.get(text.trim().toLowerCase()) ?? isOnByDefault,
    ofJson: (value) => (typeof value === 'boolean' ? value : isOnByDefault),
  }),
}

const SWITCHED = new Map<string, boolean>([
  [SWITCH_TEXTS.on, true],
  [SWITCH_TEXTS.off, false],
])

const READERS = each(LINK_NAMES, (name) => {
  const field = linkField(name)
  // Each kind has one, which takes a field of that kind.
  return (READ[field.kind] as (field: LinkField) => ReturnType<(typeof READ)['text']>)(field)
})

/** A stored link with everything that is not stored with it. */
export function wholeLink(url: string, metadata: UrlMetadata = {}): Link {
  return { url, ...each(LINK_NAMES, (name) => metadata[name] ?? READERS[name].none) } as Link
}

export function isDefault(name: LinkName, value: Value): boolean {
  return linkText(value) === linkText(READERS[name].none)
}

/** What is stored of a link besides its URL: everything that is not the default. */
export function metadataOf(link: Omit<Link, 'url'>): UrlMetadata {
  const stored = LINK_NAMES.filter((name) => !isDefault(name, link[name]))
  return structuredClone(pick(stored, link)) as UrlMetadata
}

/** A link as a tab of a rule, which has some of its fields. */
export function tabOf(link: Link): Tab {
  return {
    url: link.url,
    ...pick(
      RULE_NAMES.filter((name) => name in metadataOf(link)),
      link,
    ),
  }
}

/** A link as forms and tables have it. `metadataIn` is the opposite. */
export function textsOf({ url, ...fields }: Link): Record<keyof Link, string> {
  return { url, ...each(LINK_NAMES, (name) => linkText(fields[name])) }
}

/** What is stored of a link that is given as texts; a field without a text has its default. */
export function metadataIn(texts: Partial<Record<LinkName, string>>): UrlMetadata {
  return metadataOf(each(LINK_NAMES, (name) => READERS[name].ofText(texts[name] ?? '')) as Omit<Link, 'url'>)
}

/** The same of unchecked JSON: fields of another type have their defaults. Not limited, cleaned or trimmed. */
export function metadataInJson(json: Record<string, unknown>): UrlMetadata {
  return metadataOf(each(LINK_NAMES, (name) => READERS[name].ofJson(json[name])) as Omit<Link, 'url'>)
}

/** A value of a link’s field as people type it and as files store it. */
export function linkText(value: Value): string {
  return typeof value === 'object' ? writeTags(value) : textOf(value)
}

/** The values that a field can have, as texts, the default first; null if it can have any. */
export function optionsOf(name: LinkName): Map<string, Words> | null {
  const field = linkField(name)
  if (field.kind !== 'choice' && field.kind !== 'switch') return null
  const texts = field.kind === 'choice' ? field.options : switchTexts(field)
  const words: Readonly<Record<string, Words>> = field.words
  return new Map(texts.flatMap((text) => (words[text] === undefined ? [] : [[text, words[text]] as const])))
}

function switchTexts({ isOnByDefault }: SwitchField) {
  return isOnByDefault ? [SWITCH_TEXTS.on, SWITCH_TEXTS.off] : [SWITCH_TEXTS.off, SWITCH_TEXTS.on]
}
