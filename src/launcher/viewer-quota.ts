import { randomInt } from 'node:crypto'
import { fingerprint, slotOf, tagOf } from './fingerprint.ts'

/** Viewers of a bundle that are counted one by one per network and day; then one in two of as many codes, one in four, and so on. */
export const EXACT_VIEWERS = 512
/** One in 2^24, of which a network would need billions. */
const MAX_HALVINGS = 24

/** With 8 entries each, 8192 in all. */
const BUCKETS = 1_024
const PER_BUCKET = 8

/**
 * Samples today's viewers per bundle and network, so that a client that changes its User-Agent with every request cannot
 * fill the store, while the viewers of an office are still counted. Of what it takes, every `EXACT_VIEWERS` halve the share
 * of further viewers that it takes, each of whom stands for twice as many. A viewer's hash decides, so every process takes
 * the same ones, and whoever was left out once is left out for good.
 *
 * A fixed 48 KB: in a full bucket, a new pair of bundle and network replaces the one with the fewest viewers, whose count
 * then restarts.
 */
export class ViewerQuota {
  readonly #tags = new Uint32Array(BUCKETS * PER_BUCKET)
  readonly #counts = new Uint16Array(BUCKETS * PER_BUCKET)
  #secret = randomInt(2 ** 32)

  /**
   * Takes a viewer, or leaves them out.
   * @param draw 32 bits of the viewer's hash.
   * @returns how many viewers this one stands for; 0 if they are left out.
   */
  take(bundleId: number, network: string, draw: number): number {
    const pair = fingerprint(this.#secret, bundleId, network)
    const tag = tagOf(pair)
    const from = (slotOf(pair) % BUCKETS) * PER_BUCKET
    let fewest = from
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      if (this.#tags[at] === tag) {
        const halvings = Math.floor(this.#counts[at]! / EXACT_VIEWERS)
        const share = 2 ** halvings
        if (halvings > MAX_HALVINGS || draw % share !== 0) return 0
        this.#counts[at]! += 1
        return share
      }
      if (this.#counts[at]! < this.#counts[fewest]!) fewest = at
    }
    this.#tags[fewest] = tag
    this.#counts[fewest] = 1
    return 1
  }

  /** Resets all counts and changes the secret of the fingerprints. */
  clear(): void {
    this.#tags.fill(0)
    this.#counts.fill(0)
    this.#secret = randomInt(2 ** 32)
  }
}
