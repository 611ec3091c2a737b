import { deflateSync } from 'node:zlib'
import { PICTURES } from './icon-files.ts'

// A hundred pictures made to take time or memory, the same in each run: what a generator comes upon that a person would not.

type Bytes = Uint8Array<ArrayBuffer>

/** Numbers from 0 to 1, always the same (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = numbers(51)
const upTo = (most: number) => Math.floor(random() * most)
const one = <T>(values: readonly T[]): T => values[upTo(values.length)]!
const noise = (length: number) => Buffer.from(Array.from({ length }, () => upTo(256)))
const repeated = (times: number, text: (at: number) => string) =>
  Array.from({ length: times }, (_, at) => text(at)).join('')

/** As large as is read. */
const FULL = 63_000
const svg = (inner: string, box = '0 0 64 64'): Bytes =>
  new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}">${inner}</svg>`)
/** As many as fit. */
const filled = (text: (at: number) => string, room = FULL) => repeated(Math.floor(room / text(999).length), text)
const rect = (more = '') => `<rect width="64" height="64" ${more}/>`
const stops = (count: number) => repeated(count, (at) => `<stop offset="${at / count}" stop-color="#${at % 10}05"/>`)
const gradient = (count: number, more = '') => `<linearGradient id="l" ${more}>${stops(count)}</linearGradient>`
const nested = (depth: number, begin: (at: number) => string, inner: string, end = '</g>') =>
  repeated(depth, begin) + inner + end.repeat(depth)

const SVGS: (() => Bytes)[] = [
  () => svg(`<g filter="${'blur(1)'.repeat(500)}">${rect()}</g>`),
  () => svg(`<style>rect{filter:${'drop-shadow(1px 1px 1px red)'.repeat(100)}}</style>${rect().repeat(100)}`),
  () => svg(nested(60, () => '<g opacity=".9">', rect().repeat(50))),
  () => svg(filled(() => `<g opacity=".5">${rect()}</g>`)),
  () => svg(filled(() => rect('opacity=".5"'))),
  () => svg(gradient(1_500) + rect('fill="url(#l)"').repeat(200)),
  () => svg(gradient(1 + upTo(60)) + filled(() => rect('fill="url(#l)"'), 50_000)),
  () =>
    svg(gradient(3, `gradientTransform="scale(${10 ** -upTo(9)})" spreadMethod="reflect"`) + rect('fill="url(#l)"')),
  () =>
    svg(repeated(900, (at) => `<linearGradient id="g${at}" href="#g${at + 1}"/>`) + rect('fill="url(#g0)"').repeat(50)),
  () => svg(`<linearGradient id="l" href="#l"/>${rect('fill="url(#l)"')}`),
  () => svg(`<clipPath id="c">${rect().repeat(40)}</clipPath>${filled(() => rect('clip-path="url(#c)"'), 50_000)}`),
  () => svg(`<clipPath id="c" clip-path="url(#c)">${rect()}</clipPath>${rect('clip-path="url(#c)"')}`),
  () =>
    svg(
      repeated(20, (at) => `<mask id="m${at}">${rect(`mask="url(#m${at + 1})"`).repeat(2)}</mask>`) +
        rect('mask="url(#m0)"'),
    ),
  () => svg(`<mask id="m" maskContentUnits="objectBoundingBox">${rect()}</mask>${rect('mask="url(#m)"').repeat(500)}`),
  () => svg(`<g id="a">${rect().repeat(20)}</g>${filled(() => '<use href="#a"/>', 50_000)}`),
  () => svg(`<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g><use href="#a"/>`),
  () => svg(`<g id="a"><use href="#a"/></g>`),
  () =>
    svg(
      `<g id="p0">${rect()}</g>${repeated(14, (at) => `<g id="p${at + 1}">${`<use href="#p${at}"/>`.repeat(2)}</g>`)}<use href="#p14"/>`,
    ),
  () => svg(`<path d="M0 0${'C9e8 1 1 9e8 3 3'.repeat(3_000)}"/>`),
  () => svg(`<path d="M0 0${repeated(4_000, () => `L${upTo(64)} ${upTo(64)}`)}"/>`),
  () => svg(`<path d="M0 0${repeated(3_000, () => `A${upTo(1e6)} 1 ${upTo(360)} 1 0 ${upTo(64)} 3`)}"/>`),
  () => svg(`<path fill-rule="evenodd" d="${filled(() => `M${upTo(64)} 0h64v64z`)}"/>`),
  () => svg(`<path stroke="#000" stroke-width="${10 ** upTo(12)}" d="M0 0${'c9 9 9 0 3 3'.repeat(900)}"/>`),
  () => svg(`<path stroke="#000" stroke-linejoin="round" d="${filled(() => `M${upTo(64)} ${upTo(64)}h.1`, 7_000)}"/>`),
  () =>
    svg(
      `<g transform="scale(${10 ** upTo(12)})">${nested(5, () => '<g transform="scale(99)">', '<path stroke="red" d="M0 0c9 9 9 0 3 3"/>')}</g>`,
    ),
  () => svg(`<g transform="skewX(89.999999)"><path stroke="red" d="M0 0${'c9 9 9 0 3 3'.repeat(90)}"/></g>`),
  () => svg(`<path stroke="red" stroke-dasharray=".0001" d="M0 0H64"/>`),
  () => svg(`<style>path{stroke-dasharray:.0001}</style><path stroke="red" d="M0 0H64"/>`),
  () => svg(`<circle r="1e${upTo(300)}" stroke="red" stroke-width="1e${upTo(300)}"/>${rect()}`),
  () => svg(rect(), `0 0 1e-${upTo(30)} 1e-${upTo(30)}`),
  () => svg(rect(), `0 0 ${10 ** upTo(9)} 1`),
  () => svg(nested(10_000, () => '<g>', '', '')),
  () => svg(`${'<g>'.repeat(50)}${'</x>'.repeat(15_000)}`),
  () => svg(`<rect ${repeated(8_000, (at) => `a${at}="" `)}/>`),
  () => svg(`<style>${filled((at) => `.a${at},`)}{fill:red}</style>${rect()}`),
  () => svg(`<style>${'/*'.repeat(30_000)}</style>${rect()}`),
  () => svg(`<style>${'{'.repeat(60_000)}</style>${rect()}`),
  () => svg(`<style>.a{${filled(() => 'fill:red;', 30_000)}}</style>${'<rect class="a a a a a a a"/>'.repeat(1_000)}`),
  () => svg(`<g transform="${'scale(1) '.repeat(7_000)}">${rect()}</g>`),
  () => svg(`<g transform="${'('.repeat(60_000)}">${rect()}</g>`),
  () => svg(rect(`fill="${'rgb('.repeat(15_000)}"`)),
  () => svg(`<text>${'&amp;'.repeat(12_000)}</text>`),
  () => svg(`<!--${'<'.repeat(60_000)}`),
  () => svg(`<![CDATA[${']'.repeat(60_000)}`),
  () => new TextEncoder().encode(`<!DOCTYPE svg [${'<!ENTITY a "b">'.repeat(4_000)}]><svg/>`),
  () => svg(`<image href="data:image/svg+xml,${'a'.repeat(50_000)}"/>`),
]

const CRC = Bun.hash.crc32
function part(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length)
  framed.set(named, 4)
  framed.writeUInt32BE(CRC(named), named.length + 4)
  return framed
}

/** @param kind depth, colour, compression, filter and interlacing, as a PNG has them. */
function png(width: number, height: number, kind: number[], pixels: Uint8Array, extra: Buffer[] = []): Bytes {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set(kind, 8)
  const begin = Buffer.from('89504e470d0a1a0a', 'hex')
  const parts = [begin, part('IHDR', head), ...extra, part('IDAT', deflateSync(pixels)), part('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat(parts))
}

const palette = () => part('PLTE', noise(3 * (1 + upTo(256))))
const PNGS: (() => Bytes)[] = [
  // Each line begins with how it is filtered.
  () => png(1024, 1024, [16, 6, 0, 0, 0], Buffer.alloc((8 * 1024 + 1) * 1024, 1)),
  () => png(1024, 1024, [8, 6, 0, 0, 1], Buffer.alloc(5_000_000, 4)),
  () => png(1024, 1024, [1, 3, 0, 0, 1], Buffer.alloc(200_000), [palette()]),
  () => png(1024, 1, [8, 3, 0, 0, 0], noise(1025), [palette()]),
  () => png(1, 1024, [16, 4, 0, 0, 0], noise(5 * 1024)),
  () => png(64, 64, [8, 6, 0, 0, 0], Buffer.alloc(200_000_000)),
  () => png(2 ** upTo(32), 64, [8, 6, 0, 0, 0], noise(100)),
  () => png(64, 64, [upTo(256), upTo(8), upTo(2), upTo(2), upTo(3)], noise(2_000)),
  () => png(64, 64, [8, 3, 0, 0, 0], noise(65 * 64), [palette(), part('tRNS', noise(1 + upTo(300)))]),
  () =>
    png(
      64,
      64,
      [8, 6, 0, 0, 0],
      noise(257 * 64),
      Array.from({ length: 5_000 }, () => part('IDAT', Buffer.alloc(0))),
    ),
  () => png(64, 64, [8, 6, 0, 0, 0], noise(257 * 64), [part('iCCP', deflateSync(Buffer.alloc(50_000_000)))]),
  () => png(64, 64, [8, 6, 0, 0, 0], noise(257 * 64), [part('acTL', noise(8)), part('fcTL', noise(26))]),
]

const copy = (bytes: Uint8Array, change: (copied: Buffer) => void): Bytes => {
  const copied = Buffer.from(bytes)
  change(copied)
  return new Uint8Array(copied)
}

function ico(images: Uint8Array[]): Bytes {
  const head = Buffer.from([0, 0, 1, 0, images.length & 255, images.length >> 8])
  let at = 6 + 16 * images.length
  const entries = images.map(({ length }) => {
    const entry = Buffer.alloc(16)
    entry.set([0, 0, 0, 0, 1, 0, 32, 0])
    entry.writeUInt32LE(length, 8)
    entry.writeUInt32LE(at, 12)
    at += length
    return entry
  })
  return new Uint8Array(Buffer.concat([head, ...entries, ...images]))
}

function bitmap(width: number, height: number, bits: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(40)
  head.writeUInt32LE(40)
  head.writeInt32LE(width, 4)
  head.writeInt32LE(height * 2, 8)
  head.writeUInt16LE(1, 12)
  head.writeUInt16LE(bits, 14)
  head.writeUInt32LE(upTo(4), 16)
  head.writeUInt32LE(upTo(2 ** 32), 32)
  return Buffer.concat([head, data])
}

const OTHERS: (() => Bytes)[] = [
  () => ico([PNGS[0]!(), PNGS[5]!()]),
  () => ico([bitmap(1024, 1024, one([1, 4, 8, 24, 32]), noise(60_000))]),
  () => ico([bitmap(2 ** upTo(31), upTo(1024), 32, noise(1_000))]),
  () => ico(Array.from({ length: 3_000 }, () => PICTURES.png)),
  () => copy(PICTURES.ico, (bytes) => bytes.writeUInt32LE(upTo(2 ** 32), 18)),
  () => copy(PICTURES.gif, (bytes) => bytes.fill(0xff, 30)),
  () => copy(Buffer.concat([PICTURES.gif, Buffer.alloc(200_000, PICTURES.gif.subarray(21))]), () => {}),
  () => copy(PICTURES.gif, (bytes) => bytes.set([0, 4, 0, 4], 6)),
  () => copy(PICTURES.jpg, (bytes) => bytes.set([0xff, 0xc2], bytes.indexOf(Buffer.from([0xff, 0xc0])))),
  () => copy(PICTURES.jpg, (bytes) => bytes.set([4, 0, 4, 0], bytes.indexOf(Buffer.from([0xff, 0xc0])) + 5)),
  () => copy(Buffer.concat([PICTURES.jpg.subarray(0, -2), noise(200_000)]), () => {}),
  () => copy(PICTURES.webp, (bytes) => bytes.writeUInt32LE(upTo(2 ** 32), 4)),
  () => copy(PICTURES.webp, (bytes) => bytes.set([0xff, 3, 0, 0xff, 3, 0], 24)),
]

/** One of the pictures there are, cut off or with some of its bytes changed. */
const broken = (): Bytes => {
  const whole = one(Object.values(PICTURES))
  if (random() < 0.4) return whole.slice(0, upTo(whole.length))
  return copy(whole, (bytes) => {
    for (let at = 0; at < 1 + upTo(6); at += 1) bytes[upTo(bytes.length)] = upTo(256)
  })
}

/** By name, each with what of its kind it is. */
export function iconBombs(): [name: string, bytes: Bytes][] {
  const made = Object.entries({ svg: SVGS, png: PNGS, other: OTHERS }).flatMap(([kind, makers]) =>
    makers.map((make, at): [string, Bytes] => [`${kind} ${at}`, make()]),
  )
  return [...made, ...Array.from({ length: 104 - made.length }, (_, at): [string, Bytes] => [`broken ${at}`, broken()])]
}
