import { getTableColumns, sql } from 'drizzle-orm'
import { type AnySQLiteColumn, integer, type SQLiteColumn, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { json } from './columns.ts'
import type { Policy, Tab } from './policy.ts'

/** Per-URL metadata, parallel to `urls`: a rule’s tab without its URL, and more. */
export interface UrlMetadata extends Omit<Tab, 'url'> {
  tags?: string[]
  openPolicy?: 'auto' | 'manual'
  /** Whether the service looks from time to time whether it still leads somewhere; true if missing. */
  check?: boolean
}

/** What whoever opens the launcher fills in, in place of `{name}` in links and texts. */
export interface Variable {
  name: string
  label?: string
  example?: string
  /** What stands for an empty value. */
  default?: string
  /** The only values that it can have. */
  options?: string[]
}

/** Who may see a bundle’s launcher, the first by default. */
export const ACCESSES = ['link', 'members', 'password'] as const

/** Whether a bundle has as many URLs as it may. */
export const hasUrls = (column: AnySQLiteColumn) =>
  sql`json_valid(${column}) AND json_array_length(${column}) BETWEEN 1 AND 25`

/**
 * The content of a version, as columns of both tables. `src/bundles/content.ts` defines the rest of each field and does
 * not compile if one is missing.
 */
export const contentColumns = () => ({
  urls: json<string[]>('urls').notNull(),
  urlMetadata: json<UrlMetadata[]>('url_metadata').notNull(),
  variables: json<Variable[]>('variables').notNull().default([]),
  title: text('title'),
  description: text('description'),
  // ISO 8601 in UTC, as answers, versions and exports have them.
  opensAt: text('opens_at'),
  closesAt: text('closes_at'),
  closedNote: text('closed_note'),
  access: text('access', { enum: ACCESSES }).notNull().default('link'),
  copyable: integer('copyable', { mode: 'boolean' }).notNull().default(false),
  icons: integer('icons', { mode: 'boolean' }).notNull().default(true),
  resolutionPolicy: json<Policy>('resolution_policy'),
})

/** Not exported, so that no migration creates it: it only provides the columns’ types. */
const contentTable = sqliteTable('content', contentColumns())

/** The content of a version. */
export type Content = typeof contentTable.$inferSelect

/** The size of a row in bytes, from which triggers count `owners.historyBytes`. */
export const rowBytes = (overhead: number, more: Record<string, SQLiteColumn> = {}) => {
  const columns = { ...getTableColumns(contentTable), ...more }
  const lengths = Object.values(columns).map(({ name, notNull }) => {
    const length = `octet_length("${name}")`
    return notNull ? length : `coalesce(${length}, 0)`
  })
  return integer('bytes').generatedAlwaysAs(sql.raw([...lengths, overhead].join(' + ')), { mode: 'virtual' })
}
