import { scope } from 'arktype'
import { loadFor } from '../bundles/access.ts'
import { implement } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { signedIn } from '../identity/caller.ts'
import type { Launcher } from '../launcher/launchers.ts'
import { isRuleId, isRuleOf } from '../policies/rule-ids.ts'
import type { Service } from '../service.ts'
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

/** Schemas here are compiled into functions: a click is as frequent as a page. */
const compiled = scope({}, { jitless: false })

/** POST /api/links/:slug/events (spec 4.8). */
export const recordEvent = implement('record_event', {
  summary: 'Count a click on Open all',
  description:
    'The launcher page sends this when its button is pressed. The answer is the same whether or not there is such a ' +
    'bundle, and an event that cannot be counted is dropped.',
  bodyTypes: ['application/json', 'text/plain'],
  status: 204,
  input: compiled.type({
    slug: 'string',
    kind: "'open_all'",
    'matchedRuleId?': 'string <= 64 | null',
    '+': 'reject',
  }),
  run({ slug, matchedRuleId }, { service }) {
    const id = matchedRuleId ?? null
    const kept = service.launchers.peek(slug)
    const isKnown = id === null || kept?.byRule?.has(id) === true
    if (kept === undefined || !isKnown) return look(kept, slug, id, service)
    click(kept, id, service)
  },
})

/** Counts a click on a bundle that must be read, or on one of its rules that nobody has been shown yet. */
async function look(kept: Launcher | undefined, slug: string, ruleId: string | null, service: Service): Promise<void> {
  const { launchers, store, log } = service
  // Best effort: a store that is away must not keep a viewer waiting for an error.
  try {
    const launcher = kept ?? (await launchers.load(slug))
    if (launcher === null) return
    const isOurs = ruleId === null || (isRuleId(ruleId) && (await isRuleOf(store.db, launcher.bundleId, ruleId)))
    if (isOurs) click(launcher, ruleId, service)
  } catch (error) {
    if (error instanceof Problem) return
    log.warn({ err: error }, 'event dropped')
  }
}

function click(launcher: Launcher, ruleId: string | null, { launchers, recorder }: Service): void {
  recorder.openAll(launchers.variant(launcher, ruleId === null ? null : { id: ruleId }))
}
