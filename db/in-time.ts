/** How long any answer of a remote store is waited for; the driver has no time-out of its own. */
export const REMOTE_TIMEOUT_MS = 2_000

/** What `within` gives for a promise that took too long. */
export const LATE = Symbol('late')

/** A timer that is late by more than this part of its time says that the process was busy. */
const BUSY = 0.1

/**
 * What a promise comes to, or LATE where it has not come to anything in time. A process that was too busy to send or to read
 * has not waited: then the time begins once more.
 */
export async function within<Result>(promise: Promise<Result>, ms: number): Promise<Result | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const due = performance.now() + ms
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => {
      const wasBusy = performance.now() - due > ms * BUSY
      timer = setTimeout(resolve, wasBusy ? ms : 0, LATE)
    }, ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * What a promise comes to in time.
 * @throws where it has not come to anything by then.
 */
export async function inTime<Result>(promise: Promise<Result>, ms: number): Promise<Result> {
  const result = await within(promise, ms)
  if (result === LATE) throw new Error(`no answer within ${ms} ms`)
  return result
}
