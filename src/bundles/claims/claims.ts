import { randomBytes } from 'node:crypto'
import { and, desc, eq, gt, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../../db/client.ts'
import { prepared } from '../../../db/prepared.ts'
import { bundles, claims } from '../../../db/schema.ts'
import type { Config } from '../../config/config.ts'
import { piecesOf } from '../../core/parts.ts'
import { Problem } from '../../core/problem.ts'
import { routes } from '../../core/routes.ts'
import { waitForReadSlot } from '../../core/scheduling.ts'
import { sha256 } from '../../core/secrets.ts'
import { exactTime, iso, minuteOf } from '../../core/time.ts'
import { requireRole, type Session, type SignedIn } from '../../identity/caller.ts'
import type { Mail } from '../../mail/smtp.ts'
import { bundleCountOf, capOf, capReached, ensureOwner, ownerId } from '../../plans/owners.ts'
import type { CreatedBundle } from '../content/answers.ts'
import type { Claims } from '../content/shapes.ts'
import { loadFor, type StoredBundle } from '../edit/bundles.ts'
import { checkHistoryCap, contentBytes, historyCapReached, isHistoryCapError } from '../edit/stored.ts'

/** Whether the claim link is mailed, and if not, why. */
export type ClaimMail = 'sent' | 'tooMany' | 'full'

const NOT_MAILED = {
  sent: '',
  tooMany: ' No email was sent: too many have gone to that address lately.',
  full: ' No email was sent: too many are waiting to be sent.',
} as const satisfies Record<ClaimMail, string>

/** A claim for a bundle about to be inserted: the statement that inserts it, and the fields shown once to the creator. */
export function newClaim(
  db: Store['db'],
  {
    bundleId,
    email,
    mail,
    config,
    now,
  }: { bundleId: SQL<number>; email: string | null; mail: ClaimMail; config: Config; now: number },
) {
  let token = randomBytes(32).toString('base64url')
  // A command line would read a leading hyphen as a flag.
  while (token.startsWith('-')) token = randomBytes(32).toString('base64url')
  const expiresAt = now + config.claimTtlMs
  return {
    write: db
      .insert(claims)
      .values({ tokenHash: hashToken(token), bundleId, email: email?.toLowerCase() ?? null, expiresAt }),
    fields: {
      claimUrl: `${config.origin}${routes.account.claim.href({ token })}`,
      claimToken: token,
      claimExpiresAt: iso(expiresAt),
      warning: `claimToken and claimUrl are shown only this once: keep one of them to claim the bundle later.${NOT_MAILED[mail]}`,
    },
  }
}

/**
 * The answer to a creation without its claim, for a caller who has not proven that it was theirs. Callers without an account
 * share their address with others, who may guess a short idempotency key and a public list of links and must not get the bundle.
 */
export function dropClaim({ claimToken, claimUrl, ...created }: CreatedBundle): CreatedBundle {
  if (claimToken === undefined && claimUrl === undefined) return created
  return { ...created, warning: NOT_REPEATED }
}

const NOT_REPEATED =
  'This bundle had already been created. claimToken and claimUrl are not repeated: for that, send an Idempotency-Key of at least 22 characters, such as a UUID, from the same program (User-Agent).'

/** A plain hash is enough, because the token is random. */
function hashToken(token: string): string {
  return sha256(token).toString('base64url')
}

const PREVIEW_COLUMNS = {
  slug: bundles.slug,
  versionNumber: bundles.versionNumber,
  title: bundles.title,
  urls: bundles.urls,
  urlMetadata: bundles.urlMetadata,
}

/** The bundle for a claim token; null if the token is unknown, used or expired. */
export async function findByToken({ db }: Store, token: string) {
  const [row] = await db
    .select(PREVIEW_COLUMNS)
    .from(claims)
    .innerJoin(bundles, eq(bundles.id, claims.bundleId))
    .where(and(eq(claims.tokenHash, hashToken(token)), gt(claims.expiresAt, Date.now())))
    .all()
  return row ?? null
}

/** When a claim token expires; null if it is unknown, used or expired. */
export async function openClaim({ db }: Store, token: string): Promise<string | null> {
  const [row] = await db
    .select({ expiresAt: claims.expiresAt })
    .from(claims)
    .where(and(eq(claims.tokenHash, hashToken(token)), gt(claims.expiresAt, Date.now())))
    .all()
  return row === undefined ? null : iso(row.expiresAt)
}

/** An unclaimed bundle, as its future owner sees it. */
type Claimable = Pick<StoredBundle, keyof typeof PREVIEW_COLUMNS>

export type ListedClaimable = Claimable & { id: number; bytes: number }

/**
 * A page of the unclaimed bundles created with a user’s verified address, newest first; claiming them needs no token.
 * @returns each with its id and its size in bytes.
 */
export async function listClaimable({ db }: Store, { email, emailVerified, userId }: Addressee, paging: Claims) {
  if (!emailVerified) return []
  const { page, rows } = claimable(db)
  const { limit, offset, cursor } = paging
  // Loaded on demand: processes that serve launchers only count.
  const { keyIn, NumberKey } = await import('../../core/paging.ts')
  const [after = Number.MAX_SAFE_INTEGER] = keyIn(cursor, NumberKey) ?? []
  const values = { email, now: Date.now() }
  const found: ListedClaimable[] = []
  for (const piece of piecesOf(await page.all({ ...values, limit, offset, after }))) {
    await waitForReadSlot(userId)
    found.push(...(await rows.all({ ...values, ids: JSON.stringify(piece.map(({ id }) => id)) })))
  }
  return found
}

/** The number of unclaimed bundles created with a user’s verified address. */
export async function countClaimable(
  { db }: Store,
  { email, emailVerified }: Omit<Addressee, 'userId'>,
): Promise<number> {
  if (!emailVerified) return 0
  return (await claimable(db).count.all({ email, now: Date.now() }))[0]?.total ?? 0
}

type Addressee = Pick<Session, 'email' | 'emailVerified' | 'userId'>

const claimable = prepared((db) => {
  const open = and(eq(claims.email, sql.placeholder('email')), gt(claims.expiresAt, sql.placeholder('now')))
  const order = desc(claims.bundleId)
  return {
    // Newest first, and paged: anyone may create bundles with the address, but must not hide those of its owner.
    page: db
      .select({ id: bundles.id, bytes: contentBytes() })
      .from(claims)
      .innerJoin(bundles, eq(bundles.id, claims.bundleId))
      .where(and(open, lt(claims.bundleId, sql.placeholder('after'))))
      .orderBy(order)
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(),
    rows: db
      .select({ ...PREVIEW_COLUMNS, id: bundles.id, bytes: contentBytes() })
      .from(claims)
      .innerJoin(bundles, eq(bundles.id, claims.bundleId))
      .where(and(open, sql`${bundles.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`))
      .orderBy(order)
      .prepare(),
    count: db.select({ total: sql<number>`count(*)` }).from(claims).where(open).prepare(),
  }
})

/**
 * Gives an unclaimed bundle to the caller’s active subject: by its token, or by its slug if it was created with the
 * caller’s verified address. One of several concurrent claims wins.
 * @throws Problem NOT_FOUND if the claim is unknown, used or expired; PLAN_LIMIT; FORBIDDEN for a viewer.
 */
export async function claim(
  { store, config, caller }: { store: Store; config: Config; caller: SignedIn },
  by: { token?: string | undefined; slug?: string | undefined },
): Promise<StoredBundle> {
  const { db } = store
  const { subject } = caller
  const mine =
    by.token !== undefined
      ? eq(claims.tokenHash, hashToken(by.token))
      : and(
          eq(claims.bundleId, sql`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.slug} = ${by.slug ?? ''})`),
          eq(claims.email, verifiedEmail(caller)),
        )
  const open = and(mine, gt(claims.expiresAt, Date.now()))
  const find = () =>
    db
      .select({ bundleId: claims.bundleId, slug: bundles.slug })
      .from(claims)
      .innerJoin(bundles, eq(bundles.id, claims.bundleId))
      .where(open)
      .all()
  const [found] = await find()
  if (found === undefined) throw noClaim()
  requireRole(caller.role, 'editor')
  const writes = [
    ensureOwner(subject),
    db
      .update(bundles)
      .set({ ownerId: ownerId(subject), addressHash: null })
      .where(
        and(
          eq(bundles.id, found.bundleId),
          isNull(bundles.ownerId),
          sql`${bundleCountOf(subject)} < ${capOf(subject, config)}`,
          sql`EXISTS (SELECT 1 FROM ${claims} WHERE ${open})`,
        ),
      ),
    // Deletes the claim with its token and email address, unless the plan was full.
    db
      .delete(claims)
      .where(
        and(
          eq(claims.bundleId, found.bundleId),
          sql`(SELECT ${bundles.ownerId} FROM ${bundles} WHERE ${bundles.id} = ${found.bundleId}) IS NOT NULL`,
        ),
      ),
    checkHistoryCap(subject, config),
  ]
  const [, result] = await store.write(writes).catch(async (error) => {
    throw isHistoryCapError(error) ? await historyCapReached(store, subject, config) : error
  })
  if (result?.rowsAffected === 0) {
    const [still] = await find()
    throw still === undefined ? noClaim() : await capReached(store, subject, config)
  }
  return loadFor(db, caller, found.slug, 'viewer')
}

/** The verified address of a session; `''`, which matches no claim, for a key. */
function verifiedEmail(caller: SignedIn): string {
  return caller.kind === 'session' && caller.session.emailVerified ? caller.session.email : ''
}

function noClaim(): Problem {
  return new Problem('NOT_FOUND', 'This claim has already been used, has expired or never existed.')
}

/** The mail with the claim link, if the creator gave an address. */
export function claimMail(
  to: string,
  { url, claimUrl = '', claimExpiresAt = '' }: CreatedBundle,
  { name }: Config,
): Mail {
  return {
    to,
    subject: `Your private edit link for ${url}`,
    endsAt: Date.parse(claimExpiresAt),
    text: `You created a bundle on ${name}: ${url}\n\nTo edit it, add it to your account by ${exactTime(minuteOf(claimExpiresAt))}:\n\n${claimUrl}\n\nDidn’t create it? You can ignore this email.`,
  }
}
