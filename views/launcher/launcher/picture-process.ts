import { Buffer } from 'node:buffer'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { type Failure, READY } from '../../../src/core/idle-helper.ts'
import { withBoundedMemory } from '../../../src/icons/draw-process.ts'
import { PICTURE } from '../parts/picture.ts'
import { type Card, cardSvg } from './picture-card.ts'
import { fileAt } from './picture-fonts.ts'
import { smallPng } from './picture-png.ts'

// Runs in its own process, as the drawing of icons does, and for the same reasons.

/** A drawn picture as PNG in Base64. */
export type DrawnPicture = { png: string } | Failure

/** Answers each message, a `Card` as JSON, until the parent process disconnects. */
export async function drawPictures(): Promise<void> {
  await initWasm(withBoundedMemory(Buffer.from(fileAt('@resvg/resvg-wasm/index_bg.wasm'))))
  process.on('message', async (card: string) => process.send?.(await drawn(JSON.parse(card))))
  process.on('disconnect', () => process.exit())
  process.send?.(READY)
}

async function drawn(card: Card): Promise<DrawnPicture> {
  try {
    const whole = await draw(card)
    // Icons may be of noise. Letters are small.
    const png = whole.byteLength > PICTURE.bytes ? await draw({ ...card, icons: {} }) : whole
    return { png: png.toString('base64') }
  } catch (error) {
    return { failure: String(error) }
  }
}

async function draw(card: Card): Promise<Buffer> {
  const renderer = new Resvg(await cardSvg(card))
  const image = renderer.render()
  const png = smallPng(image.pixels, image.width)
  image.free()
  renderer.free()
  return png
}
