import { nextCursor } from '../core/cursor.ts'
import { nextPage } from '../core/paging.ts'
import { jsonParts } from '../core/parts.ts'
import { signedIn } from '../identity/caller.ts'
import { countMail } from '../mail/limits.ts'
import { implement, type Site } from '../operations/operation.ts'
import * as answers from './answers.ts'
import * as bundles from './bundles.ts'
import { claimMail, withoutClaim } from './claims.ts'
import { creating, editing } from './contexts.ts'
import { create } from './creation.ts'
import * as dryRun from './dry-run.ts'
import { healthOf, type LinkHealth } from './health.ts'
import { type Listed, type ListedBundle, list } from './listing.ts'
import * as pins from './pins.ts'
import { etag, toBundle, toListItem } from './present.ts'
import { put, putDry } from './putting.ts'
import type { StoredBundle } from './roles.ts'
import { loadFor } from './roles.ts'
import { BundleEdit, Listing, NewBundle, OneBundle, PutBundle } from './shapes.ts'
import { edit, partsOfEdit } from './versions.ts'

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
  replayed: (first, { isProven }) => (isProven ? first : withoutClaim(first)),
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
  errors: ['INVALID_URLS', 'NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'EXTERNAL_ID_TAKEN'],
  present: toBundle,
  headers: { etag },
  run({ slug, ...sent }, context): Promise<StoredBundle> {
    const { changes, beside } = partsOfEdit(sent)
    return edit({ ...editing(context), slug, expectedVersion: context.expectedVersion }, changes, beside)
  },
  dryRun({ slug, ...sent }, context) {
    const { changes, beside } = partsOfEdit(sent)
    return dryRun.edit({ ...editing(context), slug, expectedVersion: context.expectedVersion }, changes, beside)
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
  run: put,
  dryRun: putDry,
})

/** DELETE /api/links/:slug. */
export const deleteBundle = implement('delete_bundle', {
  summary: 'Delete a bundle; it can be restored',
  description:
    'Its link answers 404 from now on. For 30 days, or as the operator chose, restore_bundle undoes it; then all is erased. ' +
    'Of an organisation’s, only admins can.',
  input: OneBundle,
  output: answers.DeletedBundle,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: ({ slug }, context) => bundles.remove(editing(context), slug, context.expectedVersion),
})

/** POST /api/links/:slug/restore. */
export const restoreBundle = implement('restore_bundle', {
  summary: 'Restore a deleted bundle',
  description: 'Restores a bundle as it was, under its old link. PLAN_LIMIT if the plan is full.',
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
  description: 'Pins a bundle for you alone. You can pin 50.',
  input: OneBundle,
  output: answers.PinState,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  run: ({ slug }, { service: { store }, caller }) => pins.pin(store, signedIn(caller), slug),
})

/** DELETE /api/links/:slug/pin. */
export const unpinBundle = implement('unpin_bundle', {
  summary: 'Unpin a bundle',
  description: 'Takes a bundle back to its place in your list.',
  input: OneBundle,
  output: answers.PinState,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: ({ slug }, { service: { store }, caller }) => pins.unpin(store, signedIn(caller), slug),
})

/** What of a page fits into one message. */
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
