import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HUES } from '../../src/core/hues.ts'
import { IdleHelper } from '../../src/core/idle-helper.ts'
import { DRAW_PICTURES, drawingProcess } from '../../src/icons/drawing.ts'
import type { Card } from '../../views/launcher/launcher/picture-card.ts'
import { smallPng } from '../../views/launcher/launcher/picture-png.ts'
import type { DrawnPicture } from '../../views/launcher/launcher/picture-process.ts'

// The process that draws preview pictures, as the service uses it.

const drawing = new IdleHelper<string, DrawnPicture>(() => drawingProcess(DRAW_PICTURES), 30_000)
afterAll(() => drawing.stop())

const card = (icons: Record<string, string>): Card => ({
  ...{ title: 'Icons', count: '25 tabs', where: 'a.example', owner: null, service: 'Openall', mark: '', icons },
  tiles: Array.from({ length: 25 }, (_, at) => ({
    letter: 'A',
    hue: `hue-${at % 8}`,
    icon: { id: String(at), tone: null },
  })),
})

async function draw(icons: Record<string, string>): Promise<Buffer> {
  const drawn = await drawing.ask(JSON.stringify(card(icons)), 'somebody')
  if ('failure' in drawn) throw new Error(drawn.failure)
  return Buffer.from(drawn.png, 'base64')
}

test('icons of noise, or broken ones, take no more than 60 KB, and the next picture is whole', async () => {
  const letters = await draw({})
  const noise = () =>
    smallPng(
      new Uint8Array(randomBytes(64 * 64 * 4)).map((byte, at) => (at % 4 === 3 ? 255 : byte)),
      64,
    )
  const noisy = await draw(Object.fromEntries(Array.from({ length: 25 }, (_, at) => [at, noise().toString('base64')])))
  expect([noisy.readUInt32BE(16), noisy.readUInt32BE(20), noisy.byteLength < 60_000]).toEqual([1200, 630, true])
  expect(noisy.equals(letters)).toBe(false)
  const broken = await draw({ 0: 'AAAA', 1: Buffer.from('<svg onload="x"/>').toString('base64') })
  expect(broken.readUInt32BE(16)).toBe(1200)
  expect((await draw({})).equals(letters)).toBe(true)
})

test('pictures have the hues of the pages', () => {
  const [light = ''] = readFileSync(join(import.meta.dir, '../../views/parts/tile.css'), 'utf8').split('@media', 1)
  const hues = Array.from(light.matchAll(/--h\d: (#\w+);\s*--h\di: (#\w+);/g), ([, fill, ink]) => [fill, ink])
  expect(hues).toEqual(HUES.map((pair) => [...pair]))
})
