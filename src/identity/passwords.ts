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

declare module '../core/service.ts' {
  interface Service {
    /** The cost of password hashes, if not the default. */
    passwordCost: PasswordCost | undefined
  }
}

const scryptOf = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** The scrypt parameters. A hash can only be verified with those it was made with. */
export interface PasswordCost {
  N: number
  r: number
  p: number
}
/** OWASP's scrypt setting for 16 MiB a hash. No setting of the service changes it. */
const PASSWORD_COST: PasswordCost = { N: 2 ** 14, r: 8, p: 5 }
const MAX_MEMORY = 64 * 1024 * 1024
const KEY_BYTES = 64
/** Each hash occupies a core, and launchers need the others. */
const AT_ONCE = 2
const limit = pLimit(AT_ONCE)
const MAX_WAITING = 50
/** Per network, so that a flood from one leaves room for everyone else. */
const MAX_WAITING_OF_ONE = 20

/** Hashes that admitted requests have made or will make, in all and by network. */
let expected = 0
const expectedOf = new Map<string, number>()
/** Moving average of the duration of a hash, from an initial guess. */
let hashMs = 100

/**
 * Admits a request that will compute `hashes` hashes. They are reserved up front: concurrent requests would all see a short
 * queue and then wait in a long one.
 * @param network of the client; see `widerNetwork`.
 * @throws Problem RATE_LIMITED if the queue is full, with the seconds until it has drained.
 */
export async function withHashQueue<T>(network: string, hashes: number, run: () => Promise<T>): Promise<T> {
  const own = expectedOf.get(network) ?? 0
  if (expected + hashes > MAX_WAITING || own + hashes > MAX_WAITING_OF_ONE) {
    const seconds = Math.max(1, Math.ceil((expected * hashMs) / AT_ONCE / 1000))
    throw new Problem(
      'RATE_LIMITED',
      `A lot of people are signing in right now. Try again in ${count(seconds, 'second')}.`,
      {
        retryAfterSeconds: seconds,
      },
    )
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

/** Whether a user has a password; others sign in by mailed link or OIDC. */
export async function hasPassword({ db }: Store, userId: string): Promise<boolean> {
  const rows = await db
    .select({ id: account.id })
    .from(account)
    .where(and(eq(account.userId, userId), isNotNull(account.password)))
  return rows.length > 0
}

/** The stored password hash of the account with an address, or null. */
export async function passwordOf({ db }: Store, email: unknown): Promise<string | null> {
  if (typeof email !== 'string') return null
  const [row] = await db
    .select({ password: account.password })
    .from(account)
    .innerJoin(user, eq(user.id, account.userId))
    .where(and(eq(user.email, email.toLowerCase()), isNotNull(account.password)))
  return row?.password ?? null
}

/**
 * Whether this is the password of the account that really has the address: a sign-in also accepts those of accounts that signed
 * up with it while it was taken.
 */
export async function isPasswordOf(
  { store, passwordCost }: { store: Store; passwordCost: PasswordCost | undefined },
  { email, password }: { email: string; password: string },
): Promise<boolean> {
  const hash = await passwordOf(store, email)
  return hash !== null && verifyPassword({ hash, password }, passwordCost ?? PASSWORD_COST)
}

const capture = new AsyncLocalStorage<{ hash: string }>()

/** Runs `run` and also returns the last password hash that it computed. */
export async function captureHash<T>(run: () => Promise<T>): Promise<{ result: T; hash: string }> {
  const captured = { hash: '' }
  return { result: await capture.run(captured, run), hash: captured.hash }
}

/** Hash and verify functions of one cost, in better-auth’s form. */
export function passwordsAt(cost: PasswordCost = PASSWORD_COST) {
  return {
    hash: (password: string) => hashPassword(password, cost),
    verify: (stored: { hash: string; password: string }) => verifyPassword(stored, cost),
  }
}

/** Hashes a password, in the stored form `<salt>:<key>`, both base64url. */
export async function hashPassword(password: string, cost = PASSWORD_COST): Promise<string> {
  const captured = capture.getStore()
  const salt = randomBytes(16)
  const hash = `${salt.toString('base64url')}:${(await derive(password, salt, cost)).toString('base64url')}`
  if (captured !== undefined) captured.hash = hash
  return hash
}

/** Compares a password with a stored hash in constant time. */
async function verifyPassword(
  { hash, password }: { hash: string; password: string },
  cost: PasswordCost,
): Promise<boolean> {
  const [salt = '', key = ''] = hash.split(':')
  const stored = Buffer.from(key, 'base64url')
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost)
  return stored.length === derived.length && timingSafeEqual(stored, derived)
}

function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  return limit(async () => {
    const startedAt = performance.now()
    const derived = await scryptOf(plainPassword(password), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY })
    hashMs += (performance.now() - startedAt - hashMs) / 5
    return derived
  })
}
