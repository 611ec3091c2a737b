import { fitted } from '../core/text.ts'

/** A link in a line of text, and what the line calls it; `''` for nothing. */
export interface LineLink {
  url: string
  note: string
}

const BULLET = /^\s*(?:[-*+•‣◦–—·]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/u
/** The parts of a Markdown link: what stands before its URL, what ends that, and what stands behind it. */
const LINK_HEAD = /!?\[([^[\]]*)\]\(\s{0,8}<?/g
const LINK_URL_END = /[\s>]/g
const LINK_TAIL = />?(?:\s{1,8}"[^"]{0,500}")?\s{0,8}\)/y
/** Without the marks of direction that come along unseen at its end. */
const WEB_URL = /\bhttps?:\/\/[^\s<>"|\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gi
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}$/u
/** The longest that DNS knows. */
const MAX_DOMAIN = 253
const BEHIND_DOMAIN = /^(?::\d{1,5})?(?:[/?#]\S*)?$/

/**
 * The links in one line of a text: one or several web addresses, with or without bullets and words around them;
 * `title | url` and `url | title` (OneTab); Markdown links; a bare `example.com`, which becomes https. What stands
 * beside a single link is its note. Pure and of linear cost; a line without a link gives none.
 */
export function linksIn(raw: string): LineLink[] {
  const line = raw.replace(BULLET, '').trim()
  // Most lines have nothing of most forms, and looking for a few letters costs less than any pattern.
  const markdown = line.includes('](') ? markdownLinks(line) : []
  if (markdown.length > 0) return withOthers(line, markdown)

  const found = webUrls(line)
  const [first] = found
  if (first !== undefined && found.length === 1) return [{ url: first.url, note: titleAround(line, first) }]
  if (first !== undefined) return found.map(({ url }) => ({ url, note: '' }))
  return line.includes('.') ? bareLinks(line) : []
}

/** The same, where a text without any link stands for one, so that its reader can say what is wrong with it. */
export function linksOrText(raw: string): LineLink[] {
  const links = linksIn(raw)
  return links.length > 0 ? links : [{ url: raw.replace(BULLET, '').trim(), note: '' }]
}

interface Placed {
  url: string
  index: number
}

function webUrls(line: string): Placed[] {
  if (!line.includes('://')) return []
  return Array.from(line.matchAll(WEB_URL), ({ 0: url, index }) => ({ url: withoutSentence(url), index }))
}

/** Addresses without their scheme. A word with a dot in it is one only where something else says so. */
function bareLinks(line: string): LineLink[] {
  // The outer edges of a table's row are no part of its cells.
  const pieces = line
    .replace(/^\||\|$/g, '')
    .split(' | ')
    .map((piece) => piece.trim())
  const domain = pieces.find(isBareDomain)
  if (domain !== undefined) {
    return [{ url: toUrl(domain), note: pieces.filter((piece) => piece !== domain).join(' | ') }]
  }
  const words = line.split(/[\s,;|]+/).filter((word) => word !== '')
  const bare = words.map((word) => withoutSentence(word.replace(/^[(<"'“]+/, '')))
  if (bare.every(isBareDomain)) return bare.map((word) => ({ url: toUrl(word), note: '' }))
  const plain = bare.filter((word) => (/^www\./i.test(word) || word.includes('/')) && isBareDomain(word))
  const [one = ends(words, bare)] = plain
  if (one === undefined) return []
  if (plain.length > 1) return plain.map((word) => ({ url: toUrl(word), note: '' }))
  return [{ url: toUrl(one), note: titleAround(line, { url: one, index: line.indexOf(one) }) }]
}

/** An address that ends its line behind a colon or a dash, or begins it before one. */
function ends(words: readonly string[], bare: readonly string[]): string | undefined {
  const [first = '', last = ''] = [bare[0], bare.at(-1)]
  if (/[:：]$|^[-–—]$/.test(words.at(-2) ?? '') && isBareDomain(last)) return last
  return /^[-–—]$/.test(words[1] ?? '') && isBareDomain(first) ? first : undefined
}

function toUrl(domain: string): string {
  return `https://${fitted(domain)}`
}

/** A link as somebody types it: one without a scheme (`www.example.com`) gets it; anything else stays. */
export function withScheme(link: string): string {
  return isBareDomain(link.trim()) ? `https://${link.trim()}` : link
}

/** Whether a text is an address without its scheme: `example.com/path`. */
function isBareDomain(text: string): boolean {
  const plain = fitted(text)
  const end = plain.search(/[:/?#]/)
  const domain = end === -1 ? plain : plain.slice(0, end)
  // First, for a pattern that goes on and on takes memory of which a runtime has no end, and then a hundred times as long.
  return domain.length <= MAX_DOMAIN && DOMAIN.test(domain) && BEHIND_DOMAIN.test(plain.slice(domain.length))
}

interface MarkdownLink extends LineLink {
  from: number
  to: number
}

/**
 * The links of a line in Markdown. Where URLs end is looked for once, however many begin before that place: one pattern
 * for the whole link would read the rest of the line again from each `](`.
 */
function markdownLinks(line: string): MarkdownLink[] {
  const links: MarkdownLink[] = []
  const closing = closingOf(line)
  let space = -1
  let end = 0
  for (const { 0: head, 1: title = '', index } of line.matchAll(LINK_HEAD)) {
    const from = index + head.length
    // Within the link before: `[a](x[b](y)` is one.
    if (end > index) continue
    if (space < from) {
      LINK_URL_END.lastIndex = from
      space = LINK_URL_END.exec(line)?.index ?? line.length
    }
    const urlEnd = Math.min(space, closing(index + head.indexOf('](') + 1))
    LINK_TAIL.lastIndex = urlEnd
    if (from >= urlEnd || !LINK_TAIL.test(line)) continue
    end = LINK_TAIL.lastIndex
    const url = fitted(line.slice(from, urlEnd))
    links.push({ url, note: title === url ? '' : title.trim(), from: index, to: end })
  }
  return links
}

/** Tells of each `(` in a line which `)` closes it: its own, or the next where brackets do not match. */
function closingOf(line: string): (open: number) => number {
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

/** Markdown links, and the plain ones that stand between them. */
function withOthers(line: string, links: readonly MarkdownLink[]): LineLink[] {
  const all: LineLink[] = []
  let at = 0
  for (const { from, to, url, note } of links) {
    all.push(...webUrls(line.slice(at, from)).map((other) => ({ url: other.url, note: '' })), { url, note })
    at = to
  }
  return [...all, ...webUrls(line.slice(at)).map((other) => ({ url: other.url, note: '' }))]
}

const CLOSING: Record<string, string> = { ')': '(', ']': '[', '}': '{', '»': '«', '”': '“' }

/** An address without the punctuation that the sentence around it left at its end: no bracket goes that it has opened. */
function withoutSentence(url: string): string {
  let surplus: Map<string, number> | undefined
  let end = url.length
  for (; end > 0; end -= 1) {
    const last = url[end - 1] ?? ''
    if (CLOSING[last] !== undefined) {
      surplus ??= surplusOf(url)
      const more = surplus.get(last) ?? 0
      if (more <= 0) break
      surplus.set(last, more - 1)
    } else if (!/[.,;:!?'’*`。，、）」]/.test(last)) break
  }
  return url.slice(0, end)
}

/** How many more of each closing bracket a text has than it opens. */
function surplusOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return new Map(
    Object.entries(CLOSING).map(([end, start]) => [end, (counts.get(end) ?? 0) - (counts.get(start) ?? 0)]),
  )
}

/** What a line says beside its URL, without the separators between the two. */
function titleAround(line: string, { url, index }: Placed): string {
  const [before, after] = [line.slice(0, index), line.slice(index + url.length)]
  // Neither the full stop after a URL nor a mark that nobody sees is a title.
  return [strip(before), strip(after)].filter((piece) => /[^\p{P}\p{Cf}\s]/u.test(piece)).join(' ')
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
