import { deflateSync } from 'node:zlib'

// Pictures as sites have them: small ones of every format, and those that are made to do harm.

const base64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'))

/** A picture of each format. */
export const PICTURES = {
  png: base64(
    'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQBAMAAADt3eJSAAAAMFBMVEX/AADuABHdACLMADO7AESqAFWZAGaIAHd3AIhmAJlVAKpEALszAMwiAN0RAO4AAP8lworGAAAAO0lEQVQI1zXBwQAAIQAAwVVIIYUUUkghhRRSSCGFUziFFFKozzYDTxBRJJFFEVU00cUQU3ziF0tscXQBlZU/wUAVODIAAAAASUVORK5CYII=',
  ),
  ico: base64(
    'AAABAAEAEBAQAAEABAAoAQAAFgAAACgAAAAQAAAAIAAAAAEABAAAAAAAgAAAAAAAAAAAAAAAEAAAABAAAAAAAP8AEQDuACIA3QAzAMwARAC7AFUAqgBmAJkAdwCIAIgAdwCZAGYAqgBVALsARADMADMA3QAiAO4AEQD/AAAA///////////u7u7u7u7u7t3d3d3d3d3dzMzMzMzMzMy7u7u7u7u7u6qqqqqqqqqqmZmZmZmZmZmIiIiIiIiIiHd3d3d3d3d3ZmZmZmZmZmZVVVVVVVVVVUREREREREREMzMzMzMzMzMiIiIiIiIiIhERERERERERAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  ),
  gif: base64('R0lGODlhCAAIAPAAAP8AAAAAACH5BAAAAAAALAAAAAAIAAgAAAIHhI+py+1dAAA7'),
  jpg: base64(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABQb/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCKALXj/9k=',
  ),
  webp: base64(
    'UklGRqgBAABXRUJQVlA4WAoAAAAQAAAADwAADwAAQUxQSMMAAAABJ6KokSTleucYX+ffKpmImP90cY3gJjDi4Yt3MsjBEVyDKzDosHgVjnhRNcEIDAJPkqBqsFUZHNa2bUYvTsZ2PLbtd/uvKa4hov9J0f2PkPe6REkkGzolkTTzFG0Ox9PlFiD0CxS+kOGDtxoynjaCfx0pfk52CPuInrOR75lzRugygtv4zEiy90UwfSD9NheMITJWLaXWayO8XeOlWRXVnIGk2W6WdYoYMQ+KqixQNPowgt+6a1BSKbUtz+lUFAoBAAAAVlA4IL4AAACQAgCdASoQABAAAwA0JbACdDBPCIUMfAMdCCz96AD+/XSg/QKbH4r3Q3ycN/bSDK/T/zVo4u6nvclvG/SqxWOuup+XhN9BojvaW+Tv+MvxvX/hr/o/5Qns9LtmX/+qKdl/yWznhuasl7nkxvSTI4xf3Y85VSB/lU/8Ofj/b9JrA+ifvIOYZm2x1RP/dhfmsf5diuSfR7+z+r/+HR3zEo/+XM/B+vkYw73Pzx+ROaAB/ZoBSzEs3rzZe6qsAAAA',
  ),
  svg: new TextEncoder().encode(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="20" height="10" fill="#07c"/></svg>',
  ),
} satisfies Record<string, Uint8Array<ArrayBuffer>>

/** A part of a PNG. */
function part(name: string, data: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(Bun.hash.crc32(named), named.length + 4)
  return framed
}

/** A PNG of one colour. @param extra parts before its picture. */
export function plainPng(
  width: number,
  height: number,
  rgba: number[],
  extra: Uint8Array[] = [],
): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 6], 8)
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: Math.min(width, 64) }, () => Buffer.from(rgba))])
  const rows = Buffer.concat(Array.from({ length: Math.min(height, 64) }, () => row))
  const begin = Buffer.from('89504e470d0a1a0a', 'hex')
  const parts = [begin, part('IHDR', head), ...extra, part('IDAT', deflateSync(rows)), part('IEND', new Uint8Array())]
  return new Uint8Array(Buffer.concat(parts))
}

/** A text of a PNG that is 50 MiB once it is unpacked. */
export const TEXT_BOMB = part(
  'zTXt',
  Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(new Uint8Array(50 * 2 ** 20))]),
)

/** A ring, see-through within and around. */
export const ring = (color: string) =>
  new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><circle cx="16" cy="16" r="12" fill="none" stroke="${color}" stroke-width="4"/></svg>`,
  )

const svg = (inner: string) =>
  new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 64 64">${inner}</svg>`,
  )

/** Sixteen times as many of the picture before, ten times. */
const nested = (kind: string, use: (id: string) => string) =>
  Array.from(
    { length: 10 },
    (_, at) => `<${kind} id="p${at + 1}" width="64" height="64">${use(`p${at}`).repeat(16)}</${kind}>`,
  ).join('')

const gif = Buffer.from(PICTURES.gif)
const huge = (bytes: Uint8Array, change: (bytes: Buffer) => void) => {
  const copy = Buffer.from(bytes)
  change(copy)
  return new Uint8Array(copy)
}

/** Files that no decoder gets to see, by what is wrong with them. */
export const REFUSED: Record<string, Uint8Array<ArrayBuffer>> = {
  'png-of-30000': plainPng(30_000, 30_000, [255, 0, 0, 255]),
  'gif-of-30000': huge(gif, (bytes) => bytes.writeUInt16LE(30_000, 6)),
  'frame-of-30000': huge(gif, (bytes) => bytes.writeUInt16LE(30_000, bytes.indexOf(0x2c, 13) + 5)),
  'jpg-of-30000': huge(PICTURES.jpg, (bytes) =>
    bytes.writeUInt16BE(30_000, bytes.indexOf(Buffer.from([0xff, 0xc0])) + 5),
  ),
  'webp-of-16000': huge(PICTURES.webp, (bytes) => bytes.writeUInt16LE(16_000, bytes.indexOf('VP8 ') + 14)),
  'ico-of-30000': huge(PICTURES.ico, (bytes) => bytes.writeUInt32LE(30_000, 22 + 4)),
  'jpg-of-1000-passes': new Uint8Array(
    Buffer.concat([
      Buffer.from(PICTURES.jpg).subarray(0, -2),
      ...Array.from({ length: 1_000 }, () => Buffer.from('ffda0008010100003f00', 'hex')),
      Buffer.from('ffd9', 'hex'),
    ]),
  ),
  'svg-patterns': svg(
    `${nested('pattern', (id) => `<rect width="9" height="9" fill="url(#${id})"/>`)}<rect width="64" height="64" fill="url(#p10)"/>`,
  ),
  'svg-uses': svg(`<defs>${nested('g', (id) => `<use xlink:href="#${id}"/>`)}</defs><use xlink:href="#p10"/>`),
  'svg-noise': svg(
    '<filter id="f"><feTurbulence baseFrequency=".1" numOctaves="2000000000"/></filter><rect width="64" height="64" filter="url(#f)"/>',
  ),
  'svg-styled': svg('<style>g { mask: url(#m) }</style><mask id="m"><rect width="9" height="9"/></mask><g><path/></g>'),
  'svg-entities': new TextEncoder().encode(
    '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">]><svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text></svg>',
  ),
  'svg-with-a-bomb': svg(
    `<image width="64" height="64" xlink:href="data:image/png;base64,${Buffer.from(plainPng(30_000, 30_000, [0, 0, 0, 255])).toString('base64')}"/>`,
  ),
  'svg-hidden': svg('<rect width="9" height="9" fill="&#117;rl(#p)"/>'),
  html: new TextEncoder().encode('<!doctype html><title>no icon</title>'),
  empty: new Uint8Array(),
  'cut-off': PICTURES.png.slice(0, 20),
}
