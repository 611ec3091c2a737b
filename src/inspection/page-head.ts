import { Tokenizer } from 'htmlparser2'
import { BOUNDS } from '../bundles/bounds.ts'
import { clip, onOneLine } from '../imports/clean.ts'

/**
 * The title that a page gives itself in its head, on one line and without what bundles do not accept; null if it has none.
 * Pure. @param contentType of its answer.
 */
export function titleOf(html: Uint8Array, contentType: string): string | null {
  const text = decoded(html, contentType)
  const reader = new HeadReader(text)
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader)
  tokenizer.write(text)
  tokenizer.end()
  const [title, other] = [reader.title, reader.ogTitle].map((one) => onOneLine(one).replace(/\s+/g, ' ').trim())
  return clip(title || other || '', BOUNDS.title) || null
}

/** By its byte order mark, the answer, or the page itself, in this order, as browsers do. */
function decoded(html: Uint8Array, contentType: string): string {
  const declared = markOf(html) ?? /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ?? declaredIn(html)
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
  const declared = /<meta[^>]+charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(begin)?.[1] ?? null
  return declared !== null && /^utf-?16/i.test(declared) ? 'utf-8' : declared
}

function decoderOf(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label)
  } catch {
    return null
  }
}

/** Attributes of which anything is wanted. */
const ATTRIBUTES = ['property', 'name', 'content']

/** Reads tokens without building a tree, so that unclosed tags cost nothing extra. */
class HeadReader {
  title = ''
  ogTitle = ''
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
    if (tag === 'svg') this.isInPicture = true
    if (tag === 'title') this.isInTitle = !this.isInPicture && this.title === ''
    const isTitle = tag === 'meta' && (attributes.property ?? attributes.name)?.toLowerCase() === 'og:title'
    if (isTitle && this.ogTitle === '') this.ogTitle = attributes.content ?? ''
  }

  onselfclosingtag(): void {
    if (this.tag === 'meta') this.onopentagend()
  }

  onclosetag(start: number, end: number): void {
    const tag = this.html.slice(start, end).toLowerCase()
    if (tag === 'title') this.isInTitle = false
    if (tag === 'svg') this.isInPicture = false
  }

  ontext(start: number, end: number): void {
    if (this.isInTitle) this.title += this.html.slice(start, end)
  }

  ontextentity(codepoint: number): void {
    if (this.isInTitle) this.title += String.fromCodePoint(codepoint)
  }

  onattribend(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}

  private addToAttribute(text: string): void {
    if (this.tag !== 'meta' || !ATTRIBUTES.includes(this.attribute)) return
    this.attributes[this.attribute] = (this.attributes[this.attribute] ?? '') + text
  }
}
