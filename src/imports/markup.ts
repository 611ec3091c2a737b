import { Tokenizer } from 'htmlparser2'
import { readTags } from '../bundles/links/link-fields.ts'
import { emptyGroup, type FoundGroup, type FoundLink } from '../bundles/list/found.ts'
import { linksIn } from './line-links.ts'

/** Joins the names of nested folders. */
export const PATH = ' / '
/** Maximum length of the joined names of nested folders, in characters. */
const MAX_PATH = 120

/**
 * Reads a bookmarks file (the Netscape format of all browsers, or XBEL), the links in any HTML, and XML that lists addresses:
 * OPML, sitemaps, feeds, property lists. Each folder or heading is a group; the names of folders include their parents. Reads
 * tokens without building a tree, so that unclosed tags cost nothing extra.
 */
export function readMarkup(html: string): FoundGroup[] {
  const reader = new MarkupReader(html)
  const tokenizer = new Tokenizer({ decodeEntities: true, xmlMode: /^\s*<\?xml/i.test(html) }, reader)
  tokenizer.write(html)
  tokenizer.end()
  return reader.found()
}

interface Folder {
  found: FoundGroup
  /** Its name after those of its parents, without the browser’s own folders, such as the toolbar. */
  path: string
}

/** Attributes that mark a browser’s own folders. */
const PLACES = ['personal_toolbar_folder', 'unfiled_bookmarks_folder']

/** Headings of a page without folders. */
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** XML elements with an address as their text: in property lists (`.webloc`), sitemaps and feeds. */
const ADDRESSES = new Set(['string', 'loc', 'link'])

/** Elements with a link and its title, in feeds and XBEL. */
const ENTRIES = new Set(['item', 'entry', 'bookmark'])

/** Tags that end the text of a link, heading or remark; others, such as bold and images, may occur within it. */
const ENDS = new Set([
  ...HEADINGS,
  ...ADDRESSES,
  ...ENTRIES,
  'a',
  'dt',
  'dd',
  'dl',
  'title',
  'desc',
  'folder',
  'outline',
])

/** Elements within a line; programs also split a link where one of these begins or ends. */
const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'code',
  'em',
  'font',
  'i',
  'img',
  'mark',
  'o:p',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'u',
  'wbr',
])

/** Elements with invisible text. */
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'textarea', 'title', 'iframe'])

/** To what the next text belongs. */
type Reading = 'link' | 'heading' | 'remark' | 'address' | 'title' | null

class MarkupReader {
  readonly folders: FoundGroup[] = []
  private readonly around: Folder[] = []
  private here: Folder
  /** The folder of a heading, before its list begins. */
  private next: (Folder & { isPlace: boolean }) | null = null
  private link: FoundLink | null = null
  /** The link of the open entry, as far as it has been read. */
  private entry: FoundLink | null = null
  private reading: Reading = null
  private text = ''
  private tag = ''
  private attribute = ''
  private attributes: Record<string, string> = {}
  private line = 1
  private counted = 0

  /** Whether it has bookmark folders, and so no sections. */
  private readonly hasFolders: boolean
  /** Whether the reader is between `<a>` and `</a>`. */
  private isInLink = false
  /** Links without words, such as icons and pictures. */
  private readonly pictures = new Set<FoundLink>()
  /** Links that come from addresses in the text. */
  private readonly written = new Set<FoundLink>()
  /** The text in the line since the last link. */
  private loose = ''

  constructor(private readonly html: string) {
    this.hasFolders = /<dl[\s>]/i.test(html)
    this.here = this.folder('', '')
  }

  onopentagname(start: number, end: number): void {
    this.tag = this.html.slice(start, end).toLowerCase()
    if (ENDS.has(this.tag)) this.endText()
    if (!INLINE.has(this.tag)) this.endLine()
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
    this.open()
    const { tag } = this
    if (tag === 'folder') {
      const next = this.folder('', this.here.path)
      this.enter({ ...next, isPlace: false })
    } else if (tag === 'outline') {
      const { text = '', title = text } = this.attributes
      const folder = { ...this.folder('', this.here.path), isPlace: false }
      if (this.isFeed || title.trim() === '') this.enter(null)
      else {
        this.name(folder, onOneLine(title.trim()))
        this.enter(folder)
      }
    }
  }

  onselfclosingtag(): void {
    this.open()
    if (ENTRIES.has(this.tag)) this.endEntry()
  }

  /** Handles the beginning of an element, empty or not. */
  private open(): void {
    const { tag, attributes } = this
    const href = attributes.href?.trim()
    if (tag === 'a' && href !== undefined) this.anchor(href)
    else if (this.isInLink && HEADINGS.has(tag)) this.begin('link')
    else if (this.isInLink && tag === 'img') this.alternative ||= onOneLine((attributes.alt ?? '').trim())
    else if (tag === 'outline') this.outline()
    else if (ENTRIES.has(tag)) this.entry = this.linkTo(href ?? '')
    else if (tag === 'link' && this.entry !== null && href !== undefined) {
      if (this.entry.url === '' || attributes.rel === 'alternate') this.entry.url = href
    } else if (ADDRESSES.has(tag)) this.begin('address')
    else if (tag === 'title') this.begin('title')
    else if (HEADINGS.has(tag) && (tag === 'h3' || !this.hasFolders)) {
      this.next = {
        ...this.folder('', this.hasFolders ? this.here.path : ''),
        isPlace: PLACES.some((place) => attributes[place] === 'true'),
      }
      this.begin('heading')
    } else if (tag === 'dd' || tag === 'desc') this.begin('remark')
    else if (tag === 'dl') this.enter(this.next)
  }

  /** The alternative text of a picture in a link. */
  private alternative = ''

  /** Begins a link, or continues the previous one if that was split. */
  private anchor(href: string): void {
    const { link, loose } = this
    const isRest =
      link?.url === href &&
      link.note !== undefined &&
      loose.trim() === '' &&
      !this.isLineBegun &&
      !this.pictures.has(link)
    if (!isRest) this.endLine()
    this.isInLink = true
    this.alternative = ''
    if (!isRest) {
      this.link = this.linkTo(href)
      this.here.found.links.push(this.link)
    }
    this.begin('link')
    if (isRest) this.text = `${link.note}${loose}`
    this.loose = ''
  }

  private endAnchor(): void {
    const { link } = this
    this.isInLink = false
    this.isLineBegun = false
    if (link === null || link.note !== undefined || this.hasFolders) return
    this.pictures.add(link)
    if (this.alternative !== '') link.note = this.alternative
  }

  /** Whether the line has no link yet. */
  private isLineBegun = true

  /** Ends a line, and adds the addresses in its text as links. */
  private endLine(): void {
    const text = this.loose
    this.loose = ''
    this.isLineBegun = true
    if (!text.includes('://') || this.hasFolders) return
    for (const line of text.split('\n')) {
      // Without a title, because the text around them may be anything.
      for (const { url } of linksIn(line)) {
        const link = { line: this.line, url, text: url }
        this.written.add(link)
        this.here.found.links.push(link)
      }
    }
  }

  /** The folders, without pictures whose link also has words. They are without links if all come from the text itself. */
  found(): FoundGroup[] {
    const isText = this.folders.every(({ links }) => links.every((link) => this.written.has(link)))
    if (isText) for (const found of this.folders) found.links = []
    const titled = new Set<string>()
    for (const { links } of this.folders) for (const link of links) if (!this.pictures.has(link)) titled.add(link.url)
    for (const found of this.folders) {
      found.links = found.links.filter((link) => !this.pictures.has(link) || !titled.has(link.url))
    }
    return this.folders
  }

  private linkTo(url: string): FoundLink {
    const { tags = '', private: isPrivate = '' } = this.attributes
    return {
      line: this.line,
      url,
      text: url,
      tags: readTags(tags),
      ...(isPrivate === '1' ? { said: [{ reason: 'private' }] } : {}),
    }
  }

  /** Enters a folder; for null, stays in the current one until the next end of a folder. */
  private enter(folder: (Folder & { isPlace: boolean }) | null): void {
    this.around.push(this.here)
    this.here = folder ?? this.here
    this.naming = folder
    this.next = null
    this.link = null
  }

  private endEntry(): void {
    const { entry } = this
    if (entry !== null && entry.url !== '') this.here.found.links.push({ ...entry, text: entry.url })
    this.entry = null
  }

  onclosetag(start: number, end: number): void {
    const tag = this.html.slice(start, end).toLowerCase()
    if (ENDS.has(tag)) this.endText()
    if (tag === 'a') this.endAnchor()
    if (UNSEEN.has(tag)) this.tag = ''
    if (!INLINE.has(tag)) this.endLine()
    if (tag === 'dl' || tag === 'folder' || tag === 'outline') this.here = this.around.pop() ?? this.here
    if (ENTRIES.has(tag)) this.endEntry()
  }

  ontext(start: number, end: number): void {
    if (this.reading !== null) this.text += this.html.slice(start, end)
    else if (!UNSEEN.has(this.tag)) this.loose += this.html.slice(start, end)
  }

  ontextentity(codepoint: number): void {
    if (this.reading !== null) this.text += String.fromCodePoint(codepoint)
    else if (!UNSEEN.has(this.tag)) this.loose += String.fromCodePoint(codepoint)
  }

  onend(): void {
    this.endText()
    this.endLine()
  }

  onattribend(): void {}
  oncdata(start: number, end: number, endOffset: number): void {
    if (this.reading !== null) this.text += this.html.slice(start, end - endOffset)
  }
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  /** Whether the last OPML element was a feed, not a folder. */
  private isFeed = false
  /** The folder that the next title names. */
  private naming: (Folder & { isPlace: boolean }) | null = null

  /** Adds a feed in OPML: its page or, without one, the feed itself. */
  private outline(): void {
    const { htmlurl, xmlurl, url = '', title, text = '' } = this.attributes
    const address = (htmlurl || xmlurl || url).trim()
    this.isFeed = address !== ''
    if (!this.isFeed) return
    this.here.found.links.push({ line: this.line, url: address, text: address, note: onOneLine(title || text) })
  }

  private begin(reading: Reading): void {
    this.reading = reading
    this.text = ''
  }

  /** Assigns the text to what it belongs to. */
  private endText(): void {
    const { reading, link, next } = this
    // A remark may start with empty lines.
    const text = reading === 'remark' ? this.text.replace(/^[ \t]+/, '').trimEnd() : this.text.trim()
    this.begin(null)
    if (text === '') return
    if (reading === 'link' && link !== null && text !== link.url) link.note = onOneLine(text)
    if (reading === 'address') this.address(text)
    if (reading === 'title') this.title(onOneLine(text))
    if (reading === 'heading' && next !== null) {
      this.name(next, onOneLine(text))
      if (!this.hasFolders) {
        this.here = next
        this.next = null
      }
    }
    if (reading !== 'remark') return
    if (next !== null) next.found.description = text
    else if (this.entry !== null) this.entry.note = [this.entry.note ?? '', text].join('\n').trim()
    else if (link !== null) link.note = `${link.note ?? ''}\n${text}`
  }

  private address(text: string): void {
    if (!/^https?:\/\/\S+$/i.test(text)) return
    if (this.entry !== null) this.entry.url ||= text
    else if (this.tag !== 'link') this.here.found.links.push({ line: this.line, url: text, text })
  }

  /** Assigns a title to the open entry, or to the XBEL folder; the title of a page is ignored. */
  private title(text: string): void {
    if (this.entry !== null) this.entry.note ??= text
    else if (this.naming !== null && this.naming.found.title === '') this.name(this.naming, text)
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
