import { sanitized } from '../core/text.ts'

/** A link in a line of text, with the rest of the line as its note; `''` for none. */
export interface LineLink {
  url: string
  note: string
}

const BULLET = /^\s*(?:[-*+•‣◦–—·]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/u
/** The parts of a Markdown link: before its URL, the end of the URL, and after it. */
const LINK_HEAD = /!?\[([^[\]]*)\]\(\s{0,8}<?/g
const LINK_URL_END = /[\s>]/g
const LINK_TAIL = />?(?:\s{1,8}"[^"]{0,500}")?\s{0,8}\)/y
/** Excludes invisible direction marks, which are often copied along with a URL. */
const WEB_URL = /\bhttps?:\/\/[^\s<>"|\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gi
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}$/u
/** The DNS limit. */
const MAX_DOMAIN = 253
const AFTER_DOMAIN = /^(?::\d{1,5})?(?:[/?#]\S*)?$/

/**
 * The links in one line of a text: one or several web addresses, with or without bullets and words around them;
 * `title | url` and `url | title` (OneTab); Markdown links; a bare `example.com`, which becomes https. The text beside a
 * single link is its note. Pure; takes linear time.
 */
export function linksIn(raw: string): LineLink[] {
  const line = raw.replace(BULLET, '').trim()
  // Most lines lack most forms, and searching for a few letters is cheaper than matching a pattern.
  const markdown = line.includes('](') ? markdownLinks(line) : []
  if (markdown.length > 0) return withPlainLinks(line, markdown)

  const found = webUrls(line)
  const [first] = found
  if (first !== undefined && found.length === 1) return [{ url: first.url, note: titleAround(line, first) }]
  if (first !== undefined) return found.map(({ url }) => ({ url, note: '' }))
  return line.includes('.') ? bareLinks(line) : []
}

/** The same, but a line without a link is returned as one, so that validation can say what is wrong with it. */
export function linksOrText(raw: string): LineLink[] {
  const links = linksIn(raw)
  return links.length > 0 ? links : [{ url: raw.replace(BULLET, '').trim(), note: '' }]
}

interface PlacedUrl {
  url: string
  index: number
}

function webUrls(line: string): PlacedUrl[] {
  if (!line.includes('://')) return []
  return Array.from(line.matchAll(WEB_URL), ({ 0: url, index }) => ({ url: trimPunctuation(url), index }))
}

/** Addresses without a scheme. A dot is not enough: in a sentence, a word also needs `www.`, a path, a colon or a dash. */
function bareLinks(line: string): LineLink[] {
  // The outer bars of a table's row.
  const pieces = line
    .replace(/^\||\|$/g, '')
    .split(' | ')
    .map((piece) => piece.trim())
  const domain = pieces.find(isBareDomain)
  if (domain !== undefined) {
    return [{ url: toUrl(domain), note: pieces.filter((piece) => piece !== domain).join(' | ') }]
  }
  const words = line.split(/[\s,;|]+/).filter((word) => word !== '')
  const bare = words.map((word) => trimPunctuation(word.replace(/^[(<"'“]+/, '')))
  if (bare.every(isBareDomain)) return bare.map((word) => ({ url: toUrl(word), note: '' }))
  const plain = bare.filter((word) => (/^www\./i.test(word) || word.includes('/')) && isBareDomain(word))
  const [one = edgeDomain(words, bare)] = plain
  if (one === undefined) return []
  if (plain.length > 1) return plain.map((word) => ({ url: toUrl(word), note: '' }))
  return [{ url: toUrl(one), note: titleAround(line, { url: one, index: line.indexOf(one) }) }]
}

/** An address at the end of a line after a colon or dash, or at its beginning before a dash. */
function edgeDomain(words: readonly string[], bare: readonly string[]): string | undefined {
  const [first = '', last = ''] = [bare[0], bare.at(-1)]
  if (/[:：]$|^[-–—]$/.test(words.at(-2) ?? '') && isBareDomain(last)) return last
  return /^[-–—]$/.test(words[1] ?? '') && isBareDomain(first) ? first : undefined
}

function toUrl(domain: string): string {
  return `https://${sanitized(domain)}`
}

/** Adds `https://` to a typed address without a scheme (`www.example.com`); leaves anything else unchanged. */
export function withScheme(link: string): string {
  return isBareDomain(link.trim()) ? `https://${link.trim()}` : link
}

/** Whether a text is an address without a scheme, such as `example.com/path`. */
function isBareDomain(text: string): boolean {
  const plain = sanitized(text)
  const end = plain.search(/[:/?#]/)
  const domain = end === -1 ? plain : plain.slice(0, end)
  // The length comes first: on very long input the pattern takes a lot of memory and time.
  return domain.length <= MAX_DOMAIN && DOMAIN.test(domain) && AFTER_DOMAIN.test(plain.slice(domain.length))
}

interface MarkdownLink extends LineLink {
  from: number
  to: number
}

/**
 * The Markdown links of a line. Searches for the end of a URL once, however many links begin before it: one pattern for
 * a whole link would rescan the rest of the line from each `](`, in quadratic time.
 */
function markdownLinks(line: string): MarkdownLink[] {
  const links: MarkdownLink[] = []
  const closing = closingBrackets(line)
  let space = -1
  let end = 0
  for (const { 0: head, 1: title = '', index } of line.matchAll(LINK_HEAD)) {
    const from = index + head.length
    // Inside the previous link: `[a](x[b](y)` is one link.
    if (end > index) continue
    if (space < from) {
      LINK_URL_END.lastIndex = from
      space = LINK_URL_END.exec(line)?.index ?? line.length
    }
    const urlEnd = Math.min(space, closing(index + head.indexOf('](') + 1))
    LINK_TAIL.lastIndex = urlEnd
    if (from >= urlEnd || !LINK_TAIL.test(line)) continue
    end = LINK_TAIL.lastIndex
    const url = sanitized(line.slice(from, urlEnd))
    links.push({ url, note: title === url ? '' : title.trim(), from: index, to: end })
  }
  return links
}

/** Finds the `)` that closes a `(` of a line: its own, or the next one if the brackets do not match. */
function closingBrackets(line: string): (open: number) => number {
  const own = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '(') open.push(at)
    else if (line[at] === ')') {
      const start = open.pop()
      if (start !== undefined) own.set(start, at)
    }
  }
  let next = -1
  return (at) => {
    const match = own.get(at)
    if (match !== undefined) return match
    if (next < at && next < line.length) next = line.indexOf(')', at)
    if (next === -1) next = line.length
    return next
  }
}

/** The Markdown links and the plain URLs between them. */
function withPlainLinks(line: string, links: readonly MarkdownLink[]): LineLink[] {
  const all: LineLink[] = []
  let at = 0
  for (const { from, to, url, note } of links) {
    all.push(...webUrls(line.slice(at, from)).map((other) => ({ url: other.url, note: '' })), { url, note })
    at = to
  }
  return [...all, ...webUrls(line.slice(at)).map((other) => ({ url: other.url, note: '' }))]
}

const CLOSING: Record<string, string> = { ')': '(', ']': '[', '}': '{', '»': '«', '”': '“' }

/** A URL without the trailing punctuation of the sentence around it; a closing bracket stays if the URL opened it. */
function trimPunctuation(url: string): string {
  let surplus: Map<string, number> | undefined
  let end = url.length
  for (; end > 0; end -= 1) {
    const last = url[end - 1] ?? ''
    if (CLOSING[last] !== undefined) {
      surplus ??= unmatchedBrackets(url)
      const more = surplus.get(last) ?? 0
      if (more <= 0) break
      surplus.set(last, more - 1)
    } else if (!/[.,;:!?'’*`。，、）」]/.test(last)) break
  }
  return url.slice(0, end)
}

/** For each closing bracket, how many more of them a text has than opening ones. */
function unmatchedBrackets(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return new Map(
    Object.entries(CLOSING).map(([end, start]) => [end, (counts.get(end) ?? 0) - (counts.get(start) ?? 0)]),
  )
}

/** The text of a line besides its URL, without separators. */
function titleAround(line: string, { url, index }: PlacedUrl): string {
  const [before, after] = [line.slice(0, index), line.slice(index + url.length)]
  // Punctuation or invisible characters alone are not a title.
  return [strip(before), strip(after)].filter((piece) => /[^\p{P}\p{Cf}\s]/u.test(piece)).join(' ')
}

const SEPARATOR = /[\s|:<>()\-–—]/u

function strip(text: string): string {
  let from = 0
  while (from < text.length && SEPARATOR.test(text[from]!)) from += 1
  return stripEnd(text.slice(from), SEPARATOR)
}

/** Removes matching characters from the end of a text; `/…+$/` would take quadratic time on a long run. */
function stripEnd(text: string, unwanted: RegExp): string {
  let end = text.length
  while (end > 0 && unwanted.test(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
