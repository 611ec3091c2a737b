import type { Content } from '../../db/schema.ts'
import { CONTENT, eachValue, NOTHING, pick, SETTING_NAMES, type SettingName } from '../bundles/content/content.ts'
import { metadataInJson } from '../bundles/links/link-fields.ts'
import { emptyGroup, type FoundGroup, type FoundLink, type Settings } from '../bundles/list/found.ts'
import { Problem } from '../core/problem.ts'
import { asList, asObject, asText, isObject } from '../core/untyped.ts'
import { readCsv } from './csv.ts'
import { headingsOf, MARKDOWN, readLines } from './lines.ts'
import { readMarkup } from './markup.ts'
import { readTabManager, TAB_MANAGERS } from './tab-managers.ts'
import type { TitleSource } from './titles.ts'
import { dataIn, jsonIn, readTree } from './tree.ts'

/** The formats of a text, in words. */
export const FORMATS = {
  bookmarks: 'bookmarks',
  csv: 'CSV',
  markdown: 'Markdown',
  headings: 'a text with headings',
  onetab: 'a OneTab export',
  toby: 'a Toby export',
  workona: 'a Workona export',
  'session-buddy': 'a Session Buddy export',
  'tab-session-manager': 'a Tab Session Manager export',
  list: 'a list',
  json: 'JSON',
  data: 'data of another program',
} as const

/** The recognised format of a text. */
export type ImportFormat = keyof typeof FORMATS

/** Where a format has titles: lists and Markdown have them in the text around links. */
export function titlesOf(format: ImportFormat): TitleSource {
  if (format === 'json') return 'ours'
  if (format === 'data') return 'data'
  return (['list', 'markdown', 'headings'] as ImportFormat[]).includes(format) ? 'text' : 'field'
}

/** A text, and its views, each computed once. */
interface Readable {
  text: string
  lines: readonly string[]
  data: () => unknown
}

/** A kind of text: its name, and its reader, which returns null for other texts. */
interface Container {
  format: ImportFormat
  read: (readable: Readable) => FoundGroup[] | null
}

/** The kinds in the order in which they are tried: of several possible ones, that with the most information comes first. */
const CONTAINERS: readonly Container[] = [
  // `<https://a.example>` is a URL in a list, not a tag.
  { format: 'bookmarks', read: readPage },
  { format: 'list', read: readPiece },
  { format: 'list', read: readShortcut },
  { format: 'json', read: ({ data }) => orNull(inBundles(bundlesIn(data()))) },
  ...TAB_MANAGERS.map((format): Container => ({ format, read: ({ data }) => readTabManager(format, data()) })),
  { format: 'data', read: ({ data }) => (data() === undefined ? null : readTree(data())) },
  { format: 'markdown', read: ({ lines, text }) => readHeadings(lines, text, true) },
  { format: 'onetab', read: ({ lines }) => readOneTab(lines) },
  { format: 'headings', read: ({ lines, text }) => readHeadings(lines, text, false) },
  { format: 'csv', read: ({ text }) => readCsv(text) },
]

/** Recognises the format of a text, by default a list, and reads it. */
export function recognise(sent: string): { format: ImportFormat; found: FoundGroup[] } {
  const text = sent.replace(/^\uFEFF/, '')
  let data: { is: unknown } | undefined
  const readable = {
    text,
    lines: text.split(/\r\n|\r|\n/),
    data: () => (data ??= { is: dataIn(text) }).is,
  }
  for (const { format, read } of CONTAINERS) {
    const found = read(readable)
    if (found !== null) return { format, found }
  }
  const found = readLines(readable.lines, [])
  return { format: found.length > 1 ? 'headings' : 'list', found }
}

const orNull = (found: FoundGroup[]) => (found.length > 0 ? found : null)

const MARKUP = /^\s*<(?:[!?]|[a-z][a-z0-9]*[\s>/])/i
/** A tag that only whole pages have. */
const WHOLE_PAGE = /<(?:[!?]|html|script|style)\b/i

/** The links in markup; null for a piece of a page with addresses only in its text. */
function readPage({ text }: Readable): FoundGroup[] | null {
  if (!MARKUP.test(text)) return null
  const found = readMarkup(text)
  const isText = found.every(({ links }) => links.length === 0) && text.includes('://') && !WHOLE_PAGE.test(text)
  return isText ? null : found
}

function readPiece({ text }: Readable): FoundGroup[] | null {
  return MARKUP.test(text) ? readLines(text.replace(/<[^<>]*>/g, ' ').split(/\r\n|\r|\n/), []) : null
}

/** A shortcut file of Windows or Linux, which may also have the address of an icon. */
function readShortcut({ text }: Readable): FoundGroup[] | null {
  const [, url] = /^\s*\[(?:InternetShortcut|Desktop Entry)\][^[]*?[\r\n]URL(?:\[\$e\])?=(\S+)/i.exec(text) ?? []
  if (url === undefined) return null
  const [, name = ''] = /[\r\n]Name=([^\r\n]*)/.exec(text) ?? []
  return [{ ...emptyGroup(''), links: [{ line: 1, url, text: url, note: name.trim() }] }]
}

function readHeadings(lines: readonly string[], text: string, isMarkdown: boolean): FoundGroup[] | null {
  const headings = headingsOf(lines, text)
  const isIts = isMarkdown ? headings.includes(MARKDOWN) : headings.length > 0
  return isIts ? readLines(lines, headings) : null
}

/** A line of OneTab's export; empty lines separate its groups. */
const ONETAB = /^\s*([a-z][a-z0-9+.-]*:\S+)(?:\s+\|\s(.*))?$/i

/** Reads a tab from each line; an address in its title is not a link. */
function readOneTab(lines: readonly string[]): FoundGroup[] | null {
  const filled = lines.filter((line) => line.trim() !== '')
  // A single line may come from anywhere, with anything after its bar.
  if (filled.length < 2 || !filled.some((line) => line.includes(' | ')) || !filled.every((line) => ONETAB.test(line)))
    return null
  let here = emptyGroup('')
  const found = [here]
  for (const [index, line] of lines.entries()) {
    const [, address, title = ''] = ONETAB.exec(line) ?? []
    if (address === undefined) found.push((here = emptyGroup('')))
    else here.links.push({ line: index + 1, url: address, text: line.trim(), note: title.trim() })
  }
  return found
}

/** Fields of JSON exports, which distinguish a truncated one from other texts. */
const EXPORTED = /"(?:urlMetadata|cards|folders|windows|Workspaces)"\s*:/

/**
 * Refuses a cut-off or damaged JSON export: read as a list, it would become links with scraps of JSON.
 * @throws Problem BAD_REQUEST.
 */
export function refuseDamaged(text: string): void {
  if (!/^\s*(?:\[\s*)?\{/.test(text) || jsonIn(text) !== undefined || !EXPORTED.test(text)) return
  throw new Problem('BAD_REQUEST', 'This looks like an export in JSON, but it is cut off or damaged. Export it again.')
}

// This service's own JSON: its exports and the answers of its API.

type Json = Record<string, unknown>

/** The groups in bundles. The `line` of a link is its number, because JSON may be a single line. */
function inBundles(bundles: readonly Json[]): FoundGroup[] {
  let line = 0
  return bundles.map((bundle) => toFound(bundle, () => (line += 1)))
}

/** The bundles in an export, a list, one bundle, or an array of bundles. */
function bundlesIn(json: unknown): Json[] {
  const entries: unknown[] = Array.isArray(json)
    ? json
    : isObject(json) && Array.isArray(json.bundles)
      ? json.bundles
      : [json]
  // An export includes deleted bundles, which an import must not bring back.
  return entries.filter(isObject).filter(({ urls, deletedAt }) => Array.isArray(urls) && typeof deletedAt !== 'string')
}

function toFound(bundle: Json, nextLine: () => number): FoundGroup {
  const metadata = asList(bundle.urlMetadata)
  return {
    ...eachValue((name) => asText(bundle[name])),
    links: asList(bundle.urls).map((url, index) => toLink(url, metadata[index], nextLine())),
    settings: settingsIn(bundle),
    ...(Array.isArray(bundle.variables) ? { variables: bundle.variables } : {}),
    ...(isObject(bundle.resolutionPolicy) ? { resolutionPolicy: dropIds(bundle.resolutionPolicy) } : {}),
    ...(typeof bundle.externalId === 'string' ? { externalId: bundle.externalId } : {}),
    ...metadataIn(bundle),
    ...(asList(bundle.aliases).length === 0 ? {} : { aliases: bundle.aliases }),
  }
}

/** The owner's metadata, without the label of the client that created the bundle: the import is its own client. */
function metadataIn({ metadata }: Json): { metadata?: Json } {
  const { client: _, ...own } = asObject(metadata)
  return Object.keys(own).length === 0 ? {} : { metadata: own }
}

function toLink(url: unknown, metadata: unknown, line: number): FoundLink {
  return { line, url: asText(url), ...metadataInJson(asObject(metadata)) }
}

/** A bundle's settings that are valid and differ from those of a new one. */
function settingsIn(bundle: Json): Settings {
  const isOther = (name: SettingName) => {
    const field = CONTENT[name]
    const words: readonly unknown[] = field.kind === 'choice' ? field.options : [!field.isOn]
    return words.includes(bundle[name]) && bundle[name] !== NOTHING[name]
  }
  return pick(SETTING_NAMES.filter(isOther), bundle as Pick<Content, SettingName> & Json)
}

/** A policy without the ids of its rules, because those of a new bundle get new ones. */
function dropIds(policy: Json): Json {
  if (!Array.isArray(policy.rules)) return policy
  const rules = policy.rules.map((rule: unknown) => {
    if (!isObject(rule)) return rule
    const { id: _, ...rest } = rule
    return rest
  })
  return { ...policy, rules }
}
