import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { user } from './identity-schema.ts'

// Whether links still lead somewhere; see `0015_checks.sql` for the triggers. There may be very many, so no foreign key deletes
// them with their owner or bundle: what a bundle leaves behind is removed like what an edit leaves out.

/** What is known of a link: nothing yet, that it leads somewhere, that it has moved for good, or that it leads nowhere. */
export const LINK_STATES = ['unknown', 'ok', 'moved', 'broken'] as const
export type LinkState = (typeof LINK_STATES)[number]

/** A directive of a site’s `robots.txt` for the checker: whether paths of a pattern may be asked for. */
export type RobotsRule = [isAllowed: 0 | 1, pattern: string]

/**
 * Bundles whose links are to be read anew, written by triggers, so that no way of changing a bundle can miss it and an edit
 * pays for one small row.
 */
export const linksPending = sqliteTable('links_pending', {
  bundleId: integer('bundle_id').primaryKey(),
  /** Grows with each change, so that one that comes while the bundle is read is not forgotten. */
  changes: integer('changes').notNull(),
})

/**
 * The links of an owner, each once, whatever bundles have it. Not shared between owners, which would reveal that another has the
 * same link.
 */
export const checkedLinks = sqliteTable(
  'checked_links',
  {
    id: integer('id').primaryKey(),
    ownerId: integer('owner_id').notNull(),
    /** Without its port, in lower case: what one request per second is for. */
    host: text('host').notNull(),
    /** The fingerprint of the URL. */
    hash: text('hash').notNull(),
    url: text('url').notNull(),
    state: text('state', { enum: LINK_STATES }).notNull().default('unknown'),
    /** Since when it is in this state, as far as the service knows. */
    since: integer('since').notNull(),
    /** Looks in a row that found nothing there. */
    failures: integer('failures').notNull().default(0),
    /** Looks in a row that were led to `finalUrl` for good. */
    moves: integer('moves').notNull().default(0),
    /** When the first of these looks was; null without any. */
    firstAt: integer('first_at'),
    finalUrl: text('final_url'),
    /** The title of the page there; null if none was seen. */
    finalTitle: text('final_title'),
    /** When to look next; null while no bundle has it. */
    dueAt: integer('due_at'),
    /** Since when no bundle has it. */
    unusedSince: integer('unused_since'),
    /** What is found is told bundle by bundle: the id of the last that was; null if there is nothing to tell. */
    toldUpTo: integer('told_up_to'),
  },
  (t) => [
    uniqueIndex('checked_links_once').on(t.hash, t.ownerId),
    index('checked_links_due').on(t.host, t.dueAt),
    // Of an owner: what is wrong, and what no bundle has any more.
    index('checked_links_wrong').on(t.ownerId, t.state).where(sql`${t.state} IN ('moved', 'broken')`),
    index('checked_links_unused_of').on(t.ownerId, t.unusedSince).where(sql`${t.unusedSince} IS NOT NULL`),
    index('checked_links_untold').on(t.id).where(sql`${t.toldUpTo} IS NOT NULL`),
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
    /** The `since` of the finding that its owner was told of, and of the one that a repair was proposed for. */
    toldOf: integer('told_of'),
    repairedOf: integer('repaired_of'),
  },
  (t) => [primaryKey({ columns: [t.bundleId, t.linkId] }), index('bundle_links_link').on(t.linkId, t.bundleId)],
)

/**
 * Hosts of which links are to be looked at, for as long as there are any: what takes the last link away takes its host (triggers
 * of `0022_outgoing_turns.sql`). So an owner’s are no more than the links of its bundles.
 */
export const checkedHosts = sqliteTable(
  'checked_hosts',
  {
    host: text('host').primaryKey(),
    /** When a link of it is due, or when another process may take over. */
    dueAt: integer('due_at').notNull(),
    /** The mark of the process that looks at one of its links. */
    lease: text('lease'),
  },
  (t) => [index('checked_hosts_due').on(t.dueAt)],
)

/** What `robots.txt` said to the checker, kept for a day. Each owner causes a bounded number of them, and of their bytes. */
export const robots = sqliteTable(
  'robots',
  {
    /** The host, with its port if that is no usual one. */
    authority: text('authority').primaryKey(),
    /** Whose link was looked at. */
    ownerId: integer('owner_id').notNull(),
    rules: text('rules', { mode: 'json' }).$type<RobotsRule[]>().notNull(),
    /** Of `rules`, and of what a row takes besides. */
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

/** Until when a site or a block of addresses gets no request that nobody waits for, whichever process would send it. */
export const outgoingTurns = sqliteTable(
  'outgoing_turns',
  { place: text('place').primaryKey(), nextAt: integer('next_at').notNull() },
  // For the sweep.
  (t) => [index('outgoing_turns_next').on(t.nextAt)],
)

/** When each person is to be mailed about broken links, and was last. */
export const linkMails = sqliteTable(
  'link_mails',
  {
    userId: text('user_id')
      .primaryKey()
      .references(() => user.id, { onDelete: 'cascade' }),
    /** Null if there is nothing to tell. */
    dueAt: integer('due_at'),
    sentAt: integer('sent_at'),
  },
  (t) => [index('link_mails_due').on(t.dueAt).where(sql`${t.dueAt} IS NOT NULL`)],
)
