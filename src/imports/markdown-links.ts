import { sanitized } from '../core/text.ts'

/** A link at its place in a line; without a note if the text around it is its note. */
export interface Placed {
  url: string
  note?: string
  from: number
  to: number
}

/**
 * The parts of a Markdown link: before its URL, the end of the URL, and after it. A title may hold brackets in pairs, escaped
 * ones, and a picture. An unescaped bracket that opens nothing ends the search from the one before it.
 */
const LINK_HEAD = /!?(?<!\\)\[((?:\\.|[^[\]\\]|\[[^[\]]*\](?:\([^()[\]]*\))?)*)\]\(\s{0,8}<?/g
const LINK_URL_END = /[\s>]/g
const LINK_TAIL = />?(?:\s{1,8}"[^"]{0,500}")?\s{0,8}\)/y

/**
 * The Markdown links of a line. Searches for the end of a URL once, however many links begin before it: one pattern for
 * a whole link would rescan the rest of the line from each `](`, in quadratic time.
 */
export function markdownLinks(line: string): Placed[] {
  const links: Placed[] = []
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
    const urlEnd = Math.min(space, closing(index + head.lastIndexOf('](') + 1))
    LINK_TAIL.lastIndex = urlEnd
    if (from >= urlEnd || !LINK_TAIL.test(line)) continue
    end = LINK_TAIL.lastIndex
    const url = sanitized(line.slice(from, urlEnd))
    links.push({ url, note: title === url ? '' : plainTitle(title), from: index, to: end })
  }
  return links
}

/** A title without its Markdown: a picture is its text, and what is escaped or code stands as it is. */
function plainTitle(title: string): string {
  return title
    .replace(/!\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, '$1')
    .trim()
    .replace(/^`([^`]*)`$/, '$1')
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

/** Other notations of a link, each with letters that its lines have; a pattern never searches past the next bracket, tag or quote. */
const NOTATIONS: readonly { of: string; mark: string; pattern: RegExp }[] = [
  { of: 'org', mark: '][', pattern: /\[\[(?<url>https?:[^\s[\]]+)\]\[(?<title>[^[\]]*)\]\]/gi },
  { of: 'MediaWiki', mark: '[http', pattern: /\[(?<url>https?:[^\s[\]|]+)\s(?<title>[^[\]|]+)\]/gi },
  {
    of: 'BBCode',
    mark: '[/',
    pattern: /\[url=["']?(?<url>https?:[^\s[\]"']+)["']?\](?<title>[^[\]]*)\[\/url\]/gi,
  },
  { of: 'BBCode without a title', mark: '[/', pattern: /\[url\](?<url>https?:[^\s[\]]+)(?<title>)\[\/url\]/gi },
  { of: 'reStructuredText', mark: '>`_', pattern: /`(?<title>[^`<>]*)<(?<url>https?:[^\s<>`]+)>`__?/gi },
  {
    of: 'AsciiDoc',
    mark: ']',
    pattern: /(?<!\S)(?<url>https?:[^\s[\]<>|?]+)\[(?<title>[^[\]]*\p{L}[^[\]]*)\](?=[\s.,;:!]|$)/giu,
  },
  { of: 'Textile', mark: '":http', pattern: /"(?<title>[^"]+)":(?<url>https?:[^\s<>"|]*[^\s<>"|.,;:!?)])/gi },
  {
    of: 'HTML',
    mark: '</',
    pattern: /<a\s[^<>]{0,300}?href=["']?(?<url>https?:[^\s<>"']+)["']?[^<>]{0,300}>(?<title>[^<>]*)<\/a>/gi,
  },
]

/** The links of a line in the first of the other notations that it has. */
export function notedLinks(line: string): Placed[] {
  for (const { mark, pattern } of NOTATIONS) {
    if (!line.includes(mark)) continue
    const links = [...line.matchAll(pattern)].map(({ 0: whole, index, groups: { url = '', title = '' } = {} }) => ({
      url: sanitized(url),
      note: title === url ? '' : title.trim(),
      from: index,
      to: index + whole.length,
    }))
    if (links.length > 0) return links
  }
  return []
}
