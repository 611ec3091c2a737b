import { and, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Query, Store } from '../../db/client.ts'
import { LeasedQueue } from '../../db/queue.ts'
import { proposalMails } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { every, type Loop } from '../core/every.ts'
import type { Bucket } from '../limits/bucket.ts'
import { countsOf, giveAllBack, takeAll, tiers } from '../limits/counts.ts'
import type { Mailer } from '../mail/mailer.ts'
import { MAIL_EVERY_MS, without } from './mail-queue.ts'

/** How often it looks for mails to send. */
const POLL_MS = 1_000
/** Longer than making a mail may take: after this, the process that took one is taken to be dead. */
const LEASE_MS = 300_000
/** Mails made at a time. */
const AT_ONCE = 8
/** After which time a mail that could not be made is tried again; then it is given up. */
const RETRIES_MS = [60_000, 600_000, 3_600_000, 6 * 3_600_000]

/** To one person, whatever they are told of: beyond it mails wait, and say more when they come. */
const TO_ONE_PERSON = tiers('proposal-mail', [
  [10, 3_600_000],
  [30, 86_400_000],
])

type Row = typeof proposalMails.$inferSelect

/**
 * Makes mails of what is noted to be mailed about proposals. Any number of processes may do so on one store: each takes what
 * it makes, and stores the mail in the transaction that settles its cause.
 */
export class ProposalMails {
  readonly #queue: LeasedQueue
  #loop: Loop | undefined
  #isStopping = false

  constructor(
    readonly store: Store,
    readonly config: Pick<Config, 'origin' | 'name' | 'secret'>,
    readonly mailer: Mailer,
    readonly bucket: Bucket,
    readonly log: Logger,
  ) {
    this.#queue = new LeasedQueue(store, proposalMails, LEASE_MS)
  }

  /** Does nothing if mails reach nobody. */
  start(): void {
    if (!this.mailer.isConfigured) return
    this.#loop = every(POLL_MS, () => this.#sendDue(), this.log, 'could not look for mails to send; trying on')
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
      await Promise.all(taken.map((row) => this.#send(row)))
    }
  }

  /** Takes some of what is due, as far as no other process has. */
  async #takeDue(): Promise<Row[]> {
    const { db } = this.store
    const due = await db
      .select({ id: proposalMails.id })
      .from(proposalMails)
      .where(and(isNotNull(proposalMails.dueAt), lte(proposalMails.dueAt, Date.now())))
      .orderBy(proposalMails.dueAt)
      .limit(AT_ONCE)
    const taken = await this.#queue.take(due.map(({ id }) => id))
    return taken.length === 0 ? [] : db.select().from(proposalMails).where(inArray(proposalMails.id, taken))
  }

  async #send(row: Row): Promise<void> {
    const { kind, attempts, id } = row
    try {
      const wait = await this.#make(row)
      if (wait > 0) await this.store.write([this.#queue.postpone(id, Date.now() + wait)])
    } catch (error) {
      const wait = RETRIES_MS[attempts]
      const isLast = wait === undefined
      // Not with its subject, in which people's texts are.
      const failure = `a mail about a proposal could not be made${isLast ? '' : '; trying again'}`
      this.log.error({ err: error, kind }, failure)
      const { db, write } = this.store
      const counted = db
        .update(proposalMails)
        .set({ attempts: attempts + 1 })
        .where(this.#queue.isMine(id))
      await write(isLast ? this.#settling(row, null) : [counted, this.#queue.postpone(id, Date.now() + wait)])
    }
  }

  /** Makes a mail and settles its cause, unless too many have gone to its reader. @returns how long it must wait, in milliseconds. */
  async #make(row: Row): Promise<number> {
    // Loaded with the first mail: most processes send none.
    const { mailFor } = await import('./mail-content.ts')
    const mail = await mailFor(this.store, row, this.config)
    if (mail === null) {
      await this.store.write(this.#settling(row, null))
      return 0
    }
    const counts = countsOf(TO_ONE_PERSON, row.userId)
    const { allowed, resetSeconds } = await takeAll(this.bucket, counts)
    if (!allowed) return resetSeconds * 1000
    const isTaken = sql`EXISTS (SELECT 1 FROM ${proposalMails} WHERE ${this.#queue.isMine(row.id)})`
    try {
      await this.mailer.sendWith([mail], isTaken, this.#settling(row, Date.now()))
    } catch (error) {
      await giveAllBack(this.bucket, counts)
      throw error
    }
    return 0
  }

  /**
   * The writes that deal with what was waiting. What has come meanwhile waits on.
   * @param sentAt when a mail tells of it; null if none does.
   */
  #settling({ id, waiting }: Row, sentAt: number | null): Query[] {
    const { db } = this.store
    const isMine = this.#queue.isMine(id)
    const rest = without(waiting)
    const sent = sql`coalesce(${sentAt}, ${proposalMails.sentAt})`
    return [
      db.delete(proposalMails).where(and(isMine, sql`${sent} IS NULL AND ${rest} = '[]'`)),
      db
        .update(proposalMails)
        .set({
          waiting: rest,
          dueAt: sql`CASE WHEN ${rest} <> '[]' THEN max(${Date.now()}, coalesce(${sent}, 0) + ${MAIL_EVERY_MS}) END`,
          lease: null,
          attempts: 0,
          sentAt: sql`${sent}`,
        })
        .where(isMine),
    ]
  }
}
