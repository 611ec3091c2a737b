import { and, eq, min, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { actingAs, type Store } from '../../../db/client.ts'
import { prepared } from '../../../db/prepared.ts'
import { bundleLinks, bundles, checkedLinks, type LinkState, owners } from '../../../db/schema.ts'
import type { Config } from '../../config/config.ts'
import { iso } from '../../core/time.ts'
import type { Subject } from '../../identity/caller.ts'
import { ensureOwner, ownerId } from '../../plans/owners.ts'
import type { StoredBundle } from '../edit/bundles.ts'

// The results of link checks (`src/checks`) for the links of bundles.

/** The health of a link in a bundle. */
export interface LinkHealth {
  url: string
  state: LinkState
  since: string
  finalUrl?: string
}

/**
 * The health of each checked link in a bundle, in the order of its links.
 * @returns undefined before the first check, or if the owner or the operator wants no checks.
 */
export async function healthOf(
  { store, config }: { store: Pick<Store, 'db'>; config: Pick<Config, 'linkChecks'> },
  { id, urls }: Pick<StoredBundle, 'id' | 'urls'>,
): Promise<LinkHealth[] | undefined> {
  if (!config.linkChecks) return undefined
  const rows = await ofBundle(store.db).all({ id })
  if (rows.every(({ state }) => state === 'unknown')) return undefined
  const found = new Map(rows.map((row) => [row.url, row]))
  return [...new Set(urls)].flatMap((url) => {
    const row = found.get(url)
    if (row === undefined) return []
    const { state, since, finalUrl } = row
    return [{ url, state, since: iso(since), ...(state === 'moved' && finalUrl !== null ? { finalUrl } : {}) }]
  })
}

const ofBundle = prepared((db) => {
  const { url, state, since, finalUrl } = checkedLinks
  return db
    .select({ url, state, since, finalUrl })
    .from(bundleLinks)
    .innerJoin(checkedLinks, eq(checkedLinks.id, bundleLinks.linkId))
    .innerJoin(owners, and(eq(owners.id, checkedLinks.ownerId), eq(owners.checkLinks, true)))
    .where(eq(bundleLinks.bundleId, sql.placeholder('id')))
    .prepare()
})

/** The number of broken links in a bundle, and since when the first of them has been broken. */
export interface Broken {
  links: number
  since: number
}

/**
 * The broken links in each of several bundles, by id; bundles without any are missing.
 * @param ids bundles that the caller may see.
 */
export async function brokenIn(
  { db }: Pick<Store, 'db'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Broken>> {
  const rows = await brokenOf(db).all({ ids: JSON.stringify(ids) })
  return new Map(rows.map(({ id, links, since }) => [id, { links, since: since ?? 0 }]))
}

const brokenOf = prepared((db) =>
  db
    .select({ id: bundleLinks.bundleId, links: sql<number>`count(*)`, since: min(checkedLinks.since) })
    .from(bundleLinks)
    .innerJoin(checkedLinks, and(eq(checkedLinks.id, bundleLinks.linkId), eq(checkedLinks.state, 'broken')))
    .innerJoin(owners, and(eq(owners.id, checkedLinks.ownerId), eq(owners.checkLinks, true)))
    .where(sql`${bundleLinks.bundleId} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
    .groupBy(bundleLinks.bundleId)
    .prepare(),
)

/** The condition for broken links. It names all states of the partial index, so that SQLite uses it. */
export const IS_BROKEN = inState(sql`'broken'`)

/** The same condition for links in a state, `moved` or `broken`. */
function inState(state: SQLWrapper): SQL {
  return sql`${checkedLinks.state} IN ('moved', 'broken') AND ${checkedLinks.state} = ${state}`
}

/** Whether a bundle of an owner has a link in a state, `moved` or `broken`. */
export function hasLinkIn(owner: SQL, state: SQLWrapper): SQL {
  return sql`${bundles.id} IN (SELECT ${bundleLinks.bundleId} FROM ${checkedLinks}
    JOIN ${bundleLinks} ON ${bundleLinks.linkId} = ${checkedLinks.id}
    JOIN ${owners} ON ${owners.id} = ${checkedLinks.ownerId} AND ${owners.checkLinks}
    WHERE ${checkedLinks.ownerId} = ${owner} AND ${inState(state)})`
}

/** Whether an owner has a bundle with a broken link. */
export async function hasBroken({ db }: Pick<Store, 'db'>, subject: Subject): Promise<boolean> {
  const isTheirs = eq(checkedLinks.ownerId, ownerId(subject))
  const found = await db
    .select({ one: sql`1` })
    .from(checkedLinks)
    .innerJoin(owners, and(eq(owners.id, checkedLinks.ownerId), eq(owners.checkLinks, true)))
    .where(and(isTheirs, IS_BROKEN, sql`${checkedLinks.unusedSince} IS NULL`))
    .limit(1)
  return found.length > 0
}

/** Whether a subject wants its links checked; yes by default. */
export async function wantsChecks({ db }: Pick<Store, 'db'>, subject: Subject): Promise<boolean> {
  const [row] = await db
    .select({ isOn: owners.checkLinks })
    .from(owners)
    .where(eq(owners.id, ownerId(subject)))
  return row?.isOn ?? true
}

/** Stores whether a subject wants its links checked. @param userId the admin of the subject who decides. */
export async function setChecks(
  { db, write }: Store,
  userId: string,
  subject: Subject,
  checkLinks: boolean,
): Promise<void> {
  const isOwn = eq(owners.id, ownerId(subject))
  await actingAs({ type: 'user', userId, keyId: null }, () =>
    write([ensureOwner(subject), db.update(owners).set({ checkLinks }).where(isOwn)]),
  )
}
