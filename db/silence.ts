import { setTimeout as sleep } from 'node:timers/promises'
import { LibsqlError } from '@libsql/client/sqlite3'
import { isRefusal } from './unavailable.ts'

/** Maximum delay until a server that answers again is noticed, apart from the time of the answer. */
const PROBE_EVERY_MS = 100

/**
 * Whether a server has left a call unanswered and has answered none since. A request may make several calls one after
 * another: only its first waits for a silent server. A probe of its own notices that the server is back.
 */
export class Silence {
  readonly #probe: () => Promise<unknown>
  #isSilent = false
  #isClosed = false

  /** @param probe asks the server something that changes nothing; is answered or fails in time. */
  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe
  }

  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Records that a call was not answered. */
  begin(): void {
    if (this.#isSilent || this.#isClosed) return
    this.#isSilent = true
    void this.#listen()
  }

  close(): void {
    this.#isClosed = true
  }

  async #listen(): Promise<void> {
    while (this.#isSilent && !this.#isClosed) {
      // A refusal is an answer too.
      this.#isSilent = await this.#probe().then(
        () => false,
        (error: unknown) => !isRefusal(error),
      )
      if (this.#isSilent) await sleep(PROBE_EVERY_MS, undefined, { ref: false })
    }
  }
}

/** The error of a call that a server did not answer, or that is not sent because it answers none. */
export function unanswered(): LibsqlError {
  return new LibsqlError('The remote database did not answer in time', 'SERVER_TIMEOUT')
}
