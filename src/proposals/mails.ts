import { randomUUID } from 'node:crypto'
import { and, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { proposalMails } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { every, type Loop } from '../core/every.ts'
import type { Bucket } from '../limits/bucket.ts'
import { countsOf, giveAllBack, takeAll, tiers } from '../limits/counts.ts'
import type { Mailer } from '../mail/mailer.ts'
import { MAIL_EVERY_MS, without } from './mail-queue.ts'

/** How often it looks for mails to send. */
const POLL_MS = 1_000
/** Longer than handing over a mail may take: after this, the process that leased one is taken to be dead. */
const LEASE_MS = 300_000
/** Mails sent at a time. */
const AT_ONCE = 8
/** How long a stop waits for the mail server. */
const STOP_WITHIN_MS = 3_000
/** After which time a mail that the server did not take is tried again; then it is given up. */
const RETRIES_MS = [60_000, 600_000, 3_600_000, 6 * 3_600_000]

/** To one person, whatever they are told of: beyond it mails wait, and say more when they come. */
const TO_ONE_PERSON = tiers('proposal-mail', [
  [10, 3_600_000],
  [30, 86_400_000],
])

type Row = typeof proposalMails.$inferSelect

/**
 * Sends what is noted to be mailed about proposals. Any number of processes may do so on one store: each leases what it
 * sends. A mail is sent again only if a process dies before it has stored that it was sent.
 */
export class ProposalMails {
  readonly #lease = randomUUID()
  #loop: Loop | undefined
  #isStopping = false

  constructor(
    readonly store: Store,
    readonly config: Pick<Config, 'origin' | 'name' | 'secret'>,
    readonly mailer: Mailer,
    readonly bucket: Bucket,
    readonly log: Logger,
  ) {}

  /** Does nothing if mails reach nobody. */
  start(): void {
    if (!this.mailer.isConfigured) return
    this.#loop = every(POLL_MS, () => this.#sendDue(), this.log, 'could not look for mails to send; trying on')
  }

  /** Resolves when nothing is being sent, or nobody waits for it any longer. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.race([this.#loop?.stop(), new Promise((done) => setTimeout(done, STOP_WITHIN_MS).unref())])
  }

  async #sendDue(): Promise<void> {
    while (!this.#isStopping) {
      const leased = await this.#leaseDue()
      if (leased.length === 0) return
      await Promise.all(leased.map((row) => this.#send(row)))
    }
  }

  /** Leases some of what is due, as far as no other process has. */
  async #leaseDue(): Promise<Row[]> {
    const { db, write } = this.store
    const now = Date.now()
    const isDue = and(isNotNull(proposalMails.dueAt), lte(proposalMails.dueAt, now))
    const due = await db
      .select({ id: proposalMails.id })
      .from(proposalMails)
      .where(isDue)
      .orderBy(proposalMails.dueAt)
      .limit(AT_ONCE)
    if (due.length === 0) return []
    const isAmong = inArray(
      proposalMails.id,
      due.map(({ id }) => id),
    )
    await write([
      db
        .update(proposalMails)
        .set({ dueAt: now + LEASE_MS, lease: this.#lease })
        .where(and(isAmong, isDue)),
    ])
    return db
      .select()
      .from(proposalMails)
      .where(and(isAmong, eq(proposalMails.lease, this.#lease)))
  }

  async #send(row: Row): Promise<void> {
    const outcome = await this.#handOver(row).catch((error: unknown) => ({ error }))
    if ('sentAt' in outcome) return this.#settle(row, outcome.sentAt)
    if ('wait' in outcome) return this.#postpone(row, outcome.wait)
    // A mail that cannot be made is given up like one that no server takes.
    const { kind, attempts } = row
    const wait = RETRIES_MS[attempts]
    const isLast = wait === undefined
    // Not with its subject, in which people's texts are.
    const failure = `a mail about a proposal could not be sent${isLast ? '' : '; trying again'}`
    this.log.error({ err: outcome.error, kind }, failure)
    return isLast ? this.#settle(row, null) : this.#postpone(row, wait, attempts + 1)
  }

  /** @returns when it was sent, null if there is nothing to send; or how long it must wait. */
  async #handOver(row: Row): Promise<{ sentAt: number | null } | { wait: number }> {
    // Loaded with the first mail: most processes send none.
    const { mailFor } = await import('./mail-content.ts')
    const mail = await mailFor(this.store, row, this.config)
    if (mail === null) return { sentAt: null }
    const counts = countsOf(TO_ONE_PERSON, row.userId)
    const { allowed, resetSeconds } = await takeAll(this.bucket, counts)
    if (!allowed) return { wait: resetSeconds * 1000 }
    try {
      await this.mailer.deliver(mail)
    } catch (error) {
      await giveAllBack(this.bucket, counts)
      throw error
    }
    return { sentAt: Date.now() }
  }

  async #postpone({ id }: Row, wait: number, attempts?: number): Promise<void> {
    const { db, write } = this.store
    const isMine = and(eq(proposalMails.id, id), eq(proposalMails.lease, this.#lease))
    const counted = attempts === undefined ? {} : { attempts }
    await write([
      db
        .update(proposalMails)
        .set({ dueAt: Date.now() + wait, lease: null, ...counted })
        .where(isMine),
    ])
  }

  /**
   * Stores that what was waiting is dealt with. What has come meanwhile waits on.
   * @param sentAt when a mail told of it; null if none did.
   */
  async #settle({ id, waiting }: Row, sentAt: number | null): Promise<void> {
    const { db, write } = this.store
    const isMine = and(eq(proposalMails.id, id), eq(proposalMails.lease, this.#lease))
    const rest = without(waiting)
    const sent = sql`coalesce(${sentAt}, ${proposalMails.sentAt})`
    await write([
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
    ])
  }
}
