import { type } from 'arktype'
import { operation } from '../operation.ts'
import { isRuleId, isRuleOf } from '../policies/rule-ids.ts'

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
      const { bundle, variants } = launcher
      const isOurs = id === null || (isRuleId(id) && (variants.has(id) || (await isRuleOf(store.db, bundle.id, id))))
      if (isOurs) recorder.openAll(launchers.variant(launcher, id === null ? null : { id }).counter)
    } catch (error) {
      log.warn({ err: error }, 'event dropped')
    }
  },
})
