import { randomBytes, randomInt } from 'node:crypto'
import { and, eq, gt, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import type { Audience } from '../../db/rights.ts'
import { deviceRequests } from '../../db/schema.ts'
import { keyedHash, sha256 } from '../core/secrets.ts'
import type { Scope } from '../identity/caller.ts'
import type { App } from './apps.ts'
import { beginGrant, type Consent } from './grants.ts'
import { DEVICE_SECONDS } from './key-ring.ts'

// Sign-in of programs without a browser (RFC 8628): each has a secret code, and one that its user types in on another computer.

/** Waiting codes at a time: few enough that one is hardly ever guessed. */
const MAX_WAITING = 10_000
/** Waiting codes of one network. */
const MAX_OF_NETWORK = 50
/** Expired codes that are erased with each new one. */
const ERASED_AT_ONCE = 100

/** No vowels, so that codes form no words, and nothing that looks like something else. A code has 34 bits. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

/** A device’s request, for the person who decides about it. */
export interface DeviceRequest {
  clientHash: Buffer
  name: string
  audience: Audience
  scopes: Scope[]
  /** Whether it came from the network of that person. */
  isFromHere: boolean
}

/**
 * Stores a device’s request.
 * @param from the device’s network.
 * @returns its two codes; null if too many are waiting.
 */
export async function addDeviceRequest(
  { db, write }: Store,
  { app, audience, scopes, from }: { app: App; audience: Audience; scopes: Scope[]; from: string },
  secret: string,
): Promise<{ deviceCode: string; userCode: string } | null> {
  const deviceCode = randomBytes(32).toString('base64url')
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const now = Date.now()
  const networkHash = networkHashOf(from, secret)
  const expired = sql`SELECT ${deviceRequests.hash} FROM ${deviceRequests} WHERE ${lte(deviceRequests.expiresAt, now - DEVICE_SECONDS * 1000)} LIMIT ${ERASED_AT_ONCE}`
  const isFull = sql`(${countOf(undefined, now)}) >= ${MAX_WAITING} OR (${countOf(eq(deviceRequests.networkHash, networkHash), now)}) >= ${MAX_OF_NETWORK}`
  const [, inserted] = await write([
    db.delete(deviceRequests).where(sql`${deviceRequests.hash} IN (${expired})`),
    sql`INSERT INTO ${deviceRequests}
      (hash, user_code_hash, client_hash, name, audience, scopes, network_hash, expires_at)
      SELECT ${sha256(deviceCode)}, ${userCodeHashOf(letters, secret)}, ${sha256(app.id)}, ${app.name}, ${audience},
        ${JSON.stringify(scopes)}, ${networkHash}, ${now + DEVICE_SECONDS * 1000} WHERE NOT (${isFull})
      ON CONFLICT (user_code_hash) DO NOTHING`,
  ])
  return inserted?.rowsAffected === 1 ? { deviceCode, userCode: `${letters.slice(0, 4)}-${letters.slice(4)}` } : null
}

function countOf(which: SQL | undefined, now: number) {
  return sql`SELECT count(*) FROM ${deviceRequests} WHERE ${and(which, gt(deviceRequests.expiresAt, now))}`
}

function networkHashOf(network: string, secret: string): string {
  return keyedHash(secret, 'device network', network)
}

function userCodeHashOf(letters: string, secret: string): string {
  return keyedHash(secret, 'device user code', letters)
}

/** The waiting request with a typed code, or null. Case, and anything but letters, does not matter. */
export async function waitingRequest(
  { db }: Store,
  typed: string,
  { from, secret }: { from: string; secret: string },
): Promise<DeviceRequest | null> {
  const [row] = await db.select().from(deviceRequests).where(isWaiting(typed, secret))
  if (row === undefined) return null
  const { clientHash, name, audience, scopes, networkHash } = row
  const isFromHere = networkHash === networkHashOf(from, secret)
  return { clientHash: Buffer.from(clientHash), name, audience, scopes, isFromHere }
}

function isWaiting(typed: string, secret: string) {
  const letters = typed.toUpperCase().replace(/[^A-Z]/g, '')
  return and(
    eq(deviceRequests.userCodeHash, userCodeHashOf(letters, secret)),
    gt(deviceRequests.expiresAt, Date.now()),
    isNull(deviceRequests.deniedAt),
  )
}

/**
 * Connects the device with a typed code, in one transaction, so that only one of several decisions counts.
 * @returns false if it is no longer waiting.
 * @throws what `beginGrant` throws.
 */
export async function connectDevice(
  store: Store,
  typed: string,
  consent: Omit<Consent, 'to'>,
  secret: string,
): Promise<boolean> {
  const waiting = isWaiting(typed, secret)
  // NULL, which the column refuses, unless it waits.
  const hash = sql<Buffer>`(SELECT ${deviceRequests.hash} FROM ${deviceRequests} WHERE ${waiting})`
  const more = [store.db.delete(deviceRequests).where(waiting)]
  try {
    await beginGrant(store, { ...consent, to: null }, { hash, seconds: DEVICE_SECONDS, more })
    return true
  } catch (error) {
    if (brokenConstraint(error)?.includes('app_grants.code_hash')) return false
    throw error
  }
}

/** Refuses the device with a typed code, if it is waiting. */
export async function denyDevice({ db, write }: Store, typed: string, secret: string): Promise<void> {
  await write([db.update(deviceRequests).set({ deniedAt: Date.now() }).where(isWaiting(typed, secret))])
}

/** The state of the request with a device’s secret code; null if this client has none. */
export async function stateOfRequest(
  { db }: Store,
  deviceCode: string,
  clientId: string,
): Promise<'waiting' | 'denied' | 'expired' | null> {
  const own = and(eq(deviceRequests.hash, sha256(deviceCode)), eq(deviceRequests.clientHash, sha256(clientId)))
  const [row] = await db.select().from(deviceRequests).where(own)
  if (row === undefined) return null
  if (row.deniedAt !== null) return 'denied'
  return row.expiresAt > Date.now() ? 'waiting' : 'expired'
}
