import { and, inArray, type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Query, Store } from '../../db/client.ts'
import { LeasedQueue } from '../../db/queue.ts'
import { notices, type OptionalMail, user } from '../../db/schema.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import { type Bucket, countsOf, giveAllBack, type Limit, takeAll } from '../limits/rate-limits.ts'
import type { Mailer } from './mailer.ts'
import type { Mail } from './smtp.ts'
import { SWITCHES } from './switches.ts'

// Mails to people are recorded in the transaction of their cause, so that none is lost or made up.

/** Interval of the search for mails to make. */
const POLL_MS = 1_000
/** Longer than making a mail may take: after this, the process that took one is presumed dead. */
const LEASE_MS = 300_000
/** Mails made at a time. */
const AT_ONCE = 8
/** Delays after each failure to make a mail; after the last retry it is given up. */
const RETRIES_MS = [60_000, 600_000, 3_600_000, 6 * 3_600_000]

/** A mail that is to be made for a person. */
export type Notice = typeof notices.$inferSelect

/** A kind of mail. */
export interface NoticeKind {
  /** Minimum interval between two such mails to one person, and about one bundle if they are about bundles. */
  everyMs: number
  /** Limits per person: beyond them mails wait, and cover more when they are sent. */
  limits?: readonly Limit[]
  /** Makes the mail about those waiting ids that still apply; null if none does, or its reader may not or will not get it. */
  make(notice: Notice): Promise<Mail | null>
}

/** Tells whether mails are really sent; if not, nothing is recorded. */
export interface Mailing {
  mailer: Pick<Mailer, 'isConfigured'>
}

interface Cause {
  kind: OptionalMail
  /** Null for a mail that is not about one bundle. */
  bundleId: number | null
  /** Ids of its subjects, as JSON, which are added behind the waiting ones; `[]` if the mail looks them up itself. */
  ids: SQL
  /** The maximum number of waiting ids; the newest stay. */
  most: number
  /** When to send the mail, unless that is too soon after the last one. */
  dueAt: number
}

/** The writes that record a mail for those people who can and want to get it. @param people a condition on `user`. */
export function noted({ isConfigured }: Mailing['mailer'], cause: Cause, people: SQL): Query[] {
  if (!isConfigured) return []
  const { kind, bundleId, ids, most, dueAt } = cause
  const isWanted = sql`${user.emailVerified} AND ${user.disabledAt} IS NULL AND ${SWITCHES[kind]}`
  const [waiting, more] = [notices.waiting, sql`excluded.waiting`]
  const place = sql`part.key * json_array_length(${waiting}) + each.key`
  const isKept = sql`${place} >= json_array_length(${waiting}) + json_array_length(${more}) - ${most}`
  return [
    sql`INSERT INTO ${notices} (user_id, bundle_id, kind, waiting, due_at)
      SELECT ${user.id}, ${bundleId}, ${kind}, ${ids}, ${dueAt} FROM ${user} WHERE ${people} AND ${isWanted}
      ON CONFLICT DO UPDATE SET
        waiting = (SELECT json_group_array(each.value) FROM json_each(json_array(json(${waiting}), json(${more}))) AS part
          CROSS JOIN json_each(part.value) AS each WHERE ${isKept}),
        due_at = coalesce(${notices.dueAt}, max(${dueAt}, coalesce(${notices.notBefore}, 0)))`,
  ]
}

/** The waiting ids of a row without some ids, as JSON. */
export function without(ids: readonly string[]): SQL {
  return sql`(SELECT json_group_array(value) FROM json_each(${notices.waiting}) WHERE value NOT IN (SELECT value FROM json_each(${JSON.stringify(ids)})))`
}

/**
 * Makes the recorded mails. Any number of processes may do so on one store: each takes the rows it works on, and stores the mail
 * in the transaction that settles its cause.
 */
export class Notices {
  readonly #queue: LeasedQueue
  #loop: Loop | undefined
  #isStopping = false

  constructor(
    readonly store: Store,
    readonly kinds: Readonly<Record<OptionalMail, NoticeKind>>,
    readonly mailer: Mailer,
    readonly bucket: Bucket,
    readonly log: Logger,
  ) {
    this.#queue = new LeasedQueue(store, { table: notices, key: notices.id, leaseMs: LEASE_MS })
  }

  /** Does nothing if no mails are sent. */
  start(): void {
    if (!this.mailer.isConfigured) return
    this.#loop = repeat(POLL_MS, () => this.#sendDue(), this.log, 'could not look for mails to send; trying again')
  }

  /** Resolves when no mail is being made. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#loop?.stop()
  }

  async #sendDue(): Promise<void> {
    while (!this.#isStopping && !this.mailer.isFull) {
      const taken = await this.#takeDue()
      if (taken.length === 0) return
      await Promise.all(taken.map((notice) => this.#send(notice)))
    }
  }

  /** Takes some due rows, unless another process has them. */
  async #takeDue(): Promise<Notice[]> {
    const taken = await this.#queue.takeDue(AT_ONCE)
    if (taken.length === 0) return []
    return this.store.db.select().from(notices).where(inArray(notices.id, taken))
  }

  async #send(notice: Notice): Promise<void> {
    const { kind, attempts, id } = notice
    try {
      const wait = await this.#make(notice)
      if (wait > 0) await this.store.write([this.#queue.postpone(id, Date.now() + wait)])
    } catch (error) {
      const wait = RETRIES_MS[attempts]
      const isLast = wait === undefined
      // Without its subject, which contains people's texts.
      this.log.error({ err: error, kind }, `a mail could not be made${isLast ? '' : '; trying again'}`)
      const { db, write } = this.store
      const counted = db
        .update(notices)
        .set({ attempts: attempts + 1 })
        .where(this.#queue.isMine(id))
      await write(isLast ? this.#settling(notice, null) : [counted, this.#queue.postpone(id, Date.now() + wait)])
    }
  }

  /**
   * Makes a mail and settles its cause, unless too many were sent to its reader. @returns how long it must wait, in milliseconds.
   */
  async #make(notice: Notice): Promise<number> {
    const { everyMs, limits = [], make } = this.kinds[notice.kind]
    const mail = await make(notice)
    if (mail === null) {
      await this.store.write(this.#settling(notice, null))
      return 0
    }
    const counts = countsOf(limits, notice.userId)
    const { allowed, resetSeconds } = await takeAll(this.bucket, counts)
    if (!allowed) return resetSeconds * 1000
    const isTaken = sql`EXISTS (SELECT 1 FROM ${notices} WHERE ${this.#queue.isMine(notice.id)})`
    try {
      await this.mailer.sendWith([mail], isTaken, this.#settling(notice, Date.now() + everyMs))
    } catch (error) {
      await giveAllBack(this.bucket, counts)
      throw error
    }
    return 0
  }

  /**
   * The writes that remove the handled ids from a row. Ids added meanwhile continue to wait.
   * @param notBefore when the next mail may be sent; null if none is sent now.
   */
  #settling({ id, waiting }: Notice, notBefore: number | null): Query[] {
    const { db } = this.store
    const isMine = this.#queue.isMine(id)
    const rest = without(waiting)
    const next = sql`coalesce(${notBefore}, ${notices.notBefore})`
    return [
      db.delete(notices).where(and(isMine, sql`${next} IS NULL AND ${rest} = '[]'`)),
      db
        .update(notices)
        .set({
          waiting: rest,
          dueAt: sql`CASE WHEN ${rest} <> '[]' THEN max(${Date.now()}, coalesce(${next}, 0)) END`,
          lease: null,
          attempts: 0,
          notBefore: sql`${next}`,
        })
        .where(isMine),
    ]
  }
}
