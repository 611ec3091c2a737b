import { Buffer } from 'node:buffer'

/** What a picture may take, in pages of 64 KiB, decoders and renderers included: 128 MiB. */
const MAX_PAGES = 2048
/** The section of a module that says how much memory it has. */
const MEMORY_SECTION = 5

/**
 * A module of WebAssembly whose memory does not grow beyond a bound; without, it may take four gigabytes. What does not fit then
 * fails, as any allocation may.
 */
export function withBoundedMemory(wasm: Buffer): Uint8Array<ArrayBuffer> {
  for (let at = 8; at < wasm.length; ) {
    const size = leb(wasm, at + 1)
    const end = size.end + size.value
    if (wasm[at] !== MEMORY_SECTION) {
      at = end
      continue
    }
    // One memory: whether it has a most, its least, and that.
    const least = leb(wasm, size.end + 2)
    if (wasm[size.end] !== 1 || least.value > MAX_PAGES) break
    const section = Buffer.from([1, 1, ...bytesOf(least.value), ...bytesOf(MAX_PAGES)])
    const head = Buffer.from([MEMORY_SECTION, ...bytesOf(section.length)])
    return new Uint8Array(Buffer.concat([wasm.subarray(0, at), head, section, wasm.subarray(end)]))
  }
  throw new Error('a module of WebAssembly has no memory of its own that can be bounded')
}

/** A number in LEB128, and where it ends. */
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
