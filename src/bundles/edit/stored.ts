import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../../db/client.ts'
import { param, params } from '../../../db/prepared.ts'
import {
  BUNDLE_OVERHEAD,
  bundles,
  bundleVersions,
  type Content,
  IN_PART,
  owners,
  type SharedName,
  VERSION_OVERHEAD,
  versionParts,
} from '../../../db/schema.ts'
import type { Config } from '../../config/config.ts'
import { Problem } from '../../core/problem.ts'
import { sha256 } from '../../core/secrets.ts'
import { mebibytes } from '../../core/words.ts'
import type { Subject } from '../../identity/caller.ts'
import { ofPlan, ownerId, type Plan, planLimit } from '../../plans/owners.ts'
import { NAMES, SHARED_NAMES } from '../content/content.ts'
import type { UnversionedFields } from './unversioned.ts'

// Storage of versions: large values once per bundle, in `version_parts`; everything else in the version’s row.

/** Smaller values stay in the version’s row: a part costs another statement, and most bundles are rarely edited. */
const MIN_PART_BYTES = 1024

/** The column that refers to a shared field’s part. */
function partColumn(name: SharedName) {
  return bundleVersions[`${name}Part`]
}

/** A large value of a version. */
interface Part {
  name: SharedName
  /** The value as stored. */
  text: string
  hash: Buffer
}

/** A version to insert, without its content. Each field may be a parameter of a prepared statement. */
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

/** The values for `insertVersion`, and the sizes of the bundle’s and the version’s rows. */
type StoredContent = Content & Record<'bytes' | 'versionBytes', number> & Record<string, unknown>

/**
 * The statements that insert a version, for the transaction that creates or updates its bundle. They are prepared: the
 * `values` from `stored` have the content.
 * @param parts from `stored`.
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
    db
      .insert(bundleVersions)
      .values({ ...params(NAMES), bytes: param('versionBytes'), ...Object.fromEntries(inParts), ...version }),
  ]
}

/** Content as stored: the names of the fields stored as parts, and all values. @param own the unversioned fields. */
export function stored(content: Content, own: UnversionedFields): { parts: SharedName[]; values: StoredContent } {
  const texts = textsOf(content)
  const parts = partsOf(texts)
  const { externalId, metadata, aliases } = own
  const besides = [
    externalId ?? '',
    ...[metadata, aliases].map((value) => (value === null ? '' : JSON.stringify(value))),
  ]
  const inParts = parts.flatMap(({ name, text, hash }) => [
    [`${name}Text`, text],
    [`${name}Hash`, hash],
  ])
  const values = {
    ...content,
    ...Object.fromEntries(inParts),
    bytes: BUNDLE_OVERHEAD + lengthOf([...Object.values(texts), ...besides]),
    versionBytes: versionBytes(texts, parts),
  }
  return { parts: parts.map(({ name }) => name), values }
}

/** Each field as stored in its column; empty for null. */
type Texts = Record<keyof Content, string>

function textsOf(content: Content): Texts {
  const texts = NAMES.map((name) => {
    const value = content[name]
    return [name, value === null ? '' : String(bundleVersions[name].mapToDriverValue(value))]
  })
  return Object.fromEntries(texts) as Texts
}

function partsOf(texts: Texts): Part[] {
  return SHARED_NAMES.flatMap((name) => {
    const text = texts[name]
    return Buffer.byteLength(text) < MIN_PART_BYTES ? [] : [{ name, text, hash: sha256(text) }]
  })
}

/** The size of a version’s row. */
function versionBytes(texts: Texts, parts: readonly Part[]): number {
  const placeholders = Object.fromEntries(parts.map(({ name }) => [name, IN_PART[name] ?? '']))
  return VERSION_OVERHEAD + lengthOf(Object.values({ ...texts, ...placeholders }))
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/**
 * The bytes that another version of a bundle would add to `owners.history_bytes`, as its triggers count them.
 * @param bundle null for a new bundle.
 */
async function bytesAdded({ db }: Store, bundle: (Content & { id: number }) | null, content: Content): Promise<number> {
  const texts = textsOf(content)
  const parts = partsOf(texts)
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
  const before = bundle === null ? -BUNDLE_OVERHEAD : lengthOf(Object.values(textsOf(bundle)))
  const current = 2 * (lengthOf(Object.values(texts)) - before)
  return [...hashes.values()].reduce((sum, bytes) => sum + bytes, versionBytes(texts, parts) + current)
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

/** A version of a bundle. @throws Problem NOT_FOUND. */
export async function versionOf(db: Store['db'], { id }: { id: number }, versionNumber: number) {
  const [version] = await db
    .select(VERSION_COLUMNS)
    .from(bundleVersions)
    .where(and(eq(bundleVersions.bundleId, id), eq(bundleVersions.versionNumber, versionNumber)))
  if (version === undefined) throw new Problem('NOT_FOUND', `This bundle has no version ${versionNumber}.`)
  return version
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

/** The size in bytes of a bundle’s potentially large fields. SQLite knows byte lengths without reading the values. */
export function contentBytes(): SQL<number> {
  return sql<number>`${sql.join(
    [...SHARED_NAMES, 'metadata' as const].map((name) => sql`coalesce(octet_length(${bundles[name]}), 0)`),
    sql` + `,
  )}`
}

// The cap on the size of all versions of a subject’s bundles. Triggers maintain the sum in `owners.history_bytes`.

type Caps = Pick<Config, 'maxHistoryBytes'>

/** The last statement of a transaction that adds versions: beyond the cap it violates NOT NULL and fails the transaction. */
export function checkHistoryCap(subject: Subject, { maxHistoryBytes }: Caps) {
  const isHistoryCapError = sql`${owners.historyBytes} > ${ofPlan(maxHistoryBytes)}`
  return sql`UPDATE ${owners} SET history_bytes = NULL WHERE ${owners.id} = ${ownerId(subject)} AND ${isHistoryCapError}`
}

/** Whether `checkHistoryCap` failed a transaction. */
export function isHistoryCapError(error: unknown): boolean {
  return brokenConstraint(error)?.includes('owners.history_bytes') ?? false
}

/** The size in bytes of a subject's versions, and the cap. */
export interface HistoryUse {
  plan: Plan
  bytes: number
  max: number
}

/** A subject’s use of version history; zero without an owner row. */
export async function historyUse(store: Store, subject: Subject, { maxHistoryBytes }: Caps): Promise<HistoryUse> {
  const [row] = await store.db
    .select({ plan: owners.plan, bytes: owners.historyBytes })
    .from(owners)
    .where(eq(owners.id, ownerId(subject)))
  const { plan, bytes } = row ?? { plan: 'free', bytes: 0 }
  return { plan, bytes, max: maxHistoryBytes[plan] }
}

/** The error for a version that exceeds the cap. */
export async function historyCapReached(store: Store, subject: Subject, caps: Caps): Promise<Problem> {
  const { plan, max } = await historyUse(store, subject, caps)
  const ofHistory = (bytes: number) => `${mebibytes(bytes)} of version history`
  return planLimit(
    subject,
    plan,
    ofHistory(max),
    ofHistory(caps.maxHistoryBytes.pro),
    'ask your administrator for more room',
  )
}

/**
 * Refuses a version that would exceed the cap now. This is no guarantee: the transaction that writes it checks again.
 * @param bundle null for a new bundle.
 * @throws Problem PLAN_LIMIT.
 */
export async function refuseFullHistory(
  store: Store,
  subject: Subject,
  { bundle, content }: { bundle: (Content & { id: number }) | null; content: Content },
  caps: Caps,
): Promise<void> {
  const { bytes, max } = await historyUse(store, subject, caps)
  if (bytes + (await bytesAdded(store, bundle, content)) > max) throw await historyCapReached(store, subject, caps)
}
