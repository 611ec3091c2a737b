import { Buffer } from 'node:buffer'

// What a picture says of itself before anything decodes it. A few bytes may announce gigabytes, or work without end, and
// decoders of every format believe them.

/** Width and height in pixels, at most. */
const MAX_PIXELS = 1024
/** A JPEG may be sent in several passes, each of which goes over the whole picture. */
const MAX_PASSES = 32

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
/** Parts of a PNG that say which pixels it has. All others are left out: they may be compressed texts of any size. */
const PNG_PARTS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])

/** The bytes of a picture with which a decoder can do no harm; null for other files, and for pictures that could. */
export function harmlessRaster(bytes: Buffer): Buffer | null {
  try {
    if (bytes.subarray(0, 8).equals(PNG)) return png(bytes)
    const [begin, mark] = [bytes.toString('latin1', 0, 4), bytes.readUInt32LE(0)]
    if (begin === 'GIF8') return gif(bytes)
    if (begin === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return webp(bytes)
    if (bytes.readUInt16BE(0) === 0xffd8) return jpeg(bytes)
    // An icon, not a cursor.
    return mark === 0x00010000 ? ico(bytes) : null
  } catch (error) {
    // It ends before it has said what it is.
    if (error instanceof RangeError) return null
    throw error
  }
}

const fits = (width: number, height: number) => Math.min(width, height) > 0 && Math.max(width, height) <= MAX_PIXELS

function png(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [PNG]
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    // The first part, and the only one of its kind.
    if ((at === 8) !== (name === 'IHDR')) return null
    if (name === 'IHDR' && !fits(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12))) return null
    if (PNG_PARTS.has(name)) parts.push(bytes.subarray(at, end))
    at = end
  }
  return Buffer.concat(parts)
}

function gif(bytes: Buffer): Buffer | null {
  if (!fits(bytes.readUInt16LE(6), bytes.readUInt16LE(8))) return null
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  let at = 13 + tableBytes(bytes.readUInt8(10))
  // Up to the first picture, which has a size of its own. Before it are only extensions, in blocks.
  while (bytes.readUInt8(at) === 0x21) {
    at += 2
    for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += length + 1
    at += 1
  }
  return bytes.readUInt8(at) === 0x2c && fits(bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)) ? bytes : null
}

function webp(bytes: Buffer): Buffer | null {
  let frames = 0
  for (let at = 12; at + 8 <= bytes.length; ) {
    const [name, length] = [bytes.toString('latin1', at, at + 4), bytes.readUInt32LE(at + 4)]
    const data = at + 8
    // Several pictures, each with a size of its own.
    if (name === 'ANIM' || name === 'ANMF') return null
    if (name === 'VP8X' && !fits(bytes.readUIntLE(data + 4, 3) + 1, bytes.readUIntLE(data + 7, 3) + 1)) return null
    if (name === 'VP8 ') {
      frames += 1
      if (!fits(bytes.readUInt16LE(data + 6) & 0x3fff, bytes.readUInt16LE(data + 8) & 0x3fff)) return null
    }
    if (name === 'VP8L') {
      frames += 1
      const bits = bytes.readUInt32LE(data + 1)
      if (!fits((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)) return null
    }
    at = data + length + (length % 2)
  }
  return frames === 1 ? bytes : null
}

function jpeg(bytes: Buffer): Buffer | null {
  let isSized = false
  let passes = 0
  for (let at = bytes.indexOf(0xff, 2); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const mark = bytes.readUInt8(at + 1)
    at += 2
    // Fill bytes; a byte of the picture; begin, end and restarts, which have no length.
    if (mark === 0xff) at -= 1
    if (mark === 0xff || mark === 0x00 || mark === 0x01 || (mark >= 0xd0 && mark <= 0xd9)) continue
    if (mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc) {
      if (isSized || !fits(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 3))) return null
      isSized = true
    }
    if (mark === 0xda && (passes += 1) > MAX_PASSES) return null
    at += bytes.readUInt16BE(at)
  }
  return isSized ? bytes : null
}

const ICO_HEAD = 6
const ICO_ENTRY = 16

/** The largest picture of an icon file, alone. */
function ico(bytes: Buffer): Buffer | null {
  let best: { entry: Buffer; image: Buffer } | null = null
  let bestPixels = 0
  for (let at = 0; at < Math.min(bytes.readUInt16LE(4), 32); at += 1) {
    const from = ICO_HEAD + at * ICO_ENTRY
    const entry = Buffer.from(bytes.subarray(from, from + ICO_ENTRY))
    const start = entry.readUInt32LE(12)
    const image = bytes.subarray(start, start + entry.readUInt32LE(8))
    const size = (entry.readUInt8(0) || 256) * 256 + entry.readUInt16LE(6)
    if (size > bestPixels) [best, bestPixels] = [{ entry, image }, size]
  }
  if (best === null) return null
  const { entry, image } = best
  if (image.subarray(0, 8).equals(PNG)) return png(image)
  // A bitmap without its file’s head, twice as high as it is, for its mask.
  if (image.readUInt32LE(0) !== 40 || !fits(image.readUInt32LE(4), image.readUInt32LE(8) / 2)) return null
  entry.writeUInt32LE(image.length, 8)
  entry.writeUInt32LE(ICO_HEAD + ICO_ENTRY, 12)
  return Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0]), entry, image])
}
