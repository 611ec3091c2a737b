import { randomInt } from 'node:crypto'
import { fingerprint, slotOf, tagOf } from './fingerprint.ts'

/** Distinct viewers of a bundle counted per network and day; further ones count only as views. */
export const MAX_VIEWERS = 64

/** With 8 entries each, 8192 in all. */
const BUCKETS = 1_024
const PER_BUCKET = 8

/**
 * Counts today's viewers per bundle and network, so that a client that changes its User-Agent with every request cannot
 * fill the store. A fixed 40 KB: in a full bucket, a new pair of bundle and network replaces the one with the fewest
 * viewers, whose count then restarts.
 */
export class ViewerQuota {
  readonly #tags = new Uint32Array(BUCKETS * PER_BUCKET)
  readonly #counts = new Uint8Array(BUCKETS * PER_BUCKET)
  #secret = randomInt(2 ** 32)

  /** Counts a viewer. @returns false if the quota is used up. */
  take(bundleId: number, network: string): boolean {
    const pair = fingerprint(this.#secret, bundleId, network)
    const tag = tagOf(pair)
    const from = (slotOf(pair) % BUCKETS) * PER_BUCKET
    let fewest = from
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      if (this.#tags[at] === tag) {
        if (this.#counts[at]! >= MAX_VIEWERS) return false
        this.#counts[at]! += 1
        return true
      }
      if (this.#counts[at]! < this.#counts[fewest]!) fewest = at
    }
    this.#tags[fewest] = tag
    this.#counts[fewest] = 1
    return true
  }

  /** Resets all counts and changes the secret of the fingerprints. */
  clear(): void {
    this.#tags.fill(0)
    this.#counts.fill(0)
    this.#secret = randomInt(2 ** 32)
  }
}
