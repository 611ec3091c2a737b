import { and, eq, isNull, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store, withChanges } from '../../../db/client.ts'
import { param, params, preparedStatements } from '../../../db/prepared.ts'
import { bundles, type Content, type FieldChange, type SharedName, type UrlMetadata } from '../../../db/schema.ts'
import type { BlockedHosts } from '../../abuse/hosts.ts'
import type { Config } from '../../config/config.ts'
import { invalid, Problem } from '../../core/problem.ts'
import { type SignedIn, type Subject, signedIn } from '../../identity/caller.ts'
import { withAlias } from '../../operations/bundle-reference.ts'
import type { Commit } from '../../operations/idempotency.ts'
import type { Context } from '../../operations/operation.ts'
import { subjectIdOf, subjectOf } from '../../plans/owners.ts'
import { refuseEmptiedRules, withFittingRules } from '../../policies/base.ts'
import { recordRuleIds, withStoredRuleIds } from '../../policies/rule-ids.ts'
import { eachScalar, isScalar, NAMES, pick, type ScalarName } from '../content/content.ts'
import type { BundleEdit } from '../content/shapes.ts'
import { linkOf } from '../links/link-fields.ts'
import { checkSentLinks, withWholeLists } from '../links/link-shapes.ts'
import { searchText, writeSearchText } from '../list/search.ts'
import { refuseUnfitTemplates } from '../variables/placeholders.ts'
import { variableOf, wholeVariable } from '../variables/variables.ts'
import { loadFor, refuseStale, type StoredBundle } from './bundles.ts'
import { checkHistoryCap, historyCapReached, insertVersion, isHistoryCapError, stored, versionOf } from './stored.ts'
import {
  aliasesAfterRename,
  aliasesIn,
  externalIdTaken,
  type HashPassword,
  hashingFor,
  newSlugTaken,
  refuseReserved,
  refuseUnfitPassword,
  type SentUnversioned,
  savePassword,
  slugHash,
  takenAlias,
  type UnversionedFields,
  unversionedAfter,
} from './unversioned.ts'

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
  /** From If-Match; null accepts any version. */
  expectedVersion: number | null
  /** Writes the edit if it is part of a call that takes effect only once. */
  commit?: Commit
}

/**
 * Edits a bundle and writes the version in the same transaction. Concurrent edits each get a version, in order and without gaps.
 * @throws Problem NOT_FOUND, FORBIDDEN, BAD_REQUEST, VERSION_CONFLICT, PLAN_LIMIT, EXTERNAL_ID_TAKEN.
 */
export function edit(edit: Edit, changes: SentChanges, unversioned: UnversionedChanges = {}): Promise<StoredBundle> {
  return writeVersion(edit, (bundle) => nextContent(edit, bundle, changes, unversioned.password), unversioned)
}

/** Changes outside the content, which no version records: a new password, the owner’s own fields, and the slug. */
export type UnversionedChanges = SentUnversioned & { password?: string | undefined; newSlug?: string }

/** Splits an edit as sent into changes to content and unversioned changes. */
export function partsOfEdit({ password, externalId, metadata, aliases, ...changes }: SentChanges & UnversionedChanges) {
  return { changes, unversioned: { password, externalId, metadata, aliases } }
}

/**
 * The content of a bundle after an edit.
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
  checkSentLinks(changes, sent, () => {
    blockedHosts.refuse(sent)
    refuseUnfitTemplates(sent)
  })
  if (resolutionPolicy === undefined) return { content: withFittingRules(content), newRuleIds: [] }
  if (resolutionPolicy === null) return { content: { ...content, resolutionPolicy }, newRuleIds: [] }
  refuseEmptiedRules(resolutionPolicy, content.urls)
  const { policy, newIds } = await withStoredRuleIds(db, bundle, resolutionPolicy)
  return { content: withFittingRules({ ...content, resolutionPolicy: policy }), newRuleIds: newIds }
}

/**
 * Writes a new version equal to an old one, policy included.
 * @throws Problem NOT_FOUND, FORBIDDEN, BAD_REQUEST, INVALID_URLS, VERSION_CONFLICT, PLAN_LIMIT.
 */
export function restoreVersion(edit: Edit, versionNumber: number): Promise<StoredBundle> {
  return writeVersion(edit, async (bundle) => {
    const version = await versionOf(edit.store.db, bundle, versionNumber)
    edit.blockedHosts.refuse(version)
    refuseUnfitTemplates(version)
    return { content: pick(NAMES, version), newRuleIds: [] }
  })
}

/** The stored part of the answer to an edit that takes effect only once: the version has the rest. */
export type Written = Pick<StoredBundle, 'slug' | 'versionNumber'>

/**
 * Repeats the answer to an edit, from the version that it wrote; unversioned fields have their current values.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
export async function asWritten(
  { slug, versionNumber }: Written,
  { context: { service, caller } }: { context: Pick<Context, 'service' | 'caller'> },
): Promise<StoredBundle> {
  const { db } = service.store
  // It may have been renamed since.
  const bundle = await withAlias({ slug }, service.store, (named) =>
    loadFor(db, signedIn(caller), named.slug, 'viewer'),
  )
  if (bundle.versionNumber === versionNumber) return bundle
  const { editedAt, ...version } = await versionOf(db, bundle, versionNumber)
  return { ...bundle, ...pick(NAMES, version), versionNumber, updatedAt: editedAt }
}

/** What an edit writes besides its version if it accepts a proposal. */
export interface Acceptance {
  proposedBy: string | null
  /** Statements that run first in the transaction; they violate `bundles.version_number` if the proposal is no longer open. */
  writes(versionNumber: number): Query[]
}

/**
 * Computes the next content from the current bundle, and writes bundle and version if the bundle has not changed meanwhile;
 * else tries again.
 * @param next resolves to null if there is nothing to write: the bundle stays as it is.
 * @throws Problem NOT_FOUND, FORBIDDEN, VERSION_CONFLICT, PLAN_LIMIT, SLUG_TAKEN, EXTERNAL_ID_TAKEN, BAD_REQUEST.
 */
export async function writeVersion(
  { store, config, caller, slug, expectedVersion, hashPassword, commit = store.write }: Edit,
  next: (bundle: StoredBundle) => Promise<(NextContent & { acceptance?: Acceptance }) | null>,
  { password, newSlug, ...sentUnversioned }: UnversionedChanges = {},
): Promise<StoredBundle> {
  refuseReserved(sentUnversioned.aliases ?? [])
  let passwordHash: string | undefined
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const bundle = await loadFor(store.db, caller, slug, 'editor')
    const found = await next(bundle)
    const to = newSlug ?? bundle.slug
    const own = unversionedAfter(bundle, sentUnversioned)
    if (to !== bundle.slug) own.aliases = aliasesAfterRename(bundle, to)
    refuseStale(bundle, expectedVersion)
    if (found === null) return bundle
    const { acceptance, ...made } = found
    const { content } = made
    // Only now that the caller may edit, because hashing is expensive.
    if (password !== undefined) passwordHash ??= await hashPassword(password)
    const updatedAt = Math.max(Date.now(), bundle.updatedAt)
    const versionNumber = bundle.versionNumber + 1
    const version = { versionNumber, updatedAt, editedBy: caller.userId, acceptance, passwordHash, own, slug: to }
    if (await write({ store, config, commit }, bundle, made, version)) {
      return { ...bundle, ...content, ...own, slug: to, versionNumber, updatedAt }
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
  own: UnversionedFields
  slug: string
}

/** @returns false, having written nothing, if a concurrent edit or decision won. */
async function write(
  { store, config, commit }: Pick<Edit, 'store' | 'config'> & { commit: Commit },
  bundle: StoredBundle,
  { content, newRuleIds }: NextContent,
  { versionNumber, updatedAt, editedBy, acceptance, passwordHash, own, slug }: NewVersion,
): Promise<boolean> {
  const { id, owner, ownerId, versionNumber: seen, externalId, metadata, aliases } = bundle
  const { parts, values } = stored(content, own)
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
    searchText: searchText({ ...content, slug, aliases: aliasesIn(own.aliases) }),
  }
  try {
    const writes = [
      withChanges(changesIn(bundle, { ...content, ...own, slug }, passwordHash !== undefined)),
      ...(acceptance?.writes(versionNumber) ?? []),
      ...editWrites(store.db, shape, edited),
      ...recordRuleIds(store.db, id, newRuleIds),
      ...(passwordHash === undefined ? [] : [savePassword(store.db, id, passwordHash)]),
      ...(own.externalId === externalId && own.metadata === metadata && own.aliases === aliases && slug === bundle.slug
        ? []
        : [saveOwn(store.db, id, { ...own, slug })]),
    ]
    await commit(writes, { slug, url: linkOf(slug, config), versionNumber })
    return true
  } catch (error) {
    if (isHistoryCapError(error)) throw await historyCapReached(store, owner, config)
    const broken = brokenConstraint(error)
    if (broken?.includes('bundles.slug')) throw newSlugTaken()
    if (broken?.includes('aliases.slug')) throw await takenAlias(store, aliasesIn(own.aliases), id)
    if (broken?.includes('bundles.external_id')) throw externalIdTaken(own.externalId ?? '')
    if (WRITE_CONFLICT.test(broken ?? '')) return false
    throw error
  }
}

function saveOwn(db: Store['db'], id: number, own: UnversionedFields & { slug: string }): Query {
  return db
    .update(bundles)
    .set({ ...own, slugHash: slugHash(own.slug) })
    .where(eq(bundles.id, id))
}

/** Constraints that a write violates if a concurrent one came first. */
const WRITE_CONFLICT = /(NOT NULL|UNIQUE) constraint failed: (bundle_versions|policy_rules|bundles\.version_number)/

interface EditShape {
  owner: Subject['type']
  parts: SharedName[]
  maxHistoryBytes: Config['maxHistoryBytes']
}

const editWrites = preparedStatements((db, { owner, parts, maxHistoryBytes }: EditShape) => {
  const { id, bytes, seen, ownerId, versionNumber, updatedAt, editedBy, proposedBy } = params([
    'id',
    'bytes',
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
      .set({ ...params(NAMES), bytes, versionNumber, updatedAt })
      .where(and(eq(bundles.id, id), isNull(bundles.deletedAt))),
    writeSearchText(eq(bundles.id, id), param('searchText')),
    checkHistoryCap(subjectOf(owner), { maxHistoryBytes }),
  ]
})

/** The log has only the fact that longer texts changed, because it keeps thousands of edits. */
const MAX_LOGGED = 120

type State = Content & UnversionedFields & { slug: string }

/**
 * The fields that differ between two states of a bundle, for its owner's log: content fields in their order, then unversioned
 * ones. Fields with one small value have their old and new values.
 * @param hasNewPassword whether the bundle gets a password, which is not part of the content.
 */
function changesIn(before: State, after: State, hasNewPassword: boolean): FieldChange[] {
  const names = [...NAMES, 'externalId', 'metadata', 'slug', 'aliases'] as const
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const changes = changed.map((field): FieldChange => {
    const [from, to] = [before[field], after[field]]
    const isOne =
      field === 'externalId' || field === 'slug' || (field !== 'metadata' && field !== 'aliases' && isScalar(field))
    return isOne && isSmall(from) && isSmall(to) ? { field, from, to } : { field }
  })
  return hasNewPassword ? [...changes, { field: 'password' }] : changes
}

function isSmall(value: unknown): value is string | boolean | null {
  return typeof value === 'string' ? value.length <= MAX_LOGGED : typeof value === 'boolean' || value === null
}

/** The parameters for changing a bundle, from an operation’s context. */
export function editing({ service: { store, config, blockedHosts, passwordCost }, caller }: Context) {
  return { store, config, blockedHosts, caller: signedIn(caller), hashPassword: hashingFor(caller, passwordCost) }
}

/** The fields that an edit may send. */
export type SentChanges = Omit<BundleEdit, 'slug' | 'password' | keyof SentUnversioned>
/** Changes with whole lists of links. */
type Changes = Omit<SentChanges, 'addUrls' | 'removeUrls' | 'setMetadata'>

/** The next content of a bundle, and the ids of its new rules. */
export interface NextContent {
  content: Content
  newRuleIds: readonly string[]
}

/**
 * Applies changes to content, except the policy, whose rules get their ids from the store. A new bundle starts with
 * `NOTHING`.
 * @throws Problem BAD_REQUEST.
 */
export function merged(before: Content, changes: Changes): Content {
  const urls = changes.urls ?? before.urls
  if ((changes.urlMetadata?.length ?? 0) > urls.length) {
    throw invalid([{ path: ['urlMetadata'], reason: { code: 'more_metadata_than_urls', urls: urls.length } }])
  }
  const content = {
    urls,
    urlMetadata: changes.urlMetadata
      ? urls.map((_, index) => changes.urlMetadata?.[index] ?? {})
      : carryMetadata(before, urls),
    variables: changes.variables?.map((variable) => variableOf(wholeVariable(variable))) ?? before.variables,
    // A field that was not sent stays; null counts as sent.
    ...(eachScalar((name) => (changes[name] === undefined ? before[name] : changes[name])) as Pick<
      Content,
      ScalarName
    >),
    resolutionPolicy: before.resolutionPolicy,
  }
  refuseReversed(content)
  return content
}

/** Refuses a closing time that is not after the opening time. Both are UTC texts of fixed length, comparable as texts. */
function refuseReversed({ opensAt, closesAt }: Pick<Content, 'opensAt' | 'closesAt'>): void {
  if (opensAt === null || closesAt === null || opensAt < closesAt) return
  throw invalid([{ path: ['closesAt'], reason: { code: 'closes_before_it_opens' } }])
}

/** The metadata for a new list of URLs: remaining ones keep theirs wherever they move, and each duplicate keeps its own. */
function carryMetadata(before: Content, urls: readonly string[]): UrlMetadata[] {
  const left = before.urls.map((url, index) => ({ url, metadata: before.urlMetadata[index] ?? {} }))
  return urls.map((url) => {
    const at = left.findIndex((entry) => entry.url === url)
    return at === -1 ? {} : (left.splice(at, 1)[0]?.metadata ?? {})
  })
}
