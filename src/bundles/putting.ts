import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../core/problem.ts'
import { signedIn } from '../identity/caller.ts'
import { withExternalId } from '../operations/external-id.ts'
import type { Context } from '../operations/operation.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { NAMES, pick } from './content.ts'
import { creating, editing } from './contexts.ts'
import { create } from './creation.ts'
import * as dryRun from './dry-run.ts'
import { merged, type SentChanges } from './merge.ts'
import { ownAfter } from './own-fields.ts'
import { loadFor, type StoredBundle } from './roles.ts'
import type { PutBundle } from './shapes.ts'
import { NOTHING } from './values.ts'
import { type Beside, nextContent, writeVersion } from './versions.ts'

/** How often a call is tried again after a bundle with its id came or went. */
const MAX_TRIES = 20

/**
 * Makes the acting subject’s bundle with an external id as the input has it, with defaults for what it leaves out: edits the
 * one that is there, else creates one. Of calls at once, one creates. Writes no version that would be equal to the last.
 * @throws Problem like creating and editing.
 */
export async function put(input: PutBundle, context: Context): Promise<StoredBundle & { isNew: boolean }> {
  const { store } = context.service
  const caller = signedIn(context.caller)
  let lost: Problem | null = null
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const slug = await slugFor(input, context)
    try {
      if (slug !== null) return { ...(await replace(slug, input, context)), isNew: false }
      if (lost?.code === 'SLUG_TAKEN') throw lost
      const created = await create(input, { ...creating(context, 'slug'), commit: store.write })
      return { ...(await loadFor(store.db, caller, created.slug, 'viewer')), isNew: true }
    } catch (error) {
      // A bundle with this id may have come or gone meanwhile; SLUG_TAKEN may be about that one.
      const isOver = !(error instanceof Problem) || error === lost || !LOST.includes(error.code)
      if (isOver) throw error
      lost = error
    }
  }
  throw lost ?? new Problem('VERSION_CONFLICT', 'This bundle is being edited too often. Try again.')
}

const LOST: readonly string[] = ['EXTERNAL_ID_TAKEN', 'SLUG_TAKEN', 'NOT_FOUND']

/** The same without writing: what would be saved. */
export async function putDry(input: PutBundle, context: Context) {
  const slug = await slugFor(input, context)
  if (slug === null) return dryRun.create(input, creating(context, 'slug'))
  const { changes, beside } = wholly(input)
  return dryRun.edit({ ...editing(context), slug, expectedVersion: context.expectedVersion }, changes, beside)
}

/** The slug of the bundle with the id; null if there is none. @throws Problem VERSION_CONFLICT, BAD_REQUEST. */
async function slugFor({ externalId, slug }: PutBundle, context: Context): Promise<string | null> {
  const { subject } = signedIn(context.caller)
  const find = withExternalId(context.service.store.db)(subject.type)
  const [found] = await find.all({ owner: subjectIdOf(subject), externalId })
  if (found === undefined || found.deletedAt !== null) {
    if (context.expectedVersion === null) return null
    throw new Problem('VERSION_CONFLICT', 'There is no bundle with this externalId: to make one, send no version.')
  }
  if (slug === undefined || slug === found.slug) return found.slug
  throw new Problem('BAD_REQUEST', `slug must be ${found.slug}, as it is, or omitted: a slug cannot be changed`)
}

function replace(slug: string, input: PutBundle, context: Context): Promise<StoredBundle> {
  const edit = { ...editing(context), slug, expectedVersion: context.expectedVersion }
  const { changes, beside } = wholly(input)
  const next = async (bundle: StoredBundle) => {
    const made = await nextContent(edit, bundle, changes, beside.password)
    const after = { ...bundle, ...made.content, ...ownAfter(bundle, beside) }
    return beside.password === undefined && isDeepStrictEqual(kept(after), kept(bundle)) ? null : made
  }
  return writeVersion(edit, next, beside)
}

function kept(bundle: StoredBundle) {
  return { ...pick(NAMES, bundle), metadata: bundle.metadata }
}

/** The input as an edit of everything. */
function wholly({ externalId: _, slug: _slug, source: _source, password, metadata = null, ...content }: PutBundle) {
  const { resolutionPolicy = null } = content
  const changes: SentChanges = { ...merged(NOTHING, content), resolutionPolicy }
  const beside: Beside = { password, metadata }
  return { changes, beside }
}
