import { join } from 'node:path'
import type { Logger } from 'pino'
import { makeFolderOf } from '../db/private-files.ts'
import { type BackupPlan, backUpInWorker, lastBackupAt } from '../db/scheduled-backup.ts'

/** After a failure. */
const AGAIN_MS = 600_000
/** It looks at least this often whether one is due: a machine that slept, or another process, may have changed that. */
const LOOK_MS = 3_600_000
const SOON_MS = 1_000

/** Backs the file store up as planned (docs/self-hosting.md), beginning at once where the newest backup is too old. */
export class Backups {
  /** How often a backup failed here. */
  failures = 0
  /** When one last failed here, in milliseconds since 1970; null: never. */
  failedAt: number | null = null
  readonly #startedAt = Date.now()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopping = false

  /**
   * @param store the path of the database file.
   * @throws where the folder cannot be made.
   */
  constructor(
    readonly store: string,
    readonly plan: BackupPlan,
    readonly log: Logger,
  ) {
    makeFolderOf(join(plan.folder, 'any'))
  }

  /** When the newest backup was made, whichever process made it; where there is none, the start of this process. */
  get madeAt(): number {
    return lastBackupAt(this.plan.folder, Date.now()) ?? this.#startedAt
  }

  /** Makes one where it is due, and goes on doing so. */
  start(): void {
    void this.#run().then((waitMs) => {
      if (!this.#isStopping) this.#timer = setTimeout(() => this.start(), waitMs)
    })
  }

  /** One that is being made is not waited for. */
  stop(): void {
    this.#isStopping = true
    clearTimeout(this.#timer)
  }

  /** Never rejects. @returns how long to wait for the next, in milliseconds. */
  async #run(): Promise<number> {
    try {
      const copy = await backUpInWorker(this.store, this.plan)
      if (copy !== null) this.log.info(copy, 'backed up')
      const dueAt = (lastBackupAt(this.plan.folder, Date.now()) ?? Date.now()) + this.plan.everyMs
      return Math.min(Math.max(dueAt - Date.now(), SOON_MS), LOOK_MS)
    } catch (error) {
      if (this.#isStopping) return 0
      this.failures += 1
      this.failedAt = Date.now()
      this.log.error({ err: error }, 'the backup failed; it is tried again in ten minutes')
      return AGAIN_MS
    }
  }
}
