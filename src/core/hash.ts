import { createHash } from 'node:crypto'

/** The SHA-256 of a text: how secrets that we made, and thus nobody can guess, are stored and looked up. */
export function sha256(text: string | Uint8Array): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A short name for a text or for bytes, that no others have: 132 bits of its SHA-256, as 22 characters of base64url. */
export function fingerprint(text: string | Uint8Array): string {
  return sha256(text).toString('base64url').slice(0, 22)
}
