import { isDeepStrictEqual } from 'node:util'
import { nextCursor, nextPage } from '../../core/paging.ts'
import { jsonParts } from '../../core/parts.ts'
import { Problem } from '../../core/problem.ts'
import { signedIn } from '../../identity/caller.ts'
import { countMail } from '../../mail/limits.ts'
import { withExternalId } from '../../operations/bundle-reference.ts'
import type { Commit } from '../../operations/idempotency.ts'
import { type Context, type IdempotentContext, implement, type Site } from '../../operations/operation.ts'
import { subjectIdOf } from '../../plans/owners.ts'
import { claimMail, dropClaim } from '../claims/claims.ts'
import * as answers from '../content/answers.ts'
import { NAMES, NOTHING, pick } from '../content/content.ts'
import { BundleEdit, Listing, NewBundle, OneBundle, Pinning, PutBundle } from '../content/shapes.ts'
import { healthOf, type LinkHealth } from '../links/health.ts'
import { type Listed, type ListedBundle, list } from '../list/listing.ts'
import * as pins from '../list/pins.ts'
import { declaredBy } from '../variables/placeholders.ts'
import * as bundles from './bundles.ts'
import { etag, loadFor, type StoredBundle, toBundle, toListItem } from './bundles.ts'
import { create, creating } from './creation.ts'
import * as dryRun from './dry-run.ts'
import {
  asWritten,
  edit,
  editing,
  merged,
  nextContent,
  partsOfEdit,
  type SentChanges,
  type UnversionedChanges,
  type Written,
  writeVersion,
} from './edit.ts'
import { unversionedAfter } from './unversioned.ts'

/** POST /api/links. */
export const createBundle = implement('create_bundle', {
  summary: 'Create a bundle of up to 25 URLs and get its link',
  description:
    'Creates a bundle: an ordered list of 1 to 25 URLs behind one link. Whoever opens its `url` sees them and can open all at ' +
    'once. Without a credential it has no owner, and the answer has a claim token, shown only once.',
  labelled: true,
  status: 201,
  input: NewBundle,
  example: {
    title: 'Launch day',
    urls: ['https://example.com/plan', 'https://example.com/status'],
    urlMetadata: [{ note: 'Read this first' }, { tags: ['live'], openPolicy: 'manual' }],
  },
  output: answers.CreatedBundle,
  errors: ['INVALID_URLS', 'FORBIDDEN', 'PLAN_LIMIT', 'SLUG_TAKEN', 'EXTERNAL_ID_TAKEN'],
  headers: { location: ({ slug }: answers.CreatedBundle) => `/api/links/${slug}` },
  replayed: (first, { isProven }) => (isProven ? first : dropClaim(first)),
  async run(input, context) {
    const { email } = input
    const { mailer, bucket, config } = context.service
    const mail = email !== undefined && mailer.isConfigured ? await countMail(bucket, email, null) : null
    const creation = { ...creating(context, 'slug'), commit: context.commit }
    try {
      const mailed = mailer.isFull ? 'full' : mail !== null && mail.waitSeconds > 0 ? 'tooMany' : 'sent'
      const created = await create(input, { ...creation, claimMail: mailed })
      if (email !== undefined && mailed === 'sent') await mailer.sendIfConfigured(claimMail(email, created, config))
      return created
    } catch (error) {
      await mail?.undo()
      throw error
    }
  },
  dryRun: (input, context) => dryRun.create(input, creating(context, 'slug')),
})

/** GET /api/links/:slug. */
export const getBundle = implement('get_bundle', {
  summary: 'Read a bundle in full',
  description:
    'Reads one of your bundles; get_tabs reads anybody’s link. Send its `versionNumber` as the expected version of an edit.',
  input: OneBundle,
  output: answers.BundleWithHealth,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  present: ({ health, ...bundle }: StoredBundle & { health?: LinkHealth[] | undefined }, site) => {
    return { ...toBundle(bundle, site), ...(health === undefined ? {} : { health }) }
  },
  headers: { etag },
  async run({ slug }, { service, caller }) {
    const bundle = await loadFor(service.store.db, signedIn(caller), slug, 'viewer')
    return { ...bundle, health: await healthOf(service, bundle) }
  },
})

/** PATCH /api/links/:slug. */
export const updateBundle = implement('update_bundle', {
  summary: 'Edit a bundle; every edit becomes a version',
  description:
    'Changes the fields that you send. `addUrls`, `removeUrls` and `setMetadata` change single links, whatever others edit ' +
    'meanwhile; other fields are replaced entirely, null removes them. With `urls` alone, remaining URLs keep their metadata. ' +
    'Viewers see it at once; restore_version undoes it.',
  input: BundleEdit,
  example: { slug: 'launch-day', title: 'Launch day, moved to Friday' },
  output: answers.Bundle,
  errors: ['INVALID_URLS', 'NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'SLUG_TAKEN', 'EXTERNAL_ID_TAKEN'],
  present: toBundle,
  headers: { etag },
  replayed: asWritten,
  run({ slug, ...sent }, context): Promise<StoredBundle> {
    const { expectedVersion, commit } = context
    const { changes, unversioned } = partsOfEdit(sent)
    return edit({ ...editing(context), slug, expectedVersion, commit }, changes, unversioned)
  },
  dryRun({ slug, ...sent }, context) {
    const { changes, unversioned } = partsOfEdit(sent)
    return dryRun.edit({ ...editing(context), slug, expectedVersion: context.expectedVersion }, changes, unversioned)
  },
})

/** PUT /api/links/ext:<externalId>. */
export const putBundle = implement('put_bundle', {
  summary: 'Create or replace the bundle with an external id',
  description:
    'Creates your bundle with this external id, or replaces all that it has: what you leave out gets its default. An equal ' +
    'input changes nothing.',
  labelled: true,
  input: PutBundle,
  example: { externalId: 'crm-4711', title: 'Launch day', urls: ['https://example.com/plan'] },
  output: answers.Bundle,
  errors: ['INVALID_URLS', 'FORBIDDEN', 'PLAN_LIMIT', 'SLUG_TAKEN'],
  present: toBundle,
  isNew: ({ isNew }) => isNew,
  headers: { etag },
  replayed: putBefore,
  run: put,
  dryRun: putDry,
})

/** DELETE /api/links/:slug. */
export const deleteBundle = implement('delete_bundle', {
  summary: 'Delete a bundle; it can be restored',
  description:
    'Its link answers 404 from now on. For 30 days, or as the operator chose, restore_bundle undoes it. ' +
    'Of an organisation’s, only admins can.',
  input: OneBundle,
  output: answers.DeletedBundle,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: ({ slug }, context) => bundles.remove(editing(context), slug, context.expectedVersion),
})

/** POST /api/links/:slug/restore. */
export const restoreBundle = implement('restore_bundle', {
  summary: 'Restore a deleted bundle',
  description: 'Restores a bundle as it was, under its old link.',
  input: OneBundle,
  output: answers.Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'EXTERNAL_ID_TAKEN'],
  present: toBundle,
  headers: { etag },
  run: ({ slug }, context) => bundles.restore(editing(context), slug),
})

/** GET /api/me/links. */
export const listBundles = implement('list_bundles', {
  summary: 'List or search your bundles',
  description:
    'Lists your bundles, or the organisation’s, pinned ones first, without policies: see get_bundle. ' +
    'If `hasMore`, send `nextCursor` as `cursor`.',
  input: Listing,
  output: answers.BundleList,
  present(page: Listed, site) {
    const { bundles, more, limit } = messageOf(page)
    const { pagination, subject } = page
    return { bundles: [...items(bundles, site)], pagination: { ...pagination, limit }, ...more, subject }
  },
  whole({ bundles, inMessage, pagination, hasMore, subject, keyOf }, site) {
    if (inMessage === bundles.length) return null
    const more = { hasMore, ...nextCursor(bundles, hasMore, keyOf) }
    return jsonParts({ bundles: items(bundles, site) }, { pagination, ...more, subject })
  },
  next: nextPage,
  note(page) {
    const { bundles, inMessage, pagination, isByCursor } = page
    if (inMessage === bundles.length) return null
    const place = isByCursor
      ? `"cursor": "${messageOf(page).more.nextCursor}"`
      : `"offset": ${pagination.offset + inMessage}`
    return `More would be too long for one message: call list_bundles again with ${place}.`
  },
  run: (input, { service: { store }, caller }) => list(store, signedIn(caller), input),
})

/** POST /api/links/:slug/pin. */
export const pinBundle = implement('pin_bundle', {
  summary: 'Pin a bundle: it comes first in your list',
  description: 'You can pin 50.',
  input: Pinning,
  example: { slug: 'launch-day' },
  output: answers.PinState,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  run: ({ slug, forEveryone }, { service: { store }, caller }) =>
    forEveryone === true
      ? pins.pinForEveryone(store, signedIn(caller), slug, true)
      : pins.pin(store, signedIn(caller), slug),
})

/** DELETE /api/links/:slug/pin. */
export const unpinBundle = implement('unpin_bundle', {
  summary: 'Unpin a bundle',
  description: 'Undoes pin_bundle.',
  input: Pinning,
  output: answers.PinState,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: ({ slug, forEveryone }, { service: { store }, caller }) =>
    forEveryone === true
      ? pins.pinForEveryone(store, signedIn(caller), slug, false)
      : pins.unpin(store, signedIn(caller), slug),
})

/** The part of a page that fits into one message. */
function messageOf({ bundles, inMessage, pagination, hasMore, keyOf }: Listed) {
  const shown = bundles.slice(0, inMessage)
  const isAll = inMessage === bundles.length
  const isMore = hasMore || !isAll
  const more = { hasMore: isMore, ...nextCursor(shown, isMore, keyOf) }
  return { bundles: shown, more, limit: isAll ? pagination.limit : inMessage }
}

function* items(bundles: readonly ListedBundle[], site: Site) {
  for (const bundle of bundles) yield { ...toListItem(bundle, site), isPinned: bundle.isPinned }
}

/** How often a call is tried while bundles with its external id appear or disappear. */
const MAX_TRIES = 20

/**
 * Replaces the acting subject’s bundle with an external id by the input, with defaults for omitted fields, or creates it. Only
 * one of several concurrent calls creates it. Writes no version that would equal the last.
 * @throws Problem like creating and editing.
 */
async function put(input: PutBundle, context: IdempotentContext): Promise<StoredBundle & { isNew: boolean }> {
  const { store } = context.service
  const commit: Commit = (writes, answer) => context.commit(writes, { ...(answer as Written), isNew: true })
  const caller = signedIn(context.caller)
  let lost: Problem | null = null
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const slug = await slugFor(input, context)
    try {
      if (slug !== null) return { ...(await replace(slug, input, context)), isNew: false }
      if (lost?.code === 'SLUG_TAKEN') throw lost
      const created = await create(input, { ...creating(context, 'slug'), commit })
      return { ...(await loadFor(store.db, caller, created.slug, 'viewer')), isNew: true }
    } catch (error) {
      // A bundle with this id may have appeared or disappeared meanwhile; SLUG_TAKEN may be about that one.
      const isOver = !(error instanceof Problem) || error === lost || !TRIED_AGAIN.includes(error.code)
      if (isOver) throw error
      lost = error
    }
  }
  throw lost ?? new Problem('VERSION_CONFLICT', 'This bundle is being edited too often. Try again.')
}

/** Errors that a concurrent write may have caused: the call is tried again. */
const TRIED_AGAIN: readonly string[] = ['EXTERNAL_ID_TAKEN', 'SLUG_TAKEN', 'NOT_FOUND']

/** Repeats the answer to a call; see `asWritten`. */
async function putBefore(
  { isNew = false, ...written }: Written & { isNew?: boolean },
  call: Parameters<typeof asWritten>[1],
): Promise<StoredBundle & { isNew: boolean }> {
  return { ...(await asWritten(written, call)), isNew }
}

/** The bundle that `put` would save, without writing. */
async function putDry(input: PutBundle, context: Context) {
  const slug = await slugFor(input, context)
  if (slug === null) return dryRun.create(input, creating(context, 'slug'))
  const { changes, unversioned } = wholly(input)
  return dryRun.edit({ ...editing(context), slug, expectedVersion: context.expectedVersion }, changes, unversioned)
}

/** The slug of the bundle with the external id; null if there is none. @throws Problem VERSION_CONFLICT, BAD_REQUEST. */
async function slugFor({ externalId, slug }: PutBundle, context: Context): Promise<string | null> {
  const { subject } = signedIn(context.caller)
  const find = withExternalId(context.service.store.db)(subject.type)
  const [found] = await find.all({ owner: subjectIdOf(subject), externalId })
  if (found === undefined || found.deletedAt !== null) {
    if (context.expectedVersion === null) return null
    throw new Problem('VERSION_CONFLICT', 'There is no bundle with this externalId: to make one, send no version.')
  }
  if (slug === undefined || slug === found.slug) return found.slug
  throw new Problem('BAD_REQUEST', `slug must be ${found.slug}, as it is, or omitted: rename_bundle changes a slug`)
}

async function replace(slug: string, input: PutBundle, context: IdempotentContext): Promise<StoredBundle> {
  const { expectedVersion, commit, idempotencyKey } = context
  const edit = { ...editing(context), slug, expectedVersion, commit }
  const { changes, unversioned } = wholly(input)
  let isEqual = false
  const next = async (bundle: StoredBundle) => {
    const made = await nextContent(edit, bundle, changes, unversioned.password)
    const after = { ...bundle, ...made.content, ...unversionedAfter(bundle, unversioned) }
    isEqual = unversioned.password === undefined && isDeepStrictEqual(kept(after), kept(bundle))
    return isEqual ? null : made
  }
  const bundle = await writeVersion(edit, next, unversioned)
  const { versionNumber } = bundle
  // Sent again, the call must not undo later edits by others.
  if (isEqual && idempotencyKey !== null) await commit([], { slug, versionNumber } satisfies Written)
  return bundle
}

function kept(bundle: StoredBundle) {
  return { ...pick(NAMES, bundle), metadata: bundle.metadata, aliases: bundle.aliases }
}

/** The input as an edit of all fields except aliases, which stay if not sent: links with them are in use. */
function wholly({
  externalId: _,
  slug: _slug,
  source: _source,
  password,
  metadata = null,
  aliases,
  ...content
}: PutBundle) {
  const { resolutionPolicy = null } = content
  const sent = { ...merged(NOTHING, content), resolutionPolicy }
  const variables = content.variables === undefined ? declaredBy(sent).variables : sent.variables
  const changes: SentChanges = { ...sent, variables }
  const unversioned: UnversionedChanges = { password, metadata, aliases }
  return { changes, unversioned }
}
