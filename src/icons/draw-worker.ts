import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { initPhoton, PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/others'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import type { Failure } from '../core/idle-thread.ts'
import { ICON_PIXELS, type SiteIcon } from './site.ts'

// In a worker because drawing takes tens of milliseconds, and because the memory of WebAssembly never shrinks: it goes with
// the thread.

/** A picture to draw: the text of an SVG, or the bytes of any other. */
export type Picture = string | Uint8Array

/** A picture as it was drawn. */
interface Drawing extends Pick<SiteIcon, 'tone'> {
  png: Uint8Array
}

/** A worker’s answer. */
export type Redrawn = Drawing | Failure

/** An icon of noise does not fit into what is kept, so it is drawn smaller. */
const MAX_BYTES = 16 * 1024
const SMALLER_PIXELS = 48

const fileAt = (path: string) => readFileSync(fileURLToPath(import.meta.resolve(path)))
const ready = initWasm(fileAt('@resvg/resvg-wasm/index_bg.wasm'))
initPhoton.sync({ module: new WebAssembly.Module(fileAt('@cf-wasm/photon/photon.wasm')) })

parentPort?.on('message', async (picture: Picture) => {
  parentPort?.postMessage(await redraw(picture))
})

async function redraw(picture: Picture): Promise<Redrawn> {
  try {
    await ready
    const image = PhotonImage.new_from_byteslice(typeof picture === 'string' ? rasterOf(picture) : picture)
    const usual = sized(image, ICON_PIXELS)
    const drawn = usual.png.byteLength > MAX_BYTES ? sized(image, SMALLER_PIXELS) : usual
    image.free()
    return drawn
  } catch (error) {
    return { failure: String(error) }
  }
}

function rasterOf(svg: string): Uint8Array {
  const own = new Resvg(svg)
  const mode = own.width >= own.height ? 'width' : 'height'
  own.free()
  const renderer = new Resvg(svg, { fitTo: { mode, value: ICON_PIXELS } })
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
  const drawn = { png: new Uint8Array(resized.get_bytes()), tone: toneOf(resized.get_raw_pixels()) }
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
  if (opaque === 0 || opaque > (1 - SEEN_THROUGH) * 255 * (pixels.length / 4)) return null
  const mean = light / opaque
  return mean > LIGHT ? 'light' : mean < DARK ? 'dark' : null
}
