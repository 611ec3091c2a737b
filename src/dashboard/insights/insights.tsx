/** @jsxImportSource @kitajs/html */

import { InsightsPart, InsightsView } from '../../../views/dashboard/insights/insights.tsx'
import { OverviewPart, OverviewView } from '../../../views/dashboard/insights/overview.tsx'
import { htmxTarget } from '../../http/htmx.ts'
import { getInsights, getOverview } from '../../insights/operations.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Screen } from '../parts/screens.tsx'
import { run } from '../parts/visit.ts'
import { reportOn } from './days.ts'

/** The views and clicks of all bundles together, and of one. */
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
