import { randomInt } from 'node:crypto'
import { type Fingerprint, fingerprint, slotOf, tagOf } from './fingerprint.ts'
import type { UserAgent } from './user-agents.ts'

/** With 8 entries each, 65536 in all; a bucket fills half a cache line. */
const BUCKETS = 8_192
const PER_BUCKET = 8

/**
 * The viewers seen today, in a fixed 256 KiB. A `Set` of strings would take twenty times as much, and memory latency is
 * most of a view's cost. Keeps 45 bits of each fingerprint of bundle, address and User-Agent, so about one new viewer in
 * 2^29 is taken for a known one. A full bucket forgets an entry: one of a hundred viewers at 30 000, one of ten at
 * 50 000.
 */
export class KnownViewers {
  readonly #tags = new Uint32Array(BUCKETS * PER_BUCKET)
  #secret = randomInt(2 ** 32)

  /** Identifies a viewer of a bundle until `clear`. */
  fingerprintOf(bundleId: number, address: string, { hash }: UserAgent): Fingerprint {
    return fingerprint(this.#secret, bundleId, address, hash)
  }

  /** Whether a viewer was added. */
  has(viewer: Fingerprint): boolean {
    const tag = tagOf(viewer)
    const from = (slotOf(viewer) % BUCKETS) * PER_BUCKET
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      const entry = this.#tags[at]
      if (entry === tag) return true
      if (entry === 0) return false
    }
    return false
  }

  /** Adds a viewer who is not known yet. */
  add(viewer: Fingerprint): void {
    const tag = tagOf(viewer)
    const slot = slotOf(viewer)
    const from = (slot % BUCKETS) * PER_BUCKET
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      if (this.#tags[at] === 0) {
        this.#tags[at] = tag
        return
      }
    }
    this.#tags[from + ((slot >>> 13) % PER_BUCKET)] = tag
  }

  /** Forgets all viewers and changes the secret of their fingerprints. */
  clear(): void {
    this.#tags.fill(0)
    this.#secret = randomInt(2 ** 32)
  }
}
