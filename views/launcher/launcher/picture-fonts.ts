import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The fonts of preview pictures. They come in slices of Unicode, as web pages load them, so a title needs few of them.

/** A font, in slices. */
interface Face {
  /** Its package in `@fontsource-variable`. */
  from: string
  /** Its slices that are used; null for the numbered ones, which hold what is not Latin. */
  slices: readonly string[] | null
}

const DISPLAY: Face = { from: 'bricolage-grotesque', slices: ['latin', 'latin-ext', 'vietnamese'] }
const TEXT: Face = {
  from: 'noto-sans',
  slices: ['latin', 'latin-ext', 'vietnamese', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext'],
}
const SCRIPTS = ['arabic', 'hebrew', 'devanagari', 'thai', 'armenian', 'georgian'].map(
  (script): Face => ({ from: `noto-sans-${script}`, slices: [script] }),
)
const JAPANESE: Face = { from: 'noto-sans-jp', slices: null }
const CHINESE: Face = { from: 'noto-sans-sc', slices: null }
const KOREAN: Face = { from: 'noto-sans-kr', slices: null }
const FACES = [DISPLAY, TEXT, ...SCRIPTS, JAPANESE, CHINESE, KOREAN]

/** Emoji in colour, in one file. */
export const EMOJI = 'twemoji-colr-font/twemoji.woff2'

/** The bytes of a file of a package. */
export const fileAt = (path: string) => new Uint8Array(readFileSync(fileURLToPath(import.meta.resolve(path))))

const rangesOf = ({ from }: Face) => `@fontsource-variable/${from}/unicode.json`

/** All files from which pictures may be drawn. */
export function fontFiles(): string[] {
  return [EMOJI, ...FACES.flatMap((face) => [rangesOf(face), ...slicesOf(face).map(({ file }) => file)])]
}

interface Slice {
  file: string
  ranges: [from: number, to: number][]
}

const slices = new Map<Face, Slice[]>()

function slicesOf(face: Face): Slice[] {
  let found = slices.get(face)
  if (found === undefined) slices.set(face, (found = readSlices(face)))
  return found
}

function readSlices(face: Face): Slice[] {
  const ranges: Record<string, string> = JSON.parse(new TextDecoder().decode(fileAt(rangesOf(face))))
  const names = face.slices ?? Object.keys(ranges).filter((name) => name.startsWith('['))
  return names.map((name) => ({
    file: `@fontsource-variable/${face.from}/files/${face.from}-${name.replace(/[[\]]/g, '')}-wght-normal.woff2`,
    ranges: (ranges[name] ?? '').split(',').map((range) => {
      const [from = '', to = from] = range.replace('U+', '').split('-')
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)]
    }),
  }))
}

const covers = ({ ranges }: Slice, code: number) => ranges.some(([from, to]) => from <= code && code <= to)

/** The part of a text that one file draws. */
export interface Part {
  text: string
  /** Where it begins in the text. */
  from: number
  file: string
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const PICTOGRAPH =
  /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}|\p{Extended_Pictographic}\ufe0f|[\d#*]\ufe0f?\u20e3)/u
/** More marks on one letter belong to no language. */
const MAX_MARKS = 4

/** A text by letters, each with the file that draws it; what none has is left out. @param first the font for Latin letters. */
export function partsOf(text: string, first: 'display' | 'text'): Part[] {
  const faces = [...(first === 'display' ? [DISPLAY] : []), TEXT, ...SCRIPTS, ...ideographsFor(text)].flatMap(slicesOf)
  const parts: Part[] = []
  let last: Slice | undefined
  for (const { segment, index: from } of graphemes.segment(text)) {
    const codes = Array.from(segment, (letter) => letter.codePointAt(0) ?? 0)
    const [base = 0] = codes
    // Signs and digits stay with the word before, as its font has them.
    const isNeutral = last !== undefined && /^[\p{P}\p{N}]/u.test(segment) && covers(last, base)
    const slice = isNeutral ? last : faces.find((slice) => covers(slice, base))
    if (PICTOGRAPH.test(segment) || (slice === undefined && /^\p{Extended_Pictographic}/u.test(segment))) {
      parts.push({ text: segment, from, file: EMOJI })
    } else if (slice !== undefined) {
      const drawn = codes.slice(0, 1 + MAX_MARKS).filter((code) => covers(slice, code))
      parts.push({ text: String.fromCodePoint(...drawn), from, file: slice.file })
      last = slice
    }
  }
  return parts
}

/** The fonts for ideographs, whose shapes differ by language: kana are Japanese, hangul Korean, and others Chinese. */
function ideographsFor(text: string): Face[] {
  if (/[\p{sc=Hira}\p{sc=Kana}]/u.test(text)) return [JAPANESE, CHINESE, KOREAN]
  return /\p{sc=Hang}/u.test(text) ? [KOREAN, CHINESE, JAPANESE] : [CHINESE, JAPANESE, KOREAN]
}
