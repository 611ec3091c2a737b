import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { keyedHash, randomBase62 } from '../core/secrets.ts'

// Browsers that have signed in before ("device cookies", OWASP): strangers' guesses must not lock their owner out, and a
// sign-in from any other browser is worth a mail. The cookie gives no right: it only says whose wrong tries are whose.

/** A browser that has signed in to one account. */
export interface Device {
  /** Random: tells its tries from those of others. */
  id: string
  /** Whether the account's address was confirmed by then: only so is the browser surely its owner's. */
  isOwners: boolean
}

type Keys = Pick<Config, 'secret' | 'origin'>

/** Longer than a session: it is after that that a password is typed. Browsers keep no cookie for more than 400 days. */
const MAX_AGE_SECONDS = 400 * 86_400
/** Accounts that one browser remembers; the one signed in to longest ago goes first. */
const MAX_ACCOUNTS = 5
const ENTRY = /^([\w-]{22})\.([0-9A-Za-z]{12})\.([01])\.([\w-]{22})$/
const BETWEEN = '~'

/** `__Host-` makes a browser hold the cookie to this very host, over https. */
function deviceCookieName({ origin }: Keys): string {
  return origin.startsWith('https:') ? '__Host-device' : 'device'
}

/** What this browser is to an account, or null where it has not signed in to it. `email` is taken as typed. */
export function deviceOf(headers: Headers, email: string, keys: Keys): Device | null {
  const account = accountHash(email, keys)
  const entry = entriesIn(headers, keys).find((text) => text.startsWith(account))
  const [, , id = '', flag] = ENTRY.exec(entry ?? '') ?? []
  return id === '' ? null : { id, isOwners: flag === '1' }
}

/** A cookie to be set; better-auth's and our own answers write it alike. */
interface Remembered {
  name: string
  value: string
  attributes: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean; maxAge: number }
}

/** The cookie of a browser that has just signed in: it keeps the other accounts that it had. */
export function rememberedBy(headers: Headers, email: string, isOwners: boolean, keys: Keys): Remembered {
  const known = deviceOf(headers, email, keys)
  const id = known?.isOwners === isOwners ? known.id : randomBase62(12)
  const body = `${accountHash(email, keys)}.${id}.${isOwners ? 1 : 0}`
  return cookieOf([`${body}.${signatureOf(body, keys)}`, ...others(headers, email, keys)], keys)
}

/** The cookie of a browser whose account is gone. */
export function forgottenBy(headers: Headers, email: string, keys: Keys): Remembered {
  return cookieOf(others(headers, email, keys), keys)
}

/** A cookie as a header has it. */
export function cookieLine({ name, value, attributes: { maxAge, secure } }: Remembered): string {
  return `${name}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly;${secure ? ' Secure;' : ''} SameSite=Lax`
}

function cookieOf(entries: readonly string[], keys: Keys): Remembered {
  const value = entries.slice(0, MAX_ACCOUNTS).join(BETWEEN)
  const secure = keys.origin.startsWith('https:')
  const maxAge = value === '' ? 0 : MAX_AGE_SECONDS
  return {
    name: deviceCookieName(keys),
    value,
    attributes: { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge },
  }
}

function others(headers: Headers, email: string, keys: Keys): string[] {
  const account = accountHash(email, keys)
  return entriesIn(headers, keys).filter((entry) => !entry.startsWith(account))
}

/** The entries of a request's cookie that we signed. */
function entriesIn(headers: Headers, keys: Keys): string[] {
  const start = `${deviceCookieName(keys)}=`
  const pair = headers
    .get('cookie')
    ?.split('; ')
    .find((text) => text.startsWith(start))
  if (pair === undefined || pair.length > 512) return []
  return pair
    .slice(start.length)
    .split(BETWEEN)
    .filter((entry) => isOurs(entry, keys))
}

function isOurs(entry: string, keys: Keys): boolean {
  const sent = ENTRY.exec(entry)?.[4]
  if (sent === undefined) return false
  return timingSafeEqual(Buffer.from(sent), Buffer.from(signatureOf(entry.slice(0, -sent.length - 1), keys)))
}

/** 132 bits each: nobody can guess one, nor find two that are the same. */
function accountHash(email: string, { secret }: Keys): string {
  return keyedHash(secret, 'device account', accountOf(email)).slice(0, 22)
}

function signatureOf(body: string, { secret }: Keys): string {
  return keyedHash(secret, 'device', body).slice(0, 22)
}

/** An account by its address, however that was typed. */
export function accountOf(email: string): string {
  return email.trim().toLowerCase()
}
