/** Of the 131072 in all; a bucket fills one line of the processor's cache. */
const BUCKETS = 16_384
const HASHES_PER_BUCKET = 8

/**
 * Which hashes have come before, of the many that may come: 1 MB, whoever comes. A `Set` of as many texts would take
 * ten, and most of what a view costs is waiting for memory. Of a hash 48 bits are kept, so of 2^31 new ones at most
 * one is taken for known. Where a bucket is full, one of its hashes is forgotten.
 */
export class KnownHashes {
  readonly #kept = new Float64Array(BUCKETS * HASHES_PER_BUCKET)

  /**
   * Remembers a hash.
   * @param bytes a character each (Node's encoding `binary`).
   * @returns whether it was known.
   */
  add(bytes: string): boolean {
    const low = bits24(bytes, 0)
    // Zero stands for "nothing kept".
    const hash = bits24(bytes, 3) * 0x1000000 + low + 1
    const from = (low % BUCKETS) * HASHES_PER_BUCKET
    for (let at = from; at < from + HASHES_PER_BUCKET; at += 1) {
      const kept = this.#kept[at]
      if (kept === hash) return true
      if (kept === 0) {
        this.#kept[at] = hash
        return false
      }
    }
    this.#kept[from + (bytes.charCodeAt(6) % HASHES_PER_BUCKET)] = hash
    return false
  }

  clear(): void {
    this.#kept.fill(0)
  }
}

function bits24(bytes: string, at: number): number {
  return bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8) | (bytes.charCodeAt(at + 2) << 16)
}
