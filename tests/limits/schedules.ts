import type { Limit } from '../../src/limits/bucket.ts'

/** Random numbers that are the same on every run for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What every bucket is held to: the times of all requests that passed, and nothing cleverer. */
export class Log {
  readonly #passed: number[] = []

  /** How many requests passed in the `ms` up to `now`; a request counts until that long after it. */
  within(ms: number, now: number): number {
    return this.#passed.filter((at) => now - at < ms).length
  }

  pass(now: number): void {
    this.#passed.push(now)
  }

  /** When an exact log with this limit would let the next request through. */
  freeAt({ max, windowMs }: Limit): number {
    return (this.#passed.at(-max) ?? Number.NEGATIVE_INFINITY) + windowMs
  }
}

/** How long before the next request of a schedule: bursts, trickles, and sleeps about as long as the window. */
export function gap(random: () => number, windowMs: number): number {
  const kind = random()
  if (kind < 0.4) return 0
  if (kind < 0.7) return (random() * windowMs) / 500
  if (kind < 0.9) return (random() * windowMs) / 5
  return windowMs * (0.9 + random() * 0.3)
}
