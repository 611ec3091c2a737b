/** @jsxImportSource @kitajs/html */

import { type ReplaceForm, ReplaceView } from '../../../views/dashboard/bundles/replace.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { replaceUrl } from '../../bundles/replace-operations.ts'
import { Problem } from '../../core/problem.ts'
import { requireRole } from '../../identity/roles.ts'
import { formErrors } from '../parts/form-errors.ts'
import type { Outcome, Screen } from '../parts/screens.tsx'
import { resultOrProblem, run, type Visit } from '../parts/visit.ts'

/** Calls of one press: a person with thousands of bundles presses again. */
const MAX_CALLS = 10

/** Replacing a link in all bundles: it is shown first what would change. */
export const replaceScreens: readonly Screen[] = [
  {
    path: '/dashboard/replace',
    async get(visit) {
      requireRole(visit.site.user.role, 'editor')
      const [from = '', to = ''] = ['from', 'to'].map((name) => visit.query.get(name)?.trim())
      return replacePage({ from, to, found: null, errors: {} })
    },
    async post(visit, form) {
      const [from = '', to = ''] = ['from', 'to'].map((name) => form.get(name)?.trim() ?? '')
      const isLooking = form.get('do') !== 'replace'
      const { problem, ...found } = await replaceAll(visit, { from, to, dryRun: isLooking })
      const isDone = !isLooking && problem === undefined && found.skipped.length === 0 && !found.hasMore
      if (isDone) return { to: withFlash(`/dashboard?${new URLSearchParams({ q: to })}`, 'replaced') }
      const errors = problem === undefined ? {} : formErrors(problem, ['from', 'to'])
      // Of a form that is wrong nothing was found.
      const isWrong = problem !== undefined && found.replaced.length + found.skipped.length === 0
      return replacePage({ from, to, found: isWrong ? null : { ...found, isDone: !isLooking }, errors }, problem)
    },
  },
]

function replacePage(form: ReplaceForm, problem?: Problem): Outcome {
  return { section: 'bundles', title: 'Replace a link', view: <ReplaceView {...form} />, problem }
}

type Found = Omit<NonNullable<ReplaceForm['found']>, 'isDone'>

/** What was, or would be, replaced until something is wrong. */
async function replaceAll(visit: Visit, input: Record<string, unknown>): Promise<Found & { problem?: Problem }> {
  const all: Found = { replaced: [], skipped: [], hasMore: false }
  let more: { cursor?: string } = {}
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    const made = await resultOrProblem(() => run(visit, replaceUrl, { ...input, ...more }))
    if (made instanceof Problem) return { ...all, problem: made }
    all.replaced.push(...made.replaced)
    all.skipped.push(...made.skipped)
    all.hasMore = made.hasMore
    if (made.nextCursor === undefined) break
    more = { cursor: made.nextCursor }
  }
  return all
}
