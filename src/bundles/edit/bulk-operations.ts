import { type } from 'arktype'
import { type Code, STATUS } from '../../core/codes.ts'
import { lazy } from '../../core/lazy.ts'
import { type Problem, toProblem } from '../../core/problem.ts'
import { waitForReadSlot, yieldToEventLoop } from '../../core/scheduling.ts'
import { checked, checkedLater, object, says } from '../../core/shape.ts'
import { signedIn } from '../../identity/caller.ts'
import { slugFound, withAlias, withSlug } from '../../operations/bundle-reference.ts'
import { PROBLEM_DOCS } from '../../operations/error-docs.ts'
import type { Commit } from '../../operations/idempotency.ts'
import { type IdempotentContext, implement } from '../../operations/operation.ts'
import { MAX_ISSUES, validate } from '../../operations/validate.ts'
import { CreatedBundle } from '../content/answers.ts'
import { BOUNDS } from '../content/content.ts'
import { edited, isAtMostAsLong, isChange, NewBundle } from '../content/shapes.ts'
import { linkOf } from '../links/link-fields.ts'
import { isEitherWay } from '../links/link-shapes.ts'
import { create, creating } from './creation.ts'
import { edit, editing, partsOfEdit } from './edit.ts'

/** The body of POST /api/links/bulk. */
const NewBundles = object({
  bundles: says(checkedLater(NewBundle).array().atLeastLength(1).atMostLength(BOUNDS.bulk), 'The bundles to create.'),
})

const oneEdit = object(
  {
    ...edited,
    'expectedVersion?': says(
      '1 <= number.integer <= 999999999999999',
      'Like If-Match: the edit is refused if there is a newer version.',
      3,
    ),
  },
  'OneEdit',
)

/** One edit of several: names its bundle and, optionally, the version that it is based on. */
const OneEdit = checked(oneEdit, oneEdit.narrow(isAtMostAsLong).narrow(isEitherWay).narrow(isChange))

/** The body of PATCH /api/links/bulk. */
const BundleEdits = object({
  edits: says(
    checkedLater(OneEdit).array().atLeastLength(1).atMostLength(BOUNDS.bulk),
    'The edits, each with the `slug` of its bundle.',
  ),
})

/** The result for each entry, in their order: a bundle or an error. */
const BulkResults = lazy(() =>
  object({ results: says(bulkResult().array(), 'What became of each entry, in their order.') }),
)

const bulkResult = lazy(() =>
  object(
    {
      status: says('number.integer', 'The HTTP status that it would have had by itself.', 201),
      'bundle?': says(CreatedBundle(), 'The bundle that was created or edited.'),
      'error?': says('string', ...PROBLEM_DOCS.error),
      'code?': says(type.enumerated(...(Object.keys(STATUS) as Code[])), ...PROBLEM_DOCS.code),
      'errors?': says(
        object({
          path: says('string', ...PROBLEM_DOCS.path),
          message: says('string', ...PROBLEM_DOCS.message),
        })
          .array()
          .atLeastLength(2)
          .atMostLength(MAX_ISSUES),
        'What is wrong with each field of the entry, if it is more than one; paths begin in the entry.',
      ),
    },
    'BulkResult',
  ),
)

/** POST /api/links/bulk. */
export const createBundles = implement('create_bundles', {
  summary: 'Create up to 100 bundles',
  description:
    'Creates bundles in order, each by itself: `results` says what became of each, the wrong ones included. ' +
    'The same `idempotencyKey` again: only what failed.',
  labelled: true,
  input: NewBundles,
  example: {
    bundles: [{ urls: ['https://example.com/plan'], title: 'Plan' }, { urls: ['https://example.com/status'] }],
  },
  output: BulkResults,
  run: ({ bundles }, context) =>
    inTurns(bundles, 201, context, (sent, commit) =>
      create(validate(NewBundle, sent, ENTRY), { ...creating(context, 'slug'), commit }),
    ),
})

/** PATCH /api/links/bulk. */
export const updateBundles = implement('update_bundles', {
  summary: 'Edit up to 100 bundles',
  description:
    'Edits bundles in order, each by itself: `results` says what became of each, the wrong ones included. ' +
    'The same `idempotencyKey` again: only what failed.',
  input: BundleEdits,
  example: { edits: [{ slug: 'launch-day', addUrls: [{ url: 'https://example.com/chat' }] }] },
  output: BulkResults,
  run({ edits }, context) {
    const { config, invalidate } = context.service
    return inTurns(edits, 200, context, async (sent, commit) => {
      const input = validate(OneEdit, withSlug(sent, config), ENTRY)
      const named = await slugFound(input, context.caller, context.service.store)
      const edited = await withAlias(named, context.service.store, ({ slug, expectedVersion = null, ...one }) => {
        const { changes, unversioned } = partsOfEdit(one)
        return edit({ ...editing(context), slug, expectedVersion, commit }, changes, unversioned)
      })
      invalidate.launcher(edited.slug)
      return { slug: edited.slug, url: linkOf(edited.slug, config), versionNumber: edited.versionNumber }
    })
  },
})

const ENTRY = { operation: { isEntry: true } } as const

/** The result for one entry. */
type BulkResult = { status: number; bundle: CreatedBundle } | ({ status: number } & ReturnType<Problem['told']>)

/** Errors after which all further entries would fail too: these are not tried. */
const ENDS: readonly string[] = ['RATE_LIMITED', 'STORE_UNAVAILABLE']

/**
 * Checks and runs the entries of a call in order, each in its own transaction. Other requests run in between: one entry per
 * turn of the event loop, across all callers. A failed entry counts too. Once all have succeeded, the idempotency key is used
 * up; until then, a repeated call tries only the entries that failed.
 * @throws Problem IDEMPOTENCY_CONFLICT, INTERNAL_ERROR.
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
