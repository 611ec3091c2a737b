import { randomInt } from 'node:crypto'
import { fingerprint, placeOf, tagOf } from './fingerprint.ts'

/** Viewers that one network may have of one bundle in a day; who comes beyond counts as a view alone. */
export const MAX_VIEWERS = 64

/** Of 8192 in all. */
const BUCKETS = 1_024
const PER_BUCKET = 8

/**
 * How many viewers of each bundle have come from each network today, so that nobody who gives a new name with every
 * request fills the store with viewers. It takes 40 KB, whoever comes: where a bucket is full, a new pair of bundle and
 * network takes the place of the one with the fewest viewers, which may then have as many anew.
 */
export class Places {
  readonly #kept = new Uint32Array(BUCKETS * PER_BUCKET)
  readonly #taken = new Uint8Array(BUCKETS * PER_BUCKET)
  #secret = randomInt(2 ** 32)

  /** Counts one more viewer. @returns false, and counts nobody, where there are as many as may be. */
  take(bundleId: number, network: string): boolean {
    const pair = fingerprint(this.#secret, bundleId, network)
    const tag = tagOf(pair)
    const from = (placeOf(pair) % BUCKETS) * PER_BUCKET
    let fewest = from
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      if (this.#kept[at] === tag) {
        if (this.#taken[at]! >= MAX_VIEWERS) return false
        this.#taken[at]! += 1
        return true
      }
      if (this.#taken[at]! < this.#taken[fewest]!) fewest = at
    }
    this.#kept[fewest] = tag
    this.#taken[fewest] = 1
    return true
  }

  /** Forgets all of them, and what their fingerprints were made with. */
  clear(): void {
    this.#kept.fill(0)
    this.#taken.fill(0)
    this.#secret = randomInt(2 ** 32)
  }
}
