/** @jsxImportSource @kitajs/html */

import { InsightsPart, InsightsView } from '../../../views/dashboard/insights/insights.tsx'
import type { DaysForm } from '../../../views/dashboard/insights/ranges.tsx'
import { besideField } from '../../core/field-words.ts'
import { Problem } from '../../core/problem.ts'
import { htmxTarget } from '../../http/htmx.ts'
import { getInsights } from '../../insights/operations.ts'
import type { Screen } from '../parts/screens.tsx'
import { resultOrProblem, run } from '../parts/visit.ts'

/** The views and clicks of a bundle. */
export const insightsScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug/insights',
    async get(visit) {
      const { query } = visit
      const slug = visit.params.slug ?? ''
      const days = ['from', 'to'].filter((name) => query.has(name))
      const asked = days.length > 0 ? days : query.has('range') ? ['range'] : []
      const input = Object.fromEntries(asked.map((name) => [name, query.get(name)]))
      const found = await resultOrProblem(() => run(visit, getInsights, { slug, ...input }))
      const problem = found instanceof Problem ? found : undefined
      const form = problem && formOf(query, problem)
      const reported = found instanceof Problem ? await run(visit, getInsights, { slug }) : found
      const chart = query.get('chart') === 'open-all' ? 'open-all' : 'views'
      const isChosen = problem === undefined && days.length > 0
      const props = { site: visit.site, chart, isChosen, form: form ?? null, ...reported } as const
      if (htmxTarget(visit.request) === 'insights') return { part: <InsightsPart {...props} /> }
      return { section: 'bundles', title: 'Insights', view: <InsightsView {...props} />, problem }
    },
  },
]

/**
 * The days as typed, with what is wrong with them.
 * @throws the problem, if it is about something else.
 */
function formOf(query: URLSearchParams, problem: Problem): DaysForm {
  const wrong = (name: string) => problem.issues.find(({ path }) => path[0] === name)
  const [from, to] = [wrong('from'), wrong('to')]
  if (from === undefined && to === undefined) throw problem
  const errors = { ...(from && { from: besideField(from.reason) }), ...(to && { to: besideField(to.reason) }) }
  return { from: query.get('from') ?? '', to: query.get('to') ?? '', errors }
}
