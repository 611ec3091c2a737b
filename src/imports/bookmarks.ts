import { Tokenizer } from 'htmlparser2'
import { emptyGroup, type FoundGroup, type FoundLink } from '../bundles/found.ts'
import { readTags } from '../bundles/tags.ts'

/** Joins the names of nested folders. */
export const PATH = ' / '
/** Maximum length of the joined names of nested folders, in characters. */
const MAX_PATH = 120

/**
 * Reads a bookmarks file (the Netscape format of all browsers), or the links of any HTML, and of XML that lists addresses. Each folder is a group, named
 * with its parents. Reads tokens without building a tree, so that unclosed tags cost nothing extra.
 */
export function readBookmarks(html: string): FoundGroup[] {
  const reader = new BookmarksReader(html)
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader)
  tokenizer.write(html)
  tokenizer.end()
  return reader.folders
}

interface Folder {
  found: FoundGroup
  /** Its name and its parents’, without the browser’s own folders, such as the toolbar. */
  path: string
}

/** Attributes that mark a browser’s own folders. */
const PLACES = ['personal_toolbar_folder', 'unfiled_bookmarks_folder']

/** Tags that end the text of a link, heading or remark; others (bold, images) may occur within it. */
const ENDS = new Set(['a', 'h3', 'dt', 'dd', 'dl', 'string', 'loc'])

/** Elements of XML whose text is an address: property lists (`.webloc`) and sitemaps. */
const ADDRESSES = new Set(['string', 'loc'])

/** What the next text belongs to. */
type Reading = 'link' | 'heading' | 'remark' | 'address' | null

class BookmarksReader {
  readonly folders: FoundGroup[] = []
  private readonly around: Folder[] = []
  private here: Folder
  /** The heading whose folder has not begun yet. */
  private next: (Folder & { isPlace: boolean }) | null = null
  private link: FoundLink | null = null
  private reading: Reading = null
  private text = ''
  private tag = ''
  private attribute = ''
  private attributes: Record<string, string> = {}
  private line = 1
  private counted = 0

  constructor(private readonly html: string) {
    this.here = this.folder('', '')
  }

  onopentagname(start: number, end: number): void {
    this.tag = this.html.slice(start, end).toLowerCase()
    if (ENDS.has(this.tag)) this.endText()
    this.attributes = {}
    for (; this.counted < start; this.counted += 1) if (this.html[this.counted] === '\n') this.line += 1
  }

  onattribname(start: number, end: number): void {
    this.attribute = this.html.slice(start, end).toLowerCase()
    this.attributes[this.attribute] ??= ''
  }

  onattribdata(start: number, end: number): void {
    this.attributes[this.attribute] += this.html.slice(start, end)
  }

  onattribentity(codepoint: number): void {
    this.attributes[this.attribute] += String.fromCodePoint(codepoint)
  }

  onopentagend(): void {
    const { tag, attributes } = this
    if (tag === 'a' && attributes.href !== undefined) {
      const [url, tags] = [attributes.href.trim(), readTags(attributes.tags ?? '')]
      this.link = { line: this.line, url, text: url, tags }
      this.here.found.links.push(this.link)
      this.begin('link')
    } else if (tag === 'outline') this.outline()
    else if (ADDRESSES.has(tag)) this.begin('address')
    else if (tag === 'h3') {
      this.next = { ...this.folder('', this.here.path), isPlace: PLACES.some((place) => attributes[place] === 'true') }
      this.begin('heading')
    } else if (tag === 'dd') this.begin('remark')
    else if (tag === 'dl') {
      this.around.push(this.here)
      this.here = this.next ?? this.here
      this.next = null
      this.link = null
    }
  }

  onselfclosingtag(): void {
    this.onopentagend()
  }

  onclosetag(start: number, end: number): void {
    const tag = this.html.slice(start, end).toLowerCase()
    if (ENDS.has(tag)) this.endText()
    if (tag === 'dl') this.here = this.around.pop() ?? this.here
  }

  ontext(start: number, end: number): void {
    if (this.reading !== null) this.text += this.html.slice(start, end)
  }

  ontextentity(codepoint: number): void {
    if (this.reading !== null) this.text += String.fromCodePoint(codepoint)
  }

  onend(): void {
    this.endText()
  }

  onattribend(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  /** A feed of OPML, by its page rather than by its feed. */
  private outline(): void {
    const { htmlurl, xmlurl, url = '', title, text = '' } = this.attributes
    const address = (htmlurl || xmlurl || url).trim()
    if (address === '') return
    this.here.found.links.push({ line: this.line, url: address, text: address, note: onOneLine(title || text) })
  }

  private begin(reading: Reading): void {
    this.reading = reading
    this.text = ''
  }

  /** Assigns the text read to what it belongs to. */
  private endText(): void {
    const { reading, link, next } = this
    // A remark may start with empty lines.
    const text = reading === 'remark' ? this.text.replace(/^[ \t]+/, '').trimEnd() : this.text.trim()
    this.begin(null)
    if (text === '') return
    if (reading === 'link' && link !== null && text !== link.url) link.note = onOneLine(text)
    if (reading === 'address' && /^https?:\/\/\S+$/i.test(text)) {
      this.here.found.links.push({ line: this.line, url: text, text })
    }
    if (reading === 'heading' && next !== null) this.name(next, onOneLine(text))
    if (reading !== 'remark') return
    if (next !== null) next.found.description = text
    else if (link !== null) link.note = `${link.note ?? ''}\n${text}`
  }

  private name(folder: Folder & { isPlace: boolean }, name: string): void {
    const path = folder.path === '' ? name : folder.path + PATH + name
    folder.found.title = path.length > MAX_PATH ? name : path
    folder.path = folder.isPlace ? '' : folder.found.title
  }

  private folder(title: string, path: string): Folder {
    const found = emptyGroup(title)
    this.folders.push(found)
    return { found, path }
  }
}

function onOneLine(text: string): string {
  if (!/[\r\n]/.test(text)) return text
  return text
    .split(/[\r\n]/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join(' ')
}
