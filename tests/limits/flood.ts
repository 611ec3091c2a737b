import { MemoryBucket } from '../../src/limits/steps.ts'

// Run by flood.test.ts in its own process, so that it measures nothing else.

const ADDRESSES = 1_000_000
const limit = { name: 'address', max: 30, windowMs: 60_000 }
/** Requests per address, at different times, so that each is remembered separately. */
const requests = Number(process.argv[2])

let state = 1
/** A random address (xorshift, which allocates little). */
function address(): string {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return `${(state >>> 24) & 255}.${(state >>> 16) & 255}.${(state >>> 8) & 255}.${state & 255}`
}

let now = 0
const bucket = new MemoryBucket(() => now)

/** Processor time per lookup in nanoseconds, over a number of addresses. */
function flood(addresses: number): number {
  const from = process.cpuUsage()
  for (let sent = 0; sent < addresses; sent += 1) {
    const key = address()
    for (let again = 0; again < requests; again += 1) {
      bucket.take(limit, key)
      now += 60
    }
    // All addresses send at the same times within the window.
    now -= 60 * requests
  }
  const { user, system } = process.cpuUsage(from)
  return ((user + system) * 1000) / (addresses * requests)
}

/** Resident memory in MB after a garbage collection. */
function resident(): number {
  ;(globalThis as { gc?: () => void }).gc?.()
  if ('Bun' in globalThis) Bun.gc(true)
  return process.memoryUsage().rss / 2 ** 20
}

const before = resident()
const tenths = Array.from({ length: 10 }, () => flood(ADDRESSES / 10))
console.log(JSON.stringify({ grownMb: resident() - before, nanoseconds: tenths }))
