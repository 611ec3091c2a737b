import { type } from 'arktype'
import { operation } from '../operation.ts'

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
  async run({ slug, matchedRuleId }, { service: { launchers, recorder, log } }) {
    // Best effort: a store that is away must not keep a viewer waiting for an error.
    const launcher =
      launchers.peek(slug) ?? (await launchers.load(slug).catch((error) => log.warn({ err: error }, 'event dropped')))
    // No bundle has rules yet, so an id that is sent was never one of its own.
    if (launcher && (matchedRuleId ?? null) === null) recorder.openAll(launcher.counter)
  },
})
