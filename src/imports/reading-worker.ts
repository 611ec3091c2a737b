import { parentPort } from 'node:worker_threads'
import { Problem } from '../core/problem.ts'
import { readFile } from './file.ts'
import { READERS, type ReadAs } from './import.ts'

// Runs in a worker, because a text of maximum size takes more than a tenth of a second.

/** What to read. */
export type Reading = { text: string; as: ReadAs } | { file: Uint8Array; as: 'bundles' | 'sections' }

/** A worker’s answer: the content, or the message of its refusal. */
export type Read = { result: ReturnType<(typeof READERS)[ReadAs] | typeof readFile> } | { refused: string }

parentPort?.on('message', (reading: Reading) => {
  parentPort?.postMessage(read(reading))
})

function read(reading: Reading): Read {
  try {
    return { result: 'file' in reading ? readFile(reading.file, reading.as) : READERS[reading.as](reading.text) }
  } catch (error) {
    if (error instanceof Problem) return { refused: error.message }
    throw error
  }
}
