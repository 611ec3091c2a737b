import { randomInt } from 'node:crypto'
import type { Agent } from './agents.ts'
import { FACTOR_A, FACTOR_B, FACTOR_C, stirred } from './fingerprint.ts'

/** Of the 65536 in all; a bucket fills half a line of the processor's cache. */
const BUCKETS = 8_192
const PER_BUCKET = 8

/**
 * Who has come before, of the many that may come: a quarter of a megabyte, whoever comes. A `Set` of as many texts takes
 * twenty times that, and most of what a view costs is waiting for memory. A viewer is 45 bits of a print of bundle,
 * address and User-Agent, so of 2^29 new ones about one is taken for known. Where a bucket is full, one in it is
 * forgotten: of 30 000 one in a hundred, of 50 000 one in ten.
 *
 * The print is no SHA-256, which would cost a view more than all else that is ours. Nobody outside can aim at it, for it
 * begins with a number that nobody is told, and it never leaves this table.
 */
export class KnownViewers {
  readonly #kept = new Uint32Array(BUCKETS * PER_BUCKET)
  #secret = randomInt(2 ** 32)
  /** Of whoever was looked for last and is not known. */
  #print = 1
  #place = 0

  /** Remembers a viewer. @returns whether it was known. */
  add(bundleId: number, address: string, agent: Agent): boolean {
    if (this.knows(bundleId, address, agent)) return true
    this.learn()
    return false
  }

  /** Whether a viewer has come before. */
  knows(bundleId: number, address: string, { prints }: Agent): boolean {
    let one = Math.imul(this.#secret ^ prints[0], FACTOR_A) ^ bundleId
    let other = Math.imul(this.#secret ^ prints[1], FACTOR_B) ^ (bundleId / 2 ** 32)
    for (let at = 0; at < address.length; at += 1) {
      const unit = address.charCodeAt(at)
      one = Math.imul(one ^ unit, FACTOR_B)
      other = Math.imul(other ^ unit, FACTOR_C)
    }
    one = stirred(one ^ (other >>> 15))
    other = stirred(other ^ one)
    return this.#has(one >>> 0 || 1, other >>> 0)
  }

  /** Forgets all of them, and what their prints were made with. */
  clear(): void {
    this.#kept.fill(0)
    this.#secret = randomInt(2 ** 32)
  }

  /** Remembers whom `knows` did not know last. */
  learn(): void {
    const from = (this.#place % BUCKETS) * PER_BUCKET
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      if (this.#kept[at] === 0) {
        this.#kept[at] = this.#print
        return
      }
    }
    this.#kept[from + ((this.#place >>> 13) % PER_BUCKET)] = this.#print
  }

  /** @param print not zero, which stands for "nobody". */
  #has(print: number, place: number): boolean {
    const from = (place % BUCKETS) * PER_BUCKET
    for (let at = from; at < from + PER_BUCKET; at += 1) {
      const kept = this.#kept[at]
      if (kept === print) return true
      if (kept === 0) break
    }
    this.#print = print
    this.#place = place
    return false
  }
}
