import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { and, eq, isNotNull } from 'drizzle-orm'
import pLimit from 'p-limit'
import type { Store } from '../../db/client.ts'
import { account, user } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { count } from '../core/words.ts'
import { plainPassword } from './password-rules.ts'

const scryptOf = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** OWASP's scrypt setting for 16 MiB a hash. */
const COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 5, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 64
/** Two at a time: a hash takes a core for a moment, and the launchers need the others. */
const AT_ONCE = 2
const inTurn = pLimit(AT_ONCE)
const MAX_WAITING = 50
/** Of these at most so many may be one network's, so that a flood from there leaves room for everybody else. */
const MAX_WAITING_OF_ONE = 20

/** Hashes of requests that were let in, whether or not they have come to their hash yet: of all, and by network. */
let expected = 0
const expectedOf = new Map<string, number>()
/** What a hash takes lately; where none was made, a guess. */
let hashMs = 100

/**
 * Runs what will make so many hashes. They are counted from the start: requests that come together would all
 * find the queue short, and stand in it a moment later.
 * @param network the client's: see `widerNetwork`.
 * @throws Problem RATE_LIMITED where too many wait; once the time it tells has passed the queue is done.
 */
export async function amongHashers<T>(network: string, hashes: number, run: () => Promise<T>): Promise<T> {
  const own = expectedOf.get(network) ?? 0
  if (expected + hashes > MAX_WAITING || own + hashes > MAX_WAITING_OF_ONE) {
    const seconds = Math.max(1, Math.ceil((expected * hashMs) / AT_ONCE / 1000))
    throw new Problem('RATE_LIMITED', `Many people are signing in. Try again in ${count(seconds, 'second')}.`, {
      retryAfterSeconds: seconds,
    })
  }
  expect(network, hashes)
  try {
    return await run()
  } finally {
    expect(network, -hashes)
  }
}

function expect(network: string, hashes: number): void {
  expected += hashes
  const own = (expectedOf.get(network) ?? 0) + hashes
  if (own === 0) expectedOf.delete(network)
  else expectedOf.set(network, own)
}

/** Whether somebody has a password; others come in by a mailed link or the OIDC provider. */
export async function hasPassword({ db }: Store, userId: string): Promise<boolean> {
  const rows = await db
    .select({ id: account.id })
    .from(account)
    .where(and(eq(account.userId, userId), isNotNull(account.password)))
  return rows.length > 0
}

/** The stored password of the account with an address; null where it has none. */
export async function passwordOf({ db }: Store, email: unknown): Promise<string | null> {
  if (typeof email !== 'string') return null
  const [row] = await db
    .select({ password: account.password })
    .from(account)
    .innerJoin(user, eq(user.id, account.userId))
    .where(and(eq(user.email, email.toLowerCase()), isNotNull(account.password)))
  return row?.password ?? null
}

const overheard = new AsyncLocalStorage<{ hash: string }>()

/** What `run` gives, and the hash of the password that it made last. */
export async function overhearHash<T>(run: () => Promise<T>): Promise<{ result: T; hash: string }> {
  const heard = { hash: '' }
  return { result: await overheard.run(heard, run), hash: heard.hash }
}

/** A password as it is stored: `<salt>:<key>`, both base64url. */
export async function hashPassword(password: string): Promise<string> {
  const heard = overheard.getStore()
  const salt = randomBytes(16)
  const hash = `${salt.toString('base64url')}:${(await derive(password, salt)).toString('base64url')}`
  if (heard !== undefined) heard.hash = hash
  return hash
}

/** Whether a password is the one that was stored; constant time. */
export async function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const [salt = '', key = ''] = hash.split(':')
  const stored = Buffer.from(key, 'base64url')
  const derived = await derive(password, Buffer.from(salt, 'base64url'))
  return stored.length === derived.length && timingSafeEqual(stored, derived)
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return inTurn(async () => {
    const startedAt = performance.now()
    const derived = await scryptOf(plainPassword(password), salt, KEY_BYTES, COST)
    hashMs += (performance.now() - startedAt - hashMs) / 5
    return derived
  })
}
