import { slugFound } from '../operations/external-id.ts'
import { implement } from '../operations/operation.ts'
import { withSlug } from '../operations/slug-in.ts'
import { inTurns } from './bulk.ts'
import { BulkResults, BundleEdits, NewBundles } from './bulk-shapes.ts'
import { creating, editing } from './contexts.ts'
import { create } from './creation.ts'
import { linkOf } from './link.ts'
import { edit, partsOfEdit } from './versions.ts'

/** POST /api/links/bulk. */
export const createBundles = implement('create_bundles', {
  summary: 'Create up to 100 bundles',
  description:
    'Creates bundles in order, each by itself: `results` says what became of each. If the input is wrong, none is created. ' +
    'Called again with the same `idempotencyKey`, it creates only what failed.',
  labelled: true,
  input: NewBundles,
  example: {
    bundles: [{ urls: ['https://example.com/plan'], title: 'Plan' }, { urls: ['https://example.com/status'] }],
  },
  output: BulkResults,
  run: ({ bundles }, context) =>
    inTurns(bundles, 201, context, (input, commit) => create(input, { ...creating(context, 'slug'), commit })),
})

/** PATCH /api/links/bulk. */
export const updateBundles = implement('update_bundles', {
  summary: 'Edit up to 100 bundles',
  description:
    'Edits bundles in order, each by itself: `results` says what became of each. If the input is wrong, none is edited. ' +
    'Called again with the same `idempotencyKey`, it edits only what failed.',
  input: BundleEdits,
  example: { edits: [{ slug: 'launch-day', addUrls: [{ url: 'https://example.com/chat' }] }] },
  output: BulkResults,
  run({ edits }, context) {
    const { config, invalidate } = context.service
    return inTurns(edits, 200, context, async (sent, commit) => {
      const {
        slug,
        expectedVersion = null,
        ...one
      } = await slugFound(withSlug(sent, config) as typeof sent, context.caller, context.service.store)
      const { changes, beside } = partsOfEdit(one)
      const edited = await edit({ ...editing(context), slug, expectedVersion, commit }, changes, beside)
      invalidate.launcher(edited.slug)
      return { slug: edited.slug, url: linkOf(edited.slug, config), versionNumber: edited.versionNumber }
    })
  },
})
