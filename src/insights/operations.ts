import { loadFor } from '../bundles/access.ts'
import { implement } from '../core/operation.ts'
import { signedIn } from '../identity/caller.ts'
import { type Reported, report, toCsv } from './report.ts'
import { daysIn, Insights, InsightsQuery } from './shapes.ts'

/** GET /api/links/:slug/insights (spec 4.7). */
export const getInsights = implement('get_insights', {
  summary: 'Count views, viewers and clicks on Open all, by day and by rule',
  description:
    'Reports how a bundle is used: views of its link, clicks on “Open all” and clicks per view (openAllRate), in ' +
    'total, per day and per rule of its policy. Days are UTC days, including today. Viewers are not tracked ' +
    'across days, so uniqueViewerDays is the sum of each day’s distinct viewers. Counts may lag by a second.',
  input: InsightsQuery,
  output: Insights,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  // Its page shows the bundle too.
  present: ({ insights }: Reported) => insights,
  csv: ({ insights }) => toCsv(insights),
  async run({ slug, range }, { service: { store }, caller }) {
    const bundle = await loadFor(store.db, signedIn(caller), slug, 'viewer')
    return { bundle, insights: await report(store, bundle, daysIn(range), Date.now()) }
  },
})
