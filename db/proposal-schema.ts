import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { bundles } from './bundle-schema.ts'
import { json } from './columns.ts'
import type { Content } from './content-schema.ts'
import { user } from './identity-schema.ts'
import { apiKeys } from './key-schema.ts'
import { owners } from './owner-schema.ts'
import type { Policy } from './policy.ts'

export const PROPOSAL_STATES = ['open', 'accepted', 'rejected', 'withdrawn'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** The proposed values of some fields of a bundle's content; rules need no ids. */
export type ProposedChanges = { [Name in keyof Omit<Content, 'resolutionPolicy'>]?: Content[Name] } & {
  resolutionPolicy?: { version: 1; rules: (Omit<Policy['rules'][number], 'id'> & { id?: string })[] } | null
}

/** Proposed edits. When an account is deleted, a trigger deletes its open proposals and erases the reasons of its closed ones. */
export const proposals = sqliteTable(
  'proposals',
  {
    id: text('id').primaryKey(),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** The bundle's owner, for the inbox and the cap; a trigger updates it when the bundle changes hands. */
    ownerId: integer('owner_id')
      .notNull()
      .references(() => owners.id, { onDelete: 'cascade' }),
    /** The version that the changes are based on. */
    baseVersion: integer('base_version').notNull(),
    changes: json<ProposedChanges>('changes').notNull(),
    reason: text('reason'),
    /** Null once the account is deleted. */
    proposedBy: text('proposed_by').references(() => user.id, { onDelete: 'set null' }),
    /** The key that created it, which may withdraw it. */
    keyId: integer('key_id').references(() => apiKeys.id, { onDelete: 'set null' }),
    createdAt: integer('created_at').notNull(),
    state: text('state', { enum: PROPOSAL_STATES }).notNull().default('open'),
    decidedBy: text('decided_by').references(() => user.id, { onDelete: 'set null' }),
    decidedAt: integer('decided_at'),
    /** The comment on a rejection. */
    note: text('note'),
    /** The version that its acceptance created. */
    versionNumber: integer('version_number'),
    /** The broken link that it repairs, if the service itself proposed it; null if a person did. */
    repairs: text('repairs'),
    /** Its size, overhead included, from which triggers compute `owners.proposalBytes`. */
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
    // To count repairs without reading the proposed changes.
    index('proposals_repairs_of').on(t.ownerId).where(sql`${t.repairs} IS NOT NULL AND ${t.state} = 'open'`),
    // For the deletion of an owner, an account or a key; the first also to find an owner's oldest decided proposals.
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

/** Mails about proposals: an edit of the recipient's bundle is proposed; the recipient's own proposal is decided. */
export const PROPOSAL_MAILS = ['proposed', 'decided'] as const
export type ProposalMail = (typeof PROPOSAL_MAILS)[number]

/** Mails that people can turn off: the above, that an API key expires in a week, and that links are broken. */
export const OPTIONAL_MAILS = [...PROPOSAL_MAILS, 'keyEnds', 'linksBroken'] as const
export type OptionalMail = (typeof OPTIONAL_MAILS)[number]

/**
 * Mails to be sent to people: one row per person and kind, and per bundle for the kinds about bundles. It gathers events until it
 * is due (`src/mail/notices.ts`). A row that is not due only says when the next mail may be sent.
 */
export const notices = sqliteTable(
  'notices',
  {
    id: integer('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    bundleId: integer('bundle_id').references(() => bundles.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: OPTIONAL_MAILS }).notNull(),
    /** The ids of the subjects, oldest first: proposals, or API keys. Broken links are looked up when the mail is written. */
    waiting: json<string[]>('waiting').notNull(),
    /** When to send it; null if there is nothing to send. */
    dueAt: integer('due_at'),
    /** The sending process’s mark, while it sends; `dueAt` is then when another process may take over. */
    lease: text('lease'),
    /** The number of failed attempts. */
    attempts: integer('attempts').notNull().default(0),
    /** When the next mail may be sent; null if none was sent yet. */
    notBefore: integer('not_before'),
  },
  (t) => [
    uniqueIndex('notices_of_bundle').on(t.userId, t.bundleId, t.kind),
    uniqueIndex('notices_of_none').on(t.userId, t.kind).where(sql`${t.bundleId} IS NULL`),
    index('notices_bundle').on(t.bundleId).where(sql`${t.bundleId} IS NOT NULL`),
    index('notices_due').on(t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // For the sweep.
    index('notices_over').on(t.notBefore).where(sql`${t.dueAt} IS NULL`),
    check('notices_kind', sql`${t.kind} IN (${sql.raw(OPTIONAL_MAILS.map((kind) => `'${kind}'`).join(', '))})`),
    check('notices_wait', sql`${t.dueAt} IS NOT NULL OR ${t.notBefore} IS NOT NULL`),
  ],
)
