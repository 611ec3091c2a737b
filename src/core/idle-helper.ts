import type { ChildProcess } from 'node:child_process'
import type { Worker } from 'node:worker_threads'
import { FairTurns } from './scheduling.ts'

/** After this time without a message the helper ends, which frees its memory. */
const IDLE_MS = 10_000
/** Timeout for its start, on a busy machine. */
const START_MS = 30_000

/** The first message of a helper that must load something. */
export const READY = 'ready'

/** The answer of a helper that failed at its task. */
export interface Failure {
  failure: string
  /** The outcome without an answer: a timeout, a death, a failed start, or a stop. */
  cause?: 'time' | 'stop'
}

const STOPPED: Failure = { failure: 'it was stopped', cause: 'stop' }

/** A thread or process that sends one answer to each message. */
export interface Helper<Message> {
  send(message: Message): void
  end(): void
  /** @param hear receives its answers and failures. */
  heardBy(hear: (answer: unknown) => void): void
}

/** A helper that answers one message at a time, in fair turns, and ends when it is idle. */
export class IdleHelper<Message, Answer extends object> {
  readonly #turns = new FairTurns(1, 1)
  #helper: Helper<Message> | null = null
  /** Receives the answer to the helper's current message. */
  #answered: (answer: Answer | Failure) => void = () => {}
  #idle: ReturnType<typeof setTimeout> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopped = false

  /**
   * @param start creates a helper, for which a stopping service does not wait.
   * @param patienceMs timeout for an answer, once the helper is ready.
   */
  constructor(
    readonly start: () => Helper<Message>,
    readonly patienceMs: number,
  ) {}

  /** Number of one owner's messages that wait for their turn or their answer. */
  countOf(whose: string): number {
    return this.#turns.countOf(whose)
  }

  /** Number of messages that wait for their turn. */
  get waiting(): number {
    return this.#turns.waiting
  }

  /** The answer to a message, when its turn has come; a failure if the helper takes too long, breaks or is stopped. */
  ask(message: Message, whose: string): Promise<Answer | Failure> {
    return this.#turns.run(whose, () => this.#ask(message))
  }

  /** Ends the helper for good: no new one is started for messages that still wait. */
  stop(): void {
    this.#isStopped = true
    this.#end()
    this.#answered(STOPPED)
  }

  #end(): void {
    clearTimeout(this.#idle)
    this.#helper?.end()
    this.#helper = null
  }

  async #ask(message: Message): Promise<Answer | Failure> {
    if (this.#isStopped) return STOPPED
    clearTimeout(this.#idle)
    const { promise, resolve } = Promise.withResolvers<Answer | Failure>()
    this.#answered = resolve
    try {
      this.#wait(this.#helper === null ? START_MS : this.patienceMs)
      this.#helper ??= this.#started()
      this.#helper.send(message)
    } catch (error) {
      resolve({ failure: String(error), cause: 'stop' })
    }
    const answer = await promise
    clearTimeout(this.#timer)
    // A failed task may have left it in any state.
    if ('failure' in answer) this.#end()
    this.#idle = setTimeout(() => this.#end(), IDLE_MS)
    this.#idle.unref()
    return answer
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#answered({ failure: 'it took too long', cause: 'time' }), ms)
  }

  #started(): Helper<Message> {
    const helper = this.start()
    helper.heardBy((answer) => {
      // An ended helper may still have answered, while the next one has another message.
      if (this.#helper !== helper) return
      if (answer === READY) return this.#wait(this.patienceMs)
      const answered = answer as Answer | Failure
      // The helper may have died without a message, and must not receive the next one.
      if ('failure' in answered) this.#end()
      this.#answered(answered)
    })
    return helper
  }
}

/** Wraps a thread as a helper. It cannot be ended inside WebAssembly: long tasks belong in a process. */
export function threadHelper<Message>(worker: Worker): Helper<Message> {
  worker.unref()
  return {
    send: (message) => worker.postMessage(message),
    end: () => void worker.terminate(),
    heardBy(hear) {
      worker.on('message', hear)
      worker.on('error', (error) => hear({ failure: String(error) }))
    },
  }
}

/** Wraps a process as a helper, which can be ended whatever it does. */
export function processHelper<Message extends string>(child: ChildProcess): Helper<Message> {
  child.unref()
  // Bun has no such method, but does not wait for the process anyway.
  child.channel?.unref?.()
  return {
    send: (message) => child.send(message),
    end: () => child.kill('SIGKILL'),
    heardBy(hear) {
      child.on('message', hear)
      child.on('error', (error) => hear({ failure: String(error), cause: 'stop' }))
      child.on('exit', () => hear({ failure: 'it died', cause: 'time' }))
    },
  }
}
