/** @jsxImportSource @kitajs/html */

import { InsightsPart, InsightsView } from '../../../views/dashboard/insights/insights.tsx'
import { htmxTarget } from '../../http/htmx.ts'
import { getInsights } from '../../insights/operations.ts'
import type { Screen } from '../parts/screens.tsx'
import { run } from '../parts/visit.ts'

/** The views and clicks of a bundle. */
export const insightsScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug/insights',
    async get(visit) {
      const slug = visit.params.slug ?? ''
      const range = visit.query.get('range')
      const reported = await run(visit, getInsights, { slug, ...(range === null ? {} : { range }) })
      const chart = visit.query.get('chart') === 'open-all' ? 'open-all' : 'views'
      const props = { site: visit.site, chart, ...reported } as const
      if (htmxTarget(visit.request) === 'insights') return { part: <InsightsPart {...props} /> }
      return { section: 'bundles', title: 'Insights', view: <InsightsView {...props} /> }
    },
  },
]
