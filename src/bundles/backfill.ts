import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

/**
 * Minimum pause between batches. After a slow batch the pause is as long as the batch, so that others get half the time.
 */
const MIN_PAUSE_MS = 20
/** Pause while the store does not answer, or if another process did the same batch, to leave the work to it. */
const AWAY_MS = 10_000

interface Batch {
  isDone: boolean
  /** False if another process did it. */
  isMine: boolean
}

interface Job {
  /** Does one batch in one transaction that also saves the position, so that any process can continue there. */
  batch(): Promise<Batch>
  /** Logged once per outage. */
  failure: string
  /** Called at the end, or when it is stopped. */
  ended?(): void
}

/** Brings rows of earlier versions up to date while the service runs, batch by batch. */
export class Backfill {
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(log: Logger, job: Job) {
    this.#running = this.#run(log, job)
  }

  /** Stops after the current batch. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(log: Logger, job: Job): Promise<void> {
    const { signal } = this.#stopping
    let hasFailed = false
    while (!signal.aborted) {
      const began = performance.now()
      const done = await job.batch().catch((error) => {
        if (!hasFailed) log.warn({ err: error }, job.failure)
        return null
      })
      if (done?.isDone) break
      hasFailed = done === null
      const pause = done?.isMine ? Math.max(MIN_PAUSE_MS, performance.now() - began) : AWAY_MS
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
    job.ended?.()
  }
}
