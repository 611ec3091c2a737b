import { emptyGroup, type FoundGroup, type Said } from '../bundles/list/found.ts'
import { isBareDomain, type LineLink, linksIn, linksOrText } from './line-links.ts'
import { type PlainHeading, plainHeadingsIn } from './plain-headings.ts'
import { dropSpeaker, plainTitle, titleOf, withCapital } from './titles.ts'

/** A way to write a heading. */
export interface Heading {
  /** The text of a line that is a heading, which may contain a link; null for other lines. */
  textIn: (line: string, next: string) => string | null
  /** What the whole text must match for its lines to be read this way; missing for no condition. */
  sign?: RegExp
}

const byLine = (pattern: RegExp) => (line: string) => pattern.exec(line)?.groups?.text?.trim() ?? null
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/

/** The headings of Markdown with `#`; a text with them begins with its title. */
export const MARKDOWN: Heading = { textIn: byLine(/^\s{0,3}#{1,6}\s+(?<text>\S.*)$/) }

const HEADINGS: readonly Heading[] = [
  {
    textIn: byLine(/^\*{1,8}\s+(?:(?:TODO|DONE|NEXT)\s+)?(?<text>[^\s*].*?)(?:\s+:[\w:@]{1,60}:)?$/),
    sign: /\[\[https?:/,
  },
  // MediaWiki and AsciiDoc, Jira and Textile.
  { textIn: byLine(/^={1,6}\s{1,4}(?<text>[^\s=][^=]*)(?:={1,6})?\s*$/) },
  { textIn: byLine(/^={2,6}(?<text>[^\s=][^=]*)={2,6}\s*$/) },
  { textIn: byLine(/^h[1-6]\.\s+(?<text>\S.*)$/) },
  // reStructuredText, and the underlined headings of Markdown.
  {
    textIn: (line, next) =>
      UNDERLINE.test(next) && line.trim() !== '' && !/^\s|\|/.test(line) && next.trim().length >= line.trim().length - 1
        ? line.trim()
        : null,
  },
]

/** The kinds of headings that the lines of a text have. */
export function headingsOf(lines: readonly string[], text: string): readonly Heading[] {
  const all = [MARKDOWN, ...HEADINGS].filter(({ sign }) => sign === undefined || sign.test(text))
  return all.filter(({ textIn }) =>
    lines.some((line, at) => {
      const found = textIn(line, lines[at + 1] ?? '')
      return found !== null && (textIn === MARKDOWN.textIn || linksIn(found).length === 0)
    }),
  )
}

/** The line below the header of a Markdown table. */
const RULE = /^[|:\-\s]+$/
const isRule = (line: string) => line.includes('|') && line.includes('--') && RULE.test(line)

const NO_HEADINGS: ReadonlyMap<number, PlainHeading> = new Map()

/** Reads the links of each line, in a group for each heading; of a text without signs of headings, also the plain ones. */
export function readLines(lines: readonly string[], headings: readonly Heading[]): FoundGroup[] {
  const references = definitionsIn(lines)
  const pairs = headings.length === 0 ? pairsIn(lines) : null
  const isInPairs = pairs !== null
  const countLinks = (line: string) =>
    references.isOnlyDefined(line) ? null : line.includes('://') ? 1 : linksIn(references.resolved(line)).length
  const plain = headings.length > 0 || isInPairs ? NO_HEADINGS : plainHeadingsIn(lines, countLinks)
  let above = ''
  let here = emptyGroup('')
  const found = [here]
  for (const { text, line, next, parts } of joinedLines(lines)) {
    if (text.trim() === '' || isRule(text) || (headings.length > 0 && UNDERLINE.test(text))) continue
    const heading = headings.map(({ textIn }) => textIn(text, next)).find((title) => title !== null)
    const links = linksOf(heading ?? text, references, parts)
    if (isInPairs && links.length === 0) {
      if (pairs.top === line) here.title = titleOfList(dropSpeaker(text.trim()))
      else above = plainTitle(text)
      continue
    }
    if (heading !== undefined) {
      const title = links[0]?.note ?? plainTitle(heading.replace(/\s+#+$/, ''))
      found.push((here = emptyGroup(title)))
    }
    if (heading !== undefined && links.length === 0) continue
    const named = plain.get(line)
    if (named?.isOverAll) {
      here.title = named.title
      here.isOverAll = true
      continue
    }
    if (named !== undefined) {
      found.push((here = emptyGroup(named.title)))
      continue
    }
    if (links.length === 0 && references.isOnlyDefined(text)) continue
    // The header of a table does not count as a skipped line.
    if (links.length === 0 && text.includes('|') && isRule(next)) continue
    if (links.length === 0 && found.length === 1 && here.title === '' && here.links.length === 0) {
      here.title = introductionOf(text)
      if (here.title !== '') continue
    }
    // Trimmed once per line, which may hold many links.
    const trimmed = text.trim()
    for (const link of links.length > 0 ? links : linksOrText(text))
      here.links.push({
        ...link,
        ...(isInPairs ? { note: titleOf(dropSpeaker(above), 'before') } : {}),
        line,
        text: trimmed,
      })
  }
  return found
}

/** A line with nothing but an address, and the longest line that may be its title. */
const ADDRESS_ALONE = /^\s*(?:[-*•]\s+)?<?https?:\/\/\S+\s*$/i
const MAX_TITLE = 300

/**
 * Whether titles and addresses alternate, each on its own line, as programs copy the tabs of a window; null if they do not.
 * `top` is the number of the line above them all, 0 for none.
 */
function pairsIn(lines: readonly string[]): { top: number } | null {
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.length < 4) return null
  const isTopped = filled.length % 2 === 1
  const isText = (line: string) => line.length <= MAX_TITLE && !/:\s*$/.test(line) && linksIn(line).length === 0
  const areTheirs = filled
    .slice(isTopped ? 1 : 0)
    .every((line, at) => (at % 2 === 1 ? ADDRESS_ALONE.test(line) : isText(line)))
  if (!areTheirs || (isTopped && linksIn(filled[0] ?? '').length > 0)) return null
  return { top: isTopped ? lines.findIndex((line) => line.trim() !== '') + 1 : 0 }
}

/** The links in a line, or in one that a mail has broken: links that only its joined parts contain get a notice. */
function linksOf(text: string, references: References, parts: readonly string[]): LineLink[] {
  const links = linksIn(references.resolved(text))
  const [first] = parts
  if (first === undefined) return links
  const alone = linksIn(first)
  const urls = new Set(alone.map(({ url }) => url))
  const was = alone.at(-1)?.url
  const said: Said = { reason: 'joined', ...(was === undefined ? {} : { was }) }
  return links.map((link) => (urls.has(link.url) ? link : { ...link, said: [...(link.said ?? []), said] }))
}

interface Line {
  text: string
  /** Its number, counted from 1. */
  line: number
  next: string
  /** The joined parts; empty for a single line. */
  parts: readonly string[]
}

/** An address in angle brackets that are not closed on its line (RFC 3986, appendix C). */
const UNCLOSED = /<(?:URL:)?https?:\/\/[^\s<>]*$/i
/** The most lines on which such an address continues. */
const MAX_PARTS = 6
/** Mail programs break lines after 65 to 78 characters; within an address, after one of these. */
const GOES_ON = /[-/&?=_%]$/
const MIN_WRAPPED = 56
const MAX_WRAPPED = 1_000

/** Whether a line ends within an address, judged by its length and last character. */
function isWrapped(text: string): boolean {
  if (text.length > MAX_WRAPPED || !GOES_ON.test(text)) return false
  const [, address = ''] = /(https?:\/\/[^\s<>"|]+)$/i.exec(text) ?? []
  return address.length > 28 && (text.length >= MIN_WRAPPED || text.endsWith('-'))
}

/** The rest of an address: only characters of addresses, including one that no word has. */
const REST = /^[\w\-./?=&%#+~:,;@!$*]*[/?=&%_#-][\w\-./?=&%#+~:,;@!$*]*$|^[\w-]*\d[\w-]*$/

/** The lines of a text, joined where a mail has broken an address. */
function* joinedLines(lines: readonly string[]): Generator<Line> {
  for (let at = 0; at < lines.length; at += 1) {
    const text = lines[at] ?? ''
    const more = restOf(text, lines, at + 1)
    const parts = more.length === 0 ? [] : [text, ...more]
    const next = lines[at + 1 + more.length] ?? ''
    yield { text: more.length === 0 ? text : text.trimEnd() + more.join(''), line: at + 1, next, parts }
    at += more.length
  }
}

/** The lines that continue the address at the end of the previous line. */
function restOf(text: string, lines: readonly string[], from: number): string[] {
  if (!text.includes('://')) return []
  const quote = /^[\s>]{0,20}/.exec(text)?.[0] ?? ''
  const bare = (line: string) =>
    line.slice(quote.includes('>') && line.startsWith('>') ? quote.trimEnd().length : 0).trim()
  if (UNCLOSED.test(text.trimEnd())) {
    const rest: string[] = []
    for (const line of lines.slice(from, from + MAX_PARTS)) {
      rest.push(bare(line))
      if (/^[^\s<>]*>/.test(bare(line))) return rest
      if (!/^[^\s<>]+$/.test(bare(line))) break
    }
  }
  const next = bare(lines[from] ?? '')
  if (next === '' || next.length > MAX_WRAPPED || !isWrapped(text)) return []
  return REST.test(next) && !next.includes('://') && !isBareDomain(next) ? [next] : []
}

/** The longest line that counts as an introduction, in characters. */
const MAX_INTRODUCTION = 200

/** The title in a line that introduces a list, such as `Reading for Monday:`; `''` if it introduces nothing. */
function introductionOf(line: string): string {
  const text = dropSpeaker(line.trim())
  if (text.length > MAX_INTRODUCTION) return ''
  const bare = text.replace(/^[*_]+|[*_]+$/g, '')
  return /[:：]$/.test(bare) ? titleOfList(bare.slice(0, -1).trim()) : ''
}

const WRITTEN =
  /\b(?:wrote|schrieb|a écrit|escribió)\s*[:：]?$|^(?:From|To|Cc|Subject|Date|Sent|Von|An|Betreff|Gesendet|De|À|Objet)$/i

/** The title of a list in a line such as `Hi all, reading for Monday:`; `''` for `On … she wrote`. */
function titleOfList(line: string): string {
  return WRITTEN.test(line) ? '' : withCapital(titleOf(plainTitle(line), 'before'))
}

// Links with their address elsewhere in the text: references in Markdown, and targets in reStructuredText.

/** The targets of the references in a text. */
interface References {
  /** A line with its references replaced by links. */
  resolved: (line: string) => string
  /** Whether a line only defines a reference that other lines use. */
  isOnlyDefined: (line: string) => boolean
}

/** The lines that define references, with a label, an address and, in Markdown, a title. */
const DEFINITIONS = [
  /^\s{0,3}\[(?<label>[^[\]]{1,200})\]:\s{1,8}<?(?<url>https?:\/\/[^\s<>]+)>?(?:\s{1,8}(?:"(?<title>[^"]{0,500})"|'[^']{0,500}'|\([^()]{0,500}\)))?\s*$/i,
  /^\s*\.\.\s{1,8}_`?(?<label>[^`:]{1,200})`?:\s{1,8}(?<url>https?:\/\/\S+)\s*$/i,
]
/** `[title][label]`, `[label][]` and `[label]`; a title may contain pairs of brackets. */
const REFERENCE = /(?<![\\!\]])\[((?:\\.|[^[\]\\]|\[[^[\]]*\])+)\](?:\s?\[([^[\]]*)\])?(?![[(:])/g

const NONE: References = { resolved: (line) => line, isOnlyDefined: () => false }

/** The references that the lines of a text define. */
function definitionsIn(lines: readonly string[]): References {
  const definitions = new Map<string, string>()
  for (const line of lines) {
    const { label, url } = definitionIn(line) ?? {}
    if (label !== undefined && url !== undefined && !definitions.has(label)) definitions.set(label, url)
  }
  if (definitions.size === 0) return NONE
  const used = new Set<string>()
  const replaced = (line: string, found: (label: string) => void) =>
    line.replace(REFERENCE, (whole, title: string, label?: string) => {
      const key = keyOf(label || title)
      const url = definitions.get(key)
      if (url === undefined) return whole
      found(key)
      return `[${label === undefined && /^\^|^\d+$/.test(title) ? '' : title}](<${url}>)`
    })
  for (const line of lines) if (definitionIn(line) === null) replaced(line, (label) => used.add(label))
  return {
    resolved: (line) => {
      const definition = definitionIn(line)
      if (definition === null) return replaced(line, () => {})
      const { label, url, title } = definition
      if (used.has(label)) return ''
      return `[${title.replace(/[[\]]/g, '')}](<${url}>)`
    },
    isOnlyDefined: (line) => used.has(definitionIn(line)?.label ?? ''),
  }
}

function definitionIn(line: string): { label: string; url: string; title: string } | null {
  if (!line.includes('://') || !/^\s{0,3}\[|^\s*\.\.\s/.test(line)) return null
  for (const pattern of DEFINITIONS) {
    const { label, url, title } = pattern.exec(line)?.groups ?? {}
    if (label === undefined || url === undefined) continue
    const named = /^\^|^\d+$/.test(label) ? '' : label
    return { label: keyOf(label), url, title: plainTitle(title ?? named) }
  }
  return null
}

const keyOf = (label: string) => label.trim().replace(/\s+/g, ' ').toLowerCase()
