import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { keyedHash, randomBase62 } from '../core/secrets.ts'
import { type Cookie, cookieIn, cookieOf, hostCookieName, LONGEST_SECONDS } from './sessions.ts'

// Device cookies (OWASP) mark browsers that have signed in before: strangers’ guesses must not lock the owner out, and a
// sign-in from a new browser causes a mail. The cookie grants nothing; it only attributes failed attempts.

/** A browser that has signed in to one account. */
export interface Device {
  /** Random; failed attempts are counted by it. */
  id: string
  /** Whether the address was verified at that sign-in: only then is the browser surely the owner’s. */
  isOwners: boolean
}

type Keys = Pick<Config, 'secret' | 'origin'>

const COOKIE = 'device'
/** Accounts remembered per browser; the least recently used is dropped first. */
const MAX_ACCOUNTS = 5
const ENTRY = /^([\w-]{22})\.([0-9A-Za-z]{12})\.([01])\.([\w-]{22})$/
const BETWEEN = '~'

/** The entry of this browser for an account, or null if it has never signed in to it. Takes `email` as typed. */
export function deviceOf(headers: Headers, email: string, keys: Keys): Device | null {
  const account = accountHash(email, keys)
  const entry = entriesIn(headers, keys).find((text) => text.startsWith(account))
  const [, , id = '', flag] = ENTRY.exec(entry ?? '') ?? []
  return id === '' ? null : { id, isOwners: flag === '1' }
}

/** The cookie after a sign-in; other accounts of the browser stay in it. */
export function withDevice(headers: Headers, email: string, isOwners: boolean, keys: Keys): Cookie {
  const known = deviceOf(headers, email, keys)
  const id = known?.isOwners === isOwners ? known.id : randomBase62(12)
  const body = `${accountHash(email, keys)}.${id}.${isOwners ? 1 : 0}`
  return deviceCookie([`${body}.${signatureOf(body, keys)}`, ...others(headers, email, keys)], keys)
}

export function forgetDevice(headers: Headers, email: string, keys: Keys): Cookie {
  return deviceCookie(others(headers, email, keys), keys)
}

/** Outlives sessions, since passwords are typed after one has ended. */
function deviceCookie(entries: readonly string[], keys: Keys): Cookie {
  const value = entries.slice(0, MAX_ACCOUNTS).join(BETWEEN)
  return cookieOf(COOKIE, value, value === '' ? 0 : LONGEST_SECONDS, keys)
}

function others(headers: Headers, email: string, keys: Keys): string[] {
  const account = accountHash(email, keys)
  return entriesIn(headers, keys).filter((entry) => !entry.startsWith(account))
}

/** The entries of the request’s cookie whose signature holds. */
function entriesIn(headers: Headers, keys: Keys): string[] {
  const sent = cookieIn(headers, hostCookieName(COOKIE, keys)) ?? ''
  return sent.split(BETWEEN).filter((entry) => isSigned(entry, keys))
}

function isSigned(entry: string, keys: Keys): boolean {
  const sent = ENTRY.exec(entry)?.[4]
  if (sent === undefined) return false
  return timingSafeEqual(Buffer.from(sent), Buffer.from(signatureOf(entry.slice(0, -sent.length - 1), keys)))
}

/** 132 bits each: too many to guess or to collide. */
function accountHash(email: string, { secret }: Keys): string {
  return keyedHash(secret, 'device account', accountOf(email)).slice(0, 22)
}

function signatureOf(body: string, { secret }: Keys): string {
  return keyedHash(secret, 'device', body).slice(0, 22)
}

/** The key of an account in counters and cookies: its address, however typed. */
export function accountOf(email: string): string {
  return email.trim().toLowerCase()
}
