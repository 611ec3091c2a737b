/** @jsxImportSource @kitajs/html */

import type { Chart } from '../../../views/dashboard/insights/chart-link.tsx'
import { InsightsPart, InsightsView } from '../../../views/dashboard/insights/insights.tsx'
import { OverviewPart, OverviewView } from '../../../views/dashboard/insights/overview.tsx'
import type { DaysForm } from '../../../views/dashboard/insights/ranges.tsx'
import { besideField } from '../../core/field-words.ts'
import { Problem } from '../../core/problem.ts'
import { htmxTarget } from '../../http/htmx.ts'
import { getInsights, getOverview } from '../../insights/operations.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Screen } from '../parts/screens.tsx'
import { resultOrProblem, run } from '../parts/visit.ts'

export const insightsScreens: readonly Screen[] = [
  {
    path: '/dashboard/overview',
    async get(visit) {
      const { found, problem, ...shown } = await reportOn(visit.query, (days) => run(visit, getOverview, days))
      const props = { ...shown, overview: found }
      if (htmxTarget(visit.request) === 'insights') return { part: <OverviewPart {...props} /> }
      return { section: 'overview', title: 'Overview', view: <OverviewView {...props} />, problem }
    },
  },
  {
    path: '/dashboard/links/:slug/insights',
    async get(visit) {
      const { query } = visit
      const slug = visit.params.slug ?? ''
      const { found, problem, ...shown } = await reportOn(query, (days) => run(visit, getInsights, { slug, ...days }))
      const icons = await iconsFor(visit, found.bundle)
      const props = { site: visit.site, ...shown, ...found, icons }
      if (htmxTarget(visit.request) === 'insights') return { part: <InsightsPart {...props} /> }
      return { section: 'bundles', title: 'Insights', view: <InsightsView {...props} />, problem }
    },
  },
]

/** A report on the days of a page’s query, and how the page shows them. */
interface OnDays<Report> {
  found: Report
  /** Why the days were refused; the report is then on the default ones. */
  problem: Problem | undefined
  form: DaysForm | null
  isChosen: boolean
  chart: Chart
}

/**
 * Reports on the days that a query asks for; on the default ones if they are refused.
 * @throws a problem that is about something else.
 */
async function reportOn<Report>(
  query: URLSearchParams,
  report: (days: Record<string, string | null>) => Promise<Report>,
): Promise<OnDays<Report>> {
  const days = ['from', 'to'].filter((name) => query.has(name))
  const asked = days.length > 0 ? days : query.has('range') ? ['range'] : []
  const found = await resultOrProblem(() => report(Object.fromEntries(asked.map((name) => [name, query.get(name)]))))
  const problem = found instanceof Problem ? found : undefined
  return {
    form: problem === undefined ? null : formOf(query, problem),
    found: found instanceof Problem ? await report({}) : found,
    problem,
    isChosen: problem === undefined && days.length > 0,
    chart: query.get('chart') === 'open-all' ? 'open-all' : 'views',
  }
}

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
