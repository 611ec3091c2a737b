import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { bundles } from './bundle-schema.ts'
import { json } from './columns.ts'
import type { Content } from './content-schema.ts'
import { user } from './identity-schema.ts'
import { apiKeys } from './key-schema.ts'
import { owners } from './owner-schema.ts'
import type { Policy } from './policy.ts'

/** What became of a proposal. */
export const PROPOSAL_STATES = ['open', 'accepted', 'rejected', 'withdrawn'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** Some fields of a bundle's content, as somebody wants to have them; rules need no ids. */
export type ProposedChanges = { [Name in keyof Omit<Content, 'resolutionPolicy'>]?: Content[Name] } & {
  resolutionPolicy?: { version: 1; rules: (Omit<Policy['rules'][number], 'id'> & { id?: string })[] } | null
}

/**
 * Proposed edits. Open ones of a deleted account are deleted by a trigger, which also erases the reasons
 * of its closed ones.
 */
export const proposals = sqliteTable(
  'proposals',
  {
    id: text('id').primaryKey(),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** The bundle's owner, for the inbox and the cap; a trigger follows when it changes hands. */
    ownerId: integer('owner_id')
      .notNull()
      .references(() => owners.id, { onDelete: 'cascade' }),
    /** The version that the changes are based on. */
    baseVersion: integer('base_version').notNull(),
    changes: json<ProposedChanges>('changes').notNull(),
    reason: text('reason'),
    /** Null once the account is deleted. */
    proposedBy: text('proposed_by').references(() => user.id, { onDelete: 'set null' }),
    /** The key that it was made with, which may withdraw it. */
    keyId: integer('key_id').references(() => apiKeys.id, { onDelete: 'set null' }),
    createdAt: integer('created_at').notNull(),
    state: text('state', { enum: PROPOSAL_STATES }).notNull().default('open'),
    decidedBy: text('decided_by').references(() => user.id, { onDelete: 'set null' }),
    decidedAt: integer('decided_at'),
    /** What was said to a rejection. */
    note: text('note'),
    /** The version that accepting it made. */
    versionNumber: integer('version_number'),
    /** The link that it repairs, if the service itself proposed it; null if somebody did. */
    repairs: text('repairs'),
    /** From which triggers count `owners.proposalBytes`, with what the row and its places in indexes take besides. */
    bytes: integer('bytes').generatedAlwaysAs(
      sql`octet_length("changes") + coalesce(octet_length("reason"), 0) + coalesce(octet_length("note"), 0) + 512`,
      { mode: 'virtual' },
    ),
  },
  (t) => [
    index('proposals_bundle').on(t.bundleId, t.state, t.createdAt),
    index('proposals_open').on(t.ownerId, t.createdAt).where(sql`${t.state} = 'open'`),
    uniqueIndex('proposals_repair')
      .on(t.bundleId, t.repairs)
      .where(sql`${t.repairs} IS NOT NULL AND ${t.state} = 'open'`),
    // To count them, without reading what they change.
    index('proposals_repairs_of').on(t.ownerId).where(sql`${t.repairs} IS NOT NULL AND ${t.state} = 'open'`),
    // For the deletion of an owner, an account or a key; the first also to find an owner's oldest decided ones.
    index('proposals_owner').on(t.ownerId, t.decidedAt),
    index('proposals_proposer').on(t.proposedBy),
    index('proposals_decider').on(t.decidedBy),
    index('proposals_key').on(t.keyId),
    check('proposals_id', sql`${t.id} GLOB 'p_*'`),
    check('proposals_changes', sql`json_valid(${t.changes})`),
    check('proposals_state', sql`${t.state} IN (${sql.raw(PROPOSAL_STATES.map((state) => `'${state}'`).join(', '))})`),
    check('proposals_decided', sql`(${t.state} = 'open') = (${t.decidedAt} IS NULL)`),
    check('proposals_accepted', sql`(${t.state} = 'accepted') = (${t.versionNumber} IS NOT NULL)`),
  ],
)

/** What people get mails about: an edit of a bundle of theirs is suggested; one that they suggested is decided. */
export const PROPOSAL_MAILS = ['proposed', 'decided'] as const
export type ProposalMail = (typeof PROPOSAL_MAILS)[number]

/** Mails that people can do without: the above, that one of their API keys ends in a week, and that links are broken. */
export const OPTIONAL_MAILS = [...PROPOSAL_MAILS, 'keyEnds', 'linksBroken'] as const
export type OptionalMail = (typeof OPTIONAL_MAILS)[number]

/**
 * Mails to send about proposals: one row for a person, a bundle and a kind, which bundles what happens until it is due. A row
 * without anything waiting says when the last mail was sent, for the hour until the next one may be.
 */
export const proposalMails = sqliteTable(
  'proposal_mails',
  {
    id: integer('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: PROPOSAL_MAILS }).notNull(),
    /** The ids of the proposals to tell of, oldest first. */
    waiting: json<string[]>('waiting').notNull(),
    /** When to send it; null if nothing is waiting. */
    dueAt: integer('due_at'),
    /** The sending process’s mark, while it sends; `dueAt` is then when another may take over. */
    lease: text('lease'),
    /** How often sending it has failed. */
    attempts: integer('attempts').notNull().default(0),
    /** When the last mail was sent; null if none was. */
    sentAt: integer('sent_at'),
  },
  (t) => [
    uniqueIndex('proposal_mails_once').on(t.userId, t.bundleId, t.kind),
    index('proposal_mails_bundle').on(t.bundleId),
    index('proposal_mails_due').on(t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // For the sweep.
    index('proposal_mails_sent').on(t.sentAt).where(sql`${t.dueAt} IS NULL`),
    check('proposal_mails_kind', sql`${t.kind} IN ('proposed', 'decided')`),
    check('proposal_mails_done', sql`${t.dueAt} IS NOT NULL OR ${t.sentAt} IS NOT NULL`),
  ],
)
