import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { SETTINGS } from '../config/settings.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import { DAY_MS } from '../core/time.ts'
import { Batches, type Counter, MAX_WAITING } from './batches.ts'
import { userAgents } from './breakdowns.ts'
import { Details } from './opens.ts'
import { dayOf, endDaysBefore, saltOf, startOfDay } from './salts.ts'
import { Viewers } from './viewers.ts'

declare module '../core/service.ts' {
  interface Service {
    recorder: Recorder
  }
}

/** The parts of the service that breakdowns need. */
type Site = ConstructorParameters<typeof Details>[0]

/** How much `kill -9` may lose by default: at most a second of counts. */
const DEFAULT_FLUSH_MS = Number(SETTINGS.SERVICE_COUNT_FLUSH_MS.fallback)
/** Interval of checks for conditions that cannot wait for the next flush: the end of a day, a recovered store. */
const TICK_MS = 800
/** This many unwritten viewers and counters trigger a flush, so that a long interval loses none. */
const MAX_UNWRITTEN = MAX_WAITING / 4
/** How long `stop` retries while the store is down. */
const STOP_TIMEOUT_MS = 5_000
/** How long before midnight the next day's salt is read, so that viewers need not wait for it. */
const SALT_AHEAD_MS = 300_000
/** Other processes may still write a day's counts this long after midnight. */
const DAY_ENDS_AFTER_MS = 10_000

/**
 * Counts views and clicks in memory and writes them in batches in the background. A count belongs to the UTC day on the
 * clock, and viewers are hashed with that day's salt. If the clock jumps, the day follows it (docs/privacy.md).
 */
export class Recorder {
  #day = ''
  #dayBegins = 0
  #dayEnds = 0
  /** By day: today's and, around midnight, that of the day before or after. */
  readonly #salts = new Map<string, string>()
  /** When the salts and hashes of earlier days are destroyed. */
  #endDaysAt = 0
  /** Counters that are not zero. */
  #touched: Counter[] = []
  readonly #viewers = new Viewers()
  readonly #details: Details
  readonly #batches: Batches
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #flushAt = 0
  readonly #userAgents = userAgents()
  readonly #ticking: Loop

  private constructor(
    readonly store: Store,
    readonly log: Logger,
    readonly now: () => number,
    readonly flushMs: number,
    site: Site,
  ) {
    this.#details = new Details(site)
    this.#batches = new Batches(store, log)
    // A tick waits for no write, so that counts due within a second are queued meanwhile.
    this.#ticking = repeat(Math.min(flushMs, TICK_MS), () => this.#tick(), log, 'counts could not be written')
  }

  /**
   * Reads today's salt and starts the timer.
   * @param now the clock, in milliseconds since 1970.
   * @param flushMs interval of writes; a full buffer or the end of a day triggers one earlier.
   * @param site the service's own referrers, and the header with countries.
   * @throws the store's error if the salt cannot be read.
   */
  static async start(
    store: Store,
    log: Logger,
    now: () => number = Date.now,
    flushMs = DEFAULT_FLUSH_MS,
    site: Site = {},
  ): Promise<Recorder> {
    const today = dayOf(now())
    const salt = await saltOf(store, today)
    const recorder = new Recorder(store, log, now, flushMs, site)
    recorder.#salts.set(today, salt)
    recorder.#startDay(now())
    // Days may have ended while no process ran.
    recorder.#endDaysAt = recorder.#dayBegins + DAY_ENDS_AFTER_MS
    return recorder
  }

  /** Rows queued for writing, without the current counters. */
  get waiting(): number {
    return this.#batches.rows
  }

  /** Number of lost rows. */
  get dropped(): number {
    return this.#batches.dropped
  }

  /** Counts a view, unless by a bot. Takes microseconds and never throws. */
  view(counter: Counter, address: string, headers: Pick<Headers, 'get'>): void {
    const userAgent = this.#userAgents.of(headers.get('user-agent') ?? '')
    if (userAgent.isBot) return
    this.#updateDay()
    this.#touch(counter)
    counter.views += 1
    this.#details.breakdowns.count(counter, userAgent.device, headers)
    this.#viewers.see(counter.bundleId, address, userAgent)
  }

  /** Counts a click on Open all, unless by a bot, whose views are not counted either. */
  openAll(counter: Counter, headers: Pick<Headers, 'get'>): void {
    if (this.#isBot(headers)) return
    this.#updateDay()
    this.#touch(counter)
    counter.openAllClicks += 1
  }

  /**
   * Counts opened links, unless opened by a bot.
   * @param links the bundle's, by URL.
   */
  openTabs(
    bundleId: number,
    links: ReadonlyMap<string, string>,
    urls: readonly string[],
    headers: Pick<Headers, 'get'>,
  ): void {
    if (this.#isBot(headers)) return
    this.#updateDay()
    this.#details.opens.count(bundleId, links, urls)
  }

  #isBot(headers: Pick<Headers, 'get'>): boolean {
    return this.#userAgents.of(headers.get('user-agent') ?? '').isBot
  }

  #tick(): void {
    this.#updateDay()
    const isFull = this.#touched.length + this.#viewers.waiting >= MAX_UNWRITTEN || this.#details.rows >= MAX_UNWRITTEN
    // A day that has ended is written at once, before other processes destroy its hashes (DAY_ENDS_AFTER_MS).
    const cannotWait = this.#batches.size > 0 || isFull || this.now() >= this.#endDaysAt
    if (cannotWait || performance.now() >= this.#flushAt) void this.#flush(this.#details.areDue(MAX_UNWRITTEN))
  }

  /** Writes all counts; resolves when they are stored or queued for a retry. */
  flush(): Promise<void> {
    return this.#flush(true)
  }

  #flush(withDetails: boolean): Promise<void> {
    // Half a tick early, because a tick that fires slightly early would skip it.
    this.#flushAt = performance.now() + this.flushMs - Math.min(this.flushMs, TICK_MS) / 2
    this.#updateDay()
    this.#enqueue()
    if (withDetails) this.#details.queue(this.#batches, this.#day)
    // Concurrent calls share the write after the current one, which includes all their counts.
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined
      this.#writing = this.#write()
      return this.#writing
    })
    return this.#next
  }

  /** Flushes, retrying for a while if the store is down. Counts made afterwards are lost. */
  async stop(): Promise<void> {
    await this.#ticking.stop()
    const deadline = performance.now() + STOP_TIMEOUT_MS
    await this.flush()
    while (this.#batches.size > 0 && performance.now() < deadline) {
      await sleep(200)
      await this.flush()
    }
    if (this.#batches.size > 0) this.log.error({ batches: this.#batches.size }, 'counts lost: the store is unavailable')
  }

  #updateDay(): void {
    const now = this.now()
    if (now >= this.#dayEnds || now < this.#dayBegins) this.#startDay(now)
  }

  #touch(counter: Counter): void {
    if (counter.views === 0 && counter.openAllClicks === 0) this.#touched.push(counter)
  }

  /** Queues the counts of the previous day and starts the day of `now`, with its own salt. */
  #startDay(now: number): void {
    this.#enqueue()
    this.#details.queue(this.#batches, this.#day)
    this.#day = dayOf(now)
    this.#dayBegins = startOfDay(now)
    this.#dayEnds = this.#dayBegins + DAY_MS
    this.#viewers.begin(this.#salts.get(this.#day) ?? null)
    this.#endDaysAt = now + DAY_ENDS_AFTER_MS
  }

  /** Queues the current counts and resets them. */
  #enqueue(): void {
    const counted = this.#touched
    if (counted.length > 0) this.#touched = []
    if (!this.#batches.add(this.#day, counted, this.#viewers.take())) this.#viewers.forget()
    for (const counter of counted) counter.views = counter.openAllClicks = 0
  }

  async #write(): Promise<void> {
    await this.#readSalts()
    const isWritten = await this.#batches.write()
    // Other processes could not reach the store either, and still have counts of the day to write.
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
      this.log.warn({ err: error }, 'could not read the salt of the day; viewers are held in memory')
    }
    const salt = this.#salts.get(this.#day)
    if (salt !== undefined) this.#viewers.setSalt(salt)
    this.#enqueue()
  }

  async #endDays(): Promise<void> {
    const today = this.#day
    for (const day of this.#salts.keys()) if (day < today) this.#salts.delete(day)
    try {
      const isGone = await endDaysBefore(this.store, today)
      if (isGone && today === this.#day) this.#endDaysAt = Number.POSITIVE_INFINITY
    } catch (error) {
      this.log.warn({ err: error }, 'could not end an earlier day; retrying')
    }
  }
}
