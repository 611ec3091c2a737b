import { scope } from 'arktype'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import type { Caller } from '../identity/caller.ts'
import { type Context, implement } from '../operations/operation.ts'
import { isRuleId } from '../policies/rule-id.ts'
import { isRuleOf } from '../policies/rule-ids.ts'
import { isOpenToAll } from './door.ts'
import { isInside } from './entry.ts'
import type { Launcher } from './launchers.ts'
import { isOpen } from './times.ts'

/** Compiles schemas, because clicks are as frequent as views. */
const compiled = scope({}, { jitless: false })

/** POST /api/links/:slug/events. */
export const recordEvent = implement('record_event', {
  summary: 'Count a click on Open all',
  description:
    'The launcher page sends this when its button is pressed. The answer is the same whether or not there is such a ' +
    'bundle, and an event that cannot be counted is dropped, as are those of bots and of pages of other sites.',
  bodyTypes: ['application/json', 'text/plain'],
  status: 204,
  input: compiled.type({
    slug: 'string',
    kind: "'open_all'",
    'matchedRuleId?': 'string <= 64 | null',
    '+': 'reject',
  }),
  run({ slug, matchedRuleId }, context) {
    const id = matchedRuleId ?? null
    const cached = context.service.launchers.peek(slug)
    const isKnown = id === null || cached?.byRule?.has(id) === true
    if (cached === undefined || !isKnown || !isFree(cached)) return loadAndCount(cached, slug, id, context)
    countClick(cached, id, context)
  },
})

function isFree({ door }: Launcher): boolean {
  return door === null || isOpenToAll(door, Date.now())
}

/** Counts a click that needs a read: if the bundle is not cached, not free to see, or not yet known to have the rule. */
async function loadAndCount(
  cached: Launcher | undefined,
  slug: string,
  ruleId: string | null,
  context: Context,
): Promise<void> {
  const { service, caller } = context
  const { launchers, store, log } = service
  // Best effort: a viewer need not see that the store is down.
  try {
    const launcher = cached ?? (await launchers.load(slug))
    if (launcher === null || !(await mayHaveSeen(launcher, caller, service))) return
    const isKnown = ruleId === null || (isRuleId(ruleId) && (await isRuleOf(store.db, launcher.bundleId, ruleId)))
    if (isKnown) countClick(launcher, ruleId, context)
  } catch (error) {
    if (error instanceof Problem) return
    log.warn({ err: error }, 'event dropped')
  }
}

async function mayHaveSeen({ door }: Launcher, caller: Caller, service: Service): Promise<boolean> {
  if (door === null) return true
  if (door.times !== null && !isOpen(door.times, Date.now())) return false
  // Nothing shows that the sender of a click knows the password: it is asked for at each view, and kept nowhere.
  if (door.access !== 'members') return true
  return caller.kind === 'session' && isInside(door, caller.userId, service)
}

function countClick(launcher: Launcher, ruleId: string | null, { service, viewer }: Context): void {
  const { launchers, recorder } = service
  recorder.openAll(launchers.variant(launcher, ruleId === null ? null : { id: ruleId }), viewer.headers)
}
