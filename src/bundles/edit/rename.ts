import type { Store } from '../../../db/client.ts'
import { implement, type Operation } from '../../operations/operation.ts'
import * as answers from '../content/answers.ts'
import { NAMES, pick } from '../content/content.ts'
import { Renaming } from '../content/shapes.ts'
import { etag, loadFor, type StoredBundle, toBundle } from './bundles.ts'
import { SLUG_ALPHABET, SLUG_LENGTH } from './creation.ts'
import { type Edit, editing, writeVersion } from './edit.ts'
import { aliasesAfterRename, ChosenSlug, isReserved, isTaken, newSlugTaken } from './unversioned.ts'

// The slug of a bundle, changed.

/** POST /api/links/:slug/rename. */
export const renameBundle = implement('rename_bundle', {
  summary: 'Give a bundle another slug',
  description: 'The slug so far becomes an alias, so no link breaks. Of an organisation’s, only admins can.',
  input: Renaming,
  example: { slug: 'launch-day', newSlug: 'launch' },
  output: answers.Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'SLUG_TAKEN'],
  present: toBundle,
  headers: { etag },
  async run({ slug, newSlug }, context) {
    const { expectedVersion, service } = context
    const renamed = await rename({ ...editing(context), slug, expectedVersion }, newSlug)
    service.invalidate.launcher(slug)
    return renamed
  },
})

/**
 * Gives a bundle another slug; its current one becomes an alias. Does nothing if it already has that slug.
 * @throws Problem like `edit`; SLUG_TAKEN; FORBIDDEN unless the caller is an admin.
 */
async function rename(edit: Edit, newSlug: string): Promise<StoredBundle> {
  await loadFor(edit.store.db, edit.caller, edit.slug, 'admin')
  if (isReserved(newSlug)) throw newSlugTaken()
  const next = async (bundle: StoredBundle) =>
    bundle.slug === newSlug ? null : { content: pick(NAMES, bundle), newRuleIds: [] }
  return writeVersion(edit, next, { newSlug })
}

const { invalidates: _, versioned: _version, ...trial } = renameBundle

/**
 * The check while somebody types: refuses what `renameBundle` would refuse, and changes nothing. A read, for the same admins, so
 * that it tells nobody more than a rename does.
 */
export const tryRename: Operation<typeof Renaming.infer, StoredBundle> = {
  ...trial,
  effect: 'none',
  async run({ slug, newSlug }, context) {
    const { store, caller } = editing(context)
    const bundle = await loadFor(store.db, caller, slug, 'admin')
    if (newSlug === bundle.slug) return bundle
    if (isReserved(newSlug) || (await isTaken(store.db, newSlug, bundle.id))) throw newSlugTaken()
    aliasesAfterRename(bundle, newSlug)
    return bundle
  },
}

/** A slug as people type it: from a whole link its end, in lower case, with hyphens for spaces. */
export function typedSlug(text: string): string {
  const whole = text.trim().replace(/\/+$/, '')
  const end = whole.slice(whole.lastIndexOf('/') + 1)
  return end.toLowerCase().replace(/\s+/g, '-')
}

/** The longest slug that a title is cut to. */
const MAX_PROPOSED = 40

/** The words of a title as a slug, which may be too short for one. */
function slugFrom(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/[\p{M}'’]+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== '')
  let slug = ''
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`
    if (longer.length > MAX_PROPOSED) break
    slug = longer
  }
  return slug
}

const GENERATED = new RegExp(`^[${SLUG_ALPHABET}]{${SLUG_LENGTH}}$`)

/** A free slug from the title of a bundle whose slug was generated; null for none. */
export async function proposedSlug(
  { db }: Pick<Store, 'db'>,
  { slug, title }: Pick<StoredBundle, 'slug' | 'title'>,
): Promise<string | null> {
  const proposed = title === null || !GENERATED.test(slug) ? '' : slugFrom(title)
  const isFit = ChosenSlug.allows(proposed) && proposed !== slug && !isReserved(proposed)
  return isFit && !(await isTaken(db, proposed, null)) ? proposed : null
}
