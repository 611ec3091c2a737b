import { setTimeout as sleep } from 'node:timers/promises'

/** What a promise resolves to; undefined if that takes longer than `ms`, or is undefined itself. Rejects as it does. */
export async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  const wait = new AbortController()
  const late = sleep(Math.max(0, ms), undefined, { signal: wait.signal }).catch(() => undefined)
  return await Promise.race([promise, late]).finally(() => wait.abort())
}
