import { readFileSync, writeFileSync } from 'node:fs'
import { Resvg } from '@resvg/resvg-js'

// Makes views/parts/icon-files.ts of views/parts/icon.svg: the icons that browsers and systems want as PNG.

const svg = readFileSync(new URL('../views/parts/icon.svg', import.meta.url), 'utf8')
const inner = svg.replace(/^<svg[^>]*>|<\/svg>\s*$/g, '')
/** With room round it, on a ground of its own, as home screens cut it. */
const padded = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" fill="#fff"/><g transform="translate(8 8)">${inner}</g></svg>`

const png = (source: string, size: number) =>
  Buffer.from(new Resvg(source, { fitTo: { mode: 'width', value: size } }).render().asPng())

/** An ICO file of one PNG. */
function ico(image: Buffer, size: number): Buffer {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.writeUInt8(size, 6)
  head.writeUInt8(size, 7)
  head.writeUInt16LE(1, 10)
  head.writeUInt16LE(32, 12)
  head.writeUInt32LE(image.length, 14)
  head.writeUInt32LE(head.length, 18)
  return Buffer.concat([head, image])
}

const files = {
  '/favicon.ico': ico(png(svg, 32), 32),
  '/apple-touch-icon.png': png(padded, 180),
  '/icon-192.png': png(svg, 192),
  '/icon-512.png': png(padded, 512),
}
const lines = Object.entries(files).map(([path, bytes]) => `  '${path}':\n    '${bytes.toString('base64')}',\n`)
writeFileSync(
  new URL('../views/parts/icon-files.ts', import.meta.url),
  `/** The icon as other formats, in base64. Made by \`bun tools/icons.ts\`. */\nexport const ICON_FILES = {\n${lines.join('')}} as const\n`,
)
