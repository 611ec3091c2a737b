import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { param, params } from '../../db/prepared.ts'
import {
  BUNDLE_OVERHEAD,
  bundles,
  bundleVersions,
  type Content,
  IN_PART,
  type SharedName,
  VERSION_OVERHEAD,
  versionParts,
} from '../../db/schema.ts'
import { sha256 } from '../core/hash.ts'
import { NAMES, SHARED_NAMES } from './content.ts'

// How versions are stored: large values once per bundle, in `version_parts`, everything else in the version’s row.

/** Smaller values stay in the version’s row: a part costs an extra statement, and most bundles are rarely edited. */
const MIN_PART_BYTES = 1024

/** The column that refers to a shared field’s part. */
function partColumn(name: SharedName) {
  return bundleVersions[`${name}Part`]
}

/** A large value of a version. */
interface Part {
  name: SharedName
  /** As stored. */
  text: string
  hash: Buffer
}

/** A version to insert, without its content; each may be a value of a prepared write. */
interface NewVersion {
  /** The bundle’s id; SQL, because a new bundle’s is not known yet. */
  bundle: SQL<number>
  /** The same, or NULL to make the transaction fail at `bundle_versions.bundle_id`. */
  bundleId: SQL<number>
  versionNumber: number
  editedBy: string | null
  proposedBy: string | null
  editedAt: number
}

/**
 * The statements that insert a version, to run in the transaction that creates or updates its bundle. Prepared: its
 * content is among the `values` of `stored`.
 * @param parts those of `stored`.
 */
export function insertVersion(
  db: Store['db'],
  parts: readonly SharedName[],
  { bundle, ...version }: NewVersion,
): Query[] {
  const isOf = (name: SharedName) => and(eq(versionParts.bundleId, bundle), eq(versionParts.hash, param(`${name}Hash`)))
  const inParts = parts.flatMap((name) => [
    [name, sql`${IN_PART[name]}`],
    [`${name}Part`, sql`(SELECT ${versionParts.id} FROM ${versionParts} WHERE ${isOf(name)})`],
  ])
  return [
    ...parts.map(
      (name) =>
        sql`INSERT INTO ${versionParts} (bundle_id, hash, content) SELECT ${bundles.id}, ${param(`${name}Hash`)}, ${param(`${name}Text`)} FROM ${bundles} WHERE ${bundles.id} = ${bundle} ON CONFLICT DO NOTHING`,
    ),
    db.insert(bundleVersions).values({ ...params(NAMES), ...Object.fromEntries(inParts), ...version }),
  ]
}

/** How content is stored: the fields whose values are parts, and all values for `insertVersion`. */
export function stored(content: Content): { parts: SharedName[]; values: Content & Record<string, unknown> } {
  const parts = partsOf(content)
  const own = parts.flatMap(({ name, text, hash }) => [
    [`${name}Text`, text],
    [`${name}Hash`, hash],
  ])
  return { parts: parts.map(({ name }) => name), values: { ...content, ...Object.fromEntries(own) } }
}

function partsOf(content: Content): Part[] {
  return SHARED_NAMES.flatMap((name) => {
    const text = textOf(name, content)
    return Buffer.byteLength(text) < MIN_PART_BYTES ? [] : [{ name, text, hash: sha256(text) }]
  })
}

/** A field as stored in its column; empty for null. */
function textOf(name: keyof Content, content: Content): string {
  const value = content[name]
  return value === null ? '' : String(bundleVersions[name].mapToDriverValue(value))
}

/**
 * The bytes that one more version of a bundle would add to `owners.history_bytes`, as its triggers count them.
 * @param bundle null for a new bundle.
 */
export async function bytesAdded(
  { db }: Store,
  bundle: (Content & { id: number }) | null,
  content: Content,
): Promise<number> {
  const parts = partsOf(content)
  const hashes = new Map(parts.map(({ hash, text }) => [hash.toString('hex'), Buffer.byteLength(text)]))
  if (bundle !== null && parts.length > 0) {
    const held = await db
      .select({ hash: versionParts.hash })
      .from(versionParts)
      .where(
        and(
          eq(versionParts.bundleId, bundle.id),
          inArray(
            versionParts.hash,
            parts.map(({ hash }) => hash),
          ),
        ),
      )
    for (const { hash } of held) hashes.delete(Buffer.from(hash).toString('hex'))
  }
  const own = NAMES.map((name) => {
    const part = parts.find((each) => each.name === name)
    return Buffer.byteLength(part === undefined ? textOf(name, content) : (IN_PART[part.name] ?? ''))
  })
  const current = 2 * (bytesOf(content) - (bundle === null ? -BUNDLE_OVERHEAD : bytesOf(bundle)))
  return [...own, ...hashes.values(), VERSION_OVERHEAD, current].reduce((sum, bytes) => sum + bytes, 0)
}

function bytesOf(content: Content): number {
  return NAMES.reduce((sum, name) => sum + Buffer.byteLength(textOf(name, content)), 0)
}

/** The columns of a version, with parts resolved; `bytes` is the total size of its content. */
export const VERSION_COLUMNS = {
  versionNumber: bundleVersions.versionNumber,
  ...(Object.fromEntries(NAMES.map((name) => [name, savedValue(name)])) as {
    [Name in keyof Content]: SQL<Content[Name]>
  }),
  editedBy: bundleVersions.editedBy,
  proposedBy: bundleVersions.proposedBy,
  editedAt: bundleVersions.editedAt,
  bytes: sql<number>`${sql.join(
    [sql`${bundleVersions.bytes}`, ...SHARED_NAMES.map((name) => sql`coalesce(${ofPart(name, 'bytes')}, 0)`)],
    sql` + `,
  )}`,
}

function savedValue(name: keyof Content) {
  const column = bundleVersions[name]
  const shared = SHARED_NAMES.find((each) => each === name)
  const value = shared === undefined ? sql`${column}` : sql`coalesce(${ofPart(shared, 'content')}, ${column})`
  return value.mapWith(column)
}

function ofPart(name: SharedName, column: 'content' | 'bytes') {
  return sql`(SELECT ${versionParts[column]} FROM ${versionParts} WHERE ${versionParts.id} = ${partColumn(name)})`
}

/** The size of what may be large in a bundle. SQLite knows lengths in bytes without reading the values. */
export function contentBytes(): SQL<number> {
  return sql<number>`${sql.join(
    [...SHARED_NAMES, 'metadata' as const].map((name) => sql`coalesce(octet_length(${bundles[name]}), 0)`),
    sql` + `,
  )}`
}
