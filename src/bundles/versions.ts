import { and, desc, eq, isNull, lt, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles, bundleVersions, type Content, user } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn } from '../identity/caller.ts'
import { realEmail } from '../identity/sessions.ts'
import { historyFull, isOverfull, refuseOverfull } from '../plans/history.ts'
import { identifiedFor, keepIds } from '../policies/rule-ids.ts'
import { loadFor, type StoredBundle } from './access.ts'
import { refuseStale } from './bundles.ts'
import { NAMES, pick } from './content.ts'
import { type Changes, merged, type NextContent } from './merge.ts'
import { insertSearchText } from './search.ts'
import type { Versions } from './shapes.ts'
import { insertVersion, VERSION_COLUMNS } from './stored.ts'

/** How often an edit is retried after losing to concurrent edits. */
const MAX_TRIES = 200

/** An edit of a bundle by a caller. */
export interface Edit {
  store: Store
  config: Pick<Config, 'maxHistoryBytes'>
  blockedHosts: Pick<BlockedHosts, 'refuse'>
  caller: SignedIn
  slug: string
  /** From If-Match; null: any. */
  expectedVersion: number | null
}

/**
 * Edits a bundle, writing the edit and its version together (spec 4.3). Concurrent edits each get a version, in order
 * and without gaps.
 * @throws Problem NOT_FOUND, FORBIDDEN, BAD_REQUEST, VERSION_CONFLICT, PLAN_LIMIT.
 */
export function edit(edit: Edit, changes: Changes): Promise<StoredBundle> {
  return writeVersion(edit, (bundle) => nextContent(edit, bundle, changes))
}

/**
 * The content that an edit gives a bundle.
 * @throws Problem BAD_REQUEST, INVALID_URLS.
 */
export async function nextContent(
  { store: { db }, blockedHosts }: Pick<Edit, 'store' | 'blockedHosts'>,
  bundle: StoredBundle,
  changes: Changes,
): Promise<NextContent> {
  const { resolutionPolicy, ...rest } = changes
  const content = merged(bundle, rest)
  blockedHosts.refuse({
    ...content,
    resolutionPolicy: resolutionPolicy === undefined ? content.resolutionPolicy : resolutionPolicy,
  })
  if (resolutionPolicy === undefined) return { content, newRuleIds: [] }
  if (resolutionPolicy === null) return { content: { ...content, resolutionPolicy }, newRuleIds: [] }
  const { policy, newIds } = await identifiedFor(db, bundle, resolutionPolicy)
  return { content: { ...content, resolutionPolicy: policy }, newRuleIds: newIds }
}

/**
 * Writes a new version equal to an old one, policy included (decisions 1).
 * @throws Problem NOT_FOUND, FORBIDDEN, VERSION_CONFLICT, PLAN_LIMIT.
 */
export function restoreVersion(edit: Edit, versionNumber: number): Promise<StoredBundle> {
  return writeVersion(edit, async ({ id }) => {
    const [version] = await edit.store.db
      .select(VERSION_COLUMNS)
      .from(bundleVersions)
      .where(and(eq(bundleVersions.bundleId, id), eq(bundleVersions.versionNumber, versionNumber)))
    if (version === undefined) throw new Problem('NOT_FOUND', `This bundle has no version ${versionNumber}.`)
    edit.blockedHosts.refuse(version)
    return { content: pick(NAMES, version), newRuleIds: [] }
  })
}

/** A version of a bundle, with its editor. */
export type Version = Content & {
  versionNumber: number
  editedBy: string | null
  editedAt: number
  /** Total size of its content. */
  bytes: number
  /** With their current name; null if nobody was signed in, or the account was deleted. */
  editor: { name: string; email: string } | null
}

/** A bundle and its versions. */
export interface History {
  bundle: StoredBundle
  /** The first of the requested versions, newest first. */
  versions: Version[]
  /** The versions after these, read on demand; null if there are none. */
  rest: AsyncIterable<Version> | null
}

/** Versions in memory at a time: each may take a quarter of a megabyte. */
const AT_ONCE = 25

/**
 * The versions of a bundle, newest first (spec 4.6): all, or the newest `limit` older than `before`.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
export async function listVersions({ db }: Store, caller: SignedIn, query: Versions): Promise<History> {
  const { slug, limit = Number.POSITIVE_INFINITY, before = Number.MAX_SAFE_INTEGER } = query
  const bundle = await loadFor(db, caller, slug, 'viewer')
  const page = { db, id: bundle.id, limit, before }
  const versions = await firstOf(page)
  const next = after(page, versions)
  return { bundle, versions, rest: next === null ? null : versionsFrom(next) }
}

interface Page {
  db: Store['db']
  /** The bundle's. */
  id: number
  /** How many more to read. */
  limit: number
  /** Only versions older than this one. */
  before: number
}

function firstOf({ db, id, limit, before }: Page): Promise<Version[]> {
  return history(db).all({ id, before, limit: Math.min(limit, AT_ONCE) })
}

/** The next page, or null after the last: version numbers start at 1 without gaps. */
function after(page: Page, versions: readonly Version[]): Page | null {
  const limit = page.limit - versions.length
  const before = versions.at(-1)?.versionNumber ?? 1
  return limit > 0 && before > 1 ? { ...page, limit, before } : null
}

async function* versionsFrom(first: Page): AsyncGenerator<Version> {
  for (let page: Page | null = first; page !== null; ) {
    const versions = await firstOf(page)
    yield* versions
    page = after(page, versions)
  }
}

/** Maximum size of the versions in one message, in bytes. */
const MAX_MESSAGE = 2 ** 20

/**
 * The versions that fit into one message, at least one.
 * @returns in `before` the last version’s number if there are more.
 */
export function inMessage({ versions, rest }: Pick<History, 'versions' | 'rest'>) {
  let bytes = 0
  const past = versions.findIndex((version, index) => (bytes += version.bytes) > MAX_MESSAGE && index > 0)
  const part = past === -1 ? versions : versions.slice(0, past)
  const isAll = part.length === versions.length && rest === null
  return { versions: part, before: isAll ? null : (part.at(-1)?.versionNumber ?? null) }
}

const history = prepared((db) =>
  db
    .select({ ...VERSION_COLUMNS, editor: { name: user.name, email: realEmail } })
    .from(bundleVersions)
    .leftJoin(user, eq(user.id, bundleVersions.editedBy))
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

/**
 * Computes the next content from the current bundle and writes both rows only if the bundle is unchanged since; retries
 * otherwise.
 */
async function writeVersion(
  { store, config, caller, slug, expectedVersion }: Edit,
  next: (bundle: StoredBundle) => Promise<NextContent>,
): Promise<StoredBundle> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const bundle = await loadFor(store.db, caller, slug, 'editor')
    const { content, newRuleIds } = await next(bundle)
    refuseStale(bundle, expectedVersion)
    const updatedAt = Math.max(Date.now(), bundle.updatedAt)
    const versionNumber = bundle.versionNumber + 1
    const version = { versionNumber, updatedAt, editedBy: caller.userId }
    if (await write({ store, config }, bundle, { content, newRuleIds }, version)) {
      return { ...bundle, ...content, versionNumber, updatedAt }
    }
  }
  throw new Problem('VERSION_CONFLICT', 'This bundle is being edited too often. Read it again and retry.')
}

/** @returns false, having written nothing, if a concurrent edit won. */
async function write(
  { store, config }: Pick<Edit, 'store' | 'config'>,
  { id, slug, owner, versionNumber: seen }: StoredBundle,
  { content, newRuleIds }: NextContent,
  { versionNumber, updatedAt, editedBy }: { versionNumber: number; updatedAt: number; editedBy: string },
): Promise<boolean> {
  const { db } = store
  const stillSeen = sql<number>`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.id} = ${id} AND ${bundles.versionNumber} = ${seen} AND ${bundles.deletedAt} IS NULL)`
  try {
    await store.write([
      // If the bundle has changed, this violates NOT NULL and rolls the transaction back.
      ...insertVersion(db, content, {
        bundle: sql`${id}`,
        bundleId: stillSeen,
        versionNumber,
        editedBy,
        editedAt: updatedAt,
      }),
      db
        .update(bundles)
        .set({ ...content, versionNumber, updatedAt })
        .where(and(eq(bundles.id, id), isNull(bundles.deletedAt))),
      insertSearchText(eq(bundles.id, id), { ...content, slug }),
      refuseOverfull(owner, config),
      ...keepIds(db, id, newRuleIds),
    ])
    return true
  } catch (error) {
    if (isOverfull(error)) throw await historyFull(store, owner, config)
    if (/(NOT NULL|UNIQUE) constraint failed: (bundle_versions|policy_rules)/.test(brokenConstraint(error) ?? ''))
      return false
    throw error
  }
}
