import { sanitized } from '../core/text.ts'
import { titleOf, withoutSpeaker } from './line-titles.ts'
import { markdownLinks, notedLinks, type Placed } from './markdown-links.ts'

/** A link in a line of text, with the rest of the line as its note; `''` for none. */
export interface LineLink {
  url: string
  note: string
}

const BULLET = /^\s*(?:[-*+•‣◦–—·]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/u
/** The marks of a quotation in a mail. */
const QUOTED = /^\s{0,8}(?:>\s?){1,20}/
/** Excludes invisible direction marks, which are often copied along with a URL, and the punctuation of Chinese and Japanese. */
const WEB_URL =
  /\bhttps?:\/\/[^\s<>"|，。、！？；：（）「」『』【】《》\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gi
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}$/u
/** The DNS limit. */
const MAX_DOMAIN = 253
const AFTER_DOMAIN = /^(?::\d{1,5})?(?:[/?#]\S*)?$/

/**
 * The links in one line of a text: one or several web addresses, with or without bullets and words around them;
 * `title | url` and `url | title` (OneTab); Markdown links; a bare `example.com`, which becomes https. The text beside a
 * link is its note, without who wrote it in a chat, greetings and pleas. Pure; takes linear time.
 */
export function linksIn(raw: string): LineLink[] {
  const line = withoutSpeaker(raw.replace(QUOTED, '').replace(BULLET, '')).trim()
  // Most lines lack most forms, and searching for a few letters is cheaper than matching a pattern.
  const markdown = line.includes('](') ? markdownLinks(line) : []
  if (markdown.length > 0 || line.includes('://')) {
    const found = withPlainUrls(line, markdown.length > 0 ? markdown : notedLinks(line))
    if (found.length > 0) return noted(line, withBare(line, found))
  }
  return line.includes('.') ? bareLinks(line) : []
}

/** The same, but a line without a link is returned as one, so that validation can say what is wrong with it. */
export function linksOrText(raw: string): LineLink[] {
  const links = linksIn(raw)
  return links.length > 0 ? links : [{ url: raw.replace(BULLET, '').trim(), note: '' }]
}

function webUrls(text: string, offset: number): Placed[] {
  return Array.from(text.matchAll(WEB_URL), ({ 0: found, index }) => {
    const url = trimPunctuation(found)
    return {
      url: url.replaceAll('&amp;', '&').replaceAll('&#38;', '&'),
      from: offset + index,
      to: offset + index + url.length,
    }
  })
}

/** The Markdown links and the plain URLs between them. */
function withPlainUrls(line: string, links: readonly Placed[]): Placed[] {
  const all: Placed[] = []
  let at = 0
  for (const link of links) {
    all.push(...webUrls(line.slice(at, link.from), at), link)
    at = link.to
  }
  return [...all, ...webUrls(line.slice(at), at)]
}

/** Words that look like a domain and are names of files and of programs. */
const FILE =
  /\.(?:jsx?|tsx?|pdf|docx?|xlsx?|pptx?|txt|csv|png|jpe?g|gif|svg|json|html?|css|ya?ml|xml|log|exe|md|py|sh)$/i

/**
 * Links and, between them, the addresses without a scheme. In a line with a link, such a word is one too, unless it is
 * written as a name (Booking.com, Node.js) or names the site of a link beside it.
 */
function withBare(line: string, links: readonly Placed[]): Placed[] {
  const hosts = new Set(links.map(({ url }) => bareHostOf(url)))
  const isLink = (word: string) =>
    word.includes('.') &&
    isBareDomain(word) &&
    (isMarked(word) || (word === word.toLowerCase() && !FILE.test(word) && !hosts.has(bareHostOf(word))))
  const all: Placed[] = []
  let at = 0
  for (const link of [...links, { url: '', from: line.length, to: line.length }]) {
    for (const { 0: word, index } of line.slice(at, link.from).matchAll(/[^\s,;|()<>"“]+/g)) {
      const url = trimPunctuation(word)
      if (isLink(url)) all.push({ url: toUrl(url), from: at + index, to: at + index + url.length })
    }
    if (link.url !== '') all.push(link)
    at = link.to
  }
  return all
}

function bareHostOf(url: string): string {
  return url
    .replace(/^https?:\/\//i, '')
    .split(/[/?#:]/, 1)[0]!
    .replace(/^www\./i, '')
    .toLowerCase()
}

/** Whether an address without a scheme is plainly one. */
function isMarked(word: string): boolean {
  return /^www\./i.test(word) || word.includes('/')
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
  const one = bare.find((word) => isMarked(word) && isBareDomain(word)) ?? edgeDomain(words, bare)
  if (one === undefined) return []
  const from = line.indexOf(one)
  return noted(line, withBare(line, [{ url: toUrl(one), from, to: from + one.length }]))
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
    } else if (!/[.,;:!?'’*`،؛؟。，、）」]/.test(last)) break
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

/** A longer text before several links is the note of the first only. */
const MAX_SHARED = 100

/**
 * The links of a line with the text beside them. Of several, each has the text before it, or, where a link begins the
 * line, the text after it; a text with nothing between the links below it is about all of them.
 */
function noted(line: string, links: readonly Placed[]): LineLink[] {
  const isPiped = line.includes('|')
  const texts = [...links, { from: line.length, to: 0 }].map(({ from }, index) => {
    const text = line.slice(links[index - 1]?.to ?? 0, from)
    const piece = isPiped
      ? strip(text).replace(/^\[(?=[^\]]*$)/, '')
      : titleOf(strip(text), index === links.length ? 'after' : 'before')
    // Punctuation or invisible characters alone are not a title.
    return /[^\p{P}\p{Cf}\s]/u.test(piece) ? piece : ''
  })
  const [before = '', ...others] = texts
  const after = texts.at(-1) ?? ''
  const isBesides = /^\s*,/.test(line.slice(links.at(-1)?.to))
  const joined = (one: string, other: string) => [one, other].filter((text) => text !== '').join(isBesides ? ', ' : ' ')
  const isAboutAll =
    links.every(({ note }) => note === undefined) &&
    others.every((text, index) => text === '' || index === others.length - 1)
  return links.map(({ url, note }, index) => {
    if (note !== undefined) return { url, note }
    if (links.length === 1 || (isAboutAll && before !== '' && before.length <= MAX_SHARED))
      return { url, note: joined(before, after) }
    if (before === '') return { url, note: texts[index + 1] ?? '' }
    return { url, note: index === links.length - 1 ? joined(texts[index] ?? '', after) : (texts[index] ?? '') }
  })
}

const SEPARATOR = /[\s|:<>()\-–—,;→⇒➜，。、；：（）「」]/u
const UNBRACKETED = /[\s|:<>\-–—,;→⇒➜，。、；：]/u

/** A text without what separates it from a link; brackets that it opens and closes itself stay: `Budget (draft)`. */
function strip(text: string): string {
  const bare = stripBoth(text, UNBRACKETED)
  const hasOwn = bare.endsWith(')') !== bare.startsWith('(') && unmatchedBrackets(bare).get(')') === 0
  return hasOwn ? bare : stripBoth(text, SEPARATOR)
}

function stripBoth(text: string, unwanted: RegExp): string {
  let from = 0
  while (from < text.length && unwanted.test(text[from]!)) from += 1
  return stripEnd(text.slice(from), unwanted)
}

/** Removes matching characters from the end of a text; `/…+$/` would take quadratic time on a long run. */
function stripEnd(text: string, unwanted: RegExp): string {
  let end = text.length
  while (end > 0 && unwanted.test(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
