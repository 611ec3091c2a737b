import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../../db/client.ts'
import { prepared } from '../../../db/prepared.ts'
import { bundleVersions, type Content, user } from '../../../db/schema.ts'
import { Slug } from '../../core/fields.ts'
import { cursorOf, keyIn, NumberKey } from '../../core/paging.ts'
import { fitting, jsonParts } from '../../core/parts.ts'
import { object, says } from '../../core/shape.ts'
import { iso } from '../../core/time.ts'
import { type SignedIn, signedIn } from '../../identity/caller.ts'
import { realEmail, realEmailIn } from '../../identity/sessions.ts'
import { implement } from '../../operations/operation.ts'
import * as answers from '../content/answers.ts'
import { omit } from '../content/content.ts'
import { Versions } from '../content/shapes.ts'
import { etag, loadFor, type StoredBundle, toBundle } from './bundles.ts'
import * as versions from './edit.ts'
import { editing } from './edit.ts'
import { VERSION_COLUMNS } from './stored.ts'

/** A version of a bundle, with its editor. */
export type Version = Content & {
  versionNumber: number
  editedBy: string | null
  /** Who proposed it, if the editor accepted a proposal. */
  proposedBy: string | null
  editedAt: number
  /** Total size of its content. */
  bytes: number
  /** The editor’s current name and email; null if nobody was signed in or the account was deleted. */
  editor: { name: string; email: string } | null
  /** The same for whoever proposed it. */
  proposer: { name: string; email: string } | null
}

/** A bundle and its versions. */
interface History {
  bundle: StoredBundle
  /** `before` for the next page; null if the requested one is the last. */
  next: number | null
  /** The first of the requested versions, newest first. */
  versions: Version[]
  /** The requested versions after these, read on demand; null if there are none. */
  rest: AsyncIterable<Version> | null
}

/** The most versions read at a time, and the size of the first page of a history. */
const AT_ONCE = 25

/** About the number of bytes read at a time after the first page: a version may take a quarter of a megabyte. */
const BYTES_AT_ONCE = 2 ** 18

/**
 * The versions of a bundle, newest first: all, or the newest `limit` older than `before`.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
async function versionsOf({ db }: Store, caller: SignedIn, query: Versions): Promise<History> {
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
  /** The bundle's id. */
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

/** How many versions to read while their size is unknown. */
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
 * @returns `before` for the next message; null if there are no more versions.
 */
function inMessage({ versions, rest, next }: Pick<History, 'versions' | 'rest' | 'next'>) {
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

const NOT_SHOWN = ['editor', 'proposer', 'bytes'] as const

/** A version as the API answers it. */
export function toSnapshot(version: Version) {
  const { editedBy, editedAt, ...snapshot } = omit(NOT_SHOWN, version)
  return { ...snapshot, editedByIdentityUserId: editedBy, editedAt: iso(editedAt) }
}

/** The version in a path. */
const OneVersion = object({
  slug: Slug,
  versionNumber: says(
    '1 <= number.integer <= 999999999999999',
    'The bundle’s version to restore: the second of list_versions undoes the last edit.',
    2,
  ),
})

/** GET /api/links/:slug/versions. */
export const listVersions = implement('list_versions', {
  summary: 'List every version of a bundle, newest first',
  description:
    'Lists all versions of a bundle, with who made each and when. ' +
    '`before` starts further back. A tool returns at most 25.',
  input: Versions,
  output: answers.VersionList,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  present(found: History) {
    const { versions, before } = inMessage(found)
    return { versions: versions.map(toSnapshot), ...moreIn(before) }
  },
  whole: (found) => (inMessage(found).isAll ? null : historyParts(found)),
  next: ({ next }) => (next === null ? null : { before: next }),
  note(found) {
    const { before } = inMessage(found)
    return before === null ? null : `There are older versions: call list_versions again with "before": ${before}.`
  },
  run: (input, { service: { store }, caller }) => versionsOf(store, signedIn(caller), input),
})

/** The whole history as pieces of JSON, in the form of `present`. */
function historyParts({ versions, rest, next }: History): AsyncGenerator<string> {
  return jsonParts({ versions: snapshotsOf(versions, rest ?? []) }, moreIn(next))
}

/** @param before for the next page; null on the last. */
function moreIn(before: number | null) {
  return { hasMore: before !== null, ...(before === null ? {} : { nextCursor: cursorOf([before]) }) }
}

async function* snapshotsOf(...lists: (Iterable<Version> | AsyncIterable<Version>)[]) {
  for (const list of lists) for await (const version of list) yield toSnapshot(version)
}

/** POST /api/links/:slug/versions/:versionNumber/restore. */
export const restoreVersion = implement('restore_version', {
  summary: 'Make an old version the newest again',
  description: 'Undoes edits: writes a new version equal to an old one, policy included.',
  input: OneVersion,
  output: answers.Bundle,
  errors: ['INVALID_URLS', 'NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  present: toBundle,
  headers: { etag },
  replayed: versions.asWritten,
  run({ slug, versionNumber }, context): Promise<StoredBundle> {
    const { expectedVersion, commit } = context
    return versions.restoreVersion({ ...editing(context), slug, expectedVersion, commit }, versionNumber)
  },
})
