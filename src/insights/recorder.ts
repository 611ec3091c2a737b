import { hash, randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InStatement } from '@libsql/client'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { dayOf, endDaysBefore, endOfDay, saltOf } from './salts.ts'

/** How often counts are written: what `kill -9` can take (decisions 7: at most a second). */
const FLUSH_MS = 800
/** Rows a transaction: small enough not to hold the event loop, large enough to be cheap. */
const ROWS_PER_WRITE = 500
/** While the store is away, counts of this many counters and hashes are kept; past it new ones are dropped. */
const MAX_WAITING = 200_000
/** Hashes of the day that are known to be stored, so that a viewer who comes again costs no write. */
const KNOWN_HASHES = 50_000
const BATCH_IDS_KEPT_MS = 3_600_000
const USER_AGENTS = 2_000
/** A bot names itself early, and what is kept as a key must have a bound. */
const USER_AGENT_LENGTH = 512

/**
 * The counts of one bundle and one matched rule that are not written yet. Whoever serves the bundle holds
 * it, so that counting looks nothing up.
 */
export interface Counter {
  readonly bundleId: number
  /** `''` where no rule matched. */
  readonly ruleId: string
  views: number
  openAllClicks: number
}

/** A counter with nothing counted. */
export function newCounter(bundleId: number, ruleId: string): Counter {
  return { bundleId, ruleId, views: 0, openAllClicks: 0 }
}

interface Waiting {
  day: string
  counts: Counter[]
  hashes: { bundleId: number; hash: string }[]
}

/**
 * Counts views and clicks in memory and writes them in batches, off the request's path. A batch that fails is
 * kept and tried again; each carries an id, so that one whose answer was lost is not counted twice.
 */
export class Recorder {
  #day: string
  #dayEnds: number
  #salt: string
  /** Counters with something in them. */
  #touched: Counter[] = []
  #hashes: Waiting['hashes'] = []
  #known = new Set<string>()
  /** Batches on their way to the store, oldest first. */
  #waiting: (Waiting & { id: string })[] = []
  #waitingRows = 0
  #writing: Promise<void> = Promise.resolve()
  readonly #bots = new LRUCache<string, boolean>({ max: USER_AGENTS })
  readonly #timer: ReturnType<typeof setInterval>

  private constructor(
    readonly store: Store,
    readonly log: Logger,
    now: number,
    salt: Buffer,
  ) {
    this.#day = dayOf(now)
    this.#dayEnds = endOfDay(now)
    this.#salt = salt.toString('base64url')
    this.#timer = setInterval(() => this.flush(), FLUSH_MS)
  }

  /** Opens today's salt and starts writing. */
  static async start(store: Store, log: Logger): Promise<Recorder> {
    const now = Date.now()
    await endDaysBefore(store, dayOf(now))
    return new Recorder(store, log, now, await saltOf(store, dayOf(now)))
  }

  /** Counts a page view, unless a bot made it. Takes microseconds and never fails. */
  view(counter: Counter, address: string, userAgent: string): void {
    const agent = userAgent.length > USER_AGENT_LENGTH ? userAgent.slice(0, USER_AGENT_LENGTH) : userAgent
    if (this.#isBot(agent)) return
    if (Date.now() >= this.#dayEnds) this.#endDay()
    this.#touch(counter)
    counter.views += 1
    const viewer = hash('sha256', `${this.#salt}\n${counter.bundleId}\n${address}\n${agent}`, 'base64url')
    if (this.#known.has(viewer)) return
    if (this.#known.size >= KNOWN_HASHES) this.#known.clear()
    this.#known.add(viewer)
    if (this.#hashes.length < MAX_WAITING) this.#hashes.push({ bundleId: counter.bundleId, hash: viewer })
  }

  /** Counts one Open All click. */
  openAll(counter: Counter): void {
    if (Date.now() >= this.#dayEnds) this.#endDay()
    this.#touch(counter)
    counter.openAllClicks += 1
  }

  /** Writes what has been counted; resolves when it is stored or has been put back for the next time. */
  flush(): Promise<void> {
    if (Date.now() >= this.#dayEnds) this.#endDay()
    this.#close(this.#day)
    this.#writing = this.#writing.then(() => this.#writeAll())
    return this.#writing
  }

  /** The last flush; nothing is counted afterwards. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
    if (this.#waiting.length > 0) this.log.error({ batches: this.#waiting.length }, 'counts lost: the store is away')
  }

  #isBot(userAgent: string): boolean {
    let bot = this.#bots.get(userAgent)
    if (bot === undefined) this.#bots.set(userAgent, (bot = isbot(userAgent)))
    return bot
  }

  #touch(counter: Counter): void {
    if (counter.views === 0 && counter.openAllClicks === 0) this.#touched.push(counter)
  }

  /** Closes the counts of the day that is over and begins the next under a salt of its own. */
  #endDay(): void {
    const now = Date.now()
    const today = dayOf(now)
    this.#close(this.#day)
    this.#day = today
    this.#dayEnds = endOfDay(now)
    this.#known.clear()
    // Until the shared salt is read, this process counts under one that nobody else has.
    this.#salt = randomUUID()
    this.#writing = this.#writing.then(async () => {
      await this.#writeAll()
      try {
        await endDaysBefore(this.store, today)
        this.#salt = (await saltOf(this.store, today)).toString('base64url')
      } catch (error) {
        this.log.error({ err: error }, 'the salt of the new day could not be read')
      }
    })
  }

  /** Moves what has been counted into batches for the store. */
  #close(day: string): void {
    const counts = this.#touched.map((counter) => ({ ...counter }))
    for (const counter of this.#touched) counter.views = counter.openAllClicks = 0
    const hashes = this.#hashes
    this.#touched = []
    this.#hashes = []
    const rows = Math.max(counts.length, hashes.length)
    for (let from = 0; from < rows; from += ROWS_PER_WRITE) {
      const batch = {
        id: randomUUID(),
        day,
        counts: counts.slice(from, from + ROWS_PER_WRITE),
        hashes: hashes.slice(from, from + ROWS_PER_WRITE),
      }
      const size = batch.counts.length + batch.hashes.length
      if (this.#waitingRows + size > MAX_WAITING) {
        this.log.error({ rows: size }, 'counts dropped: the store has been away for too long')
        continue
      }
      this.#waitingRows += size
      this.#waiting.push(batch)
    }
  }

  async #writeAll(): Promise<void> {
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      try {
        await this.store.writeCounters(statements(batch))
      } catch (error) {
        // An attempt whose answer was lost had written the batch after all.
        const isWritten = brokenConstraint(error)?.includes('counter_batches.id') ?? false
        if (!isWritten) {
          this.log.warn({ err: error, batches: this.#waiting.length }, 'counts could not be written; they are kept')
          return
        }
      }
      this.#waiting.shift()
      this.#waitingRows -= batch.counts.length + batch.hashes.length
      await nextTurn()
    }
  }
}

/** One transaction; the joins leave out bundles that are gone, whose counts have nowhere to go. */
function statements({ id, day, counts, hashes }: Waiting & { id: string }): InStatement[] {
  const now = Date.now()
  return [
    { sql: 'DELETE FROM counter_batches WHERE at < ?', args: [now - BATCH_IDS_KEPT_MS] },
    { sql: 'INSERT INTO counter_batches (id, at) VALUES (?, ?)', args: [id, now] },
    {
      sql: `INSERT INTO daily_counters (bundle_id, day, rule_id, views, open_all_clicks)
        SELECT bundles.id, ?, value ->> 1, value ->> 2, value ->> 3
        FROM json_each(?) JOIN bundles ON bundles.id = value ->> 0 WHERE true
        ON CONFLICT DO UPDATE SET views = views + excluded.views,
          open_all_clicks = open_all_clicks + excluded.open_all_clicks`,
      args: [day, JSON.stringify(counts.map((c) => [c.bundleId, c.ruleId, c.views, c.openAllClicks]))],
    },
    {
      sql: `INSERT INTO viewer_hashes (bundle_id, day, hash)
        SELECT bundles.id, ?, value ->> 1 FROM json_each(?) JOIN bundles ON bundles.id = value ->> 0 WHERE true
        ON CONFLICT DO NOTHING`,
      args: [day, JSON.stringify(hashes.map((viewer) => [viewer.bundleId, viewer.hash]))],
    },
  ]
}
