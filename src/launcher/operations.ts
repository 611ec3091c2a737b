import { scope } from 'arktype'
import { implement } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { isRuleId } from '../policies/rule-id.ts'
import { isRuleOf } from '../policies/rule-ids.ts'
import type { Service } from '../service.ts'
import type { Launcher } from './launchers.ts'
import { isOpen } from './times.ts'

/** Compiles schemas, because clicks are as frequent as views. */
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
    const cached = service.launchers.peek(slug)
    const isKnown = id === null || cached?.byRule?.has(id) === true
    if (cached === undefined || !isKnown) return loadAndCount(cached, slug, id, service)
    countClick(cached, id, service)
  },
})

/** Counts a click on a bundle that is not cached, or on a rule that no viewer has matched since it was. */
async function loadAndCount(
  cached: Launcher | undefined,
  slug: string,
  ruleId: string | null,
  service: Service,
): Promise<void> {
  const { launchers, store, log } = service
  // Best effort: a viewer need not see that the store is down.
  try {
    const launcher = cached ?? (await launchers.load(slug))
    if (launcher === null) return
    const isKnown = ruleId === null || (isRuleId(ruleId) && (await isRuleOf(store.db, launcher.bundleId, ruleId)))
    if (isKnown) countClick(launcher, ruleId, service)
  } catch (error) {
    if (error instanceof Problem) return
    log.warn({ err: error }, 'event dropped')
  }
}

function countClick(launcher: Launcher, ruleId: string | null, { launchers, recorder }: Service): void {
  if (launcher.times !== null && !isOpen(launcher.times, Date.now())) return
  recorder.openAll(launchers.variant(launcher, ruleId === null ? null : { id: ruleId }))
}
