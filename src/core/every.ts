import type { Logger } from 'pino'

/** Longest wait after a failure. */
const RETRY_MS = 10_000

/** Work that is repeated. */
export interface Loop {
  /** Begins the next run within `ms`, or if one is under way by then, right after it. Costs next to nothing. */
  runWithin(ms: number): void
  /** Begins no further run. Resolves when the one under way has ended. */
  stop(): Promise<void>
}

/**
 * Repeats work in the background, one run at a time, without keeping the process alive. An error ends nothing: the work is
 * tried again after `ms`, or ten seconds if that is sooner, and not before.
 * @param ms from the end of a run to the next, and until the first.
 * @param failure what the log says of the first error in a row.
 */
export function every(ms: number, run: () => unknown, log: Pick<Logger, 'warn'>, failure: string): Loop {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let underWay: Promise<void> | undefined
  let hasFailed = false
  /** After a failure, the time of the next try. */
  let retryAt = 0
  let isStopped = false

  const runWithin = (wait: number) => {
    const at = Math.max(performance.now() + wait, retryAt)
    if (at >= dueAt || isStopped) return
    dueAt = at
    if (underWay === undefined) setTimer()
  }
  const setTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(begin, Math.max(dueAt - performance.now(), 0))
    timer.unref()
  }
  const begin = () => {
    dueAt = Number.POSITIVE_INFINITY
    underWay = once().then((wait) => {
      underWay = undefined
      if (isStopped) return
      const next = performance.now() + wait
      retryAt = hasFailed ? next : 0
      dueAt = hasFailed ? next : Math.min(dueAt, next)
      setTimer()
    })
  }
  const once = async () => {
    try {
      await run()
      hasFailed = false
      return ms
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, failure)
      hasFailed = true
      return Math.min(ms, RETRY_MS)
    }
  }

  runWithin(ms)
  return {
    runWithin,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}
