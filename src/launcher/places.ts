import { randomInt } from 'node:crypto'
import { FACTOR_A, FACTOR_B, FACTOR_C, stirred } from './fingerprint.ts'

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
    let one = Math.imul(this.#secret, FACTOR_A) ^ bundleId
    let other = Math.imul(this.#secret, FACTOR_B) ^ (bundleId / 2 ** 32)
    for (let at = 0; at < network.length; at += 1) {
      const unit = network.charCodeAt(at)
      one = Math.imul(one ^ unit, FACTOR_B)
      other = Math.imul(other ^ unit, FACTOR_C)
    }
    one = stirred(one ^ (other >>> 15))
    other = stirred(other ^ one)
    return this.#takeAt(one >>> 0 || 1, ((other >>> 0) % BUCKETS) * PER_BUCKET)
  }

  /** Forgets all of them, and what their prints were made with. */
  clear(): void {
    this.#kept.fill(0)
    this.#taken.fill(0)
    this.#secret = randomInt(2 ** 32)
  }

  /** @param print not zero, which stands for "no pair". */
  #takeAt(print: number, from: number): boolean {
    let fewest = from
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      if (this.#kept[at] === print) {
        if (this.#taken[at]! >= MAX_VIEWERS) return false
        this.#taken[at]! += 1
        return true
      }
      if (this.#taken[at]! < this.#taken[fewest]!) fewest = at
    }
    this.#kept[fewest] = print
    this.#taken[fewest] = 1
    return true
  }
}
