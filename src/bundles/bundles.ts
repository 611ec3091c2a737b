import { randomInt } from 'node:crypto'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { bundles, bundleVersions } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import type { Config } from '../config.ts'
import type { Commit } from '../core/idempotency.ts'
import { Problem } from '../core/problem.ts'
import { iso } from '../core/time.ts'
import type { Caller, SignedIn } from '../identity/caller.ts'
import { requireRole } from '../identity/roles.ts'
import { anonymousCapReached, capOf, capReached, hashOfAddress, heldBy, heldByAddress } from '../plans/caps.ts'
import { historyFull, isOverfull, refuseOverfull } from '../plans/history.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import { identified, keepIds } from '../policies/rule-ids.ts'
import { loadDeletedFor, loadFor, type StoredBundle } from './access.ts'
import type { CreatedBundle } from './answers.ts'
import { newClaim } from './claims.ts'
import { NOTHING } from './content.ts'
import { merged, type NextContent } from './merge.ts'
import type { NewBundle } from './shapes.ts'

const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const SLUG_LENGTH = 10
/** Slugs that would read as the service's own. */
const RESERVED = new Set([
  'admin',
  'api',
  'claim',
  'dashboard',
  'docs',
  'healthz',
  'import',
  'new',
  'openall',
  'static',
  'support',
])

/** Who makes a bundle, and how. */
export interface Creator {
  store: Store
  config: Config
  blockedHosts: Pick<BlockedHosts, 'refuse'>
  caller: Caller
  /** The Service-Client label. */
  client: string | null
  /** What the bundle comes from, unless it says so itself. */
  source: 'web' | 'api' | 'mcp'
}

interface Creation extends Creator {
  commit: Commit
  /** Withheld where too many mails have gone to the address that was given. */
  claimMail: 'sent' | 'withheld'
}

/**
 * Makes a bundle (spec 4.1): owned by the caller's acting subject, or anonymous and to be claimed.
 * @throws Problem PLAN_LIMIT past the cap, exact under concurrency; SLUG_TAKEN; BAD_REQUEST for a field that
 * is not for this caller; FORBIDDEN for a viewer.
 */
export async function create(input: NewBundle, creation: Creation): Promise<CreatedBundle> {
  const { caller, config, store, commit } = creation
  refuseUnfit(input, creation)
  for (;;) {
    const { answer, writes } = newBundle(input, creation)
    try {
      await commit(writes, answer)
      return answer
    } catch (error) {
      const broken = brokenConstraint(error)
      if (broken?.includes('bundles.slug')) {
        if (input.slug !== undefined) throw slugTaken()
        continue
      }
      if (broken?.includes('policy_rules.id')) continue
      if (caller.kind !== 'anonymous' && isOverfull(error)) throw await historyFull(store, caller.subject, config)
      if (!broken?.includes('bundle_versions.bundle_id')) throw error
      throw caller.kind === 'anonymous' ? anonymousCapReached(config) : await capReached(store, caller.subject, config)
    }
  }
}

/**
 * Refuses what is not for this caller, or for nobody here.
 * @throws Problem BAD_REQUEST, FORBIDDEN, SLUG_TAKEN, INVALID_URLS.
 */
export function refuseUnfit(
  input: NewBundle,
  { caller, blockedHosts }: Pick<Creator, 'caller' | 'blockedHosts'>,
): void {
  if (caller.kind === 'anonymous' && input.slug !== undefined) {
    throw new Problem('BAD_REQUEST', 'slug can be chosen only when signed in: leave it out to get one')
  }
  if (caller.kind !== 'anonymous' && input.email !== undefined) {
    throw new Problem('BAD_REQUEST', 'email is for callers without an account: this bundle will be yours at once')
  }
  if (caller.kind !== 'anonymous') requireRole(caller.role, 'editor')
  if (input.slug !== undefined && RESERVED.has(input.slug)) throw slugTaken()
  blockedHosts.refuse({ urls: input.urls, resolutionPolicy: input.resolutionPolicy ?? null })
}

/** What a new bundle has of what its maker sent, its rules with their ids. */
export function newContent(input: NewBundle): NextContent {
  const rules = input.resolutionPolicy ? identified(input.resolutionPolicy, null, () => false) : null
  const content = { ...merged(NOTHING, input), resolutionPolicy: rules?.policy ?? null }
  return { content, newRuleIds: rules?.newIds ?? [] }
}

function newBundle(input: NewBundle, { store: { db }, config, caller, client, source, claimMail }: Creation) {
  const now = Date.now()
  const slug = input.slug ?? newSlug()
  const isAnonymous = caller.kind === 'anonymous'
  const { content, newRuleIds } = newContent(input)
  const addressHash = isAnonymous ? hashOfAddress(caller.address, config) : null
  const isWithinCap =
    caller.kind === 'anonymous'
      ? sql`${heldByAddress(db, addressHash ?? '')} <= ${config.maxBundles.anonymous}`
      : sql`${heldBy(caller.subject)} <= ${capOf(caller.subject, config)}`
  const inserted = sql<number>`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.slug} = ${slug})`
  const claim = isAnonymous
    ? newClaim(db, { bundleId: inserted, email: input.email ?? null, mail: claimMail, config, now })
    : null
  const writes: Query[] = [
    ...(caller.kind === 'anonymous' ? [] : [ensureOwner(caller.subject)]),
    db.insert(bundles).values({
      ...content,
      slug,
      source: input.source ?? source,
      client,
      addressHash,
      ownerId: caller.kind === 'anonymous' ? null : ownerId(caller.subject),
      createdAt: now,
      updatedAt: now,
    }),
    // The cap is counted with the new bundle in, inside the transaction. Past it this insert finds no
    // bundle id, the NOT NULL constraint breaks, and the whole transaction is undone.
    db.insert(bundleVersions).values({
      ...content,
      bundleId: sql`CASE WHEN ${isWithinCap} THEN ${inserted} END`,
      versionNumber: 1,
      editedBy: caller.kind === 'anonymous' ? null : caller.userId,
      editedAt: now,
    }),
    ...(caller.kind === 'anonymous' ? [] : [refuseOverfull(caller.subject, config)]),
    ...keepIds(db, inserted, newRuleIds),
    ...(claim === null ? [] : [claim.write]),
  ]
  const answer: CreatedBundle = { slug, url: `${config.origin}/l/${slug}`, ...claim?.fields }
  return { answer, writes }
}

/** The refusal of a slug that somebody has. */
export function slugTaken(): Problem {
  return new Problem('SLUG_TAKEN', 'slug is taken: choose another, or leave it out to get one')
}

function newSlug(): string {
  return Array.from({ length: SLUG_LENGTH }, () => SLUG_ALPHABET[randomInt(SLUG_ALPHABET.length)]).join('')
}

/** What deleting and restoring work on. */
interface Change {
  store: Store
  config: Config
  caller: SignedIn
}

/**
 * Deletes a bundle softly (spec 4.4): its slug and versions are kept, its launcher answers 404.
 * @throws Problem NOT_FOUND, FORBIDDEN, VERSION_CONFLICT.
 */
export async function remove({ store, caller }: Change, slug: string, expectedVersion: number | null) {
  const bundle = await loadFor(store.db, caller, slug, 'admin')
  refuseStale(bundle, expectedVersion)
  const deletedAt = Date.now()
  const [result] = await store.write([
    store.db
      .update(bundles)
      .set({ deletedAt })
      .where(
        and(
          eq(bundles.id, bundle.id),
          isNull(bundles.deletedAt),
          eq(bundles.versionNumber, expectedVersion ?? bundles.versionNumber),
        ),
      ),
  ])
  // Somebody was faster: looked at again, the reason is plain.
  if (result?.rowsAffected === 0) refuseStale(await loadFor(store.db, caller, slug, 'admin'), expectedVersion)
  return { slug, deletedAt: iso(deletedAt) }
}

/**
 * Takes a deletion back; a bundle that is not deleted stays as it is (decisions 1).
 * @throws Problem NOT_FOUND, FORBIDDEN, PLAN_LIMIT where the owner's plan is full.
 */
export async function restore({ store, config, caller }: Change, slug: string): Promise<StoredBundle> {
  const bundle = await loadDeletedFor(store.db, caller, slug, 'admin')
  if (bundle.deletedAt === null) return bundle
  const [, left] = await store.write([
    store.db
      .update(bundles)
      .set({ deletedAt: null })
      .where(
        and(
          eq(bundles.id, bundle.id),
          isNotNull(bundles.deletedAt),
          sql`${heldBy(bundle.owner)} < ${capOf(bundle.owner, config)}`,
        ),
      ),
    // In the same transaction: where it is still deleted, there was no place. A moment later somebody may have deleted it again.
    sql`SELECT 1 FROM ${bundles} WHERE ${bundles.id} = ${bundle.id} AND ${bundles.deletedAt} IS NOT NULL`,
  ])
  if (left?.rows.length !== 0) throw await capReached(store, bundle.owner, config)
  return loadDeletedFor(store.db, caller, slug, 'admin')
}

/**
 * Refuses an edit of a version that is no longer the latest.
 * @throws Problem VERSION_CONFLICT.
 */
export function refuseStale({ versionNumber }: StoredBundle, expectedVersion: number | null): void {
  if (expectedVersion === null || expectedVersion === versionNumber) return
  throw new Problem(
    'VERSION_CONFLICT',
    `This bundle is at version ${versionNumber} now, not ${expectedVersion}. Read it again, then send your change for that version.`,
  )
}
