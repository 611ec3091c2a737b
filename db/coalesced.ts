import { setTimeout as sleep } from 'node:timers/promises'

/** Shares runs among callers: each gets a run that began after its call, and runs start at least `everyMs` apart. */
export function coalesced(run: () => Promise<void>, everyMs: number): () => Promise<void> {
  let next: Promise<void> | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  return () => {
    next ??= (async () => {
      await sleep(Math.max(0, startedAt + everyMs - performance.now()))
      startedAt = performance.now()
      next = undefined
      return run()
    })()
    return next
  }
}
