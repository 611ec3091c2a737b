import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'

/** OWASP's scrypt setting for 16 MiB a hash. */
const COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 5, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 64
/** Two at a time: a hash takes a core for a moment, and the launchers need the others. */
const twoAtATime = pLimit(2)
const MAX_WAITING = 50

/** Whether so many hashes wait that another caller had better come back later. */
export function isHashingBusy(): boolean {
  return twoAtATime.pendingCount >= MAX_WAITING
}

/** A password as it is stored: `<salt>:<key>`, both base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return `${salt.toString('base64url')}:${(await derive(password, salt)).toString('base64url')}`
}

/** Whether a password is the one that was stored; constant time. */
export async function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const [salt = '', key = ''] = hash.split(':')
  const stored = Buffer.from(key, 'base64url')
  const derived = await derive(password, Buffer.from(salt, 'base64url'))
  return stored.length === derived.length && timingSafeEqual(stored, derived)
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  const start = (): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)))
    })
  return twoAtATime(start)
}
