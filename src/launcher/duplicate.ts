import type { Leaf, Policy } from '../../db/policy.ts'
import type { Content } from '../../db/schema.ts'
import { dropClaim } from '../bundles/claims/claims.ts'
import { CreatedBundle } from '../bundles/content/answers.ts'
import { BOUNDS, each, IN_COPIES, NOTHING, PUBLIC_NAMES, pick, TIME_NAMES } from '../bundles/content/content.ts'
import { Duplication, type NewBundle } from '../bundles/content/shapes.ts'
import { loadFor, type StoredBundle } from '../bundles/edit/bundles.ts'
import { create, creating } from '../bundles/edit/creation.ts'
import * as dryRun from '../bundles/edit/dry-run.ts'
import { merged } from '../bundles/edit/edit.ts'
import { passwordHashOf } from '../bundles/edit/unversioned.ts'
import { invalid, Problem } from '../core/problem.ts'
import { signedIn } from '../identity/caller.ts'
import { type Context, implement } from '../operations/operation.ts'
import { daysAfter } from '../policies/clock.ts'
import { withLeaves } from '../policies/conditions.ts'
import { dropIds } from '../policies/rule-ids.ts'
import { seenBy } from './seen.ts'

/** POST /api/links/:slug/duplicate. */
export const duplicateBundle = implement('duplicate_bundle', {
  summary: 'Copy a bundle to a new link',
  description:
    'Copies a bundle you can read, with its rules, unlisted; of another’s that is `copyable`, only what its launcher shows you. ' +
    'Fields you send replace the original’s.',
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
  replayed: (first, { isProven }) => (isProven ? first : dropClaim(first)),
  async run(input, context) {
    const { input: copy, ...kept } = await copyOf(input, context)
    return create(copy, { ...creating(context, 'newSlug'), commit: context.commit, ...kept })
  },
  async dryRun(input, context) {
    const { input: copy, ...kept } = await copyOf(input, context)
    return dryRun.create(copy, { ...creating(context, 'newSlug'), ...kept })
  },
})

/** The original of a copy. */
interface Original {
  content: Content
  /** The password, if the caller may read all of the original: a copy must not be easier to see. */
  keptPassword: string | null
}

/**
 * The input that creates a copy of a bundle: its content, overridden by the sent fields. The creating operation checks whether
 * the caller may create bundles.
 * @throws Problem NOT_FOUND, UNAUTHORIZED, FORBIDDEN, NOT_OPEN_YET, CLOSED, BLOCKED; BAD_REQUEST for more metadata than URLs.
 */
async function copyOf(
  { slug, newSlug, source, password, shiftDays = 0, timeZone = 'UTC', ...changes }: Duplication,
  context: Pick<Context, 'caller' | 'service' | 'viewer'>,
): Promise<{ input: NewBundle; keptPassword: string | null; areRulesKept: boolean }> {
  const original = await originalFor(slug, context)
  const before = shiftDays === 0 ? original.content : shifted(original.content, shiftDays, timeZone)
  const { resolutionPolicy = dropIds(before.resolutionPolicy) } = changes
  const content = merged({ ...before, ...IN_COPIES }, changes)
  // A rule can show its own tabs besides all links of the bundle.
  const links = content.urls.length
  if (links > BOUNDS.urls)
    throw invalid([{ path: ['urls'], reason: { code: 'too_many_links', links, max: BOUNDS.urls } }])
  const isKept = content.access === 'password' && password === undefined
  const input = {
    ...content,
    resolutionPolicy,
    ...(password === undefined ? {} : { password }),
    ...(newSlug === undefined ? {} : { slug: newSlug }),
    ...(source === undefined ? {} : { source }),
  }
  const areRulesKept = changes.resolutionPolicy === undefined
  return { input, keptPassword: isKept ? original.keptPassword : null, areRulesKept }
}

/** The whole bundle for its readers; for viewers of a copyable bundle, its content as they see it. */
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
 * A bundle as a viewer sees it, without rules, times and access.
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
    // The error must not reveal whether a bundle that they may not see could be copied.
    throw error instanceof Problem && error.status === 401 ? denied : error
  }
}

/**
 * Content with all times, those in its rules included, moved by some days on the calendar of a zone. Weekly times stay.
 * @throws Problem BAD_REQUEST for a time that would leave the years that bundles allow.
 */
function shifted(content: Content, days: number, timeZone: string): Content {
  const move = (instant: string) => moved(instant, days, timeZone)
  const { resolutionPolicy } = content
  return {
    ...content,
    ...each(TIME_NAMES, (name) => content[name] && move(content[name])),
    resolutionPolicy: resolutionPolicy && movedRules(resolutionPolicy, move),
  }
}

const [FIRST, LAST] = [Date.parse('1970-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

function moved(instant: string, days: number, timeZone: string): string {
  const at = daysAfter(instant, days, timeZone)
  if (at >= FIRST && at <= LAST) return new Date(at).toISOString()
  throw invalid([{ path: ['shiftDays'], reason: { code: 'shifted_too_far' } }])
}

function movedRules(policy: Policy, move: (instant: string) => string): Policy {
  return {
    ...policy,
    rules: policy.rules.map((rule) => ({ ...rule, when: withLeaves(rule.when, (leaf) => movedLeaf(leaf, move)) })),
  }
}

function movedLeaf(leaf: Leaf, move: (instant: string) => string): Leaf {
  const isInstant = leaf.op === 'before' || leaf.op === 'after'
  return isInstant ? { ...leaf, value: move(leaf.value) } : leaf
}
