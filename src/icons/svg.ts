import { Parser } from 'htmlparser2'
import { ICON_PIXELS } from './site.ts'
import { allowedElement, isMissed, type Part, SHAPES, setAllowed } from './svg-allowed.ts'
import { isCheap } from './svg-cost.ts'
import { applyStyles, readStyles, type Styles } from './svg-style.ts'

/** Larger ones are no icons. */
const MAX_BYTES = 64 * 1024
/** Elements within one another, at most. */
const MAX_DEPTH = 64
/** A picture that is longer than this, compared with its other side, is a line. */
const MAX_RATIO = 32

/** An SVG written anew from what is allowed of it, in bounded time and memory; null for other files, and for costly pictures. */
export function harmlessSvg(bytes: Uint8Array): string | null {
  if (bytes.byteLength > MAX_BYTES) return null
  const text = new TextDecoder().decode(bytes)
  if (!/^\s*<(?:\?xml|!--|!DOCTYPE|(?:[\w.-]+:)?svg\b)/i.test(text)) return null
  const picture = new Reader().read(text)
  if (picture === null) return null
  const [x, y, width, height] = picture.box
  const scale = ICON_PIXELS / Math.max(width, height)
  if (Math.max(width / height, height / width) > MAX_RATIO || !isCheap(picture.root, scale)) return null
  const size = `width="${width * scale}" height="${height * scale}" viewBox="${x} ${y} ${width} ${height}"`
  return written(picture.root, `xmlns="http://www.w3.org/2000/svg" ${size}`)
}

type Box = [x: number, y: number, width: number, height: number]

/** An element that is open: what is drawn of it, or null for one that is left out with all that it holds. */
interface Open {
  name: string
  part: Part | null
  own: { class?: string; style?: string; id?: string }
}

/** Without what is left out, it would be another picture. */
class OtherPicture extends Error {}

/** Reads what is allowed of an SVG. */
class Reader {
  readonly #styles: Styles = new Map()
  readonly #open: Open[] = []
  readonly #styled: [Part, Open['own']][] = []
  #root: Part | null = null
  #box: Box | null = null
  #style = ''
  readonly #names = new Set<string>()

  /** @returns null if it has no size, or would be another picture without what is left out. */
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
    // Of several with one name, references lead to the first.
    const id = own.id === undefined || own.id === '' || this.#names.has(own.id) ? null : own.id
    if (id !== null) this.#names.add(id)
    const part: Part = { name, id, attributes: new Map(), references: new Map(), parts: [] }
    for (const [attribute, value] of Object.entries(given)) {
      if (isMissed(attribute, value)) throw new OtherPicture()
      // The size of the picture is written anew.
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

/** A name without the prefix of its namespace. */
const localName = (name: string) => name.slice(name.lastIndexOf(':') + 1)

/** What a picture shows, in its own units; null if it does not say. */
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

/** @param more attributes as they are written. */
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
