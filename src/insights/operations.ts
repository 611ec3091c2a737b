import { type } from 'arktype'
import { loadFor } from '../bundles/access.ts'
import { signedIn } from '../identity/identify.ts'
import { operation } from '../operation.ts'
import { isRuleId, isRuleOf } from '../policies/rule-ids.ts'
import { report, toCsv } from './report.ts'
import { daysIn, InsightsQuery } from './shapes.ts'

/** GET /api/links/:slug/insights (spec 4.7). */
export const getInsights = operation({
  name: 'get_insights',
  summary: 'Count views, viewers and clicks on Open all, by day and by rule',
  route: 'GET /links/:slug/insights',
  access: { scope: 'links:read' },
  input: InsightsQuery,
  csv: toCsv,
  run: async ({ slug, range }, { service: { store }, caller }) =>
    report(store, await loadFor(store.db, signedIn(caller), slug, 'viewer'), daysIn(range), Date.now()),
})

/** POST /api/links/:slug/events (spec 4.8). */
export const recordEvent = operation({
  name: 'record_event',
  summary: 'Count a click on Open all',
  route: 'POST /links/:slug/events',
  access: 'public',
  limit: 'address',
  bodyTypes: ['application/json', 'text/plain'],
  status: 204,
  input: type({ slug: 'string', kind: "'open_all'", 'matchedRuleId?': 'string <= 64 | null', '+': 'reject' }),
  async run({ slug, matchedRuleId }, { service: { launchers, recorder, store, log } }) {
    const id = matchedRuleId ?? null
    // Best effort: a store that is away must not keep a viewer waiting for an error.
    try {
      const launcher = launchers.peek(slug) ?? (await launchers.load(slug))
      if (launcher === null) return
      const { variants } = launcher
      const isOurs = id === null || (isRuleId(id) && (variants.has(id) || (await isRuleOf(store.db, launcher.id, id))))
      if (isOurs) recorder.openAll(launchers.variant(launcher, id === null ? null : { id }).counter)
    } catch (error) {
      log.warn({ err: error }, 'event dropped')
    }
  },
})
