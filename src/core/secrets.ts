import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto'

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

/** Encrypts for those who have both `passphrase` and the service’s secret. AES-256-GCM: iv, tag, ciphertext. */
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

/** The SHA-256 of a text, by which the service's own unguessable secrets are stored and looked up. */
export function sha256(text: string | Uint8Array): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A short unique name for a text or for bytes: 132 bits of its SHA-256, as 22 characters of base64url. */
export function fingerprint(text: string | Uint8Array): string {
  return sha256(text).toString('base64url').slice(0, 22)
}
