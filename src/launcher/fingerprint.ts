/**
 * Who looks at what, in a hash of 48 bits: the upper 32 tell it from others in the same place, the lower 16 are its place
 * in a table. It is no SHA-256, which would cost a view more than all else that is ours, and one number, for an object
 * a view would be garbage to collect. Nobody outside can aim at it, for it begins with a secret, and it never leaves
 * this process.
 */
export type Fingerprint = number

const PLACES = 2 ** 16

/** What tells it from others in the same place; not zero, which stands for nobody. */
export const tagOf = (fingerprint: Fingerprint): number => Math.floor(fingerprint / PLACES)

/** Where it is kept, of at most 65536 places. */
export const placeOf = (fingerprint: Fingerprint): number => fingerprint % PLACES

/** Odd, so that no two numbers have the same product in 32 bits, and with bits all over. */
const FACTOR_A = 0x9e3779b1
const FACTOR_B = 0x85ebca6b
const FACTOR_C = 0xc2b2ae35

const NOTHING_ELSE = [0, 0] as const

/**
 * The fingerprint of a bundle's id and a text.
 * @param secret 32 bits at random.
 * @param hash of what else it is made of, in two times 32 bits.
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
  return (one >>> 0 || 1) * PLACES + (other & (PLACES - 1))
}

/** Lets each bit of a number bear on all of them. */
function mix32(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), FACTOR_A)
  bits = Math.imul(bits ^ (bits >>> 13), FACTOR_B)
  return bits ^ (bits >>> 16)
}
