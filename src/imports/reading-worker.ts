import { parentPort } from 'node:worker_threads'
import { Problem } from '../core/problem.ts'
import { READERS, type ReadAs } from './import.ts'

// Runs in a worker, because a text of maximum size takes more than a tenth of a second.

/** A text to read. */
export interface ReadText {
  text: string
  as: ReadAs
}

/** A worker’s answer: the content of the text, or the message of its refusal. */
export type Read = { result: ReturnType<(typeof READERS)[ReadAs]> } | { refused: string }

parentPort?.on('message', (sent: ReadText) => {
  parentPort?.postMessage(read(sent))
})

function read({ text, as }: ReadText): Read {
  try {
    return { result: READERS[as](text) }
  } catch (error) {
    if (error instanceof Problem) return { refused: error.message }
    throw error
  }
}
