import { randomInt } from 'node:crypto'
import { type Fingerprint, fingerprint, placeOf, tagOf } from './fingerprint.ts'
import type { UserAgent } from './user-agents.ts'

/** Of the 65536 in all; a bucket fills half a line of the processor's cache. */
const BUCKETS = 8_192
const PER_BUCKET = 8

/**
 * Who has come before, of the many that may come: a quarter of a megabyte, whoever comes. A `Set` of as many texts takes
 * twenty times that, and most of what a view costs is waiting for memory. A viewer is 45 bits of a fingerprint of bundle,
 * address and User-Agent, so of 2^29 new ones about one is taken for known. Where a bucket is full, one in it is
 * forgotten: of 30 000 one in a hundred, of 50 000 one in ten.
 */
export class KnownViewers {
  readonly #kept = new Uint32Array(BUCKETS * PER_BUCKET)
  #secret = randomInt(2 ** 32)

  /** What a viewer of a bundle is known by until `clear`. */
  fingerprintOf(bundleId: number, address: string, { hash }: UserAgent): Fingerprint {
    return fingerprint(this.#secret, bundleId, address, hash)
  }

  /** Whether a viewer has come before. */
  has(viewer: Fingerprint): boolean {
    const tag = tagOf(viewer)
    const from = (placeOf(viewer) % BUCKETS) * PER_BUCKET
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      const kept = this.#kept[at]
      if (kept === tag) return true
      if (kept === 0) return false
    }
    return false
  }

  /** Remembers a viewer who is not known yet. */
  add(viewer: Fingerprint): void {
    const tag = tagOf(viewer)
    const place = placeOf(viewer)
    const from = (place % BUCKETS) * PER_BUCKET
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      if (this.#kept[at] === 0) {
        this.#kept[at] = tag
        return
      }
    }
    this.#kept[from + ((place >>> 13) % PER_BUCKET)] = tag
  }

  /** Forgets all of them, and what their fingerprints were made with. */
  clear(): void {
    this.#kept.fill(0)
    this.#secret = randomInt(2 ** 32)
  }
}
