import type { Tab } from '../../../db/policy.ts'
import type { Content, UrlMetadata } from '../../../db/schema.ts'
import type { Config } from '../../config/config.ts'
import { OWN_PATHS } from '../../core/launcher-link.ts'
import { routes } from '../../core/routes.ts'
import { BOUNDS, type ChoiceKind, each, pick, SWITCH_TEXTS, type TextKind, textOf } from '../content/content.ts'

// The command loads this, so it must not import server code.

export type LinkName = keyof UrlMetadata

/** A link with all its metadata; unset fields have their defaults. */
export type Link = { url: string } & { readonly [Name in LinkName]: Readonly<Required<UrlMetadata>[Name]> }

interface Field {
  /** The label of its control, and of its value in views without a place for it. */
  label: string
  /** Whether tabs in rules have it too. */
  isInRules: boolean
  /** Whether viewers of the launcher see it, in pages and in the API. */
  isPublic: boolean
}

/** A string, or `''` for none. */
type TextField = Field & TextKind

/** A list of tags. */
interface TagsField extends Field {
  kind: 'tags'
  /** The longest tag, in code points. */
  max: number
  /** The most tags of a link. */
  most: number
}

/** The names of one of a few values. */
interface Words {
  /** In a list of the values. */
  option: string
  /** On a link with this value; the default is not shown. */
  mark: string
  /** In the description of an edit that chose it. */
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

/** The fields of a link, in the order of answers. A new field in `UrlMetadata` does not compile until it is described here. */
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
/** The fields that tabs in rules have too. */
export const RULE_NAMES = LINK_NAMES.filter((name): name is LinkName & keyof Tab => LINK_FIELDS[name].isInRules)

/** The fields that viewers see. */
export const PUBLIC_LINK_NAMES = LINK_NAMES.filter(
  (
    name,
  ): name is { [Name in LinkName]: (typeof LINK_FIELDS)[Name]['isPublic'] extends true ? Name : never }[LinkName] =>
    LINK_FIELDS[name].isPublic,
)

/** The description of a field, of whatever kind. */
export function linkField(name: LinkName): LinkField {
  return LINK_FIELDS[name]
}

type Value = string | readonly string[] | boolean

/** How values of each kind are read: from typed text or text in files, and from unchecked JSON. */
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
  // The reader of a kind takes a field of that kind.
  return (READ[field.kind] as (field: LinkField) => ReturnType<(typeof READ)['text']>)(field)
})

/** A stored link with all fields; those not stored have their defaults. */
export function wholeLink(url: string, metadata: UrlMetadata = {}): Link {
  return { url, ...each(LINK_NAMES, (name) => metadata[name] ?? READERS[name].none) } as Link
}

function isDefault(name: LinkName, value: Value): boolean {
  return linkText(value) === linkText(READERS[name].none)
}

/** The stored metadata of a link: all fields that differ from their defaults. */
export function metadataOf(link: Omit<Link, 'url'>): UrlMetadata {
  const stored = LINK_NAMES.filter((name) => !isDefault(name, link[name]))
  return structuredClone(pick(stored, link)) as UrlMetadata
}

/** A link as a tab in a rule, which has only some of its fields. */
export function tabOf(link: Link): Tab {
  return {
    url: link.url,
    ...pick(
      RULE_NAMES.filter((name) => name in metadataOf(link)),
      link,
    ),
  }
}

/** The fields of a link as texts, for forms and tables. `metadataIn` is the opposite. */
export function textsOf({ url, ...fields }: Link): Record<keyof Link, string> {
  return { url, ...each(LINK_NAMES, (name) => linkText(fields[name])) }
}

/** The stored metadata of a link given as texts; a field without a text has its default. */
export function metadataIn(texts: Partial<Record<LinkName, string>>): UrlMetadata {
  return metadataOf(each(LINK_NAMES, (name) => READERS[name].ofText(texts[name] ?? '')) as Omit<Link, 'url'>)
}

/** The stored metadata in unchecked JSON: fields of another type have their defaults. Nothing is limited, cleaned or trimmed. */
export function metadataInJson(json: Record<string, unknown>): UrlMetadata {
  return metadataOf(each(LINK_NAMES, (name) => READERS[name].ofJson(json[name])) as Omit<Link, 'url'>)
}

/** The value of a link’s field as people type it and files store it. */
export function linkText(value: Value): string {
  return typeof value === 'object' ? writeTags(value) : textOf(value)
}

/** The possible values of a field as texts, the default first; null if any value is possible. */
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

/** Enough for ten tags of maximum length with quotes. */
const MAX_TEXT = 2000
const TAG = /\s*"((?:[^"]|"")*)"|[^,;|]+/g

/**
 * Formats tags on one line, as people type them and files store them: `read first, monday`. Tags with a separator or a quote
 * are quoted, so that `readTags` returns the same tags, apart from surrounding space.
 */
export function writeTags(tags: readonly string[] = []): string {
  return tags.map((tag) => (/[,;|"]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(', ')
}

/** The distinct tags of a bundle's links, in order of first use. Pure. */
export function tagsOf({ urlMetadata }: Pick<Content, 'urlMetadata'>): string[] {
  return [...new Set(urlMetadata.flatMap(({ tags = [] }) => tags))]
}

/** Parses tags separated by commas, semicolons or bars; removes duplicates. Pure. */
export function readTags(text: string): string[] {
  const read = [...text.slice(0, MAX_TEXT).matchAll(TAG)]
    .map(([bare, quoted]) => (quoted?.replaceAll('""', '"') ?? bare).trim())
    .filter((tag) => tag !== '')
  return [...new Set(read)]
}

/** The settings that links to launchers depend on. */
export type LinkSite = Pick<Config, 'origin' | 'shortPaths'>

/** The link to share: it opens the launcher. */
export function linkOf(slug: string, { origin, shortPaths }: LinkSite): string {
  return shortPaths && !OWN_PATHS.includes(slug)
    ? `${origin}/${slug}`
    : `${origin}${routes.launcher.page.href({ slug })}`
}

// The texts of a link besides its URL.

/** All texts of a link besides its URL: notes, sections, tags. */
export function textsBeside(metadata: UrlMetadata): string[] {
  return LINK_NAMES.filter((name) => ['text', 'tags'].includes(LINK_FIELDS[name].kind)).flatMap((name) => {
    const value = metadata[name] ?? []
    return typeof value === 'object' ? [...value] : String(value)
  })
}

/** The text fields, which may contain placeholders. */
export type LinkText = {
  [Name in LinkName]: (typeof LINK_FIELDS)[Name]['kind'] extends 'text' ? Name : never
}[LinkName]

export const LINK_TEXTS = LINK_NAMES.filter((name): name is LinkText => LINK_FIELDS[name].kind === 'text')

/** The fields of a link or tab, with `change` applied to each text that it has. */
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

// Marks: words on a link for fields that differ from their defaults.

/** The stored metadata of a link. */
type Metadata = { readonly [Name in LinkName]?: Link[Name] | undefined }

/** The fields for which every view of a link has a place. */
const PLACED: readonly LinkName[] = ['note', 'tags', 'section']

/** The fields that views of a link show as marks on it. */
export const MARK_NAMES = LINK_NAMES.filter((name) => !PLACED.includes(name))

/** The marks on a link as pages show them to its owner: `open manually`. */
export function marksOf(metadata: Metadata): string[] {
  return marks(metadata, MARK_NAMES, wordOf)
}

/** The marks on a link that pages show to viewers. */
export function publicMarksOf(metadata: Metadata): string[] {
  return marks(metadata, PUBLIC_MARK_NAMES, wordOf)
}

const PUBLIC_MARK_NAMES = MARK_NAMES.filter((name) => LINK_FIELDS[name].isPublic)

function wordOf(name: LinkName, text: string): string {
  return optionsOf(name)?.get(text)?.mark ?? `${linkField(name).label}: ${text}`
}

/** The marks on a link for terminals and programs, in the words of the API: `manual`. */
export function plainMarksOf(metadata: Metadata): string[] {
  return marks(metadata, MARK_NAMES, (name, text) => {
    const { kind } = linkField(name)
    return kind === 'choice' ? text : kind === 'switch' && text === SWITCH_TEXTS.on ? name : `${name}: ${text}`
  })
}

/** A mark for each field that differs from its default. */
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

/** Neighbouring links under one heading. */
export interface Section {
  /** `''` for links without a section. */
  name: string
  /** The index of its first link. */
  from: number
  urls: string[]
  urlMetadata: UrlMetadata[]
}

/** The links of a bundle by section, in their order. Separated links with the same section name form several sections. Pure. */
export function sectionsOf({ urls, urlMetadata }: Readonly<Pick<Section, 'urls' | 'urlMetadata'>>): Section[] {
  const sections: Section[] = []
  for (const [index, url] of urls.entries()) {
    const metadata = urlMetadata[index] ?? {}
    const { section: name = '' } = metadata
    let last = sections.at(-1)
    if (last?.name !== name) sections.push((last = { name, from: index, urls: [], urlMetadata: [] }))
    last.urls.push(url)
    last.urlMetadata.push(metadata)
  }
  return sections
}
