import { and, eq, isNull, sql } from 'drizzle-orm'
import { withChanges } from '../../db/acting.ts'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { param, params, preparedStatements } from '../../db/prepared.ts'
import { bundles, bundleVersions, type SharedName } from '../../db/schema.ts'
import type { BlockedHosts } from '../abuse/hosts.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import type { Commit } from '../operations/idempotency.ts'
import { subjectIdOf, subjectOf } from '../plans/owners.ts'
import { recordRuleIds, withStoredRuleIds } from '../policies/rule-ids.ts'
import { refuseStale } from './bundles.ts'
import { changesIn } from './changed-fields.ts'
import { NAMES, pick } from './content.ts'
import { checkHistoryCap, historyCapReached, isHistoryCapError } from './history-cap.ts'
import { linkOf } from './link.ts'
import { asSent, withWholeLists } from './link-changes.ts'
import { merged, type NextContent, refuseUnfitTemplates, type SentChanges } from './merge.ts'
import { externalIdTaken, type OwnFields, ownAfter, type SentOwn } from './own-fields.ts'
import { type HashPassword, refuseUnfitPassword, savePassword } from './passwords.ts'
import { loadFor, type StoredBundle } from './roles.ts'
import { searchText, writeSearchText } from './search.ts'
import { insertVersion, stored, VERSION_COLUMNS } from './stored.ts'

/** How often an edit is retried after losing to concurrent edits. */
const MAX_TRIES = 200

/** An edit of a bundle by a caller. */
export interface Edit {
  store: Store
  config: Pick<Config, 'maxHistoryBytes' | 'origin' | 'shortPaths' | 'name'>
  hashPassword: HashPassword
  blockedHosts: Pick<BlockedHosts, 'refuse'>
  caller: SignedIn
  slug: string
  /** From If-Match; null: any. */
  expectedVersion: number | null
  /** How the edit is written, if it is part of a call that takes effect once. */
  commit?: Commit
}

/**
 * Edits a bundle, writing the edit and its version together. Concurrent edits each get a version, in order
 * and without gaps.
 * @throws Problem NOT_FOUND, FORBIDDEN, BAD_REQUEST, VERSION_CONFLICT, PLAN_LIMIT, EXTERNAL_ID_TAKEN.
 */
export function edit(edit: Edit, changes: SentChanges, beside: Beside = {}): Promise<StoredBundle> {
  return writeVersion(edit, (bundle) => nextContent(edit, bundle, changes, beside.password), beside)
}

/** What an edit may change besides content, in no version: a new password, and what is the owner’s alone. */
export type Beside = SentOwn & { password?: string | undefined }

/** An edit as sent, in these two parts. */
export function partsOfEdit({ password, externalId, metadata, ...changes }: SentChanges & Beside) {
  return { changes, beside: { password, externalId, metadata } }
}

/**
 * The content that an edit gives a bundle.
 * @throws Problem BAD_REQUEST, INVALID_URLS.
 */
export async function nextContent(
  { store: { db }, blockedHosts, config }: Pick<Edit, 'store' | 'blockedHosts' | 'config'>,
  bundle: StoredBundle,
  changes: SentChanges,
  password?: string,
): Promise<NextContent> {
  const { resolutionPolicy, ...rest } = withWholeLists(bundle, changes)
  const content = merged(bundle, rest)
  await refuseUnfitPassword({ before: bundle, content, password }, config)
  const sent = {
    ...content,
    resolutionPolicy: resolutionPolicy === undefined ? content.resolutionPolicy : resolutionPolicy,
  }
  asSent(changes, sent, () => {
    blockedHosts.refuse(sent)
    refuseUnfitTemplates(sent)
  })
  if (resolutionPolicy === undefined) return { content, newRuleIds: [] }
  if (resolutionPolicy === null) return { content: { ...content, resolutionPolicy }, newRuleIds: [] }
  const { policy, newIds } = await withStoredRuleIds(db, bundle, resolutionPolicy)
  return { content: { ...content, resolutionPolicy: policy }, newRuleIds: newIds }
}

/**
 * Writes a new version equal to an old one, policy included.
 * @throws Problem NOT_FOUND, FORBIDDEN, BAD_REQUEST, INVALID_URLS, VERSION_CONFLICT, PLAN_LIMIT.
 */
export function restoreVersion(edit: Edit, versionNumber: number): Promise<StoredBundle> {
  return writeVersion(edit, async ({ id }) => {
    const [version] = await edit.store.db
      .select(VERSION_COLUMNS)
      .from(bundleVersions)
      .where(and(eq(bundleVersions.bundleId, id), eq(bundleVersions.versionNumber, versionNumber)))
    if (version === undefined) throw new Problem('NOT_FOUND', `This bundle has no version ${versionNumber}.`)
    edit.blockedHosts.refuse(version)
    refuseUnfitTemplates(version)
    return { content: pick(NAMES, version), newRuleIds: [] }
  })
}

/** What becomes of an edit besides its version, if it accepts a proposal. */
export interface Acceptance {
  proposedBy: string | null
  /** Run first, in the same transaction; violates `bundles.version_number` if the proposal is no longer open. */
  writes(versionNumber: number): Query[]
}

/**
 * Computes the next content from the current bundle and writes both rows only if the bundle is unchanged since; retries
 * otherwise.
 * @param next null if there is nothing to write: the bundle stays as it is.
 */
export async function writeVersion(
  { store, config, caller, slug, expectedVersion, hashPassword, commit = store.write }: Edit,
  next: (bundle: StoredBundle) => Promise<(NextContent & { acceptance?: Acceptance }) | null>,
  { password, ...sentOwn }: Beside = {},
): Promise<StoredBundle> {
  let passwordHash: string | undefined
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const bundle = await loadFor(store.db, caller, slug, 'editor')
    const found = await next(bundle)
    const own = ownAfter(bundle, sentOwn)
    refuseStale(bundle, expectedVersion)
    if (found === null) return bundle
    const { acceptance, ...made } = found
    const { content } = made
    // Only now, because hashing is expensive and this caller may do it.
    if (password !== undefined) passwordHash ??= await hashPassword(password)
    const updatedAt = Math.max(Date.now(), bundle.updatedAt)
    const versionNumber = bundle.versionNumber + 1
    const version = { versionNumber, updatedAt, editedBy: caller.userId, acceptance, passwordHash, own }
    if (await write({ store, config, commit }, bundle, made, version)) {
      return { ...bundle, ...content, ...own, versionNumber, updatedAt }
    }
  }
  throw new Problem('VERSION_CONFLICT', 'This bundle is being edited too often. Read it again and retry.')
}

interface NewVersion {
  versionNumber: number
  updatedAt: number
  editedBy: string
  acceptance: Acceptance | undefined
  /** Undefined to keep the password. */
  passwordHash: string | undefined
  own: OwnFields
}

/** @returns false, having written nothing, if a concurrent edit or decision won. */
async function write(
  { store, config, commit }: Pick<Edit, 'store' | 'config'> & { commit: Commit },
  bundle: StoredBundle,
  { content, newRuleIds }: NextContent,
  { versionNumber, updatedAt, editedBy, acceptance, passwordHash, own }: NewVersion,
): Promise<boolean> {
  const { id, slug, owner, ownerId, versionNumber: seen, externalId, metadata } = bundle
  const { parts, values } = stored(content)
  const shape = { owner: owner.type, parts, maxHistoryBytes: config.maxHistoryBytes }
  const edited = {
    ...values,
    id,
    seen,
    ownerId,
    versionNumber,
    editedBy,
    proposedBy: acceptance?.proposedBy ?? null,
    updatedAt,
    owner: subjectIdOf(owner),
    searchText: searchText({ ...content, slug }),
  }
  try {
    const writes = [
      withChanges(changesIn(bundle, { ...content, ...own }, passwordHash !== undefined)),
      ...(acceptance?.writes(versionNumber) ?? []),
      ...editWrites(store.db, shape, edited),
      ...recordRuleIds(store.db, id, newRuleIds),
      ...(passwordHash === undefined ? [] : [savePassword(store.db, id, passwordHash)]),
      ...(own.externalId === externalId && own.metadata === metadata ? [] : [saveOwn(store.db, id, own)]),
    ]
    await commit(writes, { slug, url: linkOf(slug, config), versionNumber })
    return true
  } catch (error) {
    if (isHistoryCapError(error)) throw await historyCapReached(store, owner, config)
    if (brokenConstraint(error)?.includes('bundles.external_id')) throw externalIdTaken(own.externalId ?? '')
    if (LOST.test(brokenConstraint(error) ?? '')) return false
    throw error
  }
}

function saveOwn(db: Store['db'], id: number, own: OwnFields): Query {
  return db.update(bundles).set(own).where(eq(bundles.id, id))
}

/** What a write violates that lost to another. */
const LOST = /(NOT NULL|UNIQUE) constraint failed: (bundle_versions|policy_rules|bundles\.version_number)/

interface EditShape {
  owner: Subject['type']
  parts: SharedName[]
  maxHistoryBytes: Config['maxHistoryBytes']
}

const editWrites = preparedStatements((db, { owner, parts, maxHistoryBytes }: EditShape) => {
  const { id, seen, ownerId, versionNumber, updatedAt, editedBy, proposedBy } = params([
    'id',
    'seen',
    'ownerId',
    'versionNumber',
    'updatedAt',
    'editedBy',
    'proposedBy',
  ])
  return [
    // If the bundle has changed, this violates NOT NULL and rolls the transaction back.
    ...insertVersion(db, parts, {
      bundle: sql`${id}`,
      bundleId: sql`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.id} = ${id} AND ${bundles.versionNumber} = ${seen} AND ${bundles.ownerId} = ${ownerId} AND ${bundles.deletedAt} IS NULL)`,
      versionNumber,
      editedBy,
      proposedBy,
      editedAt: updatedAt,
    }),
    db
      .update(bundles)
      .set({ ...params(NAMES), versionNumber, updatedAt })
      .where(and(eq(bundles.id, id), isNull(bundles.deletedAt))),
    writeSearchText(eq(bundles.id, id), param('searchText')),
    checkHistoryCap(subjectOf(owner), { maxHistoryBytes }),
  ]
})
