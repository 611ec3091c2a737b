import { sql } from 'drizzle-orm'
import { blob, check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { bundles } from './bundle-schema.ts'
import { type Content, contentColumns, hasUrls, rowBytes } from './content-schema.ts'

/** The size of a version's row in bytes, index entries included, apart from its content. */
export const VERSION_OVERHEAD = 192

/**
 * For each field whose large values versions share: the part's id, or null if the row itself has the value. `CONTENT`
 * (src/bundles/content/content.ts) does not compile unless it agrees.
 */
const partColumns = () => {
  const part = (name: string) => integer(name).references(() => versionParts.id)
  return {
    urlsPart: part('urls_part'),
    urlMetadataPart: part('url_metadata_part'),
    variablesPart: part('variables_part'),
    descriptionPart: part('description_part'),
    resolutionPolicyPart: part('resolution_policy_part'),
  }
}

/** Fields whose large values versions share. */
export type SharedName = keyof ReturnType<typeof partColumns> extends infer Column
  ? Column extends `${infer Name}Part`
    ? Name & keyof Content
    : never
  : never

/** Placeholder in a version’s row for a value stored as a part; satisfies NOT NULL and the check on URLs. */
export const IN_PART = {
  urls: '[null]',
  urlMetadata: '[]',
  variables: '[]',
  description: null,
  resolutionPolicy: null,
} as const satisfies Record<SharedName, string | null>

/**
 * Large field values of versions, each stored once per bundle; not shared between bundles, which would reveal that
 * another has the same value. A trigger deletes a part with the last version that uses it, or with the bundle.
 */
export const versionParts = sqliteTable(
  'version_parts',
  {
    id: integer('id').primaryKey(),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** SHA-256 of the content in UTF-8. */
    hash: blob('hash', { mode: 'buffer' }).notNull(),
    /** Precedes the content, so that sums need not read it. */
    bytes: integer('bytes').generatedAlwaysAs(sql`octet_length("content")`, { mode: 'stored' }),
    /** Encoded as in the version’s own column. */
    content: text('content').notNull(),
  },
  (t) => [
    uniqueIndex('version_parts_content').on(t.bundleId, t.hash),
    check('version_parts_hash', sql`length(${t.hash}) = 32`),
  ],
)

/** The state of a bundle after each edit; version 1 is the bundle as created. */
export const bundleVersions = sqliteTable(
  'bundle_versions',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    versionNumber: integer('version_number').notNull(),
    bytes: rowBytes(VERSION_OVERHEAD),
    ...contentColumns(),
    ...partColumns(),
    /** The editor's user id; null while anonymous. */
    editedBy: text('edited_by'),
    /** The author of the proposal, if the version is an accepted one. */
    proposedBy: text('proposed_by'),
    editedAt: integer('edited_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.bundleId, t.versionNumber] }),
    // To find whether a part is still in use.
    index('bundle_versions_urls_part').on(t.urlsPart).where(sql`${t.urlsPart} IS NOT NULL`),
    index('bundle_versions_url_metadata_part').on(t.urlMetadataPart).where(sql`${t.urlMetadataPart} IS NOT NULL`),
    index('bundle_versions_variables_part').on(t.variablesPart).where(sql`${t.variablesPart} IS NOT NULL`),
    index('bundle_versions_description_part').on(t.descriptionPart).where(sql`${t.descriptionPart} IS NOT NULL`),
    index('bundle_versions_resolution_policy_part')
      .on(t.resolutionPolicyPart)
      .where(sql`${t.resolutionPolicyPart} IS NOT NULL`),
    check('bundle_versions_number', sql`${t.versionNumber} >= 1`),
    check('bundle_versions_urls', hasUrls(t.urls)),
  ],
)
