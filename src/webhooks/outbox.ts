import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { LeasedQueue } from '../../db/queue.ts'
import { outbox, owners, webhooks } from '../../db/schema.ts'
import type { AccountMails } from '../accounts/account-mails.ts'
import type { Config } from '../config/config.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import { dueEvents, hold, type Leased, park, waitAfter, waitAsked } from './due.ts'

/** Interval of the search for due events. */
const POLL_MS = 500
/** Longer than a request may take: after this, the process that leased an event is presumed dead. */
const LEASE_MS = 15_000
/** How long a stop waits for answers. Unanswered events are sent again. */
const STOP_WITHIN_MS = 3_000
/** Maximum events counted, because counting a backlog takes time too. */
const MAX_COUNTED = 10_000
const COUNT_EVERY_MS = 5_000

/** How long an owner's webhooks rest after being refused a turn: because of too many requests to a site, or by the account. */
const REST_MS = { site: 2_000, account: 10_000 }

type Result = { status: number; failure: null } | NotTaken | 'gone' | { restMs: number }
type NotTaken = {
  status: number | null
  failure: string
  /** The delay that the receiver requests; 0 for none. */
  askedMs: number
  /** Whether it wants nothing more. */
  isGone?: boolean
}

/** Loads the code that mails owners. */
type Accounts = () => Promise<{ accountMails: Pick<AccountMails, 'notifyOwner'> }>

/**
 * Sends the events of the outbox. Any number of processes may do so on one store: each leases the events it sends. An event is
 * sent at least once: again, if a process dies before it has stored that it was sent.
 */
export class Outbox {
  /** Attempts that the receiver answered with success, and all others. */
  delivered = 0
  failed = 0
  /** Webhooks disabled after the last retry, or because the receiver is gone. */
  disabled = 0
  /** Overdue events at the last count; at most 10 000. */
  overdue = 0
  #countedAt = Number.NEGATIVE_INFINITY
  /** The webhook of each event that is being sent, by the event’s id. */
  readonly #sending = new Map<number, Leased['webhook']>()
  /** Until when an owner's webhooks get nothing, in milliseconds since 1970. */
  readonly #resting = new Map<number, number>()
  readonly #queue: LeasedQueue
  #looking: Loop | undefined
  #isStopping = false

  constructor(
    readonly store: Store,
    readonly config: Pick<
      Config,
      'origin' | 'shortPaths' | 'name' | 'secret' | 'linkChecks' | 'outgoingPrivateNetworks'
    >,
    readonly log: Logger,
    readonly accounts: Accounts,
  ) {
    this.#queue = new LeasedQueue(store, { table: outbox, key: outbox.id, leaseMs: LEASE_MS })
  }

  start(): void {
    const look = () => this.#sendDue().then(() => this.#count())
    this.#looking = repeat(POLL_MS, look, this.log, 'could not look for webhooks to send; trying again')
  }

  /** Resolves when nothing is being sent any more, or the time to wait for it is over. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const deadline = performance.now() + STOP_WITHIN_MS
    await this.#looking?.stop()
    while (this.#sending.size > 0 && performance.now() < deadline) await new Promise((next) => setTimeout(next, 20))
    await this.#queue
      .giveBack([...this.#sending.keys()])
      .catch((error) => this.log.warn({ err: error }, 'webhooks that were being sent are sent again later'))
  }

  /** Counts in the background, because metrics are also read while the store does not answer. */
  async #count(): Promise<void> {
    if (performance.now() - this.#countedAt < COUNT_EVERY_MS) return
    // Events of deleted webhooks only wait to be erased.
    const isKept = sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${webhooks.id} = ${outbox.webhookId})`
    const due = sql`SELECT 1 FROM ${outbox} WHERE due_at <= ${Date.now()} AND ${isKept} LIMIT ${MAX_COUNTED}`
    const [row] = await this.store.db.select({ events: sql<number>`count(*)` }).from(sql`(${due})`)
    this.overdue = row?.events ?? 0
    this.#countedAt = performance.now()
  }

  async #sendDue(): Promise<void> {
    for (const [owner, until] of this.#resting) if (until <= Date.now()) this.#resting.delete(owner)
    const ids = await dueEvents(this.store, this.#sending, [...this.#resting.keys()])
    if (ids.length === 0 || this.#isStopping) return
    for (const leased of await this.#take(ids)) {
      this.#sending.set(leased.row.id, leased.webhook)
      void this.#deliver(leased)
        .catch((error) => this.log.error({ err: error }, 'the result of a webhook could not be stored'))
        .finally(() => {
          this.#sending.delete(leased.row.id)
          // The next event of its bundle may be due now.
          this.#looking?.runWithin(0)
        })
    }
  }

  /** Takes events, unless another process has them. */
  async #take(ids: readonly number[]): Promise<Leased[]> {
    const taken = await this.#queue.take(ids)
    const { id, url, format, secret, oldSecret, oldSecretUntil, ownerId } = webhooks
    const { userId, organizationId } = owners
    return this.store.db
      .select({
        row: outbox,
        webhook: { id, url, format, secret, oldSecret, oldSecretUntil, ownerId },
        owner: { userId, organizationId },
      })
      .from(outbox)
      .innerJoin(webhooks, eq(webhooks.id, outbox.webhookId))
      .innerJoin(owners, eq(owners.id, webhooks.ownerId))
      .where(inArray(outbox.id, taken))
  }

  async #deliver(leased: Leased): Promise<void> {
    const result = await this.#attempt(leased)
    if (result === 'gone') {
      await this.#drop(leased)
    } else if ('restMs' in result) {
      await this.#postpone(leased, result.restMs)
    } else if (result.failure === null) {
      this.delivered += 1
      await this.#sent(leased, result.status)
    } else {
      this.failed += 1
      await this.#notSent(leased, result)
    }
  }

  /** `gone` if the subject of the event was erased meanwhile. */
  async #attempt(leased: Leased): Promise<Result> {
    // Loaded with the first event: most processes send none.
    const [{ isGone, refusalOf }, { messageOf }, { post }, { NotSent }, { NoTurn }] = await Promise.all([
      import('./chats.ts'),
      import('./message.ts'),
      import('../outgoing/request.ts'),
      import('../outgoing/target.ts'),
      import('../outgoing/turns.ts'),
    ])
    try {
      const message = await messageOf(this.store, leased, this.config)
      if (message === null) return 'gone'
      const answer = await post(message.url, message.post, { privateNetworks: this.config.outgoingPrivateNetworks })
      const { status } = answer
      if (status >= 200 && status < 300) return { status, failure: null }
      const { webhook } = leased
      const askedMs = waitAsked(answer, Date.now())
      return { status, failure: refusalOf(webhook, status), askedMs, isGone: isGone(webhook.url, status) }
    } catch (error) {
      if (error instanceof NoTurn) return { restMs: REST_MS[error.whose] }
      if (error instanceof NotSent) return { status: null, failure: error.message, askedMs: 0 }
      // Without the URL, which may be a secret.
      this.log.error({ err: error, webhook: leased.webhook.id }, 'a webhook could not be sent')
      return { status: null, failure: 'it could not be sent: an error of the service', askedMs: 0 }
    }
  }

  async #drop({ row }: Leased): Promise<void> {
    const { db, write } = this.store
    await write([db.delete(outbox).where(eq(outbox.id, row.id))])
  }

  /** Puts an event back as if it had not been tried. */
  async #postpone({ row, webhook }: Leased, restMs: number): Promise<void> {
    const dueAt = Date.now() + restMs
    this.#resting.set(webhook.ownerId, dueAt)
    await this.store.write([this.#queue.postpone(row.id, dueAt)])
  }

  async #sent({ row }: Leased, status: number): Promise<void> {
    const { db, write } = this.store
    const now = Date.now()
    const done = { dueAt: null, lease: null, attempts: row.attempts + 1, attemptedAt: now, status, failure: null }
    // A trigger makes the next event of the bundle due.
    await write([
      db
        .update(outbox)
        .set({ ...done, sentAt: now })
        .where(and(eq(outbox.id, row.id), isNull(outbox.sentAt))),
    ])
  }

  async #notSent({ row, webhook }: Leased, { status, failure, askedMs, isGone = false }: NotTaken): Promise<void> {
    const { db, write } = this.store
    const now = Date.now()
    const attempts = row.attempts + 1
    const isTest = row.event === 'webhook.test'
    const by = isGone ? 'gone' : 'failures'
    const wait = isTest || by === 'gone' ? null : waitAfter(attempts)
    const isLast = wait === null && !isTest
    const dueAt = wait === null ? null : now + Math.max(wait, askedMs)
    // Without the lease, another process has taken the event over, or the webhook was disabled: nothing is written then.
    const isMine = this.#queue.isMine(row.id)
    const [recorded, disabled] = await write([
      db.update(outbox).set({ dueAt, lease: null, attempts, attemptedAt: now, status, failure }).where(isMine),
      ...(isLast ? this.#disable(webhook.id, row.id, by) : []),
      ...(askedMs > 0 && !isTest ? [hold(db, webhook.id, now + askedMs)] : []),
    ])
    if (!isLast || recorded?.rowsAffected !== 1 || disabled?.rowsAffected !== 1) return
    this.disabled += 1
    this.log.info({ webhook: webhook.id, by }, 'a webhook was disabled: its last retry failed, or its receiver is gone')
    const { accountMails } = await this.accounts()
    await accountMails.notifyOwner(webhook.ownerId, { kind: 'webhookDisabled', host: new URL(webhook.url).host, by })
  }

  /** The writes that disable a webhook, if the event has just used up its retries or its receiver is gone. */
  #disable(webhookId: string, rowId: number, by: 'failures' | 'gone') {
    const { db } = this.store
    const isUsedUp = sql`EXISTS (SELECT 1 FROM ${outbox} WHERE id = ${rowId} AND due_at IS NULL AND sent_at IS NULL)`
    return [
      db
        .update(webhooks)
        .set({ disabledAt: Date.now(), disabledBy: by })
        .where(and(eq(webhooks.id, webhookId), isNull(webhooks.disabledAt), isUsedUp)),
      park(db, webhookId),
    ]
  }
}
