import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundleSearch, bundles } from '../../db/schema.ts'
import { fitting, piecesOf } from '../core/parts.ts'
import { SHARED_NAMES } from './content.ts'

// Lists of owners whose bundles may be hundreds of megabytes together. Reads of a file block the event loop, so these
// first read only ids and sizes, and then a megabyte at a time.

/** The queries of a list, built once for each kind of list. */
export function largeQueries(db: Store['db'], { isOwn, matches, order }: Filters) {
  const isAmong = sql`${bundles.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`
  const sized = { id: bundles.id, bytes: contentBytes() }
  return {
    page: db
      .select(sized)
      .from(bundles)
      .where(isOwn)
      .orderBy(...order)
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(),
    /** All, with the sizes of what is searched. */
    all: db
      .select({ id: bundles.id, bytes: sql<number>`coalesce(octet_length(${bundleSearch.text}), ${contentBytes()})` })
      .from(bundles)
      .leftJoin(bundleSearch, eq(bundleSearch.bundleId, bundles.id))
      .where(isOwn)
      .orderBy(...order)
      .prepare(),
    matching: db
      .select(sized)
      .from(bundles)
      .where(and(isOwn, isAmong, matches))
      .prepare(),
    rows: db.select().from(bundles).where(and(isOwn, isAmong)).prepare(),
  }
}

/** Which bundles, in which order. */
export interface Filters {
  /** The owner’s, in the state asked for. */
  isOwn: SQL | undefined
  /** What is searched for; undefined for all. */
  matches: SQL | undefined
  order: readonly SQL[]
}

type Queries = ReturnType<typeof largeQueries>
type Row = Awaited<ReturnType<Queries['rows']['all']>>[number]

/** How to read a list. */
interface Reading {
  queries: Queries
  isFiltered: boolean
  /** Of the placeholders. */
  values: Record<string, unknown>
  /** Waits until more may be read. */
  turn(): Promise<void>
}

/**
 * Reads a page.
 * @returns its rows, and how many of them fit into one message.
 */
export async function readLarge(
  reading: Reading,
  page: { limit: number; offset: number },
): Promise<{ rows: Row[]; inMessage: number }> {
  const { queries, isFiltered, values, turn } = reading
  const found = isFiltered ? await foundOf(reading, page) : await queries.page.all({ ...values, ...page })
  const rows: Row[] = []
  for (const piece of piecesOf(found)) {
    await turn()
    const read = new Map((await queries.rows.all({ ...values, ids: idsOf(piece) })).map((row) => [row.id, row]))
    // Deleted meanwhile, if it is missing.
    rows.push(...piece.flatMap(({ id }) => read.get(id) ?? []))
  }
  return { rows, inMessage: fitting(found) }
}

/** Counts what is found. */
export async function countLarge(reading: Reading): Promise<number> {
  let count = 0
  for await (const found of matchesOf(reading)) count += found.length
  return count
}

interface Sized {
  id: number
  bytes: number
}

/** A page of what is found. */
async function foundOf(reading: Reading, { limit, offset }: { limit: number; offset: number }): Promise<Sized[]> {
  const found: Sized[] = []
  for await (const some of matchesOf(reading)) {
    found.push(...some)
    if (found.length >= offset + limit) break
  }
  return found.slice(offset, offset + limit)
}

/** What is found, in order, in pieces. */
async function* matchesOf({ queries, values, turn }: Reading): AsyncGenerator<Sized[]> {
  const { owner } = values
  for (const piece of piecesOf(await queries.all.all({ owner }))) {
    await turn()
    const found = await queries.matching.all({ ...values, ids: idsOf(piece) })
    const bytes = new Map(found.map((one) => [one.id, one.bytes]))
    yield piece.flatMap(({ id }) => (bytes.has(id) ? [{ id, bytes: bytes.get(id) ?? 0 }] : []))
  }
}

function idsOf(entries: readonly Sized[]): string {
  return JSON.stringify(entries.map(({ id }) => id))
}

/** The size of what may be large in a bundle. SQLite knows lengths in bytes without reading the values. */
export function contentBytes(): SQL<number> {
  return sql<number>`${sql.join(
    SHARED_NAMES.map((name) => sql`coalesce(octet_length(${bundles[name]}), 0)`),
    sql` + `,
  )}`
}
