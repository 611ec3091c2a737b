import { type } from 'arktype'
import { type Code, STATUS } from '../core/codes.ts'
import { lazy } from '../core/lazy.ts'
import { type Problem, toProblem } from '../core/problem.ts'
import { checkedLater } from '../core/shape.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import { signedIn } from '../identity/caller.ts'
import { slugFound } from '../operations/external-id.ts'
import type { Commit } from '../operations/idempotency.ts'
import { type IdempotentContext, implement } from '../operations/operation.ts'
import { waitForReadSlot } from '../operations/read-slots.ts'
import { withSlug } from '../operations/slug-in.ts'
import { MAX_ISSUES, validate } from '../operations/validate.ts'
import { CreatedBundle } from './answers.ts'
import { BOUNDS } from './bounds.ts'
import { creating, editing } from './contexts.ts'
import { create } from './creation.ts'
import { linkOf } from './link.ts'
import { isEitherWay } from './link-shapes.ts'
import { edited, isAtMostAsLong, isChange, NewBundle } from './shapes.ts'
import { edit, partsOfEdit } from './versions.ts'

/** The body of POST /api/links/bulk. */
const NewBundles = type({
  bundles: checkedLater(NewBundle).array().atLeastLength(1).atMostLength(BOUNDS.bulk),
  '+': 'reject',
})

/** An edit among others, which names its bundle, and the version that it is based on, if any. */
const OneEdit = type({ ...edited, 'expectedVersion?': '1 <= number.integer <= 999999999999999' })
  .narrow(isAtMostAsLong)
  .narrow(isEitherWay)
  .narrow(isChange)

/** The body of PATCH /api/links/bulk. */
const BundleEdits = type({
  edits: checkedLater(OneEdit).array().atLeastLength(1).atMostLength(BOUNDS.bulk),
  '+': 'reject',
})

/** What became of each entry, in their order: a bundle, or why there is none. */
const BulkResults = lazy(() =>
  type({
    results: type({
      status: 'number.integer',
      'bundle?': CreatedBundle(),
      'error?': 'string',
      'code?': type.enumerated(...(Object.keys(STATUS) as Code[])),
      'errors?': type({ path: 'string', message: 'string', '+': 'reject' })
        .array()
        .atLeastLength(2)
        .atMostLength(MAX_ISSUES),
      '+': 'reject',
    })
      .configure({ named: 'BulkResult' }, 'self')
      .array(),
    '+': 'reject',
  }),
)

/** POST /api/links/bulk. */
export const createBundles = implement('create_bundles', {
  summary: 'Create up to 100 bundles',
  description:
    'Creates bundles in order, each by itself: `results` says what became of each, the wrong ones included. ' +
    'Called again with the same `idempotencyKey`, it creates only what failed.',
  labelled: true,
  input: NewBundles,
  example: {
    bundles: [{ urls: ['https://example.com/plan'], title: 'Plan' }, { urls: ['https://example.com/status'] }],
  },
  output: BulkResults,
  run: ({ bundles }, context) =>
    inTurns(bundles, 201, context, (sent, commit) =>
      create(validate(NewBundle, sent), { ...creating(context, 'slug'), commit }),
    ),
})

/** PATCH /api/links/bulk. */
export const updateBundles = implement('update_bundles', {
  summary: 'Edit up to 100 bundles',
  description:
    'Edits bundles in order, each by itself: `results` says what became of each, the wrong ones included. ' +
    'Called again with the same `idempotencyKey`, it edits only what failed.',
  input: BundleEdits,
  example: { edits: [{ slug: 'launch-day', addUrls: [{ url: 'https://example.com/chat' }] }] },
  output: BulkResults,
  run({ edits }, context) {
    const { config, invalidate } = context.service
    return inTurns(edits, 200, context, async (sent, commit) => {
      const input = validate(OneEdit, withSlug(sent, config))
      const { slug, expectedVersion = null, ...one } = await slugFound(input, context.caller, context.service.store)
      const { changes, beside } = partsOfEdit(one)
      const edited = await edit({ ...editing(context), slug, expectedVersion, commit }, changes, beside)
      invalidate.launcher(edited.slug)
      return { slug: edited.slug, url: linkOf(edited.slug, config), versionNumber: edited.versionNumber }
    })
  },
})

/** What became of one entry. */
type BulkResult = { status: number; bundle: CreatedBundle } | ({ status: number } & ReturnType<Problem['told']>)

/** After these, the entries that follow would fail alike: they are not tried. */
const ENDS: readonly string[] = ['RATE_LIMITED', 'STORE_UNAVAILABLE']

/**
 * Checks and runs the entries of a call in order, each in a transaction of its own, with other requests in between: one entry
 * per round of the loop, whoever’s it is. An entry counts whatever becomes of it. Once all have succeeded, an idempotency key
 * is used up; until then, a repeated call tries those that failed, and only those.
 * @throws Problem IDEMPOTENCY_CONFLICT; what is the service’s own fault.
 */
async function inTurns<Entry>(
  entries: readonly Entry[],
  status: 200 | 201,
  { part, commit, idempotencyKey, caller }: Pick<IdempotentContext, 'part' | 'commit' | 'idempotencyKey' | 'caller'>,
  run: (entry: Entry, commit: Commit) => Promise<CreatedBundle>,
): Promise<{ results: BulkResult[] }> {
  const results: BulkResult[] = []
  let end: Problem | null = null
  for (const [at, entry] of entries.entries()) {
    if (end === null) await waitForReadSlot(signedIn(caller).userId)
    const beganAt = performance.now()
    try {
      if (end !== null) throw end
      results.push({ status, bundle: await part(at, entry, (commit) => run(entry, commit)) })
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'INTERNAL_ERROR' || problem.code === 'IDEMPOTENCY_CONFLICT') throw error
      if (ENDS.includes(problem.code)) end = problem
      results.push({ status: problem.status, ...problem.told() })
    }
    await yieldToEventLoop(beganAt)
  }
  if (idempotencyKey !== null && results.every((result) => 'bundle' in result)) await commit([], { results })
  return { results }
}
