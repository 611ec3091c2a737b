import type { ChildProcess } from 'node:child_process'
import type { Worker } from 'node:worker_threads'
import { FairTurns } from './fair-turns.ts'

/** After this long without a message, it ends, and its memory with it. */
const IDLE_MS = 10_000
/** How long it may take to start, on a busy machine. */
const START_MS = 30_000

/** What a helper says first, if it has to load something. */
export const READY = 'ready'

/** The answer of a helper that could not do what it was asked. */
export interface Failure {
  failure: string
  /** What else than its answer: its time was over, or it died; it could not be started, or was stopped. */
  cause?: 'time' | 'stop'
}

const STOPPED: Failure = { failure: 'it was stopped', cause: 'stop' }

/** A thread or process that answers each message with one. */
export interface Helper<Message> {
  send(message: Message): void
  end(): void
  /** @param hear takes its answers, and that it has failed. */
  heardBy(hear: (answer: unknown) => void): void
}

/** A helper that answers one message at a time, in fair turns, and ends when it is idle. */
export class IdleHelper<Message, Answer extends object> {
  readonly #turns = new FairTurns(1, 1)
  #helper: Helper<Message> | null = null
  /** Takes the answer to the message that the helper has. */
  #answered: (answer: Answer | Failure) => void = () => {}
  #idle: ReturnType<typeof setTimeout> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopped = false

  /**
   * @param start makes a helper, which a service that stops does not wait for.
   * @param patienceMs for an answer, once it is ready.
   */
  constructor(
    readonly start: () => Helper<Message>,
    readonly patienceMs: number,
  ) {}

  /** How many messages of one wait for their turn, or their answer. */
  countOf(whose: string): number {
    return this.#turns.countOf(whose)
  }

  /** How many messages wait for their turn. */
  get waiting(): number {
    return this.#turns.waiting
  }

  /** The answer to a message when its turn has come; a failure also if it takes too long, breaks or is stopped. */
  ask(message: Message, whose: string): Promise<Answer | Failure> {
    return this.#turns.run(whose, () => this.#ask(message))
  }

  /** Ends the helper for good: none is started for messages that still wait. */
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
    // What it has stumbled over may have left it in any state.
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
      // One that was ended may still have answered, and the next has another message.
      if (this.#helper !== helper) return
      if (answer === READY) return this.#wait(this.patienceMs)
      const answered = answer as Answer | Failure
      // It may have died without a message, and the next must not be sent to it.
      if ('failure' in answered) this.#end()
      this.#answered(answered)
    })
    return helper
  }
}

/** A thread as a helper. It is not ended while it is in WebAssembly: what may take long is for a process. */
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

/** A process as a helper, which is ended whatever it does. */
export function processHelper<Message extends string>(child: ChildProcess): Helper<Message> {
  child.unref()
  // Bun’s has no such method, and lets the process go all the same.
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
