import bidiFactory from 'bidi-js'
import { Blob, Direction, Face, Font, Buffer as Letters, shape, Variation } from 'harfbuzzjs'
import decompress from 'woff2-encoder/decompress'
import { EMOJI, fileAt, partsOf } from './picture-fonts.ts'

// Texts become outlines here: the renderer itself breaks Thai and Devanagari, knows no bold of a variable font, and stops at the
// first letter that a font lacks.

/** How a text looks. */
export interface Style {
  size: number
  /** The font for Latin letters. */
  face: 'display' | 'text'
  /** Whether its letters are bold. */
  isBold: boolean
  /** Whether it begins at the right. */
  isRight?: boolean
}

const bidi = bidiFactory()

/** A font in one weight. */
interface Loaded {
  font: Font
  face: Face
  perEm: number
}

/** Glyphs of one font and direction. */
interface Run {
  text: string
  file: string
  /** Odd if it runs from right to left (UAX 9). */
  level: number
}

/** Fonts that have been read, for the pictures to come. */
const read = new Map<string, Promise<Uint8Array>>()
const MAX_READ = 40

function bytesOf(file: string): Promise<Uint8Array> {
  let bytes = read.get(file)
  if (bytes === undefined) {
    if (read.size >= MAX_READ) read.clear()
    read.set(file, (bytes = decompress(fileAt(file))))
  }
  return bytes
}

/** Sets texts. Its fonts are those of the texts that were announced. */
export class Typesetter {
  readonly #bytes: Map<string, Uint8Array>
  readonly #fonts = new Map<string, Loaded>()

  private constructor(bytes: Map<string, Uint8Array>) {
    this.#bytes = bytes
  }

  static async for(texts: readonly string[]): Promise<Typesetter> {
    const parts = texts.flatMap((text) => [...partsOf(text, 'display'), ...partsOf(text, 'text')])
    const files = [...new Set(parts.map(({ file }) => file))]
    return new Typesetter(new Map(await Promise.all(files.map(async (file) => [file, await bytesOf(file)] as const))))
  }

  /** The width of a line in pixels. */
  widthOf(text: string, style: Style): number {
    return this.#runs(text, style).reduce((sum, run) => sum + this.#set(run, style, null).width, 0)
  }

  /** A line as SVG. @param at where its baseline begins; for texts from the right, where it ends. */
  line(text: string, style: Style, { x, y, fill }: { x: number; y: number; fill: string }): string {
    let left = style.isRight === true ? x - this.widthOf(text, style) : x
    const drawn: string[] = []
    for (const run of inSight(this.#runs(text, style))) {
      const { svg, width } = this.#set(run, style, { x: left, y, fill })
      drawn.push(svg)
      left += width
    }
    return drawn.join('')
  }

  #runs(text: string, { face, isRight = false }: Style): Run[] {
    const { levels } = bidi.getEmbeddingLevels(text, isRight ? 'rtl' : 'ltr')
    const runs: Run[] = []
    for (const { text: part, from, file } of partsOf(text, face)) {
      const level = levels[from] ?? 0
      const last = runs.at(-1)
      if (last?.file === file && last.level === level) last.text += part
      else runs.push({ text: part, file, level })
    }
    return runs
  }

  /** The glyphs of a run, as SVG unless only their width is asked for. */
  #set(run: Run, style: Style, at: { x: number; y: number; fill: string } | null): { svg: string; width: number } {
    const { font, face, perEm } = this.#font(run.file, style.isBold)
    const glyphs = shaped(run, font)
    const scale = style.size / perEm
    let width = 0
    const drawn: string[] = []
    for (const { codepoint: glyph, xAdvance = 0, xOffset = 0, yOffset = 0 } of glyphs) {
      // The box for what a font lacks.
      if (glyph === 0) continue
      if (at !== null) {
        const place = `translate(${px(at.x + (width + xOffset) * scale)} ${px(at.y - yOffset * scale)}) scale(${scale.toFixed(5)} ${(-scale).toFixed(5)})`
        for (const { outline, fill } of layersOf(glyph, { font, face, fill: at.fill })) {
          drawn.push(`<path transform="${place}" fill="${fill}" d="${outline}"/>`)
        }
      }
      width += xAdvance
    }
    return { svg: drawn.join(''), width: width * scale }
  }

  #font(file: string, isBold: boolean): Loaded {
    const key = `${isBold} ${file}`
    let loaded = this.#fonts.get(key)
    if (loaded === undefined) {
      const face = new Face(new Blob(this.#bytes.get(file) ?? new Uint8Array()))
      const font = new Font(face)
      font.setVariations([new Variation('wght', isBold ? 700 : 400)])
      this.#fonts.set(key, (loaded = { font, face, perEm: face.upem }))
    }
    return loaded
  }
}

const px = (length: number) => length.toFixed(2)

function shaped({ text, file, level }: Run, font: Font) {
  const glyphsOf = (letters: string) => {
    const buffer = new Letters()
    buffer.addText(letters)
    buffer.guessSegmentProperties()
    buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR)
    shape(font, buffer)
    return buffer.getGlyphInfosAndPositions()
  }
  const glyphs = glyphsOf(text)
  // Of a sequence that the font does not know, its first sign says the most.
  const isUnknown = file === EMOJI && glyphs.some(({ codepoint }) => codepoint === 0)
  return isUnknown ? Array.from(graphemes.segment(text), ({ segment: [first = ''] }) => glyphsOf(first)).flat() : glyphs
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The outlines of a glyph, those of emoji in their own colours. */
function layersOf(glyph: number, { font, face, fill }: Pick<Loaded, 'font' | 'face'> & { fill: string }) {
  const layers = face.getGlyphColorLayers(glyph)
  if (layers.length === 0) return [{ outline: font.glyphToPath(glyph), fill }]
  const colours = face.getColorPalettes()[0]?.colors ?? []
  return layers.map(({ glyph: layer, colorIndex }) => {
    const colour = colorIndex === undefined ? undefined : colours[colorIndex]
    return {
      outline: font.glyphToPath(layer),
      fill: colour === undefined ? fill : `rgb(${colour.red},${colour.green},${colour.blue})`,
    }
  })
}

/** Runs from left to right: sequences of each level from the highest to the lowest odd one are reversed (UAX 9, L2). */
function inSight(runs: readonly Run[]): Run[] {
  const order = [...runs]
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    for (let from = 0; from < order.length; from += 1) {
      let to = from
      while ((order[to]?.level ?? -1) >= level) to += 1
      if (to > from) order.splice(from, to - from, ...order.slice(from, to).reverse())
      from = to
    }
  }
  return order
}
