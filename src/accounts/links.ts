import type { AuthContext } from 'better-auth'
import { sha256 } from '../core/hash.ts'

// Pages behind mailed links do nothing until a button is pressed, because mail scanners, previews and prefetches follow
// links too. This file has their paths, and looks up the tokens.

/** The part of better-auth that these need. Not `startAuth`'s own type: auth.ts imports this file. */
interface Auth {
  $context: Promise<Pick<AuthContext, 'internalAdapter' | 'secret'>>
}

/**
 * The path to continue at. Only one of this service, so that mailed links cannot be open redirects, and only characters
 * that a header can hold.
 */
export function localPath(next: string | null): string {
  return next !== null && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,4000}$/.test(next) ? next : '/dashboard'
}

/** The page that sets a password. */
export function passwordPath(token: string): string {
  return `/password/${token}`
}

/** The identifier that a sign-in link is stored under: hashed, like better-auth’s `storeToken: 'hashed'`. */
export function magicLinkIdentifier(token: string): string {
  return `magic-link:${sha256(token).toString('base64url')}`
}

/** The identifier that a password link is stored under: hashed, like better-auth’s `storeIdentifier: 'hashed'`. */
export function passwordLinkIdentifier(token: string): string {
  return sha256(`reset-password:${token}`).toString('base64url')
}

/** The address of a stored sign-in link; null if there is none or it has expired. */
export function emailIn(stored: { value: string; expiresAt: Date } | null): string | null {
  if (stored === null || stored.expiresAt < new Date()) return null
  try {
    const { email } = JSON.parse(stored.value)
    return typeof email === 'string' ? email : null
  } catch {
    return null
  }
}

/** The address of a sign-in link; null if it was used, has expired or never existed. */
export async function magicLinkEmail(auth: Auth, token: string): Promise<string | null> {
  const { internalAdapter } = await auth.$context
  return emailIn((await internalAdapter.findVerificationValue(magicLinkIdentifier(token))) ?? null)
}

/** The address of a password link; null if it was used, has expired or never existed. */
export async function passwordLinkEmail(auth: Auth, token: string): Promise<string | null> {
  const { internalAdapter } = await auth.$context
  const stored = await internalAdapter.findVerificationValue(`reset-password:${token}`)
  if (!stored || stored.expiresAt < new Date()) return null
  return (await internalAdapter.findUserById(stored.value))?.email ?? null
}

/**
 * The account of a confirmation link; null if it has expired, never existed, or the account is gone, even if a later one
 * has its address.
 */
export async function confirmationFor(auth: Auth, token: string) {
  const { internalAdapter, secret } = await auth.$context
  const { verifyJWT } = await import('better-auth/crypto')
  const { email, userId, updateTo } = (await verifyJWT<Record<string, unknown>>(token, secret)) ?? {}
  if (typeof email !== 'string' || updateTo !== undefined) return null
  // Found by the address, because that is what the link proves. Links of before better-auth 1.7.25 name no account.
  const { user } = (await internalAdapter.findUserByEmail(email)) ?? {}
  if (user === undefined || (userId !== undefined && userId !== user.id)) return null
  return { id: user.id, email: user.email, isProven: user.emailVerified }
}
