import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundleVersions, type Content, user } from '../../db/schema.ts'
import { keyIn, NumberKey } from '../core/cursor.ts'
import { fitting } from '../core/parts.ts'
import type { SignedIn } from '../identity/caller.ts'
import { realEmail, realEmailIn } from '../identity/sessions.ts'
import { loadFor, type StoredBundle } from './roles.ts'
import type { Versions } from './shapes.ts'
import { VERSION_COLUMNS } from './stored.ts'

/** A version of a bundle, with its editor. */
export type Version = Content & {
  versionNumber: number
  editedBy: string | null
  /** Whose proposal it is, if it is one that the editor accepted. */
  proposedBy: string | null
  editedAt: number
  /** Total size of its content. */
  bytes: number
  /** With their current name; null if nobody was signed in, or the account was deleted. */
  editor: { name: string; email: string } | null
  /** The same of who proposed it. */
  proposer: { name: string; email: string } | null
}

/** A bundle and its versions. */
export interface History {
  bundle: StoredBundle
  /** The `before` of the page after the requested one; null if it is the last. */
  next: number | null
  /** The first of the requested versions, newest first. */
  versions: Version[]
  /** The versions after these, read on demand; null if there are none. */
  rest: AsyncIterable<Version> | null
}

/** How many versions are read at a time at most; the first page of a history has as many. */
const AT_ONCE = 25

/** After the first page, about this many bytes are read at a time: a version may take a quarter of a megabyte. */
const BYTES_AT_ONCE = 2 ** 18

/**
 * The versions of a bundle, newest first: all, or the newest `limit` older than `before`.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
export async function listVersions({ db }: Store, caller: SignedIn, query: Versions): Promise<History> {
  const { slug, limit = Number.POSITIVE_INFINITY, cursor } = query
  const [last = Number.MAX_SAFE_INTEGER] = keyIn(cursor, NumberKey) ?? []
  const before = Math.min(last, query.before ?? last)
  const bundle = await loadFor(db, caller, slug, 'viewer')
  const page = { db, id: bundle.id, limit, before, atOnce: AT_ONCE }
  const versions = await firstOf(page)
  const rest = after(page, versions)
  // Version numbers have no gaps.
  const oldest = (versions[0]?.versionNumber ?? 1) - limit + 1
  return { bundle, next: oldest > 1 ? oldest : null, versions, rest: rest === null ? null : versionsFrom(rest) }
}

interface Page {
  db: Store['db']
  /** The bundle's. */
  id: number
  /** How many more to read. */
  limit: number
  /** Only versions older than this one. */
  before: number
  /** How many to read now. */
  atOnce: number
}

function firstOf({ db, id, limit, before, atOnce }: Page): Promise<Version[]> {
  return history(db).all({ id, before, limit: Math.min(limit, atOnce) })
}

/** The next page, or null after the last: version numbers start at 1 without gaps. */
function after(page: Page, versions: readonly Version[]): Page | null {
  const limit = page.limit - versions.length
  const before = versions.at(-1)?.versionNumber ?? 1
  if (limit <= 0 || before <= 1) return null
  const average = versions.reduce((sum, { bytes }) => sum + bytes, 0) / versions.length
  return { ...page, limit, before, atOnce: Math.max(1, Math.min(AT_ONCE, Math.floor(BYTES_AT_ONCE / average))) }
}

/** All versions of a bundle, newest first. */
export function allVersions({ db }: Store, id: number): AsyncIterable<Version> {
  const all = { limit: Number.POSITIVE_INFINITY, before: Number.MAX_SAFE_INTEGER }
  return versionsFrom({ db, id, ...all, atOnce: FEW })
}

/** Versions of a size that is not known yet. */
const FEW = 4

async function* versionsFrom(first: Page): AsyncGenerator<Version> {
  for (let page: Page | null = first; page !== null; ) {
    const versions = await firstOf(page)
    yield* versions
    page = after(page, versions)
  }
}

/**
 * The versions that fit into one message, at least one.
 * @returns in `before` the last version’s number if there are more.
 */
export function inMessage({ versions, rest, next }: Pick<History, 'versions' | 'rest' | 'next'>) {
  const part = versions.slice(0, fitting(versions))
  const isAll = part.length === versions.length && rest === null
  return { versions: part, isAll, before: isAll ? next : (part.at(-1)?.versionNumber ?? null) }
}

const proposer = alias(user, 'proposer')

const history = prepared((db) =>
  db
    .select({
      ...VERSION_COLUMNS,
      editor: { name: user.name, email: realEmail },
      proposer: { name: proposer.name, email: realEmailIn(proposer) },
    })
    .from(bundleVersions)
    .leftJoin(user, eq(user.id, bundleVersions.editedBy))
    .leftJoin(proposer, eq(proposer.id, bundleVersions.proposedBy))
    .where(
      and(
        eq(bundleVersions.bundleId, sql.placeholder('id')),
        lt(bundleVersions.versionNumber, sql.placeholder('before')),
      ),
    )
    .orderBy(desc(bundleVersions.versionNumber))
    .limit(sql.placeholder('limit'))
    .prepare(),
)
