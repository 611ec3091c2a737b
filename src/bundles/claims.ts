import { createHash, randomBytes } from 'node:crypto'

/** 32 random bytes: the right to claim a bundle, told once (decisions 4). */
export function newClaimToken(): string {
  return randomBytes(32).toString('base64url')
}

/** How a token is stored and looked up. The token is random enough that a plain hash cannot be reversed. */
export function hashClaimToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
