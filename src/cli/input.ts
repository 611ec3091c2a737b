import { readFileSync } from 'node:fs'
import { UsageError } from './exit.ts'
import { note } from './output.ts'

/** Larger than any real list, policy or bookmarks file. */
const MAX_BYTES = 16 * 1024 * 1024

/** The text of a file, or of standard input for `-`. @throws UsageError. */
export async function readText(file: string): Promise<string> {
  return decoded(await readBytes(file), nameOf(file))
}

/** The text of a list or an export from another program, which may have another encoding. @throws UsageError. */
export async function readListFile(file: string): Promise<string> {
  const { textIn } = await import('../imports/bytes.ts')
  const { text, isGuessed } = textIn(await readBytes(file))
  if (isGuessed) note(`${nameOf(file)} is not UTF-8: read as windows-1252. If letters are wrong, save it as UTF-8.`)
  return text
}

const nameOf = (file: string) => (file === '-' ? 'standard input' : file)

async function readBytes(file: string): Promise<Buffer> {
  if (file === '-') return stdinBytes()
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
  return bounded(bytes, file)
}

/** All of standard input. @throws UsageError. */
export async function readStdin(): Promise<string> {
  return decoded(await stdinBytes(), nameOf('-'))
}

async function stdinBytes(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk))
    size += chunks.at(-1)!.length
    if (size > MAX_BYTES) break
  }
  return bounded(Buffer.concat(chunks), nameOf('-'))
}

/** Parses the JSON of a file, or of standard input for `-`. @throws UsageError. */
export async function readJson(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${nameOf(file)} is not JSON: ${(error as Error).message}`)
  }
}

function bounded(bytes: Buffer, name: string): Buffer {
  if (bytes.length > MAX_BYTES) throw new UsageError(`${name} is larger than ${MAX_BYTES / 1024 / 1024} MiB`)
  return bytes
}

function decoded(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${name} is not UTF-8 text`)
  }
}
