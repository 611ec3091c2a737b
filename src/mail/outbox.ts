import { and, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Query, Store } from '../../db/client.ts'
import { LeasedQueue } from '../../db/queue.ts'
import { mails, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import { keyedHash, seal, unseal } from '../core/secrets.ts'
import { accountOf } from '../identity/devices.ts'
import { deliver, type Failure, failureOf, type Mail } from './smtp.ts'

/** Interval of the search for mails to send. */
const POLL_MS = 1_000
/**
 * A new mail is sent within this time, but not at once: otherwise the duration of the service's next answer would reveal whether
 * there was a mail to send.
 */
const SEND_WITHIN_MS = 200
/** Longer than sending a mail may take: after this, the process that took one is presumed dead. */
const LEASE_MS = 120_000
/** Mails sent at a time by this process. Only one per address, so that a slow mailbox does not hold up the others. */
const AT_ONCE = 8
/** Rows searched for them: more than may wait for one address. */
const LOOKED_AT = 128
/** Timeout for one mail, from the connection to the server’s last reply. */
const SENT_WITHIN_MS = 30_000
/** How long a stop waits for the mail server. */
const STOP_WITHIN_MS = 3_000
/**
 * Intervals while the mail server does not answer: one mail is tried after a second, then twice as long each time, up to a
 * minute.
 */
const PROBE_EVERY_MS = { first: 1_000, most: 60_000 }
const COUNT_EVERY_MS = 5_000

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Delays after the mail server has deferred a mail: 1, 5, 10 and 30 minutes, then 1, 2, 4, 8, 16 and 24 hours after the first
 * attempt. Servers that defer unknown senders (greylisting) accept a mail after a minute to an hour, most after five minutes.
 */
const RETRIES_MS = [
  ...[1, 4, 5, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 8].map((hours) => hours * HOUR_MS),
]
/** If the server did not answer, which says nothing about the mail, it is retried until it expires. */
const UNANSWERED_MS = MINUTE_MS
/** Without an expiry of its own, a mail is given up after its last retry. */
const KEPT_MS = 25 * HOUR_MS

/** Maximum waiting mails: in all, so that a mail server that is down costs a bounded part of the disk, and for one address. */
const MAX_WAITING = 10_000
const MAX_BYTES = 64 * 2 ** 20
const MAX_FOR_ONE = 50

type Row = typeof mails.$inferSelect

/** The sealed part of a mail's row. */
interface Stored extends Mail {
  /** Sent to nobody: stored only so that an answer takes the same time as with a real mail. */
  isDecoy?: boolean
}

/** The results of mails in this process; `retried` counts attempts. */
type Result = 'sent' | 'retried' | 'refused' | 'lost'

/**
 * Mails to be sent, in the store. Any number of processes may send them: each takes the mails it sends. A mail is sent at least
 * once: again, if a process dies before it has stored that the server accepted it.
 */
export class MailOutbox {
  readonly results: Record<Result, number> = { sent: 0, retried: 0, refused: 0, lost: 0 }
  /** Number of waiting mails: the last count, plus those that this process has added since. */
  waiting = 0
  /** When the oldest waiting mail was stored, in milliseconds since 1970; null if none waits. */
  oldestAt: number | null = null
  #bytes = 0
  #countedAt = Number.NEGATIVE_INFINITY
  readonly #queue: LeasedQueue
  /** The recipient of each mail that is being sent, by the mail’s id. */
  readonly #sending = new Map<number, string>()
  readonly #stopping = new AbortController()
  #loop: Loop | undefined
  /** If the mail server did not answer the last time: how long to wait, and until when. */
  #probe: { waitMs: number; at: number } | null = null

  constructor(
    readonly store: Store,
    readonly config: { smtpUrl: string } & Pick<Config, 'mailFrom' | 'secret'>,
    readonly log: Logger,
  ) {
    this.#queue = new LeasedQueue(store, { table: mails, key: mails.id, leaseMs: LEASE_MS })
  }

  start(): void {
    const look = async () => {
      await this.#giveUpEnded()
      await this.#sendDue()
      await this.#count()
    }
    this.#loop = repeat(POLL_MS, look, this.log, 'could not look for mails to send; trying again')
    this.#loop.runWithin(0)
  }

  /** Resolves when nothing is being sent any more, or the time to wait for it is over. Unsent mails stay in the store. */
  async stop(): Promise<void> {
    await this.#loop?.stop()
    const deadline = performance.now() + STOP_WITHIN_MS
    while (this.#sending.size > 0 && performance.now() < deadline) await new Promise((next) => setTimeout(next, 20))
    this.#stopping.abort()
    await this.#queue.giveBack([...this.#sending.keys()]).catch((error) => {
      this.log.warn({ err: error }, 'mails that were being sent are sent again later')
    })
  }

  /** Whether so many mails wait that no more should be requested. */
  get isFull(): boolean {
    return this.waiting >= MAX_WAITING || this.#bytes >= MAX_BYTES
  }

  /** The write that stores a mail, if `when` holds. */
  insertion(mail: Stored, when: SQL = sql`1`): Query {
    const now = Date.now()
    const { secret } = this.config
    const endsAt = Math.min(mail.endsAt ?? Number.POSITIVE_INFINITY, now + KEPT_MS)
    const sealed = seal(secret, PURPOSE, JSON.stringify(mail))
    const account = sql`(SELECT ${user.id} FROM ${user} WHERE ${user.email} = ${accountOf(mail.to)})`
    return sql`INSERT INTO ${mails} (user_id, recipient, sealed, bytes, created_at, ends_at, due_at)
      SELECT ${account}, ${this.#recipientOf(mail)}, ${sealed}, ${sealed.length}, ${now}, ${endsAt}, ${now} WHERE ${when} RETURNING bytes`
  }

  /** Stores a mail, unless too many wait, in all or for its address: then it is lost, which is logged. */
  async add(mail: Stored): Promise<void> {
    const forOne = sql`(SELECT count(*) FROM ${mails} WHERE ${mails.recipient} = ${this.#recipientOf(mail)})`
    const [made] = this.isFull ? [] : await this.store.write([this.insertion(mail, sql`${forOne} < ${MAX_FOR_ONE}`)])
    if (made?.rows.length === 1) this.added(Number(made.rows[0]?.bytes))
    else this.#lose(`a mail was not sent: too many wait${this.isFull ? '' : ' for its address'}`, 1)
  }

  /** Must be called after a mail's insertion. @param bytes the result of the insertion. */
  added(bytes: number): void {
    this.waiting += 1
    this.#bytes += bytes
    this.#loop?.runWithin(Math.random() * SEND_WITHIN_MS)
  }

  #recipientOf({ to }: Mail): string {
    return keyedHash(this.config.secret, 'mail recipient', accountOf(to))
  }

  #lose(why: string, count: number): void {
    this.results.lost += count
    this.log.error({ mails: count }, why)
  }

  /** Counts in the background, because metrics are also read while the store does not answer. */
  async #count(): Promise<void> {
    if (performance.now() - this.#countedAt < COUNT_EVERY_MS) return
    const [row] = await this.store.db
      .select({
        waiting: sql<number>`count(*)`,
        bytes: sql<number>`coalesce(sum(${mails.bytes}), 0)`,
        oldestAt: sql<number | null>`min(${mails.createdAt})`,
      })
      .from(mails)
    this.waiting = row?.waiting ?? 0
    this.#bytes = row?.bytes ?? 0
    this.oldestAt = row?.oldestAt ?? null
    this.#countedAt = performance.now()
  }

  async #giveUpEnded(): Promise<void> {
    const now = Date.now()
    const { db, write } = this.store
    const isEnded = and(lte(mails.endsAt, now), lte(mails.dueAt, now))
    const some = db.select({ id: mails.id }).from(mails).where(isEnded).limit(500)
    // Usually nothing is due and nothing is written.
    if ((await some).length === 0) return
    const [gone] = await write([db.delete(mails).where(inArray(mails.id, some))])
    if (gone !== undefined && gone.rowsAffected > 0)
      this.#lose('mails were given up: the mail server did not take them in time', gone.rowsAffected)
  }

  async #sendDue(): Promise<void> {
    if (performance.now() < (this.#probe?.at ?? 0)) return
    const room = (this.#probe === null ? AT_ONCE : 1) - this.#sending.size
    if (room <= 0) return
    const ids = await this.#queue.take(await this.#due(room))
    if (ids.length === 0) return
    const rows = await this.store.db.select().from(mails).where(inArray(mails.id, ids)).orderBy(mails.id)
    for (const row of rows) {
      this.#sending.set(row.id, row.recipient)
      void this.#send(row)
        .catch((error) => this.log.error({ err: error }, 'what became of a mail could not be stored'))
        .finally(() => {
          this.#sending.delete(row.id)
          this.#loop?.runWithin(0)
        })
    }
  }

  /** Mails that may be sent now, by id: the oldest of each address, unless one is being sent to it. */
  async #due(room: number): Promise<number[]> {
    const busy = JSON.stringify([...this.#sending.values()])
    const due = sql`SELECT id, recipient, due_at FROM ${mails} WHERE due_at <= ${Date.now()}
      AND recipient NOT IN (SELECT value FROM json_each(${busy})) ORDER BY due_at, id LIMIT ${LOOKED_AT}`
    const first = sql`SELECT min(id) AS id, min(due_at) AS due_at FROM (${due}) GROUP BY recipient`
    const rows = await this.store.db
      .select({ id: sql<number>`id` })
      .from(sql`(SELECT id FROM (${first}) ORDER BY due_at, id LIMIT ${room})`)
    return rows.map(({ id }) => id)
  }

  async #send(row: Row): Promise<void> {
    const { write } = this.store
    const failure = await this.#hand(row)
    if (failure === null) {
      await write([this.#queue.settle(row.id)])
      return
    }
    if (this.#stopping.signal.aborted) return
    const { isFinal, isServers, says } = failure
    const wait = isServers ? UNANSWERED_MS : RETRIES_MS[row.attempts]
    const dueAt = Date.now() + (wait ?? Number.POSITIVE_INFINITY)
    if (isFinal || dueAt >= row.endsAt) {
      this.results[isFinal ? 'refused' : 'lost'] += 1
      this.log.error(says, isFinal ? 'a mail was refused for good' : 'a mail could not be sent, and is given up')
      await write([this.#queue.settle(row.id)])
      return
    }
    this.results.retried += 1
    this.log.warn(says, 'a mail could not be sent; trying again')
    const attempts = row.attempts + Number(!isServers)
    const counted = this.store.db.update(mails).set({ attempts }).where(this.#queue.isMine(row.id))
    await write([counted, this.#queue.postpone(row.id, dueAt)])
  }

  /** Hands a mail to the mail server. @returns null if the server has accepted it. */
  async #hand(row: Row): Promise<Failure | null> {
    const { secret } = this.config
    let mail: Stored
    try {
      mail = JSON.parse(unseal(secret, PURPOSE, row.sealed))
    } catch {
      return { isFinal: true, isServers: false, says: { reason: 'it was stored with another SERVICE_SECRET' } }
    }
    if (mail.isDecoy === true) return null
    const signal = AbortSignal.any([AbortSignal.timeout(SENT_WITHIN_MS), this.#stopping.signal])
    try {
      await deliver(this.config, mail, signal)
      this.results.sent += 1
      this.#probe = null
      return null
    } catch (error) {
      const failure = failureOf(error)
      if (failure.isServers) this.#waitForServer()
      else this.#probe = null
      return failure
    }
  }

  #waitForServer(): void {
    const now = performance.now()
    // Of several mails that failed together, only the first starts the wait.
    if (this.#probe !== null && now < this.#probe.at) return
    const { first, most } = PROBE_EVERY_MS
    const waitMs = Math.min(2 * (this.#probe?.waitMs ?? first / 2), most)
    this.#probe = { waitMs, at: now + waitMs }
  }
}

/** The purpose for which mails are sealed. */
const PURPOSE = 'mail'
