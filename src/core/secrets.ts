import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto'

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A text of base62 that nobody can guess: `length` × 5.95 bits. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(62)]).join('')
}

/**
 * A keyed hash under the service's secret: what is stored this way can be compared and not read.
 * `purpose` keeps hashes made for one use from being of use in another.
 */
export function keyedHash(secret: string, purpose: string, value: string): string {
  return createHmac('sha256', secret).update(`${purpose}\0${value}`).digest('base64url')
}

/** Encrypts for whoever holds `passphrase` and the service's secret: AES-256-GCM as iv, tag, text. */
export function seal(secret: string, passphrase: string, text: string): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealKey(secret, passphrase), iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** The text that `seal` was given. Throws where either key is another or a byte was changed. */
export function unseal(secret: string, passphrase: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', sealKey(secret, passphrase), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}

function sealKey(secret: string, passphrase: string): Buffer {
  return Buffer.from(hkdfSync('sha256', passphrase, secret, 'openall seal', 32))
}
