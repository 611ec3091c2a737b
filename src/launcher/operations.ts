import { scope } from 'arktype'
import { implement } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { isRuleId } from '../policies/rule-id.ts'
import { isRuleOf } from '../policies/rule-ids.ts'
import type { Service } from '../service.ts'
import type { Launcher } from './launchers.ts'

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
