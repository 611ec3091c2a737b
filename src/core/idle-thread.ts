import type { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'

/** After this long without a message, the thread ends, and its memory with it. */
const IDLE_MS = 10_000
/** Only guards against hanging: what could take long is refused before it is asked. */
const PATIENCE_MS = 30_000

/** The answer of a thread that could not do what it was asked. */
export interface Failure {
  failure: string
}

/** A thread that answers one message at a time, and ends when it is idle. */
export class IdleThread<Message, Answer extends object> {
  readonly #turns = pLimit(1)
  #worker: Worker | null = null
  /** Takes the answer to the message that the thread has. */
  #answered: (answer: Answer | Failure) => void = () => {}
  #idle: ReturnType<typeof setTimeout> | undefined

  /** @param start makes a thread that answers each message with one. */
  constructor(readonly start: () => Worker) {}

  /** How many messages wait for their turn. */
  get waiting(): number {
    return this.#turns.pendingCount
  }

  /** The answer to a message when its turn has come; a failure also if the thread takes too long, breaks or is stopped. */
  ask(message: Message): Promise<Answer | Failure> {
    return this.#turns(() => this.#ask(message))
  }

  /** Ends the thread. */
  stop(): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
    this.#worker = null
    this.#answered({ failure: 'it was stopped' })
  }

  async #ask(message: Message): Promise<Answer | Failure> {
    clearTimeout(this.#idle)
    const { promise, resolve } = Promise.withResolvers<Answer | Failure>()
    const timer = setTimeout(() => resolve({ failure: 'it took too long' }), PATIENCE_MS)
    this.#answered = resolve
    try {
      this.#worker ??= this.#started()
      this.#worker.postMessage(message)
    } catch (error) {
      resolve({ failure: String(error) })
    }
    const answer = await promise
    clearTimeout(timer)
    // What it has stumbled over may have left it in any state.
    if ('failure' in answer) this.stop()
    this.#idle = setTimeout(() => this.stop(), IDLE_MS)
    this.#idle.unref()
    return answer
  }

  #started(): Worker {
    const worker = this.start()
    // One that was ended may still have answered, and the next has another message.
    const hear = (answer: Answer | Failure) => {
      if (this.#worker === worker) this.#answered(answer)
    }
    worker.on('message', hear)
    worker.on('error', (error) => hear({ failure: String(error) }))
    // Shutdown does not wait for it.
    worker.unref()
    return worker
  }
}
