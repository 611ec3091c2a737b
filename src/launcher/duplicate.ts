import type { Content } from '../../db/schema.ts'
import { CreatedBundle } from '../bundles/answers.ts'
import { withoutClaim } from '../bundles/claims.ts'
import { PUBLIC_NAMES, pick } from '../bundles/content.ts'
import { creating } from '../bundles/contexts.ts'
import { create } from '../bundles/creation.ts'
import * as dryRun from '../bundles/dry-run.ts'
import { merged } from '../bundles/merge.ts'
import { passwordHashOf } from '../bundles/passwords.ts'
import { loadFor, type StoredBundle } from '../bundles/roles.ts'
import { Duplication, type NewBundle } from '../bundles/shapes.ts'
import { shifted } from '../bundles/shifted.ts'
import { NOTHING } from '../bundles/values.ts'
import { Problem } from '../core/problem.ts'
import { signedIn } from '../identity/caller.ts'
import { type Context, implement } from '../operations/operation.ts'
import { withoutIds } from '../policies/rule-ids.ts'
import { seenBy } from './seen.ts'

/** POST /api/links/:slug/duplicate. */
export const duplicateBundle = implement('duplicate_bundle', {
  summary: 'Copy a bundle to a new link',
  description:
    'Copies a bundle that you can read, with its rules; of another’s that is `copyable`, only what its launcher shows you. ' +
    'Fields that you send replace the original’s.',
  labelled: true,
  status: 201,
  input: Duplication,
  example: { slug: 'launch-day', newSlug: 'launch-day-2', title: 'Launch day, second edition' },
  output: CreatedBundle,
  errors: [
    'INVALID_URLS',
    'NOT_FOUND',
    'FORBIDDEN',
    'PLAN_LIMIT',
    'SLUG_TAKEN',
    'UNAUTHORIZED',
    'NOT_OPEN_YET',
    'CLOSED',
    'BLOCKED',
  ],
  headers: { location: ({ slug }: CreatedBundle) => `/api/links/${slug}` },
  replayed: (first, { isProven }) => (isProven ? first : withoutClaim(first)),
  async run(input, context) {
    const { input: copy, keptPassword } = await copyOf(input, context)
    return create(copy, { ...creating(context, 'newSlug'), commit: context.commit, keptPassword })
  },
  async dryRun(input, context) {
    const { input: copy, keptPassword } = await copyOf(input, context)
    return dryRun.create(copy, { ...creating(context, 'newSlug'), keptPassword })
  },
})

/** What a copy is made of. */
interface Original {
  content: Content
  /** Its password, of someone who may read all of the original: a copy must not be easier to see. */
  keptPassword: string | null
}

/**
 * The input that creates a copy of a bundle: its content, overridden by what was sent. Creating checks whether the caller
 * may create bundles.
 * @throws Problem NOT_FOUND, UNAUTHORIZED, FORBIDDEN, NOT_OPEN_YET, CLOSED, BLOCKED; BAD_REQUEST for more metadata than URLs.
 */
async function copyOf(
  { slug, newSlug, source, password, shiftDays = 0, timeZone = 'UTC', ...changes }: Duplication,
  context: Pick<Context, 'caller' | 'service' | 'viewer'>,
): Promise<{ input: NewBundle; keptPassword: string | null }> {
  const original = await originalFor(slug, context)
  const before = shiftDays === 0 ? original.content : shifted(original.content, shiftDays, timeZone)
  const { resolutionPolicy = withoutIds(before.resolutionPolicy) } = changes
  const content = merged(before, changes)
  const isKept = content.access === 'password' && password === undefined
  const input = {
    ...content,
    resolutionPolicy,
    ...(password === undefined ? {} : { password }),
    ...(newSlug === undefined ? {} : { slug: newSlug }),
    ...(source === undefined ? {} : { source }),
  }
  return { input, keptPassword: isKept ? original.keptPassword : null }
}

/** All of a bundle for those who may read it; for its viewers what they see, if its owner lets them copy it. */
async function originalFor(
  slug: string,
  { caller, service, viewer }: Pick<Context, 'caller' | 'service' | 'viewer'>,
): Promise<Original> {
  const { db } = service.store
  let bundle: StoredBundle
  try {
    bundle = await loadFor(db, signedIn(caller), slug, 'viewer')
  } catch (error) {
    if (!(error instanceof Problem) || (error.code !== 'FORBIDDEN' && error.code !== 'UNAUTHORIZED')) throw error
    return { content: await seenContent(slug, { service, viewer }, error), keptPassword: null }
  }
  const keptPassword = bundle.access === 'password' ? await passwordHashOf({ db }, bundle.id) : null
  return { content: bundle, keptPassword }
}

/**
 * What a viewer sees of a bundle, without whatever decides who sees what.
 * @throws Problem NOT_OPEN_YET, CLOSED, BLOCKED; `denied` for a bundle that viewers may not see, or not copy.
 */
async function seenContent(
  slug: string,
  { service, viewer }: Pick<Context, 'service' | 'viewer'>,
  denied: Problem,
): Promise<Content> {
  try {
    const { bundle } = await seenBy(viewer, slug, service)
    if (!bundle.isCopyable) throw denied
    return { ...NOTHING, ...pick(PUBLIC_NAMES, bundle) }
  } catch (error) {
    // Nothing tells whether a bundle that they may not see could be copied.
    throw error instanceof Problem && error.status === 401 ? denied : error
  }
}
