import { and, eq, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { read, unread } from '../../db/feed.ts'
import { bundleLinks, bundles, checkedHosts, checkedLinks, owners, proposals } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { fingerprint } from '../core/secrets.ts'
import { namesIn } from '../core/template.js'
import { hostOfTurns, isEverReachable } from '../outgoing/target.ts'
import { withdrawRepairs } from './pairs.ts'

// The links to check follow those of bundles: a change to a bundle leaves a row in the feed, and its links are read again.

/** How many changes are read at once; each bundle takes a write of a millisecond or two. */
const CHANGES_AT_ONCE = 20
/** How many links that no bundle of an owner has any more keep their results: the newest. */
const MAX_UNUSED = 1_000
/** The first probe comes within a day, spread so that an import is not checked all at once. */
const FIRST_MS = 3_600_000
const SPREAD_MS = 23 * 3_600_000

type Site = Pick<Config, 'outgoingPrivateNetworks'>

/** Updates the links to check from some changed bundles. @returns whether there were any. */
export async function followSome(store: Store, site: Site, now: number): Promise<boolean> {
  const changes = Map.groupBy(await unread(store, 'forLinks', CHANGES_AT_ONCE), ({ bundleId }) => bundleId)
  for (const [bundleId, rows] of changes) await follow(store, site, { bundleId, seqs: rows.map(({ seq }) => seq), now })
  return changes.size > 0
}

interface Change {
  bundleId: number
  /** The numbers of its rows in the feed. */
  seqs: number[]
  now: number
}

async function follow({ db, write }: Store, site: Site, { bundleId, seqs, now }: Change): Promise<void> {
  const { urls, urlMetadata, variables, ownerId, deletedAt } = bundles
  const [bundle] = await db
    .select({ urls, urlMetadata, variables, ownerId, deletedAt })
    .from(bundles)
    .where(eq(bundles.id, bundleId))
  const ownedBy = bundle === undefined || bundle.deletedAt !== null ? null : bundle.ownerId
  const links = bundle === undefined || ownedBy === null ? [] : linksOf(bundle, site, now)
  const sent = JSON.stringify(links)
  const ids = sql`SELECT ${checkedLinks.id} FROM ${checkedLinks} WHERE ${checkedLinks.ownerId} = ${ownedBy} AND ${checkedLinks.hash} IN (SELECT value ->> 'hash' FROM json_each(${sent}))`
  await write([
    ...(ownedBy === null ? [] : additions(sent, ownedBy, now)),
    db.delete(bundleLinks).where(and(eq(bundleLinks.bundleId, bundleId), sql`${bundleLinks.linkId} NOT IN (${ids})`)),
    sql`INSERT INTO ${bundleLinks} (bundle_id, link_id, repaired_of) SELECT ${bundleId}, id, CASE WHEN ${isDecided(bundleId)} THEN since END
      FROM ${checkedLinks} WHERE id IN (${ids}) ON CONFLICT DO NOTHING`,
    // Repairs of links that the bundle no longer has.
    withdrawRepairs(
      db,
      and(
        eq(proposals.bundleId, bundleId),
        sql`${proposals.repairs} NOT IN (SELECT value ->> 'url' FROM json_each(${sent}))`,
      ),
      now,
    ),
    ...(ownedBy === null ? [] : [forgetOldest(db, ownedBy)]),
    read('forLinks', sql`SELECT value FROM json_each(${JSON.stringify(seqs)})`),
  ])
}

type Bundle = Pick<typeof bundles.$inferSelect, 'urls' | 'urlMetadata' | 'variables'>

/** The links of a bundle that can be checked: not those with variables, excluded from checks, or private. */
function linksOf({ urls, urlMetadata, variables }: Bundle, { outgoingPrivateNetworks }: Site, now: number) {
  const names = variables.map(({ name }) => name)
  const found = urls.flatMap((url, at) => {
    if (urlMetadata[at]?.check === false || namesIn(url, names).length > 0 || !URL.canParse(url)) return []
    const parsed = new URL(url)
    if (!isEverReachable(parsed, { privateNetworks: outgoingPrivateNetworks })) return []
    const hash = fingerprint(url)
    const dueAt = now + FIRST_MS + (Buffer.from(hash, 'base64url').readUInt32BE() % SPREAD_MS)
    return [[hash, { url, hash, host: hostOfTurns(parsed), dueAt }] as const]
  })
  // A link that is excluded in one place is checked if it is also in another.
  return [...new Map(found).values()]
}

/** Whether a repair for this result was already decided in a bundle: a link that is removed and comes back gets no other. */
function isDecided(bundleId: number) {
  return sql`EXISTS (SELECT 1 FROM ${proposals} WHERE ${proposals.bundleId} = ${bundleId} AND ${proposals.repairs} = ${checkedLinks.url}
    AND ${proposals.state} IN ('accepted', 'rejected') AND ${proposals.createdAt} >= ${checkedLinks.since})`
}

function additions(links: string, ownedBy: number, now: number): Query[] {
  const isThere = sql`EXISTS (SELECT 1 FROM ${owners} WHERE ${owners.id} = ${ownedBy})`
  return [
    sql`INSERT INTO ${checkedLinks} (owner_id, host, hash, url, since, due_at)
      SELECT ${ownedBy}, value ->> 'host', value ->> 'hash', value ->> 'url', ${now}, value ->> 'dueAt' FROM json_each(${links})
      WHERE ${isThere}
      ON CONFLICT (hash, owner_id) DO UPDATE SET due_at = coalesce(due_at, excluded.due_at)`,
    sql`INSERT INTO ${checkedHosts} (host, due_at)
      SELECT value ->> 'host', min(value ->> 'dueAt') FROM json_each(${links}) WHERE ${isThere} GROUP BY 1
      ON CONFLICT (host) DO UPDATE SET due_at = min(due_at, excluded.due_at)`,
  ]
}

function forgetOldest(db: Store['db'], ownedBy: number): Query {
  const oldest = sql`SELECT ${checkedLinks.id} FROM ${checkedLinks} WHERE ${checkedLinks.ownerId} = ${ownedBy} AND ${checkedLinks.unusedSince} IS NOT NULL ORDER BY ${checkedLinks.unusedSince} DESC LIMIT 100 OFFSET ${MAX_UNUSED}`
  return db.delete(checkedLinks).where(sql`${checkedLinks.id} IN (${oldest})`)
}
