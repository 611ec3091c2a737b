import { createHash } from 'node:crypto'
import { escapeHtml } from '@kitajs/html'
import { blanked } from '../../../src/bundles/variables/variables.ts'
import { count } from '../../../src/core/words.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { hostsOf } from '../../parts/destination.ts'
import { markDrawing } from '../../parts/icons.tsx'

/** The text of a link preview picture. */
export interface PictureWords {
  title: string
  /** Below the title; `''` for nothing. */
  below: string
  /** SERVICE_NAME. */
  service: string
}

/** Scripts that the font of the pictures covers; others would appear as boxes. */
const KNOWN =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]/u
const PICTOGRAPHS = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\ufe0f)+/gu
const MAX_HOSTS = 3

/** The text of a bundle's picture. It mentions no tabs if rules choose them. */
export function pictureWords(
  service: string,
  { title, urls, variables, hasRules }: Pick<PublicBundle, 'title' | 'urls' | 'variables' | 'hasRules'>,
): PictureWords {
  const names = variables.map(({ name }) => name)
  const plain = blanked(title ?? '', names)
    .replace(PICTOGRAPHS, '')
    .trim()
  const readable = KNOWN.test(plain) ? '' : plain
  if (hasRules) return { title: readable || service, below: '', service }
  const hosts = hostsOf(urls)
  const more = hosts.length > MAX_HOSTS ? ` and ${hosts.length - MAX_HOSTS} more` : ''
  const where = hosts.slice(0, MAX_HOSTS).join(', ') + more
  const links = count(urls.length, 'link')
  return readable === ''
    ? { title: links, below: where, service }
    : { title: readable, below: `${links}: ${where}`, service }
}

/** A hash of the picture's text, by which each picture can be cached forever. */
export function pictureName(words: PictureWords): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('base64url').slice(0, 12)
}

export const PICTURE = { width: 1200, height: 630 } as const
const MARGIN = 100
const TITLE = { size: 68, lines: 3, wide: 1 } as const
/** Lines are measured in the bold face; the regular face is narrower. */
const BELOW = { size: 34, lines: 2, wide: 0.88 } as const

/** The picture as SVG in DejaVu Sans: a sheet whose tab has the service's name. */
export function pictureSvg({ title, below, service }: PictureWords): string {
  const { width, height } = PICTURE
  const lines = wrapped(title, TITLE)
  const rest = wrapped(below, BELOW)
  const tab = Math.min(960, 100 + 34 * widthOf(service))
  const middle = 360 - ((lines.length - 1) * TITLE.size * 1.2) / 2
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans">`,
    `<rect width="${width}" height="${height}" fill="#efe6d2"/>`,
    '<path d="M48 630V184a24 24 0 0 1 24-24h1056a24 24 0 0 1 24 24v446z" fill="#fffefb"/>',
    `<path d="M72 160a20 20 0 0 0 20-20V80a24 24 0 0 1 24-24h${tab}a24 24 0 0 1 24 24v60a20 20 0 0 0 20 20z" fill="#fffefb"/>`,
    `<g transform="translate(116 74) scale(1.9)">${markDrawing()}</g>`,
    `<text x="190" y="119" font-size="34" font-weight="bold" fill="#1c1b18">${escapeHtml(service)}</text>`,
    ...lines.map((line, at) =>
      text(line, { y: middle + at * TITLE.size * 1.2, size: TITLE.size, fill: '#1c1b18', isBold: true }),
    ),
    ...rest.map((line, at) =>
      text(line, { y: 540 + at * BELOW.size * 1.4, size: BELOW.size, fill: '#55524a', isBold: false }),
    ),
    '</svg>',
  ].join('')
}

function text(
  line: string,
  { y, size, fill, isBold }: { y: number; size: number; fill: string; isBold: boolean },
): string {
  const isRight = isRightToLeft(line)
  const place = isRight ? `x="${PICTURE.width - MARGIN}" text-anchor="end"` : `x="${MARGIN}"`
  const weight = isBold ? ' font-weight="bold"' : ''
  return `<text ${place} y="${Math.round(y)}" font-size="${size}"${weight} fill="${fill}">${escapeHtml(line)}</text>`
}

/** Wraps a text into lines; a cut text ends with an ellipsis. */
function wrapped(text: string, { size, lines: most, wide }: Record<'size' | 'lines' | 'wide', number>): string[] {
  const room = (PICTURE.width - 2 * MARGIN) / (size * wide)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).flatMap((word) => pieces(word, room))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= room) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  if (line !== '') lines.push(line)
  if (lines.length <= most) return lines
  return [...lines.slice(0, most - 1), `${lines[most - 1]?.replace(/.$/u, '')}…`]
}

/** A word, split if it is wider than a line. */
function pieces(word: string, room: number): string[] {
  if (widthOf(word) <= room) return [word]
  const [cut, most] = [[] as string[], Math.floor(room / 1.05)]
  const letters = [...word]
  for (let at = 0; at < letters.length; at += most) cut.push(letters.slice(at, at + most).join(''))
  return cut
}

/** The width of a text in the bold face, in em; an upper estimate. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text) {
    if (/[ .,:;!'|()[\]ijlftrI1/-]/.test(letter)) width += 0.47
    else width += /[mwMW@%]|[^\u0000-\u06ff]/u.test(letter) ? 1.05 : 0.76
  }
  return width
}

const RIGHT_TO_LEFT = /^\P{L}*[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u

/**
 * The direction of all rows of a bundle: that of most of its titles and, if there are as many of both, of its own. Rows of two
 * directions would have their tiles on either side in turn.
 */
export function directionOf({ title, urlMetadata }: Pick<PublicBundle, 'title' | 'urlMetadata'>): 'rtl' | undefined {
  const texts = [title ?? '', ...urlMetadata.map(({ note = '' }) => note)].filter((text) => /\p{L}/u.test(text))
  const right = texts.filter(isRightToLeft).length
  const isTie = right * 2 === texts.length
  return right * 2 > texts.length || (isTie && isRightToLeft(title ?? '')) ? 'rtl' : undefined
}

/** Whether the first letter of a text belongs to a right-to-left script. */
function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text)
}
