import { and, eq, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { bundleLinks, bundles, checkedHosts, checkedLinks, linksPending, owners, proposals } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { fingerprint } from '../core/hash.ts'
import { namesIn } from '../core/template.js'
import { hostOfTurns, isEverReachable } from '../outgoing/target.ts'
import { withdrawRepairs } from './pairs.ts'

// The links to look at follow what bundles have: each change of a bundle leaves a row, from which they are read anew.

/** Bundles read in one go; each is a write of a millisecond or two. */
const BUNDLES_AT_ONCE = 20
/** Links that no bundle of an owner has any more, of which findings are kept: the newest. */
const MAX_UNUSED = 1_000
/** The first look comes within a day, spread so that an import is not looked at all at once. */
const FIRST_MS = 3_600_000
const SPREAD_MS = 23 * 3_600_000

type Site = Pick<Config, 'outgoingPrivateNetworks'>

/** Follows some bundles that have changed. @returns whether there were any. */
export async function followSome(store: Store, site: Site, now: number): Promise<boolean> {
  const pending = await store.db.select().from(linksPending).limit(BUNDLES_AT_ONCE)
  for (const { bundleId, changes } of pending) await follow(store, site, { bundleId, changes, now })
  return pending.length > 0
}

interface Change {
  bundleId: number
  changes: number
  now: number
}

async function follow({ db, write }: Store, site: Site, { bundleId, changes, now }: Change): Promise<void> {
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
    // A repair of what is there no more.
    withdrawRepairs(
      db,
      and(
        eq(proposals.bundleId, bundleId),
        sql`${proposals.repairs} NOT IN (SELECT value ->> 'url' FROM json_each(${sent}))`,
      ),
      now,
    ),
    ...(ownedBy === null ? [] : [forgetOldest(db, ownedBy)]),
    db.delete(linksPending).where(and(eq(linksPending.bundleId, bundleId), eq(linksPending.changes, changes))),
  ])
}

type Bundle = Pick<typeof bundles.$inferSelect, 'urls' | 'urlMetadata' | 'variables'>

/** The links of a bundle that can be looked at: neither those that viewers complete, nor those that are kept out or private. */
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
  // A link that is kept out at one place is looked at if it stands at another.
  return [...new Map(found).values()]
}

/** Whether what was found of a link was decided in a bundle already: one that is left out and comes back is suggested nothing again. */
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
