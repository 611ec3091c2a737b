import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import type { Failure } from '../../../src/core/idle-helper.ts'

// A worker, because rendering takes tens of milliseconds, and WebAssembly memory never shrinks but ends with the thread.
// WebAssembly, because a native module must be unpacked to a folder, which may forbid execution.

/** A worker’s answer to an SVG text. */
export type Drawn = { png: Uint8Array<ArrayBuffer> } | Failure

const fileAt = (path: string) => new Uint8Array(readFileSync(fileURLToPath(import.meta.resolve(path))))
const ready = initWasm(fileAt('@resvg/resvg-wasm/index_bg.wasm'))
const fontBuffers = [fileAt('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'), fileAt('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')]

parentPort?.on('message', async (svg: string) => {
  parentPort?.postMessage(await draw(svg))
})

async function draw(svg: string): Promise<Drawn> {
  try {
    await ready
    const renderer = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: 'DejaVu Sans' } })
    const image = renderer.render()
    const png = new Uint8Array(image.asPng())
    image.free()
    renderer.free()
    return { png }
  } catch (error) {
    return { failure: String(error) }
  }
}
