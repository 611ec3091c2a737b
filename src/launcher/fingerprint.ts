/**
 * A 48-bit keyed hash for fixed-size tables: the lower 16 bits are the slot, the upper 32 the tag that distinguishes
 * entries of a slot. Not SHA-256, which would cost more than the rest of a view; a number, because an object per view
 * would be garbage. The random secret prevents chosen collisions; fingerprints never leave the process.
 */
export type Fingerprint = number

const SLOTS = 2 ** 16

/** The upper 32 bits; never zero, which marks an empty entry. */
export const tagOf = (fingerprint: Fingerprint): number => Math.floor(fingerprint / SLOTS)

/** The slot, below 65536. */
export const slotOf = (fingerprint: Fingerprint): number => fingerprint % SLOTS

/** Odd, so that multiplication modulo 2^32 is invertible, and with well-spread bits. */
const FACTOR_A = 0x9e3779b1
const FACTOR_B = 0x85ebca6b
const FACTOR_C = 0xc2b2ae35

const NOTHING_ELSE = [0, 0] as const

/**
 * The fingerprint of a bundle's id and a text.
 * @param secret 32 random bits.
 * @param hash 64-bit hash of anything else to include, as two 32-bit halves.
 */
export function fingerprint(
  secret: number,
  bundleId: number,
  text: string,
  hash: readonly [number, number] = NOTHING_ELSE,
): Fingerprint {
  let one = Math.imul(secret ^ hash[0], FACTOR_A) ^ bundleId
  let other = Math.imul(secret ^ hash[1], FACTOR_B) ^ (bundleId / 2 ** 32)
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, FACTOR_B)
    other = Math.imul(other ^ unit, FACTOR_C)
  }
  one = mix32(one ^ (other >>> 15))
  other = mix32(other ^ one)
  return (one >>> 0 || 1) * SLOTS + (other & (SLOTS - 1))
}

/** Avalanche step: each input bit affects every output bit. */
function mix32(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), FACTOR_A)
  bits = Math.imul(bits ^ (bits >>> 13), FACTOR_B)
  return bits ^ (bits >>> 16)
}
