/** Timeout for a remote store’s answers; the driver has none. */
export const REMOTE_TIMEOUT_MS = 2_000

/** The result of `within` for a promise that took too long. */
export const LATE = Symbol('late')

/** A timer later than this fraction of its delay means that the process was busy. */
const BUSY = 0.1

/**
 * The result of a promise, or LATE after `ms`. If the process was too busy to send or read, as long again as it was, but at
 * most `ms`.
 */
export async function within<Result>(promise: Promise<Result>, ms: number): Promise<Result | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const due = performance.now() + ms
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => {
      const busyMs = performance.now() - due
      timer = setTimeout(resolve, busyMs > ms * BUSY ? Math.min(busyMs, ms) : 0, LATE)
    }, ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The result of a promise.
 * @throws after `ms`.
 */
export async function inTime<Result>(promise: Promise<Result>, ms: number): Promise<Result> {
  const result = await within(promise, ms)
  if (result === LATE) throw new Error(`no answer within ${ms} ms`)
  return result
}
