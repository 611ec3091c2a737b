import { randomInt } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { bundles } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import type { Config } from '../config.ts'
import type { Commit } from '../core/idempotency.ts'
import { Problem } from '../core/problem.ts'
import type { Caller } from '../identity/caller.ts'
import { requireRole } from '../identity/roles.ts'
import { anonymousCapReached, capOf, capReached, hashOfAddress, heldBy, heldByAddress } from '../plans/caps.ts'
import { historyFull, isOverfull, refuseOverfull } from '../plans/history.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import { identified, keepIds } from '../policies/rule-ids.ts'
import type { CreatedBundle } from './answers.ts'
import { newClaim } from './claims.ts'
import { NOTHING } from './content.ts'
import { merged, type NextContent } from './merge.ts'
import { insertSearchText } from './search.ts'
import type { NewBundle } from './shapes.ts'
import { insertVersion } from './stored.ts'

const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const SLUG_LENGTH = 10
/** Slugs that would look like the service’s own. */
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

/** Who creates a bundle, and how. */
export interface Creator {
  store: Store
  config: Config
  blockedHosts: Pick<BlockedHosts, 'refuse'>
  caller: Caller
  /** The Service-Client label. */
  client: string | null
  /** The bundle’s source, unless the input has one. */
  source: 'web' | 'api' | 'mcp'
  /** The field with which the caller chooses the new slug. */
  slugField: SlugField
}

/** The field with which an operation takes a new slug. */
type SlugField = 'slug' | 'newSlug'

interface Creation extends Creator {
  commit: Commit
  /** Withheld if too many mails were sent to the address. */
  claimMail?: 'sent' | 'withheld'
}

/**
 * Creates a bundle (spec 4.1): owned by the caller’s active subject, or anonymous and claimable.
 * @throws Problem PLAN_LIMIT beyond the cap, exact under concurrency; SLUG_TAKEN; BAD_REQUEST for a field that this
 * caller may not send; FORBIDDEN for a viewer.
 */
export async function create(input: NewBundle, creation: Creation): Promise<CreatedBundle> {
  const { caller, config, store, commit, slugField } = creation
  refuseUnfit(input, creation)
  for (;;) {
    const { answer, writes } = newBundle(input, creation)
    try {
      await commit(writes, answer)
      return answer
    } catch (error) {
      const broken = brokenConstraint(error)
      if (broken?.includes('bundles.slug')) {
        if (input.slug !== undefined) throw slugTaken(slugField)
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
 * Refuses input that this caller, or nobody here, may send.
 * @throws Problem BAD_REQUEST, FORBIDDEN, SLUG_TAKEN, INVALID_URLS.
 */
export function refuseUnfit(
  input: NewBundle,
  { caller, blockedHosts, slugField }: Pick<Creator, 'caller' | 'blockedHosts' | 'slugField'>,
): void {
  if (caller.kind === 'anonymous' && input.slug !== undefined) {
    throw new Problem('BAD_REQUEST', 'slug can be chosen only when signed in: omit it to get one')
  }
  if (caller.kind !== 'anonymous' && input.email !== undefined) {
    throw new Problem('BAD_REQUEST', 'email is for callers without an account: this bundle will be yours at once')
  }
  if (caller.kind !== 'anonymous') requireRole(caller.role, 'editor')
  if (input.slug !== undefined && RESERVED.has(input.slug)) throw slugTaken(slugField)
  blockedHosts.refuse({ urls: input.urls, resolutionPolicy: input.resolutionPolicy ?? null })
}

/** The content of a new bundle, with ids for its rules. */
export function newContent(input: NewBundle): NextContent {
  const rules = input.resolutionPolicy ? identified(input.resolutionPolicy, null, () => false) : null
  const content = { ...merged(NOTHING, input), resolutionPolicy: rules?.policy ?? null }
  return { content, newRuleIds: rules?.newIds ?? [] }
}

function newBundle(input: NewBundle, { store: { db }, config, caller, client, source, claimMail = 'sent' }: Creation) {
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
    insertSearchText(eq(bundles.slug, slug), { ...content, slug }),
    // The cap is checked inside the transaction, counting the new bundle. Beyond the cap this insert gets no bundle id,
    // which violates NOT NULL and rolls the transaction back.
    ...insertVersion(db, content, {
      bundle: inserted,
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

/** The error for a slug that is taken. */
export function slugTaken(field: SlugField): Problem {
  return new Problem('SLUG_TAKEN', `${field} is taken: choose another, or omit it to get one`)
}

function newSlug(): string {
  return Array.from({ length: SLUG_LENGTH }, () => SLUG_ALPHABET[randomInt(SLUG_ALPHABET.length)]).join('')
}
