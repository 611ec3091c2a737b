import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { initPhoton, PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/others'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { type Failure, READY } from '../core/idle-helper.ts'
import { withBoundedMemory } from './bounded-memory.ts'
import { harmlessRaster } from './raster.ts'
import { ICON_PIXELS, type SiteIcon } from './site.ts'
import { harmlessSvg } from './svg.ts'

// In a process because neither runtime ends a thread that is in WebAssembly, and because its memory never shrinks: it goes with
// the process. Bytes go as Base64, which messages of every runtime carry.

/** A picture as it was drawn. */
interface Drawing extends Pick<SiteIcon, 'tone'> {
  png: Uint8Array
}

/** What is answered to the bytes of a file: its picture in Base64; null if there is none that may be drawn. */
export type Redrawn = { png: string; tone: SiteIcon['tone'] } | { png: null } | Failure

/** An icon of noise does not fit into what is kept, so it is drawn smaller. */
const MAX_BYTES = 16 * 1024
const SMALLER_PIXELS = 48

const fileAt = (path: string) => readFileSync(fileURLToPath(import.meta.resolve(path)))

/** Answers each message of the process that has started this one, until that ends. */
export async function drawPictures(): Promise<void> {
  await initWasm(withBoundedMemory(fileAt('@resvg/resvg-wasm/index_bg.wasm')))
  initPhoton.sync({ module: new WebAssembly.Module(withBoundedMemory(fileAt('@cf-wasm/photon/photon.wasm'))) })
  process.on('message', (file: string) => process.send?.(redraw(Buffer.from(file, 'base64'))))
  process.on('disconnect', () => process.exit())
  process.send?.(READY)
}

function redraw(file: Buffer): Redrawn {
  try {
    const picture = harmlessRaster(file) ?? harmlessSvg(file)
    if (picture === null) return { png: null }
    const image = PhotonImage.new_from_byteslice(typeof picture === 'string' ? rasterOf(picture) : picture)
    const usual = sized(image, ICON_PIXELS)
    const { png, tone } = usual.png.byteLength > MAX_BYTES ? sized(image, SMALLER_PIXELS) : usual
    image.free()
    return { png: Buffer.from(png).toString('base64'), tone }
  } catch (error) {
    // What it has stumbled over within WebAssembly may have left that in any state.
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

/** A picture with its longer side of so many pixels. */
function sized(image: PhotonImage, pixels: number): Drawing {
  const [width, height] = [image.get_width(), image.get_height()]
  const scale = pixels / Math.max(width, height)
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  const resized = resize(image, side(width), side(height), SamplingFilter.Lanczos3)
  const drawn = { png: resized.get_bytes(), tone: toneOf(resized.get_raw_pixels()) }
  resized.free()
  return drawn
}

/** Of what can be seen of a picture, how light it must be on average to be lost on a light ground, and on a dark one. */
const LIGHT = 0.8
const DARK = 0.2
/** A picture of which less lets the ground through has a ground of its own. */
const SEEN_THROUGH = 0.1

/** @param pixels red, green, blue and opacity of each. */
function toneOf(pixels: Uint8Array): SiteIcon['tone'] {
  let [light, opaque] = [0, 0]
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, opacity = 0] = pixels.subarray(at, at + 4)
    light += ((0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255) * opacity
    opaque += opacity
  }
  // Of a picture of text, for which there is no font.
  if (opaque === 0) throw new Error('nothing of it is seen')
  if (opaque > (1 - SEEN_THROUGH) * 255 * (pixels.length / 4)) return null
  const mean = light / opaque
  return mean > LIGHT ? 'light' : mean < DARK ? 'dark' : null
}
