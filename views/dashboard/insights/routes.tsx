/** @jsxImportSource @kitajs/html */

import { besideField } from '../../../src/core/field-words.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { htmxTarget } from '../../../src/http/respond.ts'
import { getInsights, getOverview } from '../../../src/insights/operations.ts'
import { iconsFor, resultOrProblem, run, type Screen } from '../parts/screens.tsx'
import { OverviewPart, OverviewView } from './overview.tsx'
import type { Chart, DaysForm } from './ranges.tsx'
import { InsightsPart, InsightsView } from './view.tsx'

export const insightsScreens: readonly Screen[] = [
  {
    path: routes.overview.path,
    async get(visit) {
      const { found, problem, ...shown } = await reportOn(visit.query, (days) => run(visit, getOverview, days))
      const props = { ...shown, overview: found }
      if (htmxTarget(visit.request) === 'insights') return { part: <OverviewPart {...props} /> }
      return { section: 'overview', title: 'Insights', view: <OverviewView {...props} />, problem }
    },
  },
  {
    path: routes.bundle.insights.path,
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

/** A report on the days in a page’s query, and how the page shows them. */
interface OnDays<Report> {
  found: Report
  /** Why the days were refused; the report is then for the default days. */
  problem: Problem | undefined
  form: DaysForm | null
  isChosen: boolean
  chart: Chart
}

/**
 * Reports on the days in a query, or on the default days if they are refused.
 * @throws a problem that does not concern the days.
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
 * The days as typed, with their errors.
 * @throws the problem, if it does not concern the days.
 */
function formOf(query: URLSearchParams, problem: Problem): DaysForm {
  const wrong = (name: string) => problem.issues.find(({ path }) => path[0] === name)
  const [from, to] = [wrong('from'), wrong('to')]
  if (from === undefined && to === undefined) throw problem
  const errors = { ...(from && { from: besideField(from.reason) }), ...(to && { to: besideField(to.reason) }) }
  return { from: query.get('from') ?? '', to: query.get('to') ?? '', errors }
}
