import { loadFor } from '../bundles/access.ts'
import { implement } from '../core/operation.ts'
import { signedIn } from '../identity/caller.ts'
import { type Reported, report, toCsv } from './report.ts'
import { daysIn, Insights, InsightsQuery } from './shapes.ts'

/** GET /api/links/:slug/insights (spec 4.7). */
export const getInsights = implement('get_insights', {
  summary: 'Count views, viewers and clicks on Open all, by day and by rule',
  description:
    'Tells how a bundle is used: views of its link, clicks on “Open all”, and clicks for each view (openAllRate), in ' +
    'total, for each day and for each rule of its policy. Days are UTC days, today included. Viewers are not followed ' +
    'from one day to the next, so uniqueViewerDays adds up the distinct viewers of each day. Counts may lag by a second.',
  input: InsightsQuery,
  output: Insights,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  // Its page shows the bundle beside them.
  present: ({ insights }: Reported) => insights,
  csv: ({ insights }) => toCsv(insights),
  async run({ slug, range }, { service: { store }, caller }) {
    const bundle = await loadFor(store.db, signedIn(caller), slug, 'viewer')
    return { bundle, insights: await report(store, bundle, daysIn(range), Date.now()) }
  },
})
