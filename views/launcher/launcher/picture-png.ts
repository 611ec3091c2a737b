import { Buffer } from 'node:buffer'
import { crc32, deflateSync } from 'node:zlib'

// The renderer's own PNGs are several times as large: it keeps all colours and their opacity, and compresses for speed.

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** Eight bits a pixel, each the number of a colour in the palette. */
const FORM = Buffer.from([8, 3, 0, 0, 0])
const MOST_COLOURS = 256

/** A small PNG of opaque pixels. @param pixels red, green, blue and opacity of each. */
export function smallPng(pixels: Uint8Array, width: number): Buffer {
  const colours = new Uint32Array(pixels.buffer.slice(pixels.byteOffset, pixels.byteOffset + pixels.byteLength))
  const { palette, numbers } = paletteOf(colours)
  const height = colours.length / width
  const rows = Buffer.alloc(height * (width + 1))
  let known = colours[0]
  let number = numbers.get(known ?? 0) ?? 0
  for (let at = 0; at < colours.length; at += 1) {
    if (colours[at] !== known) {
      known = colours[at]
      number = numbers.get(known ?? 0) ?? 0
    }
    // Each row begins with its filter, which is none.
    rows[at + Math.floor(at / width) + 1] = number
  }
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([size, FORM])),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const channels = (colour: number) => [colour & 0xff, (colour >>> 8) & 0xff, (colour >>> 16) & 0xff]

/** The most frequent colours, and for each colour of a picture the number of the nearest. */
function paletteOf(colours: Uint32Array): { palette: number[]; numbers: Map<number, number> } {
  const counts = new Map<number, number>()
  let [last, count] = [colours[0] ?? 0, 0]
  for (const colour of colours) {
    if (colour === last) {
      count += 1
      continue
    }
    counts.set(last, (counts.get(last) ?? 0) + count)
    ;[last, count] = [colour, 1]
  }
  counts.set(last, (counts.get(last) ?? 0) + count)
  const palette = palettes(counts)
  const parts = palette.map(channels)
  const nearest = (colour: number) => {
    const [red = 0, green = 0, blue = 0] = channels(colour)
    let [best, least] = [0, Number.POSITIVE_INFINITY]
    for (const [at, [r = 0, g = 0, b = 0]] of parts.entries()) {
      const far = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
      if (far < least) [best, least] = [at, far]
    }
    return best
  }
  return { palette, numbers: new Map(Array.from(counts.keys(), (colour) => [colour, nearest(colour)])) }
}

/** At most 256 colours: the most frequent ones and, of the others, one of each group of similar ones. */
function palettes(counts: ReadonlyMap<number, number>): number[] {
  const byCount = [...counts].toSorted(([, one], [, other]) => other - one).map(([colour]) => colour)
  if (byCount.length <= MOST_COLOURS) return byCount
  const groups = new Map<number, number>()
  for (const colour of byCount.slice(MOST_COLOURS / 2)) {
    const group = colour & 0xe0e0e0
    if (!groups.has(group)) groups.set(group, colour)
  }
  return [...byCount.slice(0, MOST_COLOURS / 2), ...groups.values()].slice(0, MOST_COLOURS)
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
