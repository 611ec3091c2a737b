import { and, asc, desc, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundles } from '../../db/schema.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { ownerId } from '../plans/owners.ts'
import type { StoredBundle } from './access.ts'
import { SEARCHED_NAMES } from './content.ts'
import type { Listing } from './shapes.ts'

// Each order ends with the id, so that a page neither repeats nor skips one of two that are alike.
const ORDERS: Record<Listing['sort'], SQL[]> = {
  created: [desc(bundles.createdAt), desc(bundles.id)],
  updated: [desc(bundles.updatedAt), desc(bundles.id)],
  title: [sql`${bundles.title} IS NULL`, asc(sql`${bundles.title} COLLATE NOCASE`), desc(bundles.id)],
}

/** A page of a subject's bundles. */
export interface Listed {
  bundles: StoredBundle[]
  /** How many there are on all pages together. */
  total: number
  pagination: { limit: number; offset: number }
  subject: Subject
}

/**
 * The acting subject's bundles as `Listing` asks (spec 4.5).
 * @param listing `q` is looked for in slugs, titles, descriptions and URLs, whatever the case of its letters.
 */
export async function list(
  { db }: Store,
  { subject }: SignedIn,
  { limit, offset, q, sort, state }: Listing,
): Promise<Listed> {
  const isInState = state === 'deleted' ? isNotNull(bundles.deletedAt) : isNull(bundles.deletedAt)
  const where = and(eq(bundles.ownerId, ownerId(subject)), isInState, q === undefined ? undefined : holds(q))
  const [rows, [counted]] = await Promise.all([
    db
      .select()
      .from(bundles)
      .where(where)
      .orderBy(...ORDERS[sort])
      .limit(limit)
      .offset(offset),
    db.select({ total: sql<number>`count(*)` }).from(bundles).where(where),
  ])
  return {
    bundles: rows.map(({ addressHash: _, ...bundle }): StoredBundle => ({ ...bundle, owner: subject })),
    total: counted?.total ?? 0,
    pagination: { limit, offset },
    subject,
  }
}

/** GLOB rather than LIKE: SQLite knows the case of ASCII letters alone, and no store of ours can be taught the rest. */
function holds(q: string): SQL | undefined {
  const pattern = `*${Array.from(q, anyCase).join('')}*`
  const columns = [bundles.slug, ...SEARCHED_NAMES.map((name) => bundles[name])]
  return or(...columns.map((column) => sql`${column} GLOB ${pattern}`))
}

/** A character as a pattern of GLOB that matches it in either case. */
function anyCase(character: string): string {
  if (/[*?[]/.test(character)) return `[${character}]`
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  // Upper case first, for some letters have two lower ones: ς and σ, ſ and s.
  const cases = new Set([character, lower, upper, upper.toLowerCase()].filter((text) => [...text].length === 1))
  return cases.size === 1 ? character : `[${[...cases].join('')}]`
}
