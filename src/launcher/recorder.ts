import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { DAY_MS, dayOf, endDaysBefore, saltOf, startOfDay } from '../insights/salts.ts'
import { SETTINGS } from '../settings.ts'
import { Batches, MAX_WAITING } from './batches.ts'
import type { Counter } from './counter.ts'
import { UserAgents } from './user-agents.ts'
import { Viewers } from './viewers.ts'

/** What `kill -9` can take, unless the operator says otherwise (decisions 7: at most a second). */
const DEFAULT_FLUSH_MS = Number(SETTINGS.SERVICE_COUNT_FLUSH_MS.fallback)
/** Between flushes it is looked this often for what cannot wait so long: the end of a day, a store that is back. */
const LOOK_MS = 800
/** New viewers and counters that do not wait for the time of a flush, so that a long one costs no counts. */
const MOST_UNWRITTEN = MAX_WAITING / 4
/** How long the end waits for a store that is away. */
const STOP_PATIENCE_MS = 5_000
/** The next day's salt is read this long before midnight, so that no view has to wait for it. */
const SALT_AHEAD_MS = 300_000
/** After midnight other processes on the store may still be writing the last counts of the day. */
const DAY_ENDS_AFTER_MS = 10_000

/**
 * Counts views and clicks in memory and has them written in batches, off the request's path. A count belongs to the
 * UTC day that the clock shows as it is made, and a viewer's hash is made with the salt of that very day. Where the
 * clock jumps, the day is turned to and fro with it (docs/privacy.md).
 */
export class Recorder {
  #day = ''
  #dayBegins = 0
  #dayEnds = 0
  /** By day: today's and, about midnight, that of the day before or after. */
  readonly #salts = new Map<string, string>()
  /** When what is left of earlier days is destroyed. */
  #endDaysAt = 0
  /** Counters with something in them. */
  #touched: Counter[] = []
  readonly #viewers = new Viewers()
  readonly #batches: Batches
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #flushAt = 0
  readonly #userAgents = new UserAgents()
  readonly #timer: ReturnType<typeof setInterval>

  private constructor(
    readonly store: Store,
    readonly log: Logger,
    readonly now: () => number,
    readonly flushMs: number,
  ) {
    this.#batches = new Batches(store, log)
    this.#timer = setInterval(() => this.#look(), Math.min(flushMs, LOOK_MS))
  }

  /**
   * Reads today's salt and starts writing.
   * @param now the clock, in milliseconds since 1970.
   * @param flushMs how often counts are written; those of a day that ends, or very many, sooner.
   * @throws what the store throws when the salt cannot be read.
   */
  static async start(
    store: Store,
    log: Logger,
    now: () => number = Date.now,
    flushMs = DEFAULT_FLUSH_MS,
  ): Promise<Recorder> {
    const today = dayOf(now())
    const salt = await saltOf(store, today)
    const recorder = new Recorder(store, log, now, flushMs)
    recorder.#salts.set(today, salt)
    recorder.#turnTo(now())
    // A day that went by while no process ran is ended at once.
    recorder.#endDaysAt = recorder.#dayBegins + DAY_ENDS_AFTER_MS
    return recorder
  }

  /** Counts that wait to be written, in rows; those of the last moments are not among them. */
  get waiting(): number {
    return this.#batches.rows
  }

  /** Rows of counts that were dropped. */
  get dropped(): number {
    return this.#batches.dropped
  }

  /** Counts a page view, unless a bot made it. Takes microseconds and never fails. */
  view(counter: Counter, address: string, userAgentHeader: string): void {
    const userAgent = this.#userAgents.of(userAgentHeader)
    if (userAgent.isBot) return
    this.#keepDay()
    this.#touch(counter)
    counter.views += 1
    this.#viewers.see(counter.bundleId, address, userAgent)
  }

  /** Counts one Open All click. */
  openAll(counter: Counter): void {
    this.#keepDay()
    this.#touch(counter)
    counter.openAllClicks += 1
  }

  #look(): void {
    this.#keepDay()
    const unwritten = this.#touched.length + this.#viewers.waiting
    // The counts of a day that ends are batches at once: other processes destroy its hashes soon (DAY_ENDS_AFTER_MS).
    const cannotWait = this.#batches.size > 0 || unwritten >= MOST_UNWRITTEN || this.now() >= this.#endDaysAt
    if (cannotWait || performance.now() >= this.#flushAt) void this.flush()
  }

  /** Writes what has been counted; resolves when it is stored or has been put back for the next time. */
  flush(): Promise<void> {
    // Half a look early, or a look that is a moment early would leave it to the next.
    this.#flushAt = performance.now() + this.flushMs - Math.min(this.flushMs, LOOK_MS) / 2
    this.#keepDay()
    this.#close()
    // Whoever asks while one is under way waits for the next, which takes what all of them have brought.
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined
      this.#writing = this.#write()
      return this.#writing
    })
    return this.#next
  }

  /** The last flush, patient with a store that is away; nothing is counted afterwards. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const deadline = performance.now() + STOP_PATIENCE_MS
    await this.flush()
    while (this.#batches.size > 0 && performance.now() < deadline) {
      await sleep(200)
      await this.flush()
    }
    if (this.#batches.size > 0) this.log.error({ batches: this.#batches.size }, 'counts lost: the store is away')
  }

  #keepDay(): void {
    const now = this.now()
    if (now >= this.#dayEnds || now < this.#dayBegins) this.#turnTo(now)
  }

  #touch(counter: Counter): void {
    if (counter.views === 0 && counter.openAllClicks === 0) this.#touched.push(counter)
  }

  /** Closes the counts of the day that was and begins the one that a time is in, under its own salt. */
  #turnTo(now: number): void {
    this.#close()
    this.#day = dayOf(now)
    this.#dayBegins = startOfDay(now)
    this.#dayEnds = this.#dayBegins + DAY_MS
    this.#viewers.begin(this.#salts.get(this.#day) ?? null)
    this.#endDaysAt = now + DAY_ENDS_AFTER_MS
  }

  /** Hands what has been counted to the batches. */
  #close(): void {
    const counted = this.#touched
    if (counted.length > 0) this.#touched = []
    if (!this.#batches.add(this.#day, counted, this.#viewers.take())) this.#viewers.forget()
    for (const counter of counted) counter.views = counter.openAllClicks = 0
  }

  async #write(): Promise<void> {
    await this.#readSalts()
    const isWritten = await this.#batches.write()
    // While the store was away, it was so for other processes: they have counts of the day to write as well.
    if (!isWritten) this.#endDaysAt = Math.max(this.#endDaysAt, this.now() + DAY_ENDS_AFTER_MS)
    else if (this.now() >= this.#endDaysAt) await this.#endDays()
  }

  async #readSalts(): Promise<void> {
    const isNearMidnight = this.#dayEnds - this.now() <= SALT_AHEAD_MS
    const missing = [this.#day, ...(isNearMidnight ? [dayOf(this.#dayEnds)] : [])].filter((d) => !this.#salts.has(d))
    if (missing.length === 0) return
    try {
      for (const day of missing) this.#salts.set(day, await saltOf(this.store, day))
    } catch (error) {
      this.log.warn({ err: error }, 'the salt of the day cannot be read; its viewers wait for it')
    }
    const salt = this.#salts.get(this.#day)
    if (salt !== undefined) this.#viewers.setSalt(salt)
    this.#close()
  }

  async #endDays(): Promise<void> {
    const today = this.#day
    for (const day of this.#salts.keys()) if (day < today) this.#salts.delete(day)
    try {
      const isGone = await endDaysBefore(this.store, today)
      if (isGone && today === this.#day) this.#endDaysAt = Number.POSITIVE_INFINITY
    } catch (error) {
      this.log.warn({ err: error }, 'an earlier day could not be ended; it is tried again')
    }
  }
}
