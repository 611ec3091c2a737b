import { randomInt } from 'node:crypto'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { bundles, bundleVersions, claims } from '../../db/schema.ts'
import type { Config } from '../config.ts'
import type { Commit } from '../idempotency.ts'
import type { Caller } from '../identity/identify.ts'
import { anonymousCapReached } from '../limits/plans.ts'
import { Problem } from '../problem.ts'
import { keyedHash } from '../secrets.ts'
import { hashClaimToken, newClaimToken } from './claims.ts'
import type { CreatedBundle, NewBundle } from './shapes.ts'

const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const SLUG_LENGTH = 10

interface Creation {
  store: Store
  config: Config
  caller: Caller
  /** The Service-Client label. */
  client: string | null
  commit: Commit
}

/**
 * Makes a bundle for a caller without an account (spec 4.1, decisions 4). The caller gets a token to claim
 * it with; only the token's hash is kept.
 * @throws Problem PLAN_LIMIT past the anonymous cap, exact under concurrency; BAD_REQUEST for a chosen slug.
 */
export async function create(input: NewBundle, creation: Creation): Promise<CreatedBundle> {
  if (input.slug !== undefined) {
    throw new Problem('BAD_REQUEST', 'slug can be chosen only when signed in: leave it out to get one')
  }
  for (;;) {
    const { answer, writes } = newAnonymousBundle(input, creation)
    try {
      await creation.commit(writes, answer)
      return answer
    } catch (error) {
      const broken = brokenConstraint(error)
      if (broken?.includes('bundles.slug')) continue
      if (broken?.includes('bundle_versions.bundle_id')) throw anonymousCapReached(creation.config.maxBundles.anonymous)
      throw error
    }
  }
}

function newAnonymousBundle(input: NewBundle, { store: { db }, config, caller, client }: Creation) {
  const now = Date.now()
  const slug = newSlug()
  const token = newClaimToken()
  const expiresAt = now + config.claimTtlMs
  const content = {
    urls: input.urls,
    urlMetadata: input.urls.map((_, index) => input.urlMetadata?.[index] ?? {}),
    title: input.title ?? null,
    description: input.description ?? null,
  }
  const bundle = {
    ...content,
    slug,
    source: input.source ?? ('api' as const),
    client,
    addressHash: keyedHash(config.secret, 'client address', caller.address),
    createdAt: now,
    updatedAt: now,
  }
  const inserted = sql<number>`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.slug} = ${slug})`
  const writes = [
    db.insert(bundles).values(bundle),
    // The cap is counted with the new bundle in, inside the transaction. Past it this insert finds no
    // bundle id, the NOT NULL constraint breaks, and the whole transaction is undone.
    db.insert(bundleVersions).values({
      ...content,
      bundleId: sql`CASE WHEN (${held(db, bundle.addressHash)}) <= ${config.maxBundles.anonymous} THEN ${inserted} END`,
      versionNumber: 1,
      editedAt: now,
    }),
    db.insert(claims).values({
      tokenHash: hashClaimToken(token),
      bundleId: inserted,
      email: input.email ?? null,
      expiresAt,
    }),
  ]
  const answer: CreatedBundle = {
    slug,
    url: `${config.origin}/l/${slug}`,
    claimUrl: `${config.origin}/claim/${token}`,
    claimToken: token,
    claimExpiresAt: new Date(expiresAt).toISOString(),
    warning: 'claimToken and claimUrl are shown only this once: keep one of them to claim the bundle later.',
  }
  return { answer, writes }
}

/** How many bundles an address holds: unclaimed (a claim erases the hash) and not deleted. */
function held(db: Store['db'], addressHash: string) {
  return db
    .select({ count: sql<number>`count(*)` })
    .from(bundles)
    .where(and(eq(bundles.addressHash, addressHash), isNull(bundles.deletedAt)))
    .getSQL()
}

function newSlug(): string {
  return Array.from({ length: SLUG_LENGTH }, () => SLUG_ALPHABET[randomInt(SLUG_ALPHABET.length)]).join('')
}

/** What a viewer may see of a bundle. */
export type PublicBundle = NonNullable<Awaited<ReturnType<typeof find>>>

/** The bundle that is served under a slug, or null where there is none or it was deleted. */
export async function find(db: Store['db'], slug: string) {
  let query = finders.get(db)
  if (query === undefined) finders.set(db, (query = finder(db)))
  const [row] = await query.execute({ slug })
  return row ?? null
}

/** Building this query costs more than running it, and a cold launcher waits for both. */
const finders = new WeakMap<Store['db'], ReturnType<typeof finder>>()

function finder(db: Store['db']) {
  return db
    .select({
      id: bundles.id,
      slug: bundles.slug,
      title: bundles.title,
      description: bundles.description,
      urls: bundles.urls,
      urlMetadata: bundles.urlMetadata,
    })
    .from(bundles)
    .where(and(eq(bundles.slug, sql.placeholder('slug')), isNull(bundles.deletedAt)))
    .prepare()
}
