import { setImmediate as otherWork } from 'node:timers/promises'
import { Tokenizer } from 'htmlparser2'
import pLimit from 'p-limit'
import about from '../../package.json' with { type: 'json' }
import { BOUNDS } from '../bundles/content/content.ts'
import type { Config } from '../config/config.ts'
import { routes } from '../core/routes.ts'
import { MAX_URL } from '../core/text.ts'
import { ICON_PIXELS } from '../icons/site.ts'
import { clip, withSingleSpaces } from '../imports/clean.ts'
import type { Head } from '../outgoing/exchange.ts'
import { type Get, type Got, get } from '../outgoing/request.ts'

/** How much of a page is read. */
const MAX_HTML_BYTES = 256 * 1024
/** The most bytes received, including redirects before the page. */
const MAX_ANSWER_BYTES = 2 * MAX_HTML_BYTES

/** A received page, as far as it was read. */
export interface Page extends PageHead {
  /** Its address after redirects. */
  url: URL
}

/** The User-Agent header of requests for links: the page that it names says what is requested, and why. */
export function userAgent(origin: string): string {
  return `Openall/${about.version} (+${origin}${routes.docs.guide.href({ guide: 'checks' })})`
}

/**
 * Requests a link; reads a page up to the end of its head.
 * @throws NotSent if there was no answer or it was too long; NoTurn if no turn was available.
 */
export function getPage(
  url: string,
  { origin, outgoingPrivateNetworks: privateNetworks }: Pick<Config, 'origin' | 'outgoingPrivateNetworks'>,
  how: Pick<Get, 'account' | 'timeoutMs' | 'followsRedirects' | 'turn'>,
): Promise<Got> {
  return get(
    url,
    {
      headers: { 'user-agent': userAgent(origin), accept: 'text/html, application/xhtml+xml;q=0.9, */*;q=0.1' },
      ...how,
      maxBytes: MAX_ANSWER_BYTES,
      // The request has nothing that needs the protection of TLS.
      mayLeaveTls: true,
      wants: isPage,
      isEnough: endOfHead(),
    },
    { privateNetworks },
  )
}

/** The title, icons and base of a page; null for an error, whose page is not the one that the link is for. */
export async function pageOf({ url, status, headers, body }: Got): Promise<Page | null> {
  if (status < 200 || status >= 300) return null
  return { url, ...(await pageHead(body.subarray(0, MAX_HTML_BYTES), headers['content-type'] ?? '')) }
}

function isPage({ headers }: Head): boolean {
  const encoding = headers['content-encoding'] ?? 'identity'
  // Compressed although not asked for, it may be a hundred times as large.
  return /^(?:text\/html|application\/xhtml\+xml)/i.test(headers['content-type'] ?? '') && encoding === 'identity'
}

/** A function that says whether the head of a page has ended; it gets the parts of the page in order. */
function endOfHead(): (part: Uint8Array, bytes: number) => boolean {
  let tail = ''
  return (part, bytes) => {
    const text = tail + Buffer.from(part).toString('latin1')
    tail = text.slice(-END_OF_HEAD_LENGTH)
    return bytes >= MAX_HTML_BYTES || END_OF_HEAD.test(text)
  }
}

const END_OF_HEAD = /<\/head[\s>]|<body[\s>]/i
const END_OF_HEAD_LENGTH = '</head>'.length

interface PageHead {
  /** On one line and clipped to what bundles accept; null if it has none. */
  title: string | null
  icons: IconLink[]
  /** The base URL of its links, itself relative to the page’s address. */
  base: string
}

/** How many characters are read at once: some milliseconds for a page with nothing but tags. */
const AT_ONCE = 16 * 1024

/** Pages are read one after another: otherwise one turn of the event loop would read pieces of many. */
const inTurn = pLimit(1)

/** Reads the head of a page. @param contentType the header of its answer. */
function pageHead(html: Uint8Array, contentType: string): Promise<PageHead> {
  return inTurn(() => readHead(html, contentType))
}

async function readHead(html: Uint8Array, contentType: string): Promise<PageHead> {
  // The previous page may have ended in this turn.
  await otherWork()
  const text = decoded(html, contentType)
  const reader = new HeadReader(text)
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader)
  for (let at = 0; at < text.length && !reader.hasEnded; at += AT_ONCE) {
    tokenizer.write(text.slice(at, at + AT_ONCE))
    await otherWork()
  }
  tokenizer.end()
  const [title, other] = [reader.title, reader.ogTitle].map(withSingleSpaces)
  return { title: clip(title || other || '', BOUNDS.title) || null, icons: reader.icons, base: reader.base }
}

/** Decodes a page by its byte order mark, its header or its own declaration, in this order, as browsers do. */
function decoded(html: Uint8Array, contentType: string): string {
  const declared = markOf(html) ?? CHARSET.exec(contentType)?.[1] ?? declaredIn(html)
  const known = declared === null ? null : decoderOf(declared)
  if (known !== null) return known.decode(html)
  try {
    // As a stream, because the page may be cut off within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(html, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(html)
  }
}

function markOf([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : null
}

/** The first bytes, in which browsers look for a declared encoding. */
const DECLARED_WITHIN = 1024

/** The encoding that a page declares in a `meta` element; as the element could be read as ASCII, it is not UTF-16. */
function declaredIn(html: Uint8Array): string | null {
  const begin = new TextDecoder('windows-1252').decode(html.subarray(0, DECLARED_WITHIN))
  for (const meta of begin.split(/<meta/i).slice(1)) {
    const [attributes = ''] = meta.split('>', 1)
    const declared = CHARSET.exec(attributes)?.[1]
    if (declared !== undefined) return /^utf-?16/i.test(declared) ? 'utf-8' : declared
  }
  return null
}

/** `charset` as an attribute or within a content type. With bounded repetition, because a page may be all spaces. */
const CHARSET = /charset\s{0,20}=\s{0,20}["']?\s{0,20}([^\s"'/>;]{1,40})/i

function decoderOf(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label)
  } catch {
    return null
  }
}

/** The attributes that are read, by element. */
const ATTRIBUTES: Partial<Record<string, readonly string[]>> = {
  meta: ['property', 'name', 'content'],
  link: ['rel', 'href', 'sizes', 'type', 'media'],
  base: ['href'],
}
/** The most icons read: a page may have any number. */
const MAX_ICONS = 20
/** How many characters of a title are read, including spaces and text that is dropped later. */
const MAX_TITLE = 16 * BOUNDS.title

/** Reads tokens without building a tree, so that unclosed tags cost nothing extra. */
class HeadReader {
  title = ''
  ogTitle = ''
  readonly icons: IconLink[] = []
  base = ''
  /** Whether the head has ended. */
  hasEnded = false
  private tag = ''
  private attribute = ''
  private attributes: Record<string, string> = {}
  private isInTitle = false
  /** Whether an SVG is open, which has its own title. */
  private isInPicture = false

  constructor(private readonly html: string) {}

  onopentagname(start: number, end: number): void {
    this.tag = this.html.slice(start, end).toLowerCase()
    this.attributes = {}
  }

  onattribname(start: number, end: number): void {
    this.attribute = this.html.slice(start, end).toLowerCase()
  }

  onattribdata(start: number, end: number): void {
    this.addToAttribute(this.html.slice(start, end))
  }

  onattribentity(codepoint: number): void {
    this.addToAttribute(String.fromCodePoint(codepoint))
  }

  onopentagend(): void {
    const { tag, attributes } = this
    if (tag === 'body') this.hasEnded = true
    if (tag === 'svg') this.isInPicture = true
    if (tag === 'title') this.isInTitle = !this.isInPicture && this.title === ''
    const isTitle = tag === 'meta' && (attributes.property ?? attributes.name)?.toLowerCase() === 'og:title'
    if (isTitle && this.ogTitle === '') this.ogTitle = attributes.content ?? ''
    if (tag === 'base' && this.base === '') this.base = attributes.href ?? ''
    const icon = tag === 'link' && this.icons.length < MAX_ICONS ? iconLink(attributes) : null
    if (icon !== null) this.icons.push(icon)
  }

  onselfclosingtag(): void {
    if (Object.hasOwn(ATTRIBUTES, this.tag)) this.onopentagend()
  }

  onclosetag(start: number, end: number): void {
    const tag = this.html.slice(start, end).toLowerCase()
    if (tag === 'head') this.hasEnded = true
    if (tag === 'title') this.isInTitle = false
    if (tag === 'svg') this.isInPicture = false
  }

  ontext(start: number, end: number): void {
    if (this.isInTitle && this.title.length < MAX_TITLE)
      this.title += this.html.slice(start, start + Math.min(end - start, MAX_TITLE))
  }

  ontextentity(codepoint: number): void {
    if (this.isInTitle && this.title.length < MAX_TITLE) this.title += String.fromCodePoint(codepoint)
  }

  onattribend(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}

  private addToAttribute(text: string): void {
    if (!Object.hasOwn(ATTRIBUTES, this.tag) || !ATTRIBUTES[this.tag]?.includes(this.attribute)) return
    const before = this.attributes[this.attribute] ?? ''
    // One character more, so that a value that is too long is not mistaken for a complete one.
    if (before.length <= MAX_URL) this.attributes[this.attribute] = (before + text).slice(0, MAX_URL + 1)
  }
}

/** The icon that a `link` element names; null if it names none. @param attributes as written, by name in lower case. */
function iconLink(attributes: Partial<Record<string, string>>): IconLink | null {
  const { href = '', rel = '', sizes = '', type = '', media = '' } = attributes
  const names = rel.toLowerCase().split(/\s+/)
  const isTouchIcon = names.some((name) => name.startsWith('apple-touch-icon'))
  if (href.trim() === '' || !(names.includes('icon') || isTouchIcon)) return null
  const isScalable = /svg/i.test(type) || /\.svg(?:$|\?)/i.test(href) || /\bany\b/i.test(sizes)
  const pixels = Math.max(0, ...Array.from(sizes.matchAll(/(\d{1,4})x\d/gi), ([, width]) => Number(width)))
  // An icon for a dark background would be hard to see on a light one.
  const isForDark = /dark/i.test(media)
  return { href: href.trim(), rank: (isForDark ? -2 : 0) + rankOf(isScalable, pixels || (isTouchIcon ? 180 : 16)) }
}

/** A rank from 0 to 1: scalable icons first, then the smallest that need not be enlarged, then the largest. */
function rankOf(isScalable: boolean, pixels: number): number {
  if (isScalable) return 1
  return pixels >= ICON_PIXELS ? 0.5 + ICON_PIXELS / pixels / 4 : pixels / ICON_PIXELS / 2
}

/** An icon that a page names. */
export interface IconLink {
  /** As written in the page. */
  href: string
  /** How suitable it is: the best has the highest rank. */
  rank: number
}
