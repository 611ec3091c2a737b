// What prints of viewers are made with: no SHA-256, which would cost a view more than all else that is ours.

/** Odd, so that no two numbers have the same product in 32 bits, and with bits all over. */
export const FACTOR_A = 0x9e3779b1
export const FACTOR_B = 0x85ebca6b
export const FACTOR_C = 0xc2b2ae35

/** Lets each bit of a number bear on all of them. */
export function stirred(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), FACTOR_A)
  bits = Math.imul(bits ^ (bits >>> 13), FACTOR_B)
  return bits ^ (bits >>> 16)
}
