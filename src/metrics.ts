import prom from 'prom-client'
import type { Launchers } from './launcher/launchers.ts'
import type { Recorder } from './launcher/recorder.ts'
import type { RouteClass, Tally } from './tally.ts'

/** What is told of, beside the tally. */
interface Sources {
  tally: Tally
  launchers: Pick<Launchers, 'loads'>
  recorder: Pick<Recorder, 'waiting' | 'dropped'>
  store: { readonly failures: number }
}

/** Seconds; a launcher that is read takes a millisecond, an answer of a store that is away two seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/**
 * The metrics of this process for Prometheus. Load this module lazily: it takes 17 MB. Counts are kept as plain numbers
 * where they arise and are read here when somebody asks; only durations are told as they come.
 */
export function openMetrics({ tally, launchers, recorder, store }: Sources): prom.Registry {
  const registry = new prom.Registry()
  const registers = [registry]
  prom.collectDefaultMetrics({ register: registry })
  const counter = (name: string, help: string, read: () => number) =>
    new prom.Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  new prom.Counter({
    name: 'openall_requests_total',
    help: 'Answers by kind of route and status.',
    labelNames: ['route', 'status'],
    registers,
    collect() {
      this.reset()
      for (const [route, byStatus] of tally.answers)
        for (const [status, count] of byStatus) this.inc({ route, status }, count)
      if (tally.keptLaunchers > 0) this.inc({ route: 'launcher', status: 200 }, tally.keptLaunchers)
    },
  })
  new prom.Counter({
    name: 'openall_launcher_cache_total',
    help: 'Launchers answered from memory (hit) and read from the store (miss).',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      this.inc({ result: 'hit' }, tally.keptLaunchers)
      this.inc({ result: 'miss' }, launchers.loads)
    },
  })
  new prom.Counter({
    name: 'openall_rate_limited_total',
    help: 'Requests refused by a limit.',
    labelNames: ['limit'],
    registers,
    collect() {
      this.reset()
      for (const [limit, count] of tally.limited) this.inc({ limit }, count)
    },
  })
  new prom.Gauge({
    name: 'openall_recorder_queue_rows',
    help: 'Counts that wait to be written.',
    registers,
    collect() {
      this.set(recorder.waiting)
    },
  })
  counter('openall_recorder_dropped_rows_total', 'Counts that were dropped.', () => recorder.dropped)
  counter('openall_store_errors_total', 'Queries that the store failed.', () => store.failures)
  tally.time = timer(registry)
  return registry
}

function timer(registry: prom.Registry): NonNullable<Tally['time']> {
  const durations = new prom.Histogram({
    name: 'openall_request_duration_seconds',
    help: 'How long answers took, save for launchers from memory.',
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
