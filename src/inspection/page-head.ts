import { setImmediate as otherWork } from 'node:timers/promises'
import { Tokenizer } from 'htmlparser2'
import pLimit from 'p-limit'
import { BOUNDS } from '../bundles/bounds.ts'
import { MAX_URL } from '../core/text.ts'
import { ICON_PIXELS } from '../icons/site.ts'
import { clip, withSingleSpaces } from '../imports/clean.ts'

export interface PageHead {
  /** On one line and without what bundles do not accept; null if it has none. */
  title: string | null
  icons: IconLink[]
  /** What its links are relative to, itself relative to the page’s address. */
  base: string
}

/** Characters read in one go: of a page that is all tags, some milliseconds. */
const AT_ONCE = 16 * 1024

/** Pages are read one after another: pieces of many would else be read in one turn of the loop. */
const inTurn = pLimit(1)

/** Reads the head of a page. @param contentType of its answer. */
export function pageHead(html: Uint8Array, contentType: string): Promise<PageHead> {
  return inTurn(() => readHead(html, contentType))
}

async function readHead(html: Uint8Array, contentType: string): Promise<PageHead> {
  // The page before may have ended in this turn.
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

/** By its byte order mark, the answer, or the page itself, in this order, as browsers do. */
function decoded(html: Uint8Array, contentType: string): string {
  const declared = markOf(html) ?? CHARSET.exec(contentType)?.[1] ?? declaredIn(html)
  const known = declared === null ? null : decoderOf(declared)
  if (known !== null) return known.decode(html)
  try {
    // As a stream, because the end of the page may be missing, in the middle of a letter.
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

/** Where browsers look for it. */
const DECLARED_WITHIN = 1024

/** The encoding that a page declares in a `meta`; one that could be read as ASCII so far is not UTF-16. */
function declaredIn(html: Uint8Array): string | null {
  const begin = new TextDecoder('windows-1252').decode(html.subarray(0, DECLARED_WITHIN))
  for (const meta of begin.split(/<meta/i).slice(1)) {
    const [attributes = ''] = meta.split('>', 1)
    const declared = CHARSET.exec(attributes)?.[1]
    if (declared !== undefined) return /^utf-?16/i.test(declared) ? 'utf-8' : declared
  }
  return null
}

/** In an attribute of its own, or within that of a content type. Of bounded parts: a page may be all spaces. */
const CHARSET = /charset\s{0,20}=\s{0,20}["']?\s{0,20}([^\s"'/>;]{1,40})/i

function decoderOf(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label)
  } catch {
    return null
  }
}

/** Attributes of which anything is wanted, by element. */
const ATTRIBUTES: Partial<Record<string, readonly string[]>> = {
  meta: ['property', 'name', 'content'],
  link: ['rel', 'href', 'sizes', 'type', 'media'],
  base: ['href'],
}
/** A page may have any number of icons, and addresses of any length. */
const MAX_ICONS = 20
/** Characters of a title that are read, spaces and what is left out included. */
const MAX_TITLE = 16 * BOUNDS.title

/** Reads tokens without building a tree, so that unclosed tags cost nothing extra. */
class HeadReader {
  title = ''
  ogTitle = ''
  readonly icons: IconLink[] = []
  base = ''
  /** Whether what comes is no longer the head. */
  hasEnded = false
  private tag = ''
  private attribute = ''
  private attributes: Record<string, string> = {}
  private isInTitle = false
  /** Pictures have titles of their own. */
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
    // One character more, so that what is too long is not taken for whole.
    if (before.length <= MAX_URL) this.attributes[this.attribute] = (before + text).slice(0, MAX_URL + 1)
  }
}

/** The icon that an element `link` names; null if it names none. @param attributes as they are, by name in lower case. */
function iconLink(attributes: Partial<Record<string, string>>): IconLink | null {
  const { href = '', rel = '', sizes = '', type = '', media = '' } = attributes
  const names = rel.toLowerCase().split(/\s+/)
  const isTouchIcon = names.some((name) => name.startsWith('apple-touch-icon'))
  if (href.trim() === '' || !(names.includes('icon') || isTouchIcon)) return null
  const isScalable = /svg/i.test(type) || /\.svg(?:$|\?)/i.test(href) || /\bany\b/i.test(sizes)
  const pixels = Math.max(0, ...Array.from(sizes.matchAll(/(\d{1,4})x\d/gi), ([, width]) => Number(width)))
  // One for a dark ground would be lost on a light one.
  const isForDark = /dark/i.test(media)
  return { href: href.trim(), rank: (isForDark ? -2 : 0) + rankOf(isScalable, pixels || (isTouchIcon ? 180 : 16)) }
}

/** Between 0 and 1: scalable first, then the smallest that need not be enlarged, then the largest. */
function rankOf(isScalable: boolean, pixels: number): number {
  if (isScalable) return 1
  return pixels >= ICON_PIXELS ? 0.5 + ICON_PIXELS / pixels / 4 : pixels / ICON_PIXELS / 2
}

/** An icon that a page names. */
export interface IconLink {
  /** As the page has it. */
  href: string
  /** How well it suits: the best has the most. */
  rank: number
}
