import { readFileSync } from 'node:fs'
import { UsageError } from './exit.ts'

/** Larger than any real list, policy or bookmarks file. */
const MAX_BYTES = 16 * 1024 * 1024

/** The text of a file, or of standard input for `-`. @throws UsageError. */
export async function readText(file: string): Promise<string> {
  if (file === '-') return readStdin()
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
  return decoded(bytes, file)
}

/** All of standard input. @throws UsageError. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk))
    size += chunks.at(-1)!.length
    if (size > MAX_BYTES) break
  }
  return decoded(Buffer.concat(chunks), 'standard input')
}

/** Parses the JSON of a file, or of standard input for `-`. @throws UsageError. */
export async function readJson(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${file === '-' ? 'standard input' : file} is not JSON: ${(error as Error).message}`)
  }
}

function decoded(bytes: Buffer, name: string): string {
  if (bytes.length > MAX_BYTES) throw new UsageError(`${name} is larger than ${MAX_BYTES / 1024 / 1024} MiB`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${name} is not UTF-8 text`)
  }
}
