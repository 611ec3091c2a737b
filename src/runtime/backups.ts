import { join } from 'node:path'
import type { Logger } from 'pino'
import { type BackupPlan, backUpInWorker, lastBackupAt, type Stranger } from '../../db/scheduled-backup.ts'
import { fileFault, makeFolderOf } from '../config/files.ts'
import { type Loop, repeat } from '../core/scheduling.ts'

/** Delay after a failure. */
const RETRY_MS = 600_000
/** Bounds of the delay: the machine may sleep, and another process may make the backup. */
const [MIN_DELAY_MS, MAX_DELAY_MS] = [1_000, 3_600_000]

const TAKEN_PLACE =
  'the folder of backups has one of another database, made before this one: if that was to be restored, do so now (docs/self-hosting.md), else move its backups elsewhere'

/** Backs up the file store as scheduled (docs/self-hosting.md), at once if the newest backup is too old. */
export class Backups {
  /** Failed backups of this process. */
  failures = 0
  /** When a backup of this process last failed, in milliseconds since 1970; null if never. */
  failedAt: number | null = null
  /** A backup in the folder from another database, perhaps this one's predecessor; null if there is none. */
  stranger: Stranger | null = null
  readonly #startedAt = Date.now()
  #loop: Loop | undefined
  #isStopping = false

  /**
   * @param store the path of the database file.
   * @throws if the folder cannot be created.
   */
  constructor(
    readonly store: string,
    readonly plan: BackupPlan,
    readonly log: Logger,
  ) {
    makeFolderOf(join(plan.folder, 'any'))
  }

  /**
   * When any process made the newest backup; without one, or if the folder cannot be read, the start of this process.
   * Never throws: one gauge must not fail the whole scrape.
   */
  get madeAt(): number {
    try {
      return lastBackupAt(this.plan.folder, Date.now()) ?? this.#startedAt
    } catch {
      return this.#startedAt
    }
  }

  /** Makes a backup if one is due, and schedules the next. */
  start(): void {
    const loop = repeat(
      MAX_DELAY_MS,
      async () => loop.runWithin(await this.#run()),
      this.log,
      'no backup could be planned',
    )
    loop.runWithin(0)
    this.#loop = loop
  }

  /** Does not wait for a backup in progress. */
  stop(): void {
    this.#isStopping = true
    void this.#loop?.stop()
  }

  /** Never rejects. @returns the delay until the next, in milliseconds. */
  async #run(): Promise<number> {
    try {
      const { copy, stranger } = await backUpInWorker(this.store, this.plan)
      if (stranger?.file !== this.stranger?.file && stranger !== null) this.log.warn(stranger, TAKEN_PLACE)
      this.stranger = stranger
      if (copy !== null) this.log.info(copy, 'backed up')
      const dueAt = (lastBackupAt(this.plan.folder, Date.now()) ?? Date.now()) + this.plan.everyMs
      return Math.max(dueAt - Date.now(), MIN_DELAY_MS)
    } catch (error) {
      if (this.#isStopping) return 0
      this.failures += 1
      this.failedAt = Date.now()
      const fault = fileFault(this.plan.folder, 'write folder')
      const why = fault === null ? { err: error } : { fault }
      this.log.error(why, 'the backup failed; retrying in ten minutes')
      return RETRY_MS
    }
  }
}
