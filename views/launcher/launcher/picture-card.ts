import { HUES, NO_HUE } from '../../../src/core/hues.ts'
import { isRightToLeft, PICTURE, type PictureWords } from '../parts/picture.ts'
import { wrapped } from './picture-lines.ts'
import { type Style, Typesetter } from './picture-text.ts'

/** A picture to be drawn. */
export interface Card extends PictureWords {
  /** The icons of its tiles, and the picture of its owner, as PNG in Base64, by id. */
  icons: Readonly<Record<string, string>>
  /** The service's icon, as SVG elements. */
  mark: string
}

const [SOFT, SHEET] = ['#55524a', '#fffefb']
const [PAPER, INK] = NO_HUE

/** The colours of a hue by its class; those of paper for none. */
const coloursOf = (hue = ''): readonly [fill: string, ink: string] => HUES[Number(hue.slice(4) || -1)] ?? NO_HUE

const { width: WIDTH, height: HEIGHT } = PICTURE
const MARGIN = 100
const ROOM = WIDTH - 2 * MARGIN
/** The sizes of a title, and the most lines in each: the first in which it is whole is chosen. */
const TITLES = [
  { size: 88, most: 2 },
  { size: 72, most: 3 },
  { size: 56, most: 4 },
  { size: 46, most: 5 },
] as const
/** The middle of the title, with a row of tiles below it and without. */
const TITLE_MIDDLE = { above: 308, alone: 385 }
const LINE = 1.16
const OWNER: Style = { size: 36, face: 'display', isBold: true }
const COUNT: Style = { size: 30, face: 'display', isBold: true }
const HOSTS: Style = { size: 30, face: 'text', isBold: false }
const BELOW = 586
const TILE = { side: 68, gap: 16, y: 462, most: PICTURE.tiles, icon: 44 } as const

/** The picture as SVG: a sheet whose tab has its owner's name, with the title, a tile for each tab, and their number. */
export async function cardSvg(card: Card): Promise<string> {
  const { title, owner, service, count, where, tiles } = card
  const letters = tiles.map(({ letter }) => letter).join('')
  const type = await Typesetter.for([
    title,
    owner?.name ?? '',
    owner?.letter ?? '',
    service,
    count,
    where,
    letters,
    '+0123456789…',
  ])
  const isRight = isRightToLeft(title)
  const [tint] = coloursOf(owner?.hue)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${tint}"/>`,
    `<path d="M48 ${HEIGHT}V164a24 24 0 0 1 24-24h1056a24 24 0 0 1 24 24v466z" fill="${SHEET}"/>`,
    tab(card, type),
    heading(card, type, isRight),
    row(card, type, isRight),
    below(card, type, isRight),
    '</svg>',
  ].join('')
}

function heading({ title, tiles }: Card, type: Typesetter, isRight: boolean): string {
  const middle = tiles.length === 0 ? TITLE_MIDDLE.alone : TITLE_MIDDLE.above
  const x = isRight ? WIDTH - MARGIN : MARGIN
  for (const { size, most } of TITLES) {
    const style: Style = { size, face: 'display', isBold: true, isRight }
    const { lines, isWhole } = wrapped(title, { room: ROOM, most, widthOf: (text) => type.widthOf(text, style) })
    if (!isWhole && size !== TITLES.at(-1)?.size) continue
    const first = middle + size * 0.36 - ((lines.length - 1) * size * LINE) / 2
    return lines.map((line, at) => type.line(line, style, { x, y: first + at * size * LINE, fill: INK })).join('')
  }
  return ''
}

/** The tab of the sheet: its owner's sign and name, or those of the service. */
function tab({ owner, service, mark, icons }: Card, type: Typesetter): string {
  const { lines } = wrapped(owner?.name ?? service, {
    room: 800,
    most: 1,
    widthOf: (text) => type.widthOf(text, OWNER),
  })
  const [name = ''] = lines
  const wide = Math.round(type.widthOf(name, OWNER)) + 126
  const [, ink] = coloursOf(owner?.hue)
  const png = icons[owner?.pictureId ?? '']
  const sign =
    owner === null
      ? `<g transform="translate(100 62) scale(1.75)">${mark}</g>`
      : png !== undefined
        ? `<clipPath id="sign"><rect x="100" y="62" width="56" height="56" rx="14"/></clipPath><image x="100" y="62" width="56" height="56" clip-path="url(#sign)" href="data:image/png;base64,${png}"/>`
        : `<rect x="100" y="62" width="56" height="56" rx="14" fill="${ink}"/>${centred(type, owner.letter, { x: 128, y: 90, size: 34, fill: SHEET })}`
  return [
    `<path d="M48 164a24 24 0 0 0 24-24V64a24 24 0 0 1 24-24h${wide}a24 24 0 0 1 24 24v56a20 20 0 0 0 20 20v24z" fill="${SHEET}"/>`,
    sign,
    type.line(name, OWNER, { x: 174, y: 103, fill: ink }),
  ].join('')
}

/** A tile for each tab; the last one counts those without. */
function row({ tiles, icons }: Card, type: Typesetter, isRight: boolean): string {
  const isCut = tiles.length > TILE.most
  const shown = isCut ? tiles.slice(0, TILE.most - 1) : tiles
  const { side, gap, y, icon: inside } = TILE
  const left = (at: number) => (isRight ? WIDTH - MARGIN - side - at * (side + gap) : MARGIN + at * (side + gap))
  const box = (at: number, fill: string, edge = '') =>
    `<rect x="${left(at)}" y="${y}" width="${side}" height="${side}" rx="18" fill="${fill}"${edge}/>`
  const letter = (at: number, text: string, fill: string, size = 34) =>
    centred(type, text, { x: left(at) + side / 2, y: y + side / 2, size, fill })
  const drawn = shown.map(({ letter: own, hue, icon }, at) => {
    const png = icon === null ? undefined : icons[icon.id]
    if (png === undefined) {
      const [fill, ink] = coloursOf(hue)
      return box(at, fill) + letter(at, own, ink)
    }
    const inset = (side - inside) / 2
    return (
      box(at, icon?.tone === 'light' ? SOFT : '#fff', ' stroke="#e5dfd0" stroke-width="2"') +
      `<image x="${left(at) + inset}" y="${y + inset}" width="${inside}" height="${inside}" href="data:image/png;base64,${png}"/>`
    )
  })
  if (isCut) drawn.push(box(shown.length, PAPER) + letter(shown.length, `+${tiles.length - shown.length}`, SOFT, 26))
  return drawn.join('')
}

/** The number of tabs and where they lead; nothing if rules choose them. */
function below({ count, where }: Card, type: Typesetter, isRight: boolean): string {
  if (count === '') return ''
  const wide = type.widthOf(count, COUNT) + 18
  const { lines } = wrapped(where, { room: ROOM - wide, most: 1, widthOf: (text) => type.widthOf(text, HOSTS) })
  const [hosts = ''] = lines
  // English, so the count stands first also at the right.
  const x = isRight ? WIDTH - MARGIN - wide - type.widthOf(hosts, HOSTS) : MARGIN
  return (
    type.line(count, COUNT, { x, y: BELOW, fill: INK }) + type.line(hosts, HOSTS, { x: x + wide, y: BELOW, fill: SOFT })
  )
}

/** A letter or number in the middle of a tile. */
function centred(
  type: Typesetter,
  text: string,
  { x, y, size, fill }: { x: number; y: number; size: number; fill: string },
): string {
  const style: Style = { size, face: 'display', isBold: true }
  return type.line(text, style, { x: x - type.widthOf(text, style) / 2, y: y + size * 0.36, fill })
}
