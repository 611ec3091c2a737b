import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundles, owners } from '../../db/schema.ts'
import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import { keyedHash } from '../core/secrets.ts'
import { type Caller, gone, type Subject } from '../identity/caller.ts'
import { ownerId } from './owners.ts'

/** Bundles that count against an owner’s plan, as a subquery: deleted ones do not. */
export function heldBy(subject: Subject) {
  return sql<number>`(SELECT count(*) FROM ${bundles} WHERE ${bundles.ownerId} = ${ownerId(subject)} AND ${bundles.deletedAt} IS NULL)`
}

/** The same for an anonymous address: unclaimed (a claim erases the hash) and not deleted. */
export function heldByAddress(db: Store['db'], addressHash: string) {
  const mine = and(eq(bundles.addressHash, addressHash), isNull(bundles.deletedAt))
  return sql<number>`(${db.select({ count: sql`count(*)` }).from(bundles).where(mine)})`
}

/**
 * The hash of a client address that is stored with an unclaimed bundle: keyed, so that the address cannot be recovered.
 */
export function hashOfAddress(address: string, { secret }: Pick<Config, 'secret'>): string {
  return keyedHash(secret, 'client address', address)
}

export type Plan = (typeof owners.$inferSelect)['plan']

/** The value that applies to the plan of an owner row. */
export function ofPlan({ free, pro }: Record<Plan, number>) {
  return sql<number>`CASE ${owners.plan} WHEN 'pro' THEN ${pro} ELSE ${free} END`
}

/** The maximum of bundles on a subject's plan, as a subquery. */
export function capOf(subject: Subject, { maxBundles }: Pick<Config, 'maxBundles'>) {
  return sql<number>`(SELECT ${ofPlan(maxBundles)} FROM ${owners} WHERE ${owners.id} = ${ownerId(subject)})`
}

/** The error at the cap of an anonymous address (decisions 4). */
export function anonymousCapReached({ maxBundles }: Pick<Config, 'maxBundles'>): Problem {
  return new Problem(
    'PLAN_LIMIT',
    `Your address holds ${maxBundles.anonymous} unclaimed bundles, the most there may be without an account. Claim some of them to make more.`,
  )
}

/** The error at the cap of a plan (decisions 4). */
export async function capReached(
  { db }: Store,
  subject: Subject,
  { maxBundles }: Pick<Config, 'maxBundles'>,
): Promise<Problem> {
  const [owner] = await db
    .select({ plan: owners.plan })
    .from(owners)
    .where(eq(owners.id, ownerId(subject)))
  // A full plan implies a row. If it is missing, another process has deleted the account.
  if (owner === undefined) return gone()
  const { plan } = owner
  const raise =
    plan === 'free' ? `Delete one, or go to the plan pro, which has ${maxBundles.pro}.` : 'Delete one to make room.'
  return new Problem('PLAN_LIMIT', `The plan ${plan} has ${maxBundles[plan]} bundles, and they are used. ${raise}`)
}

/**
 * Refuses early a caller who is at their cap now. Not a guarantee: the transaction that inserts the bundle checks
 * again.
 * @throws Problem PLAN_LIMIT.
 */
export async function refuseFull(store: Store, caller: Caller, config: Config): Promise<void> {
  const isAnonymous = caller.kind === 'anonymous'
  const held = isAnonymous ? heldByAddress(store.db, hashOfAddress(caller.address, config)) : heldBy(caller.subject)
  const cap = isAnonymous
    ? sql`${config.maxBundles.anonymous}`
    : sql`coalesce(${capOf(caller.subject, config)}, ${config.maxBundles.free})`
  const [row] = await store.db.all<{ full: number }>(sql`SELECT ${held} >= ${cap} AS full`)
  if (row?.full === 1) throw isAnonymous ? anonymousCapReached(config) : await capReached(store, caller.subject, config)
}
