import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import prom from 'prom-client'
import type { Store } from '../../db/client.ts'
import type { RouteClass, Tally } from '../http/request.ts'
import type { Launchers } from '../launcher/launchers.ts'
import type { Recorder } from '../launcher/recorder.ts'
import type { RedisBucket } from '../limits/redis.ts'
import type { MailOutbox } from '../mail/outbox.ts'
import type { Sweeper } from '../retention/sweep.ts'
import type { Backups } from './backups.ts'
import { commitOfBuild, VERSION } from './built.ts'
import type { Unexpected } from './expected.ts'

/** The sources of the metrics. */
interface Sources {
  tally: Tally
  launchers: Pick<Launchers, 'loads'>
  recorder: Pick<Recorder, 'waiting' | 'dropped'>
  store: Pick<Store, 'failures' | 'writesFailSince'>
  /** Null for a server, which reports its own size. */
  storeFile: string | null
  sweeper: Pick<Sweeper, 'statuses' | 'failures' | 'finishedAt'>
  outbox: { readonly delivered: number; readonly failed: number; readonly disabled: number; readonly overdue: number }
  /** Null if there is no mail server. */
  mails: Pick<MailOutbox, 'results' | 'waiting' | 'oldestAt'> | null
  /** Null if no backups are scheduled. */
  backups: Pick<Backups, 'madeAt' | 'plan' | 'failures' | 'failedAt' | 'stranger'> | null
  /** Null if limits are counted in memory. */
  redis: Pick<RedisBucket, 'isUp' | 'failures'> | null
  expected: { readonly createdAt: number; unexpected(): Unexpected[] }
}

/** In seconds: reading a launcher takes one millisecond, and the answer of an unreachable store two seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
/** Interval of measurements of the event loop. */
const TICK_MS = 100
/** A file’s largest group is 64. */
const GROUP_BUCKETS = [1, 2, 4, 8, 16, 32, 64]

/**
 * The metrics of this process for Prometheus. Load this module on demand: it takes 17 MB. Counts are plain numbers,
 * kept where they arise and read on request; only durations are observed as they occur.
 */
export function openMetrics(sources: Sources): prom.Registry {
  const { tally, launchers, recorder, sweeper, redis } = sources
  const registry = new prom.Registry()
  prom.collectDefaultMetrics({ register: registry })
  const { counter, gauge } = instruments(registry)
  const build = { version: VERSION, commit: commitOfBuild(), runtime: navigator.userAgent }
  gauge('openall_build_info', 'Always 1; labels have the version, commit and runtime.', Object.keys(build), (set) =>
    set(1, build),
  )
  watchEventLoop(registry)
  counter('openall_requests_total', 'Answers by kind of route and status.', ['route', 'status'], (add) => {
    for (const [route, byStatus] of tally.answers) for (const [status, count] of byStatus) add(count, { route, status })
    if (tally.cachedLaunchers > 0) add(tally.cachedLaunchers, { route: 'launcher', status: 200 })
  })
  counter(
    'openall_launcher_cache_total',
    'Launchers answered from memory (hit) and read from the store (miss).',
    ['result'],
    (add) => {
      add(tally.cachedLaunchers, { result: 'hit' })
      add(launchers.loads, { result: 'miss' })
    },
  )
  counter('openall_rate_limited_total', 'Requests refused by a limit.', ['limit'], (add) => {
    for (const [limit, count] of tally.limited) add(count, { limit })
  })
  gauge('openall_recorder_queue_rows', 'Counts waiting to be written.', [], (set) => set(recorder.waiting))
  counter('openall_recorder_dropped_rows_total', 'Counts dropped without being written.', [], (add) =>
    add(recorder.dropped),
  )
  if (redis !== null) {
    gauge('openall_redis_up', 'Whether Redis answers within a quarter of a second: 1 or 0.', [], async (set) =>
      set(Number(await redis.isUp())),
    )
    counter('openall_redis_errors_total', 'Requests that Redis did not answer.', [], (add) => add(redis.failures))
  }
  if (sources.backups !== null) addBackupMetrics(sources.backups, registry)
  addStoreMetrics(sources, registry)
  addExpectedMetrics(sources, registry)
  addSweepMetrics(sweeper, registry)
  addWebhookMetrics(sources.outbox, registry)
  if (sources.mails !== null) addMailMetrics(sources.mails, registry)
  tally.time = timer(registry)
  return registry
}

/**
 * Measures the delay of the event loop. The runtimes' own monitors differ: Deno's counts a loop that was blocked for 150 ms as
 * microseconds. Uses a bare timer, because its lateness is the measurement.
 */
function watchEventLoop(registry: prom.Registry): void {
  const lag = new prom.Histogram({
    name: 'openall_event_loop_lag_seconds',
    help: 'How late a timer of a tenth of a second came: everything else of the process waits as long.',
    buckets: BUCKETS,
    registers: [registry],
  })
  let before = performance.now()
  setInterval(() => {
    const now = performance.now()
    lag.observe(Math.max(0, now - before - TICK_MS) / 1000)
    before = now
  }, TICK_MS).unref()
}

/** Metrics whose values are read at each scrape. */
function instruments(registry: prom.Registry) {
  type Report = (value: number, labels?: Record<string, string | number>) => void
  type Read = (report: Report) => void | Promise<void>
  const registers = [registry]
  return {
    counter: (name: string, help: string, labelNames: readonly string[], read: Read) =>
      new prom.Counter({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset()
          return read((value, labels = {}) => this.inc(labels, value))
        },
      }),
    gauge: (name: string, help: string, labelNames: readonly string[], read: Read) =>
      new prom.Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          return read((value, labels = {}) => this.set(labels, value))
        },
      }),
  }
}

function secondsSince(time: number): number {
  return Math.max(0, Date.now() - time) / 1000
}

/** Failures, commit durations and, for a file, its size. */
function addStoreMetrics({ tally, store, storeFile }: Sources, registry: prom.Registry): void {
  const { counter, gauge } = instruments(registry)
  counter('openall_store_errors_total', 'Failed store queries.', [], (add) => add(store.failures))
  gauge(
    'openall_store_writes_failing_seconds',
    'How long the store has not answered a write; 0 if it answered the last one.',
    [],
    (set) => set(store.writesFailSince === null ? 0 : secondsSince(store.writesFailSince)),
  )
  const registers = [registry]
  const seconds = new prom.Histogram({
    name: 'openall_store_commit_seconds',
    help: 'Duration of edits’ transactions until they were durable.',
    buckets: BUCKETS,
    registers,
  })
  const group = new prom.Histogram({
    name: 'openall_store_commit_writes',
    help: 'Writes that shared one transaction.',
    buckets: GROUP_BUCKETS,
    registers,
  })
  tally.commit = (took, writes) => {
    seconds.observe(took)
    group.observe(writes)
  }
  if (storeFile === null) return
  gauge('openall_store_bytes', 'Size of the database file and its write-ahead log, by part.', ['part'], async (set) => {
    const sizeOf = (path: string) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      )
    set(await sizeOf(storeFile), { part: 'file' })
    set(await sizeOf(`${storeFile}-wal`), { part: 'log' })
  })
  const disk = () => statfs(dirname(storeFile))
  gauge('openall_disk_free_bytes', 'Free space on the database’s disk for the service.', [], async (set) => {
    const { bavail, bsize } = await disk()
    set(bavail * bsize)
  })
  gauge('openall_disk_size_bytes', 'Size of the database’s disk.', [], async (set) => {
    const { blocks, bsize } = await disk()
    set(blocks * bsize)
  })
}

/** Adds the database's creation time, and whether parts are unexpectedly new. */
function addExpectedMetrics({ expected, backups }: Sources, registry: prom.Registry): void {
  const { gauge } = instruments(registry)
  gauge('openall_database_created_timestamp_seconds', 'When the database was made, restored or not.', [], (set) =>
    set(expected.createdAt / 1000),
  )
  gauge(
    'openall_unexpected',
    'Whether the database, its secret or its folder of backups says that there was another database before: 1 or 0.',
    ['what'],
    (set) => {
      const found = expected.unexpected().map(({ what }) => what)
      for (const what of ['database', 'secret'] as const) set(Number(found.includes(what)), { what })
      if (backups !== null) set(Number(backups.stranger !== null), { what: 'backups' })
    },
  )
}

function addBackupMetrics(backups: NonNullable<Sources['backups']>, registry: prom.Registry): void {
  const { counter, gauge } = instruments(registry)
  gauge('openall_backup_age_seconds', 'Time since any process made the newest backup.', [], (set) =>
    set(secondsSince(backups.madeAt)),
  )
  gauge('openall_backup_interval_seconds', 'Scheduled interval of backups.', [], (set) =>
    set(backups.plan.everyMs / 1000),
  )
  counter('openall_backup_failures_total', 'Failed backups of this process.', [], (add) => add(backups.failures))
  gauge(
    'openall_backup_last_failure_timestamp_seconds',
    'When a backup of this process last failed; 0 if never.',
    [],
    (set) => set((backups.failedAt ?? 0) / 1000),
  )
}

/** Ages are computed at each scrape, so that they grow even if the sweep is stuck. */
function addSweepMetrics(sweeper: Sources['sweeper'], registry: prom.Registry): void {
  const { statuses } = sweeper
  const { counter, gauge } = instruments(registry)
  gauge('openall_sweep_age_seconds', 'Time since the sweep last erased everything due.', [], (set) =>
    set(secondsSince(sweeper.finishedAt)),
  )
  counter('openall_sweep_failures_total', 'Failed attempts to erase expired rows.', [], (add) => add(sweeper.failures))
  gauge('openall_sweep_overdue_seconds', 'How long the oldest row found is overdue.', ['what'], (set) => {
    for (const [what, { dueAt }] of statuses) set(dueAt === null ? 0 : secondsSince(dueAt), { what })
  })
  gauge('openall_sweep_backlog_rows', 'Overdue rows when last counted, at most 10 000.', ['what'], (set) => {
    for (const [what, { backlog }] of statuses) set(backlog, { what })
  })
}

function addWebhookMetrics(outbox: Sources['outbox'], registry: prom.Registry): void {
  const { counter, gauge } = instruments(registry)
  counter('openall_webhook_attempts_total', 'Webhooks sent, by whether the receiver took them.', ['result'], (add) => {
    add(outbox.delivered, { result: 'delivered' })
    add(outbox.failed, { result: 'failed' })
  })
  counter('openall_webhooks_disabled_total', 'Webhooks disabled after the last retry.', [], (add) =>
    add(outbox.disabled),
  )
  gauge('openall_webhook_overdue', 'Webhooks that should have been sent by now, at most 10 000.', [], (set) =>
    set(outbox.overdue),
  )
}

function addMailMetrics(mails: NonNullable<Sources['mails']>, registry: prom.Registry): void {
  const { counter, gauge } = instruments(registry)
  counter(
    'openall_mails_total',
    'Attempts at mails, by result: sent, retried (tried again later), refused (by the mail server, for good) or lost (given up).',
    ['result'],
    (add) => {
      for (const [result, count] of Object.entries(mails.results)) add(count, { result })
    },
  )
  gauge('openall_mails_waiting', 'Mails that the mail server has not taken yet.', [], (set) => set(mails.waiting))
  gauge('openall_mails_oldest_seconds', 'How long the oldest of them has waited; 0 if there is none.', [], (set) =>
    set(mails.oldestAt === null ? 0 : secondsSince(mails.oldestAt)),
  )
}

function timer(registry: prom.Registry): NonNullable<Tally['time']> {
  const durations = new prom.Histogram({
    name: 'openall_request_duration_seconds',
    help: 'Duration of answers, except cached launchers.',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers: [registry],
  })
  const byRoute = new Map<RouteClass, prom.Histogram.Internal<'route'>>()
  return (route, seconds) => {
    let duration = byRoute.get(route)
    if (duration === undefined) byRoute.set(route, (duration = durations.labels(route)))
    duration.observe(seconds)
  }
}
