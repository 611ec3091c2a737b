import { Worker } from 'node:worker_threads'
import { IdleHelper, threadHelper } from '../core/idle-helper.ts'
import { Problem } from '../core/problem.ts'
import { type FileContent, readFile as readFileHere } from './file.ts'
import { READERS, type ReadAs } from './import.ts'
import type { Read, Reading } from './reading-worker.ts'

/** The longest text or file read on the event loop: reading a longer one takes longer than the rest of its request. */
const MAX_ON_LOOP = 8 * 1024

/** The most texts that may wait, more than the rate limits of one instance allow; further ones are refused. */
const MAX_WAITING = 100

/** Only a guard against hanging: the length of a text is bounded. */
const PATIENCE_MS = 30_000

const thread = new IdleHelper<Reading, Read>(
  () => threadHelper(new Worker(new URL('./reading-worker.ts', import.meta.url))),
  PATIENCE_MS,
)

/**
 * The content of a sent text, read as one list, as bundles or as sections. A long text waits for its turn on a separate thread,
 * and does not block the event loop.
 * @throws Problem as the readers do; RATE_LIMITED if too many texts wait to be read.
 */
export async function readText<As extends ReadAs>(text: string, as: As): Promise<ReturnType<(typeof READERS)[As]>> {
  type Result = ReturnType<(typeof READERS)[As]>
  return (text.length <= MAX_ON_LOOP ? READERS[as](text) : await readOnThread({ text, as })) as Result
}

/** The content of a file; otherwise as `readText`. */
export async function readFile(file: Uint8Array, as: 'bundles' | 'sections'): Promise<FileContent> {
  return file.length <= MAX_ON_LOOP ? readFileHere(file, as) : ((await readOnThread({ file, as })) as FileContent)
}

async function readOnThread(reading: Reading): Promise<object> {
  if (thread.waiting >= MAX_WAITING) {
    throw new Problem('RATE_LIMITED', 'Too many long texts are waiting to be read. Try again in a minute.', {
      retryAfterSeconds: 60,
    })
  }
  const answer = await thread.ask(reading, '')
  if ('failure' in answer) throw new Error(`a text could not be read: ${answer.failure}`)
  if ('refused' in answer) throw new Problem('BAD_REQUEST', answer.refused)
  return answer.result
}
