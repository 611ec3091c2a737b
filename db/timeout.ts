/** Timeout for a remote store’s answers; the driver has none. */
export const REMOTE_TIMEOUT_MS = 2_000

/** The result of `orTimeout` for a promise that took too long. */
export const TIMED_OUT = Symbol('timed out')

/** A timer that is late by more than this fraction of its delay means that the process was busy. */
const BUSY = 0.1

/**
 * The result of a promise, or TIMED_OUT after `ms`. If this process was too busy to send or read in time, the promise gets
 * that much longer, at most another `ms`.
 */
export async function orTimeout<Result>(promise: Promise<Result>, ms: number): Promise<Result | typeof TIMED_OUT> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const due = performance.now() + ms
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => {
      const busyMs = performance.now() - due
      timer = setTimeout(resolve, busyMs > ms * BUSY ? Math.min(busyMs, ms) : 0, TIMED_OUT)
    }, ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The result of a promise.
 * @throws an Error if it takes longer than `ms`.
 */
export async function withTimeout<Result>(promise: Promise<Result>, ms: number): Promise<Result> {
  const result = await orTimeout(promise, ms)
  if (result === TIMED_OUT) throw new Error(`no answer within ${ms} ms`)
  return result
}
