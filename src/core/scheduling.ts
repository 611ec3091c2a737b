import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

/** Longest wait after a failure. */
const RETRY_MS = 10_000

/** Work that is repeated. */
export interface Loop {
  /** Begins the next run within `ms`, or right after a run that is under way by then. Costs next to nothing. */
  runWithin(ms: number): void
  /** Prevents further runs. Resolves when the current one has ended. */
  stop(): Promise<void>
}

/**
 * Repeats work in the background, one run at a time, without keeping the process alive. An error does not end the loop: the work
 * is retried after `ms` or ten seconds, whichever is shorter, and not before.
 * @param ms between the end of a run and the next, and before the first.
 * @param failure the log's message for the first error in a row.
 */
export function repeat(ms: number, run: () => unknown, log: Pick<Logger, 'warn'>, failure: string): Loop {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let underWay: Promise<void> | undefined
  let hasFailed = false
  /** After a failure, the time of the retry. */
  let retryAt = 0
  let isStopped = false

  const runWithin = (wait: number) => {
    const at = Math.max(performance.now() + wait, retryAt)
    if (at >= dueAt || isStopped) return
    dueAt = at
    if (underWay === undefined) setTimer()
  }
  const setTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(begin, Math.max(dueAt - performance.now(), 0))
    timer.unref()
  }
  const begin = () => {
    dueAt = Number.POSITIVE_INFINITY
    underWay = once().then((wait) => {
      underWay = undefined
      if (isStopped) return
      const next = performance.now() + wait
      retryAt = hasFailed ? next : 0
      dueAt = hasFailed ? next : Math.min(dueAt, next)
      setTimer()
    })
  }
  const once = async () => {
    try {
      await run()
      hasFailed = false
      return ms
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, failure)
      hasFailed = true
      return Math.min(ms, RETRY_MS)
    }
  }

  runWithin(ms)
  return {
    runWithin,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}

/**
 * Runs a limited amount of work at once, and queues the rest by owner: an owner with more work waits longer, and others do not.
 * @param places maximum work at once.
 * @param each maximum for one owner.
 */
export class FairTurns {
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  /** Waiting work by owner; the owner with the latest turn is last. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(
    readonly places: number,
    readonly each: number,
  ) {}

  /** Number of waiting pieces, over all owners. */
  get waiting(): number {
    return this.#waiting.values().reduce((sum, { length }) => sum + length, 0)
  }

  /** Number of one owner's running and waiting pieces. */
  countOf(whose: string): number {
    return (this.#takenBy.get(whose) ?? 0) + (this.#waiting.get(whose)?.length ?? 0)
  }

  /** Runs some work when its turn comes. @param whose the owner, such as an account. @returns the result of the work. */
  async run<T>(whose: string, work: () => Promise<T>): Promise<T> {
    if (this.#mayBegin(whose)) this.#begin(whose)
    else await this.#turnOf(whose)
    try {
      return await work()
    } finally {
      this.#end(whose)
    }
  }

  #mayBegin(whose: string): boolean {
    return this.#taken < this.places && (this.#takenBy.get(whose) ?? 0) < this.each
  }

  #begin(whose: string): void {
    this.#taken += 1
    this.#takenBy.set(whose, (this.#takenBy.get(whose) ?? 0) + 1)
  }

  #turnOf(whose: string): Promise<void> {
    return new Promise((begin) => {
      const own = this.#waiting.get(whose)
      if (own === undefined) this.#waiting.set(whose, [begin])
      else own.push(begin)
    })
  }

  #end(whose: string): void {
    this.#taken -= 1
    const left = (this.#takenBy.get(whose) ?? 1) - 1
    if (left === 0) this.#takenBy.delete(whose)
    else this.#takenBy.set(whose, left)
    for (const [next, own] of this.#waiting) {
      if (!this.#mayBegin(next)) continue
      const begin = own.shift()
      this.#waiting.delete(next)
      if (own.length > 0) this.#waiting.set(next, own)
      this.#begin(next)
      begin?.()
      return
    }
  }
}

/** The result of a promise; undefined if it takes longer than `ms`. Rejects as the promise does. */
export async function withTimeout<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  const wait = new AbortController()
  const late = sleep(Math.max(0, ms), undefined, { signal: wait.signal }).catch(() => undefined)
  return await Promise.race([promise, late]).finally(() => wait.abort())
}

/** Work that takes longer must be followed by a short wait. */
const LONG_MS = 2

/**
 * Lets other requests run after work that blocked the event loop. After long work, Deno needs more than one round of its
 * loop to accept the requests that arrived meanwhile.
 * @param since when the work began, by `performance.now()`.
 */
export async function yieldToEventLoop(since: number): Promise<void> {
  await nextRound()
  if (performance.now() - since > LONG_MS) await sleep(0)
}

/** Waiting reads, by person. */
const waiting = new Map<string, (() => void)[]>()

/** Whether a read has begun in this round of the event loop. */
let isTaken = false

/**
 * Waits for a slot to run a read that blocks the event loop for long, as reads of a file store do. One read starts per round of
 * the loop, and people take turns: someone who starts a hundred at once delays only their own.
 */
export function waitForReadSlot(person: string): Promise<void> {
  if (!isTaken) {
    takeSlot()
    return Promise.resolve()
  }
  return new Promise((begin) => {
    const own = waiting.get(person)
    if (own === undefined) waiting.set(person, [begin])
    else own.push(begin)
  })
}

/**
 * Runs a read that takes long without blocking the event loop: one at a time. People take turns here too, so that someone who
 * starts many delays only their own.
 */
export function inLongReadSlot<Result>(person: string, read: () => Promise<Result>): Promise<Result> {
  return longReads.run(person, read)
}

const longReads = new FairTurns(1, 1)

function takeSlot(): void {
  isTaken = true
  void yieldToEventLoop(performance.now()).then(beginNext)
}

/** Begins the next read. A person with more waiting reads goes to the end of the queue. */
function beginNext(): void {
  const [next] = waiting
  if (next === undefined) {
    isTaken = false
    return
  }
  const [person, own] = next
  const begin = own.shift()
  waiting.delete(person)
  if (own.length > 0) waiting.set(person, own)
  takeSlot()
  begin?.()
}
