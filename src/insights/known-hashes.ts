/** Of the 65536 in all; a bucket fills half a line of the processor's cache. */
const BUCKETS = 8_192
const HASHES_PER_BUCKET = 8

/**
 * Which hashes have come before, of the many that may come: a quarter of a megabyte, whoever comes. A `Set` of as many
 * texts takes twenty times that, and most of what a view costs is waiting for memory. Of a hash 45 bits count, so of 2^29
 * new ones about one is taken for known. Where a bucket is full, one of its hashes is forgotten: of 30 000 one in a
 * hundred, of 50 000 one in ten.
 */
export class KnownHashes {
  readonly #kept = new Uint32Array(BUCKETS * HASHES_PER_BUCKET)

  /** Remembers a hash, of 7 bytes or more. @returns whether it was known. */
  add(bytes: Uint8Array): boolean {
    const from = (bits16(bytes, 4) % BUCKETS) * HASHES_PER_BUCKET
    // Zero stands for "nothing kept".
    const hash = bits16(bytes, 0) * 0x10000 + bits16(bytes, 2) || 1
    for (let at = from; at < from + HASHES_PER_BUCKET; at += 1) {
      const kept = this.#kept[at]
      if (kept === hash) return true
      if (kept === 0) {
        this.#kept[at] = hash
        return false
      }
    }
    this.#kept[from + (bytes[6]! % HASHES_PER_BUCKET)] = hash
    return false
  }

  clear(): void {
    this.#kept.fill(0)
  }
}

function bits16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8)
}
