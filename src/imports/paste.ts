import type { UrlMetadata } from '../../db/schema.ts'
import { fitted } from '../core/text.ts'

/** A pasted list, read: what each of its lines names. */
export interface Pasted {
  /** The lines that have anything in them, as typed. */
  lines: string[]
  /** What is to become the bundle's URLs; a line that holds none gives its own text, for its error to show. */
  urls: string[]
  urlMetadata: Pick<UrlMetadata, 'note'>[]
  /** For each of `urls`, the index of its line. */
  lineOf: number[]
}

const BULLET = /^\s*(?:[-*+•‣◦–—·]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/u
/** The parts of a Markdown link: what stands before its URL, what ends that, and what stands behind it. */
const LINK_HEAD = /!?\[([^[\]]*)\]\(\s{0,8}<?/g
const LINK_URL_END = /[\s)>]/g
const LINK_TAIL = />?(?:\s{1,8}"[^"]{0,500}")?\s{0,8}\)/y
const WEB_URL = /\bhttps?:\/\/[^\s<>"|]+/gi
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}$/u
/** The longest that DNS knows. */
const MAX_DOMAIN = 253
const BEHIND_DOMAIN = /^(?::\d{1,5})?(?:[/?#]\S*)?$/

/**
 * Reads what people paste: one URL a line, with or without bullets; `title | url` and `url | title` (OneTab);
 * Markdown links; a bare `example.com`, which becomes https. Titles become notes, without the marks of direction that
 * come along unseen. Pure; refuses nothing, for whether a URL may be kept is for the operation to say.
 */
export function readPasted(text: string): Pasted {
  const pasted: Pasted = { lines: [], urls: [], urlMetadata: [], lineOf: [] }
  for (const raw of text.split(/\r\n|\r|\n/)) {
    if (raw.trim() === '') continue
    const at = pasted.lines.push(raw) - 1
    for (const { url, note } of readLine(fitted(raw))) {
      pasted.urls.push(url)
      pasted.urlMetadata.push(note === '' ? {} : { note })
      pasted.lineOf.push(at)
    }
  }
  return pasted
}

/** What one line names, never nothing: a line without any URL gives its own text for one. */
export function readLine(raw: string): { url: string; note: string }[] {
  const line = raw.replace(BULLET, '').trim()
  // Most lines have nothing of most forms, and looking for a few letters costs less than any pattern.
  const markdown = line.includes('](') ? markdownLinks(line) : []
  if (markdown.length > 0) return markdown

  const addresses = line.includes('://') ? line.matchAll(WEB_URL) : []
  const found = Array.from(addresses, ({ 0: url, index }) => ({ url: balanced(url), index }))
  const [first] = found
  if (first !== undefined && found.length === 1) return [{ url: first.url, note: titleAround(line, first) }]
  if (first !== undefined) return found.map(({ url }) => ({ url, note: '' }))

  if (!line.includes('.')) return [{ url: line, note: '' }]
  const pieces = line.split(' | ').map((piece) => piece.trim())
  const domain = pieces.find(isBareDomain)
  if (domain === undefined) return [{ url: line, note: '' }]
  return [{ url: `https://${domain}`, note: pieces.filter((piece) => piece !== domain).join(' | ') }]
}

/** Whether a text is an address without its scheme: `example.com/path`. */
function isBareDomain(text: string): boolean {
  const end = text.search(/[:/?#]/)
  const domain = end === -1 ? text : text.slice(0, end)
  // First, for a pattern that goes on and on takes memory of which a runtime has no end, and then a hundred times as long.
  return domain.length <= MAX_DOMAIN && DOMAIN.test(domain) && BEHIND_DOMAIN.test(text.slice(domain.length))
}

/**
 * The links of a line in Markdown. Where URLs end is looked for once, however many begin before that place: one pattern
 * for the whole link would read the rest of the line again from each `](`.
 */
function markdownLinks(line: string): { url: string; note: string }[] {
  const links: { url: string; note: string }[] = []
  /** Where a URL ends that begins here or before, and the link with it; -1: what ends there is no link. */
  let [urlEnd, linkEnd] = [-1, -1]
  for (const { 0: head, 1: title = '', index } of line.matchAll(LINK_HEAD)) {
    const from = index + head.length
    // Within the link before: `[a](x[b](y)` is one.
    if (linkEnd > index) continue
    if (from > urlEnd) {
      LINK_URL_END.lastIndex = from
      urlEnd = LINK_URL_END.exec(line)?.index ?? line.length
      LINK_TAIL.lastIndex = urlEnd
      linkEnd = LINK_TAIL.test(line) ? LINK_TAIL.lastIndex : -1
    }
    if (linkEnd === -1 || from === urlEnd) continue
    const url = line.slice(from, urlEnd)
    links.push({ url, note: title === url ? '' : title.trim() })
  }
  return links
}

/** A URL without the punctuation that the sentence around it left at its end. */
function balanced(url: string): string {
  const bare = stripEnd(url, /[.,;!?'"]/)
  return bare.endsWith(')') && !bare.includes('(') ? bare.slice(0, -1) : bare
}

/** What a line says beside its URL, without the separators between the two. */
function titleAround(line: string, { url, index }: { url: string; index: number }): string {
  const [before, after] = [line.slice(0, index), line.slice(index + url.length)]
  // The full stop after a URL is no title.
  return [strip(before), strip(after)].filter((piece) => /[^\p{P}\s]/u.test(piece)).join(' ')
}

const SEPARATOR = /[\s|:<>()\-–—]/u

function strip(text: string): string {
  let from = 0
  while (from < text.length && SEPARATOR.test(text[from]!)) from += 1
  return stripEnd(text.slice(from), SEPARATOR)
}

/** A text without what matches at its end; `/…+$/` would try again from each character of a long run. */
function stripEnd(text: string, unwanted: RegExp): string {
  let end = text.length
  while (end > 0 && unwanted.test(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
