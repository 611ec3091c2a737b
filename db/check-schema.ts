import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

// Results of link checks; see `0001_triggers.sql` for the triggers. The rows may be very many, so no foreign key deletes them
// with their owner or bundle: links of a deleted bundle are removed like links that an edit drops.

/** The result of checking a link: not yet known, reachable, moved permanently, or broken. */
export const LINK_STATES = ['unknown', 'ok', 'moved', 'broken'] as const
export type LinkState = (typeof LINK_STATES)[number]

/** A rule from a site’s `robots.txt` for the checker: whether paths that match a pattern may be requested. */
export type RobotsRule = [isAllowed: 0 | 1, pattern: string]

/**
 * The links of an owner, each once, however many bundles have it. Not shared between owners, which would reveal that another
 * owner has the same link.
 */
export const checkedLinks = sqliteTable(
  'checked_links',
  {
    id: integer('id').primaryKey(),
    ownerId: integer('owner_id').notNull(),
    /** In lower case, without its port: the limit of one request per second is per host. */
    host: text('host').notNull(),
    /** The fingerprint of the URL. */
    hash: text('hash').notNull(),
    url: text('url').notNull(),
    state: text('state', { enum: LINK_STATES }).notNull().default('unknown'),
    /** The time since which it is in this state, as far as the service knows. */
    since: integer('since').notNull(),
    /** Consecutive checks that found the link broken. */
    failures: integer('failures').notNull().default(0),
    /** Consecutive checks that were redirected permanently to `finalUrl`. */
    moves: integer('moves').notNull().default(0),
    /** The time of the first of these checks; null without any. */
    firstAt: integer('first_at'),
    finalUrl: text('final_url'),
    /** The title of the page at `finalUrl`; null if none was seen. */
    finalTitle: text('final_title'),
    /** The time of the next check; null while no bundle has the link. */
    dueAt: integer('due_at'),
    /** The time since which no bundle has the link. */
    unusedSince: integer('unused_since'),
    /** The last bundle whose owner was notified, because that is done bundle by bundle; null with nothing to report. */
    lastNotifiedBundleId: integer('told_up_to'),
  },
  (t) => [
    uniqueIndex('checked_links_once').on(t.hash, t.ownerId),
    index('checked_links_due').on(t.host, t.dueAt),
    // For an owner's moved and broken links, and for links that no bundle has any more.
    index('checked_links_wrong').on(t.ownerId, t.state).where(sql`${t.state} IN ('moved', 'broken')`),
    index('checked_links_unused_of').on(t.ownerId, t.unusedSince).where(sql`${t.unusedSince} IS NOT NULL`),
    index('checked_links_untold').on(t.id).where(sql`${t.lastNotifiedBundleId} IS NOT NULL`),
    // For the sweep.
    index('checked_links_unused').on(t.unusedSince).where(sql`${t.unusedSince} IS NOT NULL`),
    check('checked_links_state', sql`${t.state} IN (${sql.raw(LINK_STATES.map((name) => `'${name}'`).join(', '))})`),
  ],
)

/** Which bundles have which links. WITHOUT ROWID. */
export const bundleLinks = sqliteTable(
  'bundle_links',
  {
    bundleId: integer('bundle_id').notNull(),
    linkId: integer('link_id').notNull(),
    /** The `since` of the result that the owner was notified of, and of the one that a repair was proposed for. */
    toldOf: integer('told_of'),
    repairedOf: integer('repaired_of'),
  },
  (t) => [primaryKey({ columns: [t.bundleId, t.linkId] }), index('bundle_links_link').on(t.linkId, t.bundleId)],
)

/**
 * Hosts with links to check. A host is deleted with its last link (triggers in `0001_triggers.sql`), so an owner never has more
 * hosts than links.
 */
export const checkedHosts = sqliteTable(
  'checked_hosts',
  {
    host: text('host').primaryKey(),
    /** When one of its links is due, or when another process may take over. */
    dueAt: integer('due_at').notNull(),
    /** The mark of the process that checks one of its links. */
    lease: text('lease'),
  },
  (t) => [index('checked_hosts_due').on(t.dueAt)],
)

/** The checker's copy of `robots.txt`, kept for a day. The number and total size that one owner causes are bounded. */
export const robots = sqliteTable(
  'robots',
  {
    /** The host, with its port if that is not the default. */
    authority: text('authority').primaryKey(),
    /** The owner whose link was checked. */
    ownerId: integer('owner_id').notNull(),
    rules: text('rules', { mode: 'json' }).$type<RobotsRule[]>().notNull(),
    /** The size of `rules`, plus the row's overhead. */
    bytes: integer('bytes').notNull(),
    at: integer('at').notNull(),
  },
  (t) => [
    // For the bound of an owner, which is read from it alone.
    index('robots_of').on(t.ownerId, t.at, t.bytes),
    // For the sweep.
    index('robots_at').on(t.at),
  ],
)

/** For each site or block of addresses, the time until which no process sends it a background request. */
export const outgoingTurns = sqliteTable(
  'outgoing_turns',
  { place: text('place').primaryKey(), nextAt: integer('next_at').notNull() },
  // For the sweep.
  (t) => [index('outgoing_turns_next').on(t.nextAt)],
)
