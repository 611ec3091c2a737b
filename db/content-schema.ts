import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { json } from './columns.ts'
import type { Policy, Tab } from './policy.ts'

/** Per-URL metadata, parallel to `urls`: the fields of a rule’s tab apart from its URL, and more. */
export interface UrlMetadata extends Omit<Tab, 'url'> {
  tags?: string[]
  openPolicy?: 'auto' | 'manual'
  /** Whether the service regularly checks the link; true if missing. */
  check?: boolean
}

/** A placeholder `{name}` in links and texts, whose value the viewer enters. */
export interface Variable {
  name: string
  label?: string
  example?: string
  /** The value used if the viewer leaves it empty. */
  default?: string
  /** The only values allowed. */
  options?: string[]
}

/** Who may open a bundle’s launcher; the first is the default. */
export const ACCESSES = ['link', 'members', 'password'] as const

/** Whether a bundle has an allowed number of URLs. */
export const hasUrls = (column: AnySQLiteColumn) =>
  sql`json_valid(${column}) AND json_array_length(${column}) BETWEEN 1 AND 25`

/**
 * The content of a version, as columns of both tables. `src/bundles/content/content.ts` defines everything else about each field
 * and does not compile if one is missing.
 */
export const contentColumns = () => ({
  urls: json<string[]>('urls').notNull(),
  urlMetadata: json<UrlMetadata[]>('url_metadata').notNull(),
  variables: json<Variable[]>('variables').notNull().default([]),
  title: text('title'),
  description: text('description'),
  // ISO 8601 in UTC, as in answers, versions and exports.
  opensAt: text('opens_at'),
  closesAt: text('closes_at'),
  closedNote: text('closed_note'),
  access: text('access', { enum: ACCESSES }).notNull().default('link'),
  copyable: integer('copyable', { mode: 'boolean' }).notNull().default(false),
  icons: integer('icons', { mode: 'boolean' }).notNull().default(true),
  listed: integer('listed', { mode: 'boolean' }).notNull().default(false),
  resolutionPolicy: json<Policy>('resolution_policy'),
})

/** Not exported, so that no migration creates it: it only provides the columns’ types. */
const contentTable = sqliteTable('content', contentColumns())

/** The content of a version. */
export type Content = typeof contentTable.$inferSelect

/**
 * The size of a row in bytes, from which triggers compute `owners.historyBytes`: its overhead and the texts of its columns.
 * Written with them (`src/bundles/edit/stored.ts`). The column precedes them, so that sums need not read them.
 */
export const rowBytes = (overhead: number) => integer('bytes').notNull().default(overhead)
