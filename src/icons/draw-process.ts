import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { initPhoton, PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/others'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { type Failure, READY } from '../core/idle-helper.ts'
import { ICON_PIXELS, type SiteIcon } from './site.ts'
import { harmlessSvg } from './svg.ts'

// Runs in its own process, because neither runtime can end a thread within WebAssembly, whose memory never shrinks: it is freed
// with the process. Bytes are sent as Base64, which the messages of both runtimes can carry.

/** A redrawn picture. */
interface Drawing extends Pick<SiteIcon, 'tone'> {
  png: Uint8Array
}

/** The answer to a file: its redrawn picture in Base64; null if it may not be drawn. */
export type Redrawn = { png: string; tone: SiteIcon['tone'] } | { png: null } | Failure

/** What is drawn anew: the icon of a site, or the picture of an organisation. */
export type Drawable = 'icon' | 'picture'

/** How a kind of picture is drawn. */
interface Way {
  /** Its longer side. */
  pixels: number
  /** The most bytes of its drawing. One of noise would exceed them, so it is drawn with fewer pixels. */
  maxBytes: number
  fewerPixels: number
  /** The most bytes of an SVG. */
  maxSvg: number
  /** The formats besides SVG. */
  formats: readonly Format[]
  /** Whether it becomes a square, with a ground of its own if it would be lost on a light or a dark one. */
  isSquare: boolean
}

const WAYS: Record<Drawable, Way> = {
  icon: {
    pixels: ICON_PIXELS,
    maxBytes: 16 * 1024,
    fewerPixels: 48,
    maxSvg: 64 * 1024,
    formats: ['png', 'gif', 'webp', 'jpeg', 'ico'],
    isSquare: false,
  },
  // Any picture of so few pixels fits into its bytes.
  picture: {
    pixels: 128,
    maxBytes: 64 * 1024,
    fewerPixels: 112,
    maxSvg: 256 * 1024,
    formats: ['png', 'webp', 'jpeg'],
    isSquare: true,
  },
}

const fileAt = (path: string) => readFileSync(fileURLToPath(import.meta.resolve(path)))

/** Answers each message from the parent process, until that disconnects. */
export async function drawIcons(): Promise<void> {
  await initWasm(withBoundedMemory(fileAt('@resvg/resvg-wasm/index_bg.wasm')))
  initPhoton.sync({ module: new WebAssembly.Module(withBoundedMemory(fileAt('@cf-wasm/photon/photon.wasm'))) })
  process.on('message', (message: string) => {
    const [kind, file = ''] = message.split(' ')
    process.send?.(redraw(Buffer.from(file, 'base64'), WAYS[kind as Drawable]))
  })
  process.on('disconnect', () => process.exit())
  process.send?.(READY)
}

function redraw(file: Buffer, way: Way): Redrawn {
  const { pixels, maxBytes, fewerPixels, maxSvg, formats } = way
  try {
    const picture = harmlessRaster(file, formats) ?? harmlessSvg(file, { pixels, maxBytes: maxSvg })
    if (picture === null) return { png: null }
    const image = PhotonImage.new_from_byteslice(typeof picture === 'string' ? rasterOf(picture) : picture)
    const usual = sized(image, pixels, way)
    const { png, tone } = usual.png.byteLength > maxBytes ? sized(image, fewerPixels, way) : usual
    image.free()
    return { png: Buffer.from(png).toString('base64'), tone }
  } catch (error) {
    // A failure within WebAssembly may have left it in any state.
    return error instanceof WebAssembly.RuntimeError ? { failure: String(error) } : { png: null }
  }
}

function rasterOf(svg: string): Uint8Array {
  const renderer = new Resvg(svg)
  const image = renderer.render()
  const png = image.asPng()
  image.free()
  renderer.free()
  return png
}

/** A picture resized so that its longer side has this many pixels. */
function sized(image: PhotonImage, pixels: number, { isSquare }: Way): Drawing {
  const [width, height] = [image.get_width(), image.get_height()]
  const scale = pixels / Math.max(width, height)
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  const resized = resize(image, side(width), side(height), SamplingFilter.Lanczos3)
  const tone = toneOf(resized.get_raw_pixels())
  const whole = isSquare ? squared(resized, pixels, tone) : resized
  const drawn = { png: whole.get_bytes(), tone }
  whole.free()
  if (whole !== resized) resized.free()
  return drawn
}

/** A picture in the middle of a square, on a ground of the other tone if it has one. */
function squared(image: PhotonImage, pixels: number, tone: SiteIcon['tone']): PhotonImage {
  const [width, height] = [image.get_width(), image.get_height()]
  const [left, top] = [Math.floor((pixels - width) / 2), Math.floor((pixels - height) / 2)]
  const [from, to] = [image.get_raw_pixels(), new Uint8Array(pixels * pixels * 4)]
  for (let row = 0; row < height; row += 1) {
    to.set(from.subarray(row * width * 4, (row + 1) * width * 4), ((top + row) * pixels + left) * 4)
  }
  if (tone !== null) lay(to, tone === 'light' ? 0x22 : 0xff)
  return new PhotonImage(to, pixels, pixels)
}

/** Lays a ground of this grey below a picture. @param pixels red, green, blue and opacity of each. */
function lay(pixels: Uint8Array, grey: number): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const opacity = (pixels[at + 3] ?? 0) / 255
    for (let part = at; part < at + 3; part += 1) {
      pixels[part] = Math.round((pixels[part] ?? 0) * opacity + grey * (1 - opacity))
    }
    pixels[at + 3] = 255
  }
}

/** Mean lightness of a picture’s visible part above which it is lost on a light background, and below which on a dark one. */
const LIGHT = 0.8
const DARK = 0.2
/** A picture with a smaller transparent share has its own background. */
const SEEN_THROUGH = 0.1

/** The tone of a picture. @param pixels red, green, blue and opacity of each. */
function toneOf(pixels: Uint8Array): SiteIcon['tone'] {
  let [light, opaque] = [0, 0]
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, opacity = 0] = pixels.subarray(at, at + 4)
    light += ((0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255) * opacity
    opaque += opacity
  }
  // A picture of text, for example, because there is no font.
  if (opaque === 0) throw new Error('nothing of it is seen')
  if (opaque > (1 - SEEN_THROUGH) * 255 * (pixels.length / 4)) return null
  const mean = light / opaque
  return mean > LIGHT ? 'light' : mean < DARK ? 'dark' : null
}

/** The most memory for a picture, including decoder and renderer, in pages of 64 KiB: 128 MiB. */
const MAX_PAGES = 2048
/** The number of a module’s memory section. */
const MEMORY_SECTION = 5

/**
 * A WebAssembly module with bounded memory: without a bound, it may take four gigabytes. An allocation that does not fit then
 * fails, as any may.
 */
export function withBoundedMemory(wasm: Buffer): Uint8Array<ArrayBuffer> {
  for (let at = 8; at < wasm.length; ) {
    const size = leb(wasm, at + 1)
    const end = size.end + size.value
    if (wasm[at] !== MEMORY_SECTION) {
      at = end
      continue
    }
    // The section has the number of memories, and of each whether it has a maximum, its minimum, and that maximum.
    const least = leb(wasm, size.end + 2)
    if (wasm[size.end] !== 1 || least.value > MAX_PAGES) break
    const section = Buffer.from([1, 1, ...bytesOf(least.value), ...bytesOf(MAX_PAGES)])
    const head = Buffer.from([MEMORY_SECTION, ...bytesOf(section.length)])
    return new Uint8Array(Buffer.concat([wasm.subarray(0, at), head, section, wasm.subarray(end)]))
  }
  throw new Error('a module of WebAssembly has no memory of its own that can be bounded')
}

/** Reads a number in LEB128. @returns it, and where it ends. */
function leb(bytes: Buffer, from: number): { value: number; end: number } {
  let value = 0
  for (let at = from; ; at += 1) {
    const byte = bytes.readUInt8(at)
    value += (byte & 0x7f) * 2 ** (7 * (at - from))
    if (byte < 0x80) return { value, end: at + 1 }
  }
}

function bytesOf(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...bytesOf(value >>> 7)]
}

// Checks the declared sizes in a picture before it is decoded. A few bytes may announce gigabytes, or endless work, and decoders
// of every format believe them.

/** The maximum width and height in pixels. */
const MAX_PIXELS = 1024
/** The most passes (scans) of a JPEG, each of which covers the whole picture. */
const MAX_PASSES = 32

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
/** The chunks of a PNG that define its pixels. All others are dropped: they may be compressed texts of any size. */
const PNG_PARTS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])

type Format = 'png' | 'gif' | 'webp' | 'jpeg' | 'ico'

/**
 * The bytes of a picture that are safe to decode; null for other files, for pictures that are not safe, and for other formats
 * than these.
 */
function harmlessRaster(bytes: Buffer, formats: readonly Format[]): Buffer | null {
  try {
    const format = formatOf(bytes)
    return format !== null && formats.includes(format) ? HARMLESS[format](bytes) : null
  } catch (error) {
    // The file ends before its header does.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The format by the first bytes, whatever the file is called. @throws RangeError for a file that is shorter. */
function formatOf(bytes: Buffer): Format | null {
  if (bytes.subarray(0, 8).equals(PNG)) return 'png'
  const [begin, mark] = [bytes.toString('latin1', 0, 4), bytes.readUInt32LE(0)]
  if (begin === 'GIF8') return 'gif'
  if (begin === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'webp'
  if (bytes.readUInt16BE(0) === 0xffd8) return 'jpeg'
  // An icon, not a cursor.
  return mark === 0x00010000 ? 'ico' : null
}

const HARMLESS: Record<Format, (bytes: Buffer) => Buffer | null> = { png, gif, webp, jpeg, ico }

const fits = (width: number, height: number) => Math.min(width, height) > 0 && Math.max(width, height) <= MAX_PIXELS

function png(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [PNG]
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    // IHDR must be the first chunk, and occur once.
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
  // Up to the first picture, which has its own size. Only extensions, in blocks, come before it.
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
    // Several pictures, each with its own size.
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
    // Fill bytes, data bytes, and the markers for start, end and restarts have no length.
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

/** The largest picture in an icon file, as a file of its own. */
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
  // A bitmap without a file header; its declared height is doubled by its mask.
  if (image.readUInt32LE(0) !== 40 || !fits(image.readUInt32LE(4), image.readUInt32LE(8) / 2)) return null
  entry.writeUInt32LE(image.length, 8)
  entry.writeUInt32LE(ICO_HEAD + ICO_ENTRY, 12)
  return Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0]), entry, image])
}
