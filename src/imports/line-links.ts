import type { Said } from '../bundles/list/found.ts'
import { sanitized } from '../core/text.ts'
import { addressesIn, hasAddress, type Placed, trimmed, unmatchedBrackets } from './addresses.ts'
import { decoded, dropSpeaker, isCommand, plainTitle, titleIn, titleOf } from './titles.ts'

/** A link in a line of text; `note` is the text beside it, `''` for none. */
export interface LineLink {
  url: string
  note: string
  said?: readonly Said[]
}

/** Bullets, numbers and checkboxes at the beginning of a line, up to four. */
const BULLET =
  /^\s*(?:(?:[-*+•‣⁃∙◦▪▫■□▶►➢➤→○●◉★☆☐☑☒✓✔✅✗✘❏❑▢–—·]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\[(?:\d{1,3}|[ xX✓-]?)\]|\p{No})\s+){1,4}/u
/** The marks of quoted lines in a mail. */
const QUOTED = /^\s{0,8}(?:>\s?){1,20}/
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?:\p{L}{2,}|xn--[a-z\d-]+)$/iu
/** The limit of DNS, in characters. */
const MAX_DOMAIN = 253
const AFTER_DOMAIN = /^(?::\d{1,5})?(?:[/?#]\S*)?$/

/**
 * The links in one line of a text: one or several web addresses, with or without bullets and words around them;
 * `title | url` and `url | title` (OneTab); links in Markdown and other notations; a bare `example.com`, which becomes https.
 * The text beside a link is its note, without the author in a chat, greetings and requests. Pure; takes linear time.
 */
export function linksIn(raw: string): LineLink[] {
  const shown = raw.includes('&lt;') ? decoded(raw) : raw
  const line = dropDeclarations(dropSpeaker(shown.replace(QUOTED, '').replace(BULLET, ''))).trim()
  const placed = notedLinks(line)
  if (placed.length > 0 || hasAddress(line)) {
    const all = withPlainUrls(line, placed)
    const found = all.filter(({ url }) => url !== '')
    if (found.length > 0) return noted(line, withBare(line, all))
    if (placed.length > 0) return []
  }
  return line.includes('.') ? bareLinks(line) : []
}

/** Addresses that only declare a document type or namespace, in HTML and XML within a text. */
const DECLARATION =
  /<!DOCTYPE[^<>]*>?|\b(?:xmlns(?::[\w.-]{1,40})?|[\w.-]{0,40}:?schemaLocation)\s?=\s?(?:"[^"]*"|'[^']*')/gi

function dropDeclarations(line: string): string {
  return line.includes('<!') || line.includes('xmlns') || line.includes('schemaLocation')
    ? line.replace(DECLARATION, ' ')
    : line
}

/** A line without its bullets, numbers and checkboxes. */
export function withoutBullet(line: string): string {
  return line.replace(BULLET, '')
}

/** The links in one line; a line without any is returned as a link, so that validation can name its error. */
export function linksOrText(raw: string): LineLink[] {
  const links = linksIn(raw)
  return links.length > 0 ? links : [{ url: withoutBullet(raw).trim(), note: '' }]
}

/** The links in notations and the plain addresses between them. */
function withPlainUrls(line: string, links: readonly Placed[]): Placed[] {
  const all: Placed[] = []
  let at = 0
  for (const link of links) {
    all.push(...addressesIn(line.slice(at, link.from), at), link)
    at = link.to
  }
  return [...all, ...addressesIn(line.slice(at), at)]
}

/** Words that look like a domain but are names of files or programs. */
const FILE =
  /\.(?:jsx?|tsx?|pdf|docx?|xlsx?|pptx?|txt|csv|png|jpe?g|gif|svg|json|html?|css|ya?ml|xml|log|exe|md|py|sh)$/i

/**
 * Links and, between them, addresses without a scheme. Beside a link, such a word is one too, unless it is written as a name
 * (Booking.com, Node.js) or names the site of a link in the line.
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
      const url = trimmed(word)
      if (isLink(url)) all.push({ url: toUrl(url), from: at + index, to: at + index + url.length })
    }
    if (link.to > link.from) all.push(link)
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

/** Whether a word is clearly an address without a scheme. */
function isMarked(word: string): boolean {
  return /^www\./i.test(word) || word.includes('/')
}

/** Addresses without a scheme. In a sentence, a dot is not enough: a word also needs `www.`, a path, or a colon or dash by it. */
function bareLinks(line: string): LineLink[] {
  // The outer bars of a table row.
  const pieces = line
    .replace(/^\||\|$/g, '')
    .split(' | ')
    .map((piece) => piece.trim())
  const domain = pieces.find(isBareDomain)
  if (domain !== undefined) {
    return [{ url: toUrl(domain), note: pieces.filter((piece) => piece !== domain).join(' | ') }]
  }
  const words = line.split(/[\s,;|]+/).filter((word) => word !== '')
  const bare = words.map((word) => trimmed(word.replace(/^[(<"'“]+/, '')))
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
export function isBareDomain(text: string): boolean {
  const plain = sanitized(text)
  const end = plain.search(/[:/?#]/)
  const domain = end === -1 ? plain : plain.slice(0, end)
  // The length comes first: on very long input the pattern takes a lot of memory and time.
  return domain.length <= MAX_DOMAIN && DOMAIN.test(domain) && AFTER_DOMAIN.test(plain.slice(domain.length))
}

/** The longest text before several links that becomes the note of all; a longer one is only the first link's. */
const MAX_SHARED = 100

/**
 * The links in a line with the text beside them as notes. Each gets the text before it or, if a link begins the line, the text
 * after it, never both; a text before links with nothing between them is about all of them.
 */
function noted(line: string, all: readonly Placed[]): LineLink[] {
  const isPiped = line.includes('|')
  const links = all.filter(({ url }) => url !== '')
  const written = textsBetween(line, all).map((text) => strip(plainTitle(text)))
  const isShell = isCommand(written[0] ?? '')
  const texts = written.map((plain, index) => {
    if (isShell) return ''
    const piece = isPiped
      ? plain.replace(/^\[(?=[^\]]*$)/, '')
      : titleOf(plain, index === links.length ? 'after' : 'before')
    // Punctuation, symbols or invisible characters alone are not a title.
    return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(piece) ? piece : ''
  })
  const [before = '', ...others] = texts
  const after = texts.at(-1) ?? ''
  const isAboutAll =
    links.every(({ note }) => note === undefined) &&
    others.every((text, index) => text === '' || index === others.length - 1)
  return links.map(({ url, note, said }, index) => ({
    url,
    note: note ?? noteOf(index),
    ...(said === undefined ? {} : { said }),
  }))

  function noteOf(index: number): string {
    if (links.length === 1 || (isAboutAll && before !== '' && before.length <= MAX_SHARED)) return either(before, after)
    if (before === '') return texts[index + 1] ?? ''
    return index === links.length - 1 ? either(texts[index] ?? '', after) : (texts[index] ?? '')
  }
}

/** The text before a link, or else the one after it; none if together they are data around an address. */
function either(before: string, after: string): string {
  if (before === '' || after === '') return before || after
  return titleIn(`${before} ${after}`, 'text') === '' ? '' : before
}

/** The texts before, between and after the links in a line, without its pictures. */
function textsBetween(line: string, all: readonly Placed[]): string[] {
  const texts = ['']
  let at = 0
  for (const { url, from, to } of [...all, { url: '', from: line.length, to: line.length }]) {
    texts[texts.length - 1] += line.slice(at, from)
    if (url !== '') texts.push('')
    else texts[texts.length - 1] = texts.at(-1)?.trimEnd() ?? ''
    at = to
  }
  return texts
}

const SEPARATOR = /[\s|:<>()\-–—,;→⇒➜，。、；：（）「」]/u
const UNBRACKETED = /[\s|:<>\-–—,;→⇒➜，。、；：]/u

/** A text without the separator between it and a link; its own pairs of brackets stay: `Budget (draft)`. */
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

/** A way to write a link. */
interface Notation {
  of: string
  /** Characters that every line with it has: searching for them is cheaper than matching a pattern. */
  mark: string
  /** Finds its links in a line; a picture is a link without a URL. */
  read: (line: string) => Placed[]
}

/**
 * The parts of a Markdown link: before its URL, the end of the URL, and after it. A title may contain pairs of brackets, escaped
 * ones, and a picture. An unescaped bracket without a partner ends the search from the previous one.
 */
const LINK_HEAD = /!?(?<!\\)\[((?:\\.|[^[\]\\]|\[[^[\]]*\](?:\([^()[\]]*\))?)*)\]\(\s{0,8}<?/g
const LINK_URL_END = /[\s>]/g
const LINK_TAIL = />?(?:\s{1,8}(?:"[^"]{0,500}"|'[^']{0,500}'))?\s{0,8}\)/y
/** The end of an address in angle brackets, which may have spaces. */
const BRACKETED_END = /[<>]/g

/**
 * The Markdown links in a line; a picture has no URL. Searches for the end of a URL once, however many links begin before it:
 * one pattern for a whole link would rescan the rest of the line from each `](`, in quadratic time.
 */
function markdownLinks(line: string): Placed[] {
  const links: Placed[] = []
  const closing = closingBrackets(line)
  const [space, angle] = [nextOf(line, LINK_URL_END), nextOf(line, BRACKETED_END)]
  let end = 0
  for (const { 0: head, 1: title = '', index } of line.matchAll(LINK_HEAD)) {
    const from = index + head.length
    // Inside the previous link: `[a](x[b](y)` is one link.
    if (end > index) continue
    const urlEnd = head.endsWith('<') ? angle(from) : Math.min(space(from), closing(index + head.lastIndexOf('](') + 1))
    LINK_TAIL.lastIndex = urlEnd
    if (from >= urlEnd || !LINK_TAIL.test(line)) continue
    end = LINK_TAIL.lastIndex
    const url = sanitized(line.slice(from, urlEnd))
      .trim()
      .replaceAll(' ', '%20')
      .replace(/\\([_*~&#()[\]])/g, '$1')
    if (head.startsWith('!')) links.push({ url: '', from: index, to: end })
    else links.push({ url, note: title === url ? '' : plainTitle(title), from: index, to: end })
  }
  return links
}

/** Finds the next match of a pattern at or after a position; called in order, it searches each part of the line once. */
function nextOf(line: string, pattern: RegExp): (from: number) => number {
  let at = -1
  return (from) => {
    if (at < from) {
      pattern.lastIndex = from
      at = pattern.exec(line)?.index ?? line.length
    }
    return at
  }
}

/** Finds the `)` that closes a `(` in a line: its own, or the next one if the brackets do not match. */
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

/** A notation found by one pattern, which never searches past the next bracket, tag or quote. */
function byPattern(of: string, mark: string, pattern: RegExp): Notation {
  return {
    of,
    mark,
    read: (line) =>
      Array.from(line.matchAll(pattern), ({ 0: whole, index, groups: { url = '', title = '' } = {} }) => ({
        url: sanitized(url).replaceAll('&amp;', '&'),
        note: title === url ? '' : plainTitle(title),
        from: index,
        to: index + whole.length,
      })),
  }
}

/** The notations of links in a line. Those of pictures remove the addresses of pictures. */
const NOTATIONS: readonly Notation[] = [
  { of: 'Markdown', mark: '](', read: markdownLinks },
  byPattern(
    'HTML',
    '</',
    /<a\s[^<>]{0,300}?href=["']?(?<url>https?:[^\s<>"']+)["']?[^<>]{0,300}>(?<title>(?:[^<>]|<(?!\/?a[\s>])[^<>]{0,300}>){0,500})<\/a>/gi,
  ),
  byPattern('a picture in HTML', '<img', /<img\s[^<>]{0,2000}>/gi),
  byPattern('org', '][', /\[\[(?<url>https?:[^\s[\]]+)\]\[(?<title>[^[\]]*)\]\]/gi),
  byPattern('a picture in BBCode', '[/', /\[img[^[\]]{0,100}\][^[\]]{0,2000}\[\/img\]/gi),
  byPattern(
    'BBCode',
    '[/',
    /\[url=["']?(?<url>https?:[^\s[\]"']+)["']?\](?<title>(?:[^[\]]|\[\/?(?:b|i|u|s|color|size)[^[\]]{0,40}\]){0,500})\[\/url\]/gi,
  ),
  byPattern('BBCode without a title', '[/', /\[url\]\s{0,8}(?<url>https?:[^\s[\]]+)(?<title>)\s{0,8}\[\/url\]/gi),
  byPattern('Slack', '|', /<(?<url>https?:[^\s<>|]+)\|(?<title>[^<>|]*)>/gi),
  byPattern('Jira', '|', /\[(?<title>[^[\]|]+)\|(?<url>https?:[^\s[\]|]+)(?:\|[^[\]|]*)?\]/gi),
  byPattern('MediaWiki', '[http', /\[(?<url>https?:[^\s[\]|]+)\s(?<title>[^[\]|]+)\]/gi),
  byPattern('DokuWiki', '[[http', /\[\[(?<url>https?:[^\s[\]|]+)\|(?<title>[^[\]|]*)\]\]/gi),
  byPattern('reStructuredText', '>`_', /`(?<title>[^`<>]*)<(?<url>https?:[^\s<>`]+)>`__?/gi),
  byPattern('a picture in reStructuredText', '..', /^\s*\.\.\s(?:\|[^|]{1,100}\|\s)?(?:image|figure)::.*/gi),
  byPattern('a picture in AsciiDoc', '[', /(?<!\S)image::?[^\s[\]]+\[[^[\]]*\]/gi),
  byPattern(
    'AsciiDoc',
    '[',
    /(?<!\S)(?:link:)?(?<url>https?:[^\s[\]<>|?]+)\[(?=[^[\]]*\p{L})(?<title>[^[\]]*)\](?=[\s.,;:!]|$)/giu,
  ),
  byPattern('LaTeX', '\\href{', /\\href\{(?<url>https?:[^\s{}]+)\}\{(?<title>[^{}]*)\}/gi),
  byPattern('Textile', '":http', /"(?<title>[^"]+)":(?<url>https?:[^\s<>"|]*[^\s<>"|.,;:!?)])/gi),
]

/** The links in a line in all its notations, in order; a picture is one without a URL. */
function notedLinks(line: string): Placed[] {
  const found = NOTATIONS.filter(({ mark }) => line.includes(mark)).flatMap(({ read }) => read(line))
  // If two notations overlap, the one that begins first contains the other.
  const placed = found.sort((one, other) => one.from - other.from || other.to - one.to)
  let end = 0
  return placed.filter(({ from, to }) => {
    const isFree = from >= end
    if (isFree) end = to
    return isFree
  })
}
