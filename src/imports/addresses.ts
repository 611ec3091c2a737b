import type { FoundLink, Said } from '../bundles/list/found.ts'
import { unfitUrl } from '../core/text.ts'

/** A link with its position in a line; without `note`, the text around it is its note. */
export interface Placed {
  url: string
  note?: string
  from: number
  to: number
  said?: readonly Said[]
}

/**
 * An address in a text. It excludes quotes, Chinese and Japanese punctuation, and the invisible direction marks that are often
 * copied along with it.
 */
const ADDRESS =
  /(?<![A-Za-z0-9])(?:(?:view-source:)?https?:\/\/|about:reader\?url=|(?:[a-z]+-){0,2}extension:\/\/|read:\/\/|chrome-distiller:\/\/)[^\s<>"`|“”„，。、！？；：（）「」『』【】《》〈〉〔〕［］＜＞｜\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/gi

/** Whether a line may have such an address: cheaper than searching for one. */
export function hasAddress(line: string): boolean {
  return line.includes('://') || line.includes(':reader?')
}

/** The addresses in a piece of a line that begins at `offset`. */
export function addressesIn(text: string, offset: number): Placed[] {
  const found: Placed[] = []
  for (const { 0: whole, index } of text.matchAll(ADDRESS)) {
    let from = offset + index
    for (const { written, isGlued } of apart(whole)) {
      const { url: bare, to: end, said } = endedOf(written, text[from - offset - 1] ?? '')
      const words = end === written.length ? spacedRest(bare, text, from - offset + end) : ''
      const [url, to] = [bare + words.replaceAll(' ', '%20'), end + words.length]
      const spaced: Said[] = words === '' ? [] : [{ reason: 'joined', by: 'words with spaces', was: bare }]
      const more: Said[] = [...said, ...(isGlued ? [GLUED] : []), ...spaced]
      // Without a web scheme, only a program's wrapping of an address counts.
      const isOne = /^https?:/i.test(url) || unwrappedOnce(url) !== null
      if (isOne) found.push({ url, from, to: from + to, ...(more.length === 0 ? {} : { said: more }) })
      from += written.length
    }
  }
  return found
}

/** The rest of an address that was copied with its spaces: folders and the name of a file. */
const FILE_AHEAD =
  /^(?: [^\s<>"|:/]{1,60}){1,8}?(?:\/[^\s<>"|:/]{1,60}(?: [^\s<>"|:/]{1,60}){0,8}?){0,8}?\.(?:xlsx?|xlsm|docx?|pptx?|pdf|csv|txt|zip|vsdx?|one|mp4|png|jpe?g|aspx|html?)(?![\w/.-])/i
/** Sites whose addresses people copy with spaces. */
const FILE_SITES = /^https?:\/\/[^/]{1,253}(?:sharepoint|onedrive|dropbox|nextcloud|owncloud)[^/]{0,253}\//i
const FILE_AHEAD_LENGTH = 400

/** The rest of an address after a space, if it has folders or the address is on a site for files; else `''`. */
function spacedRest(url: string, text: string, at: number): string {
  if (text[at] !== ' ' || /[?#]/.test(url) || !/^https?:\/\/[^/]+\/./i.test(url)) return ''
  const [rest = ''] = FILE_AHEAD.exec(text.slice(at, at + FILE_AHEAD_LENGTH)) ?? []
  return rest.includes('/') || FILE_SITES.test(url) ? rest : ''
}

const GLUED: Said = { reason: 'guessed' }

/** Splits addresses separated by nothing or by a comma; an address within another's query or path belongs to that one. */
function apart(text: string): { written: string; isGlued: boolean }[] {
  const parts: { written: string; isGlued: boolean }[] = []
  let [start, seen, isAround] = [0, 0, false]
  for (const { 0: mark, index } of text.matchAll(/[\p{L}\p{N},;)\]](?=https?:\/\/)/giu)) {
    const end = index + mark.length
    isAround ||= index - start < 8 || /[=?#]https?(?::|%3a)/i.test(text.slice(seen, index))
    seen = index
    if (isAround) continue
    parts.push({ written: text.slice(start, end), isGlued: /[\p{L}\p{N}]/u.test(mark) })
    start = seen = end
  }
  return [...parts, { written: text.slice(start), isGlued: false }]
}

/** Sequences that always end an address in a text. */
const CUTS = [
  // HTML shown as text.
  /&(?:lt|gt|quot|nbsp|apos|#0?3[49]|#6[02]);/i,
  // BBCode, and strings in programs.
  /\[\/|\\[nrt"'](?![a-z])/,
]

/** Escape sequences in addresses, with the characters for which they stand. */
const WRITTEN: readonly [written: RegExp, sign: string][] = [
  [/&(?:amp|#38|#x26);/gi, '&'],
  [/\\([_*~&#=+.()[\]-])/g, '$1'],
]

/** The end of a cut-off address: an ellipsis in chats, several dots typed by people. */
const DOTS = /^(?:…|\.{3,})/u

/** An address without the text that follows it, the position where that begins, and notices about guesses. */
function endedOf(text: string, before: string): { url: string; to: number; said: Said[] } {
  const cuts = [...CUTS.map((cut) => text.search(cut)), unopened(text)].filter((at) => at > 0)
  const cut = text.slice(0, Math.min(text.length, ...cuts))
  const bare = trimmed(cut, before)
  const said: Said[] = []
  let url = WRITTEN.reduce((address, [written, sign]) => address.replace(written, sign), bare)
  if (DOTS.test(cut.slice(bare.length))) said.push({ reason: 'cut' })
  const glued = gluedLetters(url)
  if (glued !== null) {
    said.push(glued === url.length ? GLUED : { ...GLUED, was: url })
    const to = bare.length - (url.length - glued)
    url = url.slice(0, glued)
    return { url, to, said }
  }
  return { url, to: bare.length, said }
}

/** The position of a closing square bracket that the address has not opened: it belongs to a notation around it. */
function unopened(text: string): number {
  if (!text.includes(']')) return -1
  let open = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '[') open += 1
    else if (text[at] === ']' && (open -= 1) < 0) return at
  }
  return -1
}

/** Letters of a sentence in another script, directly after an address in Latin letters. */
const GLUED_LETTERS = /^([\x21-\x7e]*[A-Za-z0-9])([\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Han}\p{sc=Thai}ー]+)$/u
/** Scripts of particles and endings, with which no word in an address begins. */
const ENDINGS = /^(?:\p{sc=Hira}|\p{sc=Hang})/u

/** The position of a sentence glued to an address; the whole length if uncertain; null for no sentence. */
function gluedLetters(url: string): number | null {
  const [, address = '', letters = ''] = GLUED_LETTERS.exec(url) ?? []
  if (letters === '') return null
  return ENDINGS.test(letters) ? address.length : url.length
}

const CLOSING: Record<string, string> = { ')': '(', ']': '[', '}': '{', '»': '«', '”': '“', '›': '‹' }
const PUNCTUATION = /[.,;:!?'’*‘،؛؟।。，、）」\\…]/
/** Marks around a word: one before an address is also removed from its end. */
const AROUND = /[_~=+]/

/** A URL without the trailing punctuation of the sentence around it; a closing bracket stays if the URL opened it. */
export function trimmed(url: string, before = ''): string {
  let surplus: Map<string, number> | undefined
  let end = url.length
  for (; end > 0; end -= 1) {
    const last = url[end - 1] ?? ''
    if (CLOSING[last] !== undefined) {
      surplus ??= unmatchedBrackets(url)
      const more = surplus.get(last) ?? 0
      if (more <= 0) break
      surplus.set(last, more - 1)
    } else if (last === '~' && url[end - 2] === '~') end -= 1
    else if (!PUNCTUATION.test(last) && !(last === before && AROUND.test(last))) break
  }
  return url.slice(0, end)
}

/** For each closing bracket, the number in a text minus that of its opening bracket. */
export function unmatchedBrackets(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return new Map(
    Object.entries(CLOSING).map(([end, start]) => [end, (counts.get(end) ?? 0) - (counts.get(start) ?? 0)]),
  )
}

/** A program's wrapping of an address in its own, which contains the target in clear text. Nothing is looked up. */
interface Wrapping {
  /** The name of the wrapping. */
  by: string
  /** The host and path of its addresses; without a web site, everything before the target. */
  at: RegExp
  /** Finds the target in its addresses. */
  target: (url: URL, address: string) => string | null | undefined
}

/** Finds the first of the given parameters that has a web address. */
const inQuery =
  (...keys: string[]): Wrapping['target'] =>
  ({ searchParams }) =>
    keys.map((key) => searchParams.get(key)).find((value) => value !== null && IS_WEB.test(value))

const IS_WEB = /^https?:\/\/[^\s/]/i

const WRAPPINGS: readonly Wrapping[] = [
  { by: 'a suspended tab', at: /^[a-z-]*extension:/, target: (_, address) => suspendedIn(address) },
  { by: 'a reading view', at: /^(?:about:reader$|read:|chrome-distiller:)/, target: inQuery('url') },
  { by: 'a view of its source', at: /^view-source:/, target: (_, address) => address.slice('view-source:'.length) },
  {
    by: 'Safe Links',
    at: /^[\w.-]+\.safelinks\.protection\.(?:outlook\.com|office365\.us|partner\.outlook\.cn)\/|^statics\.teams\.cdn\.(?:office|live)\.(?:net|com)\/.*safelinks/,
    target: inQuery('url'),
  },
  { by: 'Teams', at: /^teams\.(?:microsoft|live|cloud\.microsoft)\.?(?:com|us)?\//, target: inQuery('url') },
  { by: 'Google', at: /^(?:www\.)?google\.(?:com|[a-z]{2}|com?\.[a-z]{2})\/url$/, target: inQuery('q', 'url') },
  { by: 'Facebook', at: /^(?:l|lm|m|www)\.facebook\.com\/(?:l\.php|flx\/warn\/?)$/, target: inQuery('u') },
  { by: 'Messenger', at: /^l\.messenger\.com\/l\.php$/, target: inQuery('u') },
  { by: 'Instagram', at: /^l\.instagram\.com\/$/, target: inQuery('u') },
  { by: 'Threads', at: /^l\.threads\.(?:net|com)\/$/, target: inQuery('u') },
  { by: 'WhatsApp', at: /^l\.wl\.co\/l$/, target: inQuery('u') },
  { by: 'Slack', at: /^slack-redir\.net\/link$/, target: inQuery('url') },
  { by: 'Reddit', at: /^out\.reddit\.com\//, target: inQuery('url') },
  { by: 'YouTube', at: /^(?:www\.|m\.)?youtube\.com\/redirect$/, target: inQuery('q') },
  { by: 'LinkedIn', at: /^(?:www\.)?linkedin\.com\/(?:redir\/redirect\/?|safety\/go\/?)$/, target: inQuery('url') },
  { by: 'Tumblr', at: /^t\.umblr\.com\/redirect$/, target: inQuery('z') },
  { by: 'SoundCloud', at: /^exit\.sc\/$/, target: inQuery('url') },
  { by: 'Steam', at: /^steamcommunity\.com\/linkfilter\/?$/, target: inQuery('u', 'url') },
  { by: 'VK', at: /^(?:m\.)?vk\.com\/away(?:\.php)?$/, target: inQuery('to') },
  { by: 'DuckDuckGo', at: /^duckduckgo\.com\/l\/$/, target: inQuery('uddg') },
  { by: 'Barracuda', at: /^linkprotect\.cudasvc\.com\/url$/, target: inQuery('a') },
  { by: 'URL Defense', at: /^urldefense\.(?:proofpoint\.)?com\//, target: defendedIn },
]

/** The deepest nesting of wrappings, such as that of a mail program around that of a search engine. */
const MAX_DEEP = 5
/** Longer addresses are not links. */
const MAX_WRAPPED = 16_384

/** A link without the wrapping around its address, and with a notice about it. */
export function unwrapped(link: FoundLink): FoundLink {
  let here = { url: link.url.trim(), by: '', title: '' }
  for (let deep = 0; deep < MAX_DEEP; deep += 1) {
    const inner = unwrappedOnce(here.url)
    if (inner === null) break
    here = { ...inner, title: here.title || inner.title }
  }
  if (here.by === '') return link
  const { url, by, title } = here
  const said = {
    reason: 'unwrapped',
    by,
    ...(unfitUrl(link.url.trim()) === null ? { was: link.url.trim() } : {}),
  } as const
  const note = link.note || title
  return { ...link, url, said: [...(link.said ?? []), said], ...(note === '' ? {} : { note }) }
}

/** The target in a wrapped address, and the name of its wrapping; null without one. */
function unwrappedOnce(address: string): { url: string; by: string; title: string } | null {
  // A target in clear text has its own scheme.
  if (address.length > MAX_WRAPPED || address.indexOf('http', 1) === -1 || !URL.canParse(address)) return null
  const url = new URL(address)
  const isWeb = /^https?:$/.test(url.protocol)
  const place = isWeb ? `${url.hostname}${url.pathname}` : `${url.protocol}${url.pathname}`
  const wrapping = WRAPPINGS.find(({ at }) => at.test(place))
  const target = wrapping?.target(url, address)?.trim()
  if (wrapping === undefined || target === undefined || !IS_WEB.test(target) || unfitUrl(target) !== null) return null
  const title = isWeb ? '' : titleOfTab(url)
  return { url: target, by: wrapping.by, title }
}

/** Captures everything to the end: the target comes last, with its own `&` and `#` unescaped. */
const SUSPENDED = /[#&?](?:uri|url)=(https?:\/\/.*)$/i

/** The page in a suspended tab or an extension's view: in the query or fragment, encoded or not, or as the path. */
function suspendedIn(address: string): string | undefined {
  const [, plain] = SUSPENDED.exec(address) ?? []
  if (plain !== undefined) return plain
  const [, encoded] = /[#&?](?:uri|url)=(https?%3a[^&#]*)/i.exec(address) ?? []
  if (encoded !== undefined) return decoded(encoded)
  return /^[a-z-]+:\/\/[^/]+\/(?:[\w./-]{0,100}[#?])?(https?:\/\/.*)$/i.exec(address)?.[1]
}

/** The page's title in the address of a suspended tab; `''` for none. */
function titleOfTab({ search, hash }: URL): string {
  for (const part of [search, hash]) {
    const fields = new URLSearchParams(part.slice(1))
    const title = fields.get('ttl') ?? fields.get('title')
    if (title !== null) return title
  }
  return ''
}

/** The target in an address of URL Defense: version 2 writes `-` for `%` and `_` for `/`, version 3 leaves it unchanged. */
function defendedIn(url: URL, address: string): string | undefined {
  const written = url.searchParams.get('u') ?? ''
  if (url.pathname.startsWith('/v1/')) return written
  if (url.pathname.startsWith('/v2/')) return decoded(written.replaceAll('-', '%').replaceAll('_', '/'))
  // A star replaces a character that the address alone does not reveal.
  const [, target] = /\/v3\/__(https?:\/{1,2}[^*]+?)__;/i.exec(address) ?? []
  return target?.replace(/^(https?:)\/(?!\/)/i, '$1//')
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
