import { setTimeout as sleep } from 'node:timers/promises'
import { LibsqlError } from '@libsql/client/sqlite3'
import { isRefusal } from './unavailable.ts'

/** Pause between probes, and so the longest that a recovered server goes unnoticed. */
const PROBE_EVERY_MS = 100

/**
 * Remembers that a server left a call unanswered, until a probe is answered. A request may make several calls in turn:
 * only the first should wait for a silent server.
 */
export class Outage {
  readonly #probe: () => Promise<unknown>
  #isOngoing = false
  #isClosed = false

  /** @param probe a call that changes nothing, and succeeds or fails in time. */
  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe
  }

  get isOngoing(): boolean {
    return this.#isOngoing
  }

  /** Records an unanswered call. */
  begin(): void {
    if (this.#isOngoing || this.#isClosed) return
    this.#isOngoing = true
    void this.#listen()
  }

  close(): void {
    this.#isClosed = true
  }

  async #listen(): Promise<void> {
    while (this.#isOngoing && !this.#isClosed) {
      // A refusal is an answer too.
      this.#isOngoing = await this.#probe().then(
        () => false,
        (error: unknown) => !isRefusal(error),
      )
      if (this.#isOngoing) await sleep(PROBE_EVERY_MS, undefined, { ref: false })
    }
  }
}

/** The error of a call that the server did not answer, or that was not sent during an outage. */
export function serverTimeout(): LibsqlError {
  return new LibsqlError('The remote database did not answer in time', 'SERVER_TIMEOUT')
}
