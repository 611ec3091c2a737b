import { Worker } from 'node:worker_threads'
import { IdleHelper, threadHelper } from '../core/idle-helper.ts'
import { Problem } from '../core/problem.ts'
import { READERS, type ReadAs } from './import.ts'
import type { Read, ReadText } from './reading-worker.ts'

/** Longer texts take longer to read than anything else that their request does. */
const MAX_ON_LOOP = 8 * 1024

/** More readings than the limits of one instance let through; past it nobody is kept waiting. */
const MAX_WAITING = 100

/** Only guards against hanging: the length of a text is bounded. */
const PATIENCE_MS = 30_000

const thread = new IdleHelper<ReadText, Read>(
  () => threadHelper(new Worker(new URL('./reading-worker.ts', import.meta.url))),
  PATIENCE_MS,
)

/**
 * What a text that somebody sent contains, read as one list, as bundles or as sections. A long text is read on a thread of
 * its own, in its turn, and does not hold the event loop.
 * @throws Problem as the readers do; RATE_LIMITED if too many texts wait to be read.
 */
export async function readText<As extends ReadAs>(text: string, as: As): Promise<ReturnType<(typeof READERS)[As]>> {
  type Result = ReturnType<(typeof READERS)[As]>
  if (text.length <= MAX_ON_LOOP) return READERS[as](text) as Result
  if (thread.waiting >= MAX_WAITING) {
    throw new Problem('RATE_LIMITED', 'Too many long texts wait to be read. Try again in a minute.', {
      retryAfterSeconds: 60,
    })
  }
  const answer = await thread.ask({ text, as }, '')
  if ('failure' in answer) throw new Error(`a text could not be read: ${answer.failure}`)
  if ('refused' in answer) throw new Problem('BAD_REQUEST', answer.refused)
  return answer.result as Result
}
