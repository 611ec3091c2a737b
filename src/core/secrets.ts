import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto'

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random base62 string: `length` × 5.95 bits. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(62)]).join('')
}

/**
 * A hash keyed with the service’s secret: it can be compared, but not reversed. `purpose` separates uses: a hash for one
 * is worthless for any other.
 */
export function keyedHash(secret: string, purpose: string, value: string): string {
  return createHmac('sha256', secret).update(`${purpose}\0${value}`).digest('base64url')
}

/** Encrypts for holders of both `passphrase` and the service’s secret: AES-256-GCM as iv, tag, ciphertext. */
export function seal(secret: string, passphrase: string, text: string): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealKey(secret, passphrase), iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Decrypts the output of `seal`. Throws if either key is wrong or a byte was changed. */
export function unseal(secret: string, passphrase: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', sealKey(secret, passphrase), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}

function sealKey(secret: string, passphrase: string): Buffer {
  return Buffer.from(hkdfSync('sha256', passphrase, secret, 'openall seal', 32))
}
