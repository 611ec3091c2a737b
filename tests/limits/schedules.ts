import type { Limit } from '../../src/limits/rate-limits.ts'

/** The reference for every bucket: a plain list of the times of all requests that passed. */
export class Log {
  readonly #passed: number[] = []

  /** How many requests passed in the last `ms`; a request counts until `ms` after it. */
  within(ms: number, now: number): number {
    return this.#passed.filter((at) => now - at < ms).length
  }

  pass(now: number): void {
    this.#passed.push(now)
  }

  /** When this limit lets the next request through. */
  freeAt({ max, windowMs }: Limit): number {
    return (this.#passed.at(-max) ?? Number.NEGATIVE_INFINITY) + windowMs
  }
}

/** The time until the next request of a schedule: bursts, trickles, and pauses about as long as the window. */
export function gap(random: () => number, windowMs: number): number {
  const kind = random()
  if (kind < 0.4) return 0
  if (kind < 0.7) return (random() * windowMs) / 500
  if (kind < 0.9) return (random() * windowMs) / 5
  return windowMs * (0.9 + random() * 0.3)
}
