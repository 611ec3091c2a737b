import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** Hashing this much blocks the event loop for about a millisecond. */
const CHUNK_BYTES = 2 ** 20

/** SHA-256 of a file, in hexadecimal. */
export async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** A line in the format of `sha256sum`. */
export function checksumLine(checksum: string, name: string): string {
  return `${checksum}  ${name}\n`
}

/** The checksums in such lines, by file name; null if the text has another format. */
export function readChecksums(text: string): Map<string, string> | null {
  const lines = text.split('\n').slice(0, -1)
  const found = lines.map((line) => /^([0-9a-f]{64}) {2}(.+)$/.exec(line))
  if (lines.length === 0 || !text.endsWith('\n') || found.includes(null)) return null
  return new Map(found.map((line) => [line?.[2] ?? '', line?.[1] ?? '']))
}
