import { randomBytes } from 'node:crypto'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import type { Audience } from '../../db/rights.ts'
import { apiKeys, appGrants, appRefreshTokens, DEFAULT_PER_HOUR } from '../../db/schema.ts'
import { seal, sha256, unseal } from '../core/secrets.ts'
import type { KnownKey, Scope, Subject } from '../identity/caller.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import { DEVICE_HOST, redirectHost } from './apps.ts'
import { boundTokens, eraseEnded, ownerOfNewKey } from './caps.ts'
import { type KeyRing, newKeyToken, RENEWABLE_SECONDS, readKeyToken } from './key-ring.ts'

// OAuth gives an app a key like any other, except that its text changes at each renewal. So a grant is listed, revoked, counted
// against its limits and ended with its owner like every key, from the moment of consent on.

/** How long the text of an app’s key is valid. */
export const TOKEN_SECONDS = 3600
/**
 * A client that repeats a used refresh token within this time gets the same answer: it lost the first one, or two of its
 * requests found the token expired at once. A thief who asks gets no token of his own, and is found out by the next renewal.
 */
const REPEATABLE_MS = 30_000

/** A user’s consent to an app. */
export interface Consent {
  /** SHA-256 of the client’s id. */
  clientHash: Buffer
  /** The name that the app gives itself. */
  name: string
  userId: string
  subject: Subject
  scopes: Scope[]
  audience: Audience
  /** Where the code is sent; null for a device, which has its code already. */
  to: { redirectUri: string; codeChallenge: string } | null
}

/** An app’s tokens, before they are stored. */
export interface AppTokens {
  accessToken: string
  refreshToken: string
  scopes: Scope[]
}

/** The grant of an unused code or refresh token. */
export interface Grant {
  keyId: number
  clientHash: Buffer
  audience: Audience
  scopes: Scope[]
}

type CodeGrant = Grant &
  Pick<typeof appGrants.$inferSelect, 'redirectUri' | 'codeChallenge' | 'codeExpiresAt' | 'codeUsedAt'>

/** The code that begins a grant: its hash, and for how many seconds it is valid. */
interface Code {
  hash: Buffer | SQL<Buffer>
  seconds: number
  /** Other writes in the same transaction. */
  more?: Query[]
}

/** Stores a consent, and the code with which the app collects its key. The key is not valid before that. */
export async function beginGrant({ db, write }: Store, consent: Consent, code: Code): Promise<void> {
  const { clientHash, name, userId, subject, scopes, audience, to } = consent
  const { keyPrefix } = newKeyToken()
  const now = Date.now()
  const codeExpiresAt = now + code.seconds * 1000
  const grant = {
    clientHash,
    host: to === null ? DEVICE_HOST : redirectHost(to.redirectUri),
    audience,
    scopes,
    redirectUri: to?.redirectUri ?? '',
    codeHash: code.hash,
    codeChallenge: to?.codeChallenge ?? '',
    codeExpiresAt,
    endsAt: codeExpiresAt,
  }
  await write([
    ensureOwner(subject),
    eraseEnded(db, subject),
    db.insert(apiKeys).values({
      ownerId: ownerOfNewKey(subject),
      mintedBy: userId,
      name,
      keyPrefix,
      // Matches no text: there is none yet.
      secretHash: randomBytes(32),
      scopes,
      rateLimitPerHour: DEFAULT_PER_HOUR,
      createdAt: now,
    }),
    db.insert(appGrants).values({
      ...grant,
      keyId: sql`(SELECT ${apiKeys.id} FROM ${apiKeys} WHERE ${apiKeys.keyPrefix} = ${keyPrefix})`,
    }),
    ...(code.more ?? []),
  ])
}

/** A code’s grant, used or not. */
export async function grantOfCode({ db }: Store, code: string): Promise<CodeGrant | null> {
  const [row] = await db
    .select()
    .from(appGrants)
    .where(eq(appGrants.codeHash, sha256(code)))
  return row === undefined ? null : { ...row, clientHash: Buffer.from(row.clientHash) }
}

/** Uses a code up. @returns whether it was unused. */
export async function useCode({ db, write }: Store, code: string): Promise<boolean> {
  const unused = and(eq(appGrants.codeHash, sha256(code)), isNull(appGrants.codeUsedAt))
  const [result] = await write([db.update(appGrants).set({ codeUsedAt: Date.now() }).where(unused)])
  return result?.rowsAffected === 1
}

/** The grant of a refresh token that can still be used, or null. */
export async function grantOfRefreshToken(store: Store, refreshToken: string): Promise<Grant | null> {
  const row = await findRefreshToken(store, refreshToken)
  return row === null || row.usedAt !== null || row.hasEnded || row.endsAt < Date.now() ? null : row
}

/** New tokens for a grant; not valid until `issueTokens` has stored them. */
export function newTokens(scopes: Scope[]): AppTokens {
  return { accessToken: newKeyToken().text, refreshToken: `oar_${randomBytes(32).toString('base64url')}`, scopes }
}

/**
 * Replaces a grant’s tokens.
 * @param renewed the refresh token that this uses up; null for a code, which is used up already.
 * @param secret the service’s secret, which seals the answer to the refresh token.
 * @returns false if the grant has ended, or another request used the refresh token first: then nothing is changed.
 */
export async function issueTokens(
  { db, write }: Store,
  { keyId, tokens, renewed, secret }: { keyId: number; tokens: AppTokens; renewed: string | null; secret: string },
): Promise<boolean> {
  const { keyPrefix, secret: text } = readKeyToken(tokens.accessToken)!
  const now = Date.now()
  const hash = sha256(tokens.refreshToken)
  const works = sql`EXISTS (SELECT 1 FROM ${apiKeys} WHERE ${apiKeys.id} = ${keyId} AND ${apiKeys.revokedAt} IS NULL AND ${apiKeys.minterLeftAt} IS NULL)`
  const isUnused =
    renewed === null
      ? sql`true`
      : sql`EXISTS (SELECT 1 FROM ${appRefreshTokens} WHERE ${appRefreshTokens.hash} = ${sha256(renewed)} AND ${appRefreshTokens.usedAt} IS NULL)`
  // The first statement decides; the others do nothing unless it did something.
  const isIssued = sql`EXISTS (SELECT 1 FROM ${appRefreshTokens} WHERE ${appRefreshTokens.hash} = ${hash})`
  const [inserted] = await write([
    sql`INSERT INTO ${appRefreshTokens} (hash, key_id, created_at) SELECT ${hash}, ${keyId}, ${now} WHERE ${works} AND ${isUnused}`,
    db
      .update(apiKeys)
      .set({ keyPrefix, secretHash: sha256(text), scopes: tokens.scopes })
      .where(and(eq(apiKeys.id, keyId), isIssued)),
    db
      .update(appGrants)
      .set({ expiresAt: now + TOKEN_SECONDS * 1000, endsAt: now + RENEWABLE_SECONDS * 1000 })
      .where(and(eq(appGrants.keyId, keyId), isIssued)),
    ...(renewed === null
      ? []
      : [
          db
            .update(appRefreshTokens)
            .set({ usedAt: now, answer: seal(secret, renewed, JSON.stringify(tokens)) })
            .where(and(eq(appRefreshTokens.hash, sha256(renewed)), isIssued)),
        ]),
    ...boundTokens(db, keyId, now),
  ])
  return inserted?.rowsAffected === 1
}

/**
 * The answer to a used refresh token. If its client repeats it at once, it is the same as before. Any other use is by a thief,
 * or by the owner after a thief, so the grant ends.
 * @returns `reused` if the grant was ended; null if the token is unknown or unused, or its grant has ended.
 */
export async function answerAgain(
  store: Store,
  { refreshToken, clientId, secret }: { refreshToken: string; clientId: string; secret: string },
): Promise<{ tokens: AppTokens; expiresAt: number } | 'reused' | null> {
  const row = await findRefreshToken(store, refreshToken)
  if (row === null || row.usedAt === null || row.hasEnded) return null
  const isSoon = Date.now() - row.usedAt < REPEATABLE_MS && row.clientHash.equals(sha256(clientId))
  if (!isSoon || row.answer === null) {
    await endGrant(store, row.keyId)
    return 'reused'
  }
  return { tokens: JSON.parse(unseal(secret, refreshToken, row.answer)) as AppTokens, expiresAt: row.expiresAt }
}

async function findRefreshToken({ db }: Store, refreshToken: string) {
  const [row] = await db
    .select({
      keyId: appGrants.keyId,
      clientHash: appGrants.clientHash,
      audience: appGrants.audience,
      scopes: appGrants.scopes,
      expiresAt: appGrants.expiresAt,
      endsAt: appGrants.endsAt,
      usedAt: appRefreshTokens.usedAt,
      answer: appRefreshTokens.answer,
      hasEnded: sql<number>`${apiKeys.revokedAt} IS NOT NULL OR ${apiKeys.minterLeftAt} IS NOT NULL`.mapWith(Boolean),
    })
    .from(appRefreshTokens)
    .innerJoin(appGrants, eq(appGrants.keyId, appRefreshTokens.keyId))
    .innerJoin(apiKeys, eq(apiKeys.id, appGrants.keyId))
    .where(eq(appRefreshTokens.hash, sha256(refreshToken)))
  return row === undefined ? null : { ...row, clientHash: Buffer.from(row.clientHash) }
}

/** The key id of the grant that a client’s token, of either kind, belongs to; null if it is not that client’s. */
export async function grantOfToken(store: Store, token: string, clientId: string): Promise<number | null> {
  const key = readKeyToken(token)
  if (key === null) {
    const row = await findRefreshToken(store, token)
    return row?.clientHash.equals(sha256(clientId)) === true ? row.keyId : null
  }
  const [row] = await store.db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .innerJoin(appGrants, eq(appGrants.keyId, apiKeys.id))
    .where(
      and(
        eq(apiKeys.keyPrefix, key.keyPrefix),
        eq(apiKeys.secretHash, sha256(key.secret)),
        eq(appGrants.clientHash, sha256(clientId)),
      ),
    )
  return row?.id ?? null
}

/** Ends a grant, for good; its key is listed as revoked. */
export async function endGrant({ db, write }: Store, keyId: number): Promise<void> {
  const working = and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt))
  await write([db.update(apiKeys).set({ revokedAt: Date.now() }).where(working)])
}

/** The properties of a valid token. */
export interface WorkingToken {
  kind: 'access' | 'refresh'
  keyId: number
  /** Who made it. */
  userId: string
  scopes: readonly Scope[]
  /** Null for a key, which is valid everywhere. */
  audience: Audience | null
  /** In milliseconds since 1970. */
  createdAt: number
  /** Null for never. */
  expiresAt: number | null
}

/** A subject’s token if it is valid, else null: a key, or an app’s access or refresh token. Does not count as a use. */
export async function workingToken(
  { store, keyRing }: { store: Store; keyRing: KeyRing },
  token: string,
  subject: Subject,
): Promise<WorkingToken | null> {
  const key = await keyRing.keyOf(token)
  if (key !== null) return about(store, 'access', key, subject)
  const grant = await grantOfRefreshToken(store, token)
  return grant && about(store, 'refresh', { id: grant.keyId, scopes: grant.scopes, audience: grant.audience }, subject)
}

async function about(
  { db }: Store,
  kind: WorkingToken['kind'],
  { id, scopes, audience }: Pick<KnownKey, 'id' | 'scopes' | 'audience'>,
  subject: Subject,
): Promise<WorkingToken | null> {
  const [row] = await db
    .select({
      userId: apiKeys.mintedBy,
      createdAt: apiKeys.createdAt,
      keyEndsAt: apiKeys.expiresAt,
      expiresAt: appGrants.expiresAt,
      endsAt: appGrants.endsAt,
    })
    .from(apiKeys)
    .leftJoin(appGrants, eq(appGrants.keyId, apiKeys.id))
    .where(and(eq(apiKeys.id, id), eq(apiKeys.ownerId, ownerId(subject))))
  if (row === undefined) return null
  const { userId, createdAt } = row
  const expiresAt = kind === 'refresh' ? row.endsAt : (row.expiresAt ?? row.keyEndsAt)
  return { kind, keyId: id, userId, scopes, audience, createdAt, expiresAt }
}
