import { Parser } from 'htmlparser2'
import { allowedElement, isMissed, isProperty, type Part, SHAPES, setAllowed } from './svg-allowed.ts'
import { isCheap } from './svg-cost.ts'

/** The deepest nesting of elements. */
const MAX_DEPTH = 64
/** The greatest ratio of the sides: a longer picture is just a line. */
const MAX_RATIO = 32

/**
 * An SVG rewritten from its allowed parts, in bounded time and memory; null for other files, and for costly pictures.
 * @param pixels of its longer side.
 * @param maxBytes larger files are null.
 */
export function harmlessSvg(
  bytes: Uint8Array,
  { pixels, maxBytes }: { pixels: number; maxBytes: number },
): string | null {
  if (bytes.byteLength > maxBytes) return null
  const text = new TextDecoder().decode(bytes)
  if (!/^\s*<(?:\?xml|!--|!DOCTYPE|(?:[\w.-]+:)?svg\b)/i.test(text)) return null
  const picture = new Reader().read(text)
  if (picture === null) return null
  const [x, y, width, height] = picture.box
  const scale = pixels / Math.max(width, height)
  if (Math.max(width / height, height / width) > MAX_RATIO || !isCheap(picture.root, scale)) return null
  const size = `width="${width * scale}" height="${height * scale}" viewBox="${x} ${y} ${width} ${height}"`
  return written(picture.root, `xmlns="http://www.w3.org/2000/svg" ${size}`)
}

type Box = [x: number, y: number, width: number, height: number]

/** An open element; `part` is null if the element is dropped with its contents. */
interface Open {
  name: string
  part: Part | null
  own: { class?: string; style?: string; id?: string }
}

/** Thrown if the picture would look different without the dropped parts. */
class OtherPicture extends Error {}

/** Reads the allowed parts of an SVG. */
class Reader {
  readonly #styles: Styles = new Map()
  readonly #open: Open[] = []
  readonly #styled: [Part, Open['own']][] = []
  #root: Part | null = null
  #box: Box | null = null
  #style = ''
  readonly #names = new Set<string>()

  /** Reads an SVG. @returns null if it has no size, or would look different without the dropped parts. */
  read(text: string): { root: Part; box: Box } | null {
    const parser = new Parser(
      {
        onopentag: (name, attributes) => this.#begin(name, attributes),
        onclosetag: () => this.#end(),
        ontext: (content) => {
          if (this.#open.at(-1)?.name === 'style') this.#style += content
        },
      },
      { xmlMode: true, decodeEntities: true },
    )
    try {
      parser.end(text)
    } catch (error) {
      if (error instanceof OtherPicture) return null
      throw error
    }
    readStyles(this.#style, this.#styles)
    if (this.#root === null || this.#box === null) return null
    const isWhole = this.#styled.every(([part, own]) => applyStyles(part, own, this.#styles))
    return isWhole ? { root: this.#root, box: this.#box } : null
  }

  #begin(qualified: string, given: Record<string, string>): void {
    const name = localName(qualified)
    const { class: classes = '', style = '', id = '' } = given
    const open: Open = { name, part: null, own: { class: classes, style, id } }
    const parent = this.#open.at(-1)
    this.#open.push(open)
    if (this.#open.length > MAX_DEPTH || (parent !== undefined && isMissed(name))) throw new OtherPicture()
    if (parent === undefined) {
      if (name !== 'svg' || this.#root !== null) return
      this.#box = boxOf(given)
      this.#root = open.part = this.#part('svg', given, open.own)
      return
    }
    const drawn = allowedElement(name)
    if (parent.part === null || drawn === null) return
    open.part = this.#part(drawn, given, open.own)
    parent.part.parts.push(open.part)
  }

  #part(name: string, given: Record<string, string>, own: Open['own']): Part {
    // References lead to the first of several elements with the same id.
    const id = own.id === undefined || own.id === '' || this.#names.has(own.id) ? null : own.id
    if (id !== null) this.#names.add(id)
    const part: Part = { name, id, attributes: new Map(), references: new Map(), parts: [] }
    for (const [attribute, value] of Object.entries(given)) {
      if (isMissed(attribute, value)) throw new OtherPicture()
      // The size of the picture is rewritten.
      if (name === 'svg' && SIZE.has(attribute)) continue
      setAllowed(part, attribute === 'xlink:href' ? 'href' : attribute, value)
    }
    this.#styled.push([part, own])
    return part
  }

  #end(): void {
    this.#open.pop()
  }
}

const SIZE = new Set(['x', 'y', 'width', 'height'])

/** A name without its namespace prefix. */
const localName = (name: string) => name.slice(name.lastIndexOf(':') + 1)

/** The visible area of a picture, in its own units; null if it declares none. */
function boxOf({ viewBox, width = '', height = '' }: Record<string, string>): Box | null {
  const numbers = viewBox
    ?.trim()
    .split(/[\s,]+/, 5)
    .map(Number) ?? [0, 0, pixelsOf(width), pixelsOf(height)]
  const [x = Number.NaN, y = Number.NaN, wide = 0, high = 0] = numbers
  return numbers.length === 4 && numbers.every(Number.isFinite) && wide > 0 && high > 0 ? [x, y, wide, high] : null
}

/** Pixels in each unit of length. */
const UNITS: Record<string, number> = { '': 1, px: 1, pt: 4 / 3, pc: 16, em: 16, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 }

function pixelsOf(length: string): number {
  const [, number, unit = ''] = /^\s{0,9}(\d{1,9}(?:\.\d{0,24})?)\s{0,9}([a-z]{0,2})\s{0,9}$/.exec(length) ?? []
  return Number(number) * (UNITS[unit] ?? Number.NaN)
}

/** The SVG text of a part. @param more further attributes, as text. */
function written({ name, id, attributes, references, parts }: Part, more = ''): string {
  const all = [
    ...(more === '' ? [] : [more]),
    ...(id === null ? [] : [`id="${escaped(id)}"`]),
    ...Array.from(attributes, ([attribute, value]) => `${attribute}="${escaped(value)}"`),
    ...Array.from(references, ([attribute, to]) => {
      return attribute === 'href' ? `href="#${escaped(to)}"` : `${attribute}="url(#${escaped(to)})"`
    }),
  ]
  const inner = SHAPES.has(name) ? '' : parts.map((part) => written(part)).join('')
  return `<${[name, ...all].join(' ')}>${inner}</${name}>`
}

const escaped = (text: string) => text.replace(/[&<"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** The declarations of a style sheet by selector: an element’s name, `.class` or `#id`. */
type Styles = Map<string, Declarations>
/** Values by property; the last of several counts, so that the cost of an element is bounded by the number of properties. */
type Declarations = Map<string, string>

/** The most classes of one element. */
const MAX_CLASSES = 16
const SELECTOR = /^[.#]?[\w-]{1,100}$/

/** Adds the rules of a style sheet as drawing programs write them. Rules for media and complex selectors are ignored. */
function readStyles(text: string, styles: Styles): void {
  const css = dropComments(text)
  for (let at = 0; at < css.length; ) {
    const open = css.indexOf('{', at)
    if (open === -1) return
    const selectors = css.slice(at, open)
    const end = endOfBlock(css, open)
    at = end + 1
    if (selectors.includes('@')) continue
    const declarations = declarationsIn(css.slice(open + 1, end))
    for (const selector of selectors.split(',')) {
      const name = selector.trim()
      if (!SELECTOR.test(name)) continue
      const known = styles.get(name)
      if (known === undefined) styles.set(name, new Map(declarations))
      else for (const [property, value] of declarations) known.set(property, value)
    }
  }
}

/** The end of a block, after its inner blocks. */
function endOfBlock(css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at += 1) {
    if (css[at] === '{') depth += 1
    if (css[at] === '}' && (depth -= 1) === 0) return at
  }
  return css.length
}

function dropComments(css: string): string {
  return css
    .split('*/')
    .map((part) => {
      const begin = part.indexOf('/*')
      return begin === -1 ? part : part.slice(0, begin)
    })
    .join(' ')
}

/** The declarations in a text, only those that matter (`isProperty`). */
function declarationsIn(text: string): Declarations {
  const declarations: Declarations = new Map()
  for (const declaration of text.split(';')) {
    const colon = declaration.indexOf(':')
    const property = declaration.slice(0, Math.max(colon, 0)).trim()
    if (!isProperty(property)) continue
    declarations.set(
      property,
      declaration
        .slice(colon + 1)
        .replace('!important', '')
        .trim(),
    )
  }
  return declarations
}

/**
 * Applies style sheets and an element’s own style, in the order of precedence.
 * @returns whether the element can be drawn with them.
 */
function applyStyles(part: Part, own: { class?: string; style?: string; id?: string }, styles: Styles): boolean {
  const classes = new Set(own.class?.split(/\s/, MAX_CLASSES))
  const selectors = [part.name, ...Array.from(classes, (name) => `.${name}`), `#${own.id ?? ''}`]
  for (const declarations of [...selectors.map((selector) => styles.get(selector)), declarationsIn(own.style ?? '')]) {
    for (const [name, value] of declarations ?? []) {
      if (isMissed(name, value)) return false
      setAllowed(part, name, value)
    }
  }
  return true
}
