/** A pasted list, read: what each of its lines names. */
export interface Pasted {
  /** The lines that have anything in them, as typed. */
  lines: string[]
  /** What is to become the bundle's URLs; a line that holds none gives its own text, for its error to show. */
  urls: string[]
  urlMetadata: { note?: string }[]
  /** For each of `urls`, the index of its line. */
  lineOf: number[]
}

const BULLET = /^\s*(?:[-*+•‣◦–—·]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/u
// Bounded, and never past another bracket: on what people paste, a pattern must not cost more than its length.
const MARKDOWN_LINK = /!?\[([^[\]]*)\]\(\s{0,8}<?([^\s)>]{1,2100})>?(?:\s{1,8}"[^"]{0,500}")?\s{0,8}\)/g
const WEB_URL = /\bhttps?:\/\/[^\s<>"|]+/gi
const BARE_DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d{1,5})?(?:[/?#]\S*)?$/u

/**
 * Reads what people paste: one URL a line, with or without bullets; `title | url` and `url | title` (OneTab);
 * Markdown links; a bare `example.com`, which becomes https. Titles become notes. Pure; refuses nothing, for
 * whether a URL may be kept is for the operation to say.
 */
export function readPasted(text: string): Pasted {
  const pasted: Pasted = { lines: [], urls: [], urlMetadata: [], lineOf: [] }
  for (const raw of text.split(/\r\n|\r|\n/)) {
    if (raw.trim() === '') continue
    const at = pasted.lines.push(raw) - 1
    for (const { url, note } of readLine(raw)) {
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
  const markdown = [...line.matchAll(MARKDOWN_LINK)]
  if (markdown.length > 0)
    return markdown.map(([, title = '', url = '']) => ({ url, note: title === url ? '' : title.trim() }))

  const found = [...line.matchAll(WEB_URL)].map(([url]) => balanced(url))
  const [first] = found
  if (first !== undefined && found.length === 1) return [{ url: first, note: titleAround(line, first) }]
  if (first !== undefined) return found.map((url) => ({ url, note: '' }))

  const pieces = line.split(' | ').map((piece) => piece.trim())
  const domain = pieces.find((piece) => BARE_DOMAIN.test(piece))
  if (domain === undefined) return [{ url: line, note: '' }]
  return [{ url: `https://${domain}`, note: pieces.filter((piece) => piece !== domain).join(' | ') }]
}

/** A URL without the punctuation that the sentence around it left at its end. */
function balanced(url: string): string {
  const bare = stripEnd(url, /[.,;!?'"]/)
  return bare.endsWith(')') && !bare.includes('(') ? bare.slice(0, -1) : bare
}

/** What a line says beside its URL, without the separators between the two. */
function titleAround(line: string, url: string): string {
  const [before = '', after = ''] = line.split(url)
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
