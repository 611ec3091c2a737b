import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises'

/** After work longer than this, a short wait is needed. */
const LONG_MS = 2

/**
 * Lets other requests run after work that blocked the event loop. After long work, Deno needs more than one round of its
 * loop to accept the requests that arrived meanwhile.
 * @param since when the work began, by `performance.now()`.
 */
export async function yieldToEventLoop(since: number): Promise<void> {
  await nextRound()
  if (performance.now() - since > LONG_MS) await sleep(0)
}
