/** How long any answer of a remote store is waited for; the driver has no time-out of its own. */
export const REMOTE_TIMEOUT_MS = 2_000

/** What `within` gives for a promise that took too long. */
export const LATE = Symbol('late')

/** What a promise comes to, or LATE where it has not come to anything in time. */
export async function within<Result>(promise: Promise<Result>, ms: number): Promise<Result | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
