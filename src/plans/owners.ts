import { and, eq, exists, isNotNull, isNull, or, type Placeholder, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { param, prepared } from '../../db/prepared.ts'
import { apiKeys, appGrants, bundles, organization, owners, proposals, user, webhooks } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import { keyedHash } from '../core/secrets.ts'
import { capitalised, formatInteger, PLAN_NAMES, plural } from '../core/words.ts'
import { type Caller, gone, type Subject } from '../identity/caller.ts'

// Each subject that owns something has a row in `owners`. Nothing here depends on plans, so any feature may import it.

/** The id of a subject's owner row, as a subquery; `ensureOwner` inserts the row. */
export function ownerId(subject: Subject) {
  return ownerIdOf(subject.type, subjectIdOf(subject))
}

/** The same by type and id, which may be a placeholder. */
export function ownerIdOf(type: Subject['type'], id: string | Placeholder) {
  return sql<number>`(SELECT ${owners.id} FROM ${owners} WHERE ${eq(type === 'user' ? owners.userId : owners.organizationId, id)})`
}

/** The id of a user or an organisation. */
export function subjectIdOf(subject: Subject): string {
  return subject.type === 'user' ? subject.userId : subject.organizationId
}

/** A subject whose id is the value `owner` of a prepared write. */
export function subjectOf(type: Subject['type']): Subject {
  return type === 'user' ? { type, userId: param('owner') } : { type, organizationId: param('owner') }
}

/** Inserts the owner row of a subject if missing; does nothing if the account is gone. */
export function ensureOwner(subject: Subject) {
  const isUser = subject.type === 'user'
  const column = sql.raw(isUser ? 'user_id' : 'organization_id')
  const [table, id] = isUser ? [user, subject.userId] : [organization, subject.organizationId]
  return sql`INSERT INTO ${owners} (${column}) SELECT ${table.id} FROM ${table} WHERE ${table.id} = ${id} ON CONFLICT DO NOTHING`
}

export async function subjectExists({ db }: Store, subject: Subject): Promise<boolean> {
  const found =
    subject.type === 'user'
      ? await db.select({ id: user.id }).from(user).where(eq(user.id, subject.userId))
      : await db.select({ id: organization.id }).from(organization).where(eq(organization.id, subject.organizationId))
  return found.length > 0
}

/** The number of bundles that count against an owner’s plan, deleted ones excluded, as a subquery. Kept by triggers. */
export function bundleCountOf(subject: Subject) {
  return sql<number>`coalesce((SELECT ${owners.bundleCount} FROM ${owners} WHERE ${owners.id} = ${ownerId(subject)}), 0)`
}

/** The same for an anonymous address: unclaimed (a claim erases the hash) and not deleted. */
export function bundleCountOfAddress(db: Store['db'], addressHash: string) {
  const mine = and(eq(bundles.addressHash, addressHash), isNull(bundles.deletedAt))
  return sql<number>`(${db.select({ count: sql`count(*)` }).from(bundles).where(mine)})`
}

/** Whether an owner has bundles, deleted ones excluded. */
export async function ownsBundles({ db }: Store, subject: Subject): Promise<boolean> {
  const [row] = await db.select({ held: bundleCountOf(subject) }).from(sql`(SELECT 1)`)
  return (row?.held ?? 0) > 0
}

/** What a person has come to use in a workspace. */
export interface Uses {
  /** Whether there was ever a proposal for its bundles, or by this person. */
  hasProposals: boolean
  /** Whether it has API keys, ended ones included, or webhooks. */
  hasDeveloperTools: boolean
}

/** Reads it for each page of the dashboard, so in one query and by indexes. */
export async function usesOf({ db }: Store, subject: Subject, userId: string): Promise<Uses> {
  const [row] = await usesIn[subject.type](db).all({ owner: subjectIdOf(subject), userId })
  return { hasProposals: row?.hasProposals === 1, hasDeveloperTools: row?.hasDeveloperTools === 1 }
}

const usesBy = (type: Subject['type']) =>
  prepared((db) => {
    const owner = ownerIdOf(type, sql.placeholder('owner'))
    const isCollected = or(isNull(appGrants.keyId), isNotNull(appGrants.codeUsedAt))
    const keys = db
      .select({ one: sql`1` })
      .from(apiKeys)
      .leftJoin(appGrants, eq(appGrants.keyId, apiKeys.id))
      .where(and(eq(apiKeys.ownerId, owner), isCollected))
    const hooks = db.select({ one: sql`1` }).from(webhooks).where(eq(webhooks.ownerId, owner))
    const received = db.select({ one: sql`1` }).from(proposals).where(eq(proposals.ownerId, owner))
    const sent = db
      .select({ one: sql`1` })
      .from(proposals)
      .where(eq(proposals.proposedBy, sql.placeholder('userId')))
    return db
      .select({
        hasProposals: sql<number>`${exists(received)} OR ${exists(sent)}`,
        hasDeveloperTools: sql<number>`${exists(keys)} OR ${exists(hooks)}`,
      })
      .from(sql`(SELECT 1)`)
      .prepare()
  })

const usesIn = { user: usesBy('user'), organization: usesBy('organization') }

/**
 * The hash of a client address that is stored with an unclaimed bundle: keyed, so that the address cannot be recovered.
 */
export function hashOfAddress(address: string, { secret }: Pick<Config, 'secret'>): string {
  return keyedHash(secret, 'client address', address)
}

export type Plan = (typeof owners.$inferSelect)['plan']

/** The value for the plan of an owner row, as an SQL expression. */
export function ofPlan({ free, pro }: Record<Plan, number>) {
  return sql<number>`CASE ${owners.plan} WHEN 'pro' THEN ${pro} ELSE ${free} END`
}

/** The maximum number of bundles on a subject's plan, as a subquery. */
export function capOf(subject: Subject, { maxBundles }: Pick<Config, 'maxBundles'>) {
  return sql<number>`(SELECT ${ofPlan(maxBundles)} FROM ${owners} WHERE ${owners.id} = ${ownerId(subject)})`
}

/** The error at the cap of an anonymous address. */
export function anonymousCapReached({ maxBundles }: Pick<Config, 'maxBundles'>): Problem {
  return new Problem(
    'PLAN_LIMIT',
    `You’ve reached the limit of ${bundlesIn(maxBundles.anonymous)} without an account. Sign in and claim some to create more.`,
  )
}

/** The error at the cap of a plan. */
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
  return planLimit(subject, plan, bundlesIn(maxBundles[plan]), bundlesIn(maxBundles.pro), 'delete one')
}

/**
 * The error at a limit of a subject's plan, saying how to get past it.
 * @param limit such as `500 bundles`.
 * @param onPro the limit on the Pro plan.
 * @param otherwise the remedy on any plan, such as `delete one`.
 */
export function planLimit(subject: Subject, plan: Plan, limit: string, onPro: string, otherwise: string): Problem {
  const who = subject.type === 'user' ? 'You’ve' : 'The organisation has'
  const reached = `${who} reached the ${PLAN_NAMES[plan]} plan’s limit of ${limit}.`
  const raise = plan === 'free' ? `Upgrade to Pro (${onPro}), or ${otherwise}.` : `${capitalised(otherwise)}.`
  return new Problem('PLAN_LIMIT', `${reached} ${raise}`)
}

function bundlesIn(number: number): string {
  return `${formatInteger(number)} ${plural(number, 'bundle')}`
}

/**
 * Refuses early a caller who is at their cap now. Not a guarantee: the transaction that inserts the bundle checks
 * again.
 * @throws Problem PLAN_LIMIT.
 */
export async function refuseFull(store: Store, caller: Caller, config: Config): Promise<void> {
  const isAnonymous = caller.kind === 'anonymous'
  const held = isAnonymous
    ? bundleCountOfAddress(store.db, hashOfAddress(caller.address, config))
    : bundleCountOf(caller.subject)
  const cap = isAnonymous
    ? sql`${config.maxBundles.anonymous}`
    : sql`coalesce(${capOf(caller.subject, config)}, ${config.maxBundles.free})`
  const [row] = await store.db.select({ full: sql<number>`${held} >= ${cap}` }).from(sql`(SELECT 1)`)
  if (row?.full === 1) throw isAnonymous ? anonymousCapReached(config) : await capReached(store, caller.subject, config)
}
