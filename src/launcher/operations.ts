import { scope, type } from 'arktype'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import type { Caller } from '../identity/caller.ts'
import { type Context, implement } from '../operations/operation.ts'
import { linkIn } from '../operations/slug-in.ts'
import { isRuleId } from '../policies/rule-id.ts'
import { isRuleOf } from '../policies/rule-ids.ts'
import { isInside } from './access-decision.ts'
import { isOpenToAll } from './access-gate.ts'
import { LauncherTabs } from './answers.ts'
import type { Launcher } from './launchers.ts'
import { seenAt } from './seen.ts'
import { tabsOf } from './tabs.ts'
import { isOpen } from './times.ts'

/** Compiles schemas, because clicks are as frequent as views. */
const compiled = scope({}, { jitless: false })

/** GET /api/links/:slug/tabs. */
export const getTabs = implement('get_tabs', {
  summary: 'Read the tabs behind a link, filled in',
  description:
    'Reads what the link of any bundle shows you: the tabs, after its rules. If it has variables, send ' +
    '`values`: while one is `missing` or `invalid`, texts and tabs have {name} in its place.',
  input: type({ slug: 'string', 'values?': { '[string]': 'string' }, '+': 'reject' }),
  example: { slug: 'customer', values: { id: '4711' } },
  output: LauncherTabs,
  errors: ['NOT_FOUND', 'MEMBERS_ONLY', 'PASSWORD_REQUIRED', 'NOT_OPEN_YET', 'CLOSED', 'BLOCKED'],
  async run({ slug, values = {} }, { service, viewer }) {
    const link = linkIn(slug, service.config) ?? { slug, value: null, query: new URLSearchParams() }
    for (const [name, value] of Object.entries(values)) link.query.set(name, value)
    return tabsOf(await seenAt(link, viewer, service), service.config)
  },
})

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

function isFree({ gate }: Launcher): boolean {
  return gate === null || isOpenToAll(gate, Date.now())
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

async function mayHaveSeen({ gate }: Launcher, caller: Caller, service: Service): Promise<boolean> {
  if (gate === null) return true
  if (gate.times !== null && !isOpen(gate.times, Date.now())) return false
  // Nothing shows that the sender of a click knows the password: it is asked for at each view, and kept nowhere.
  if (gate.access !== 'members') return true
  return caller.kind === 'session' && isInside(gate, caller.userId, service)
}

function countClick(launcher: Launcher, ruleId: string | null, { service, viewer }: Context): void {
  const { launchers, recorder } = service
  recorder.openAll(launchers.variant(launcher, ruleId === null ? null : { id: ruleId }), viewer.headers)
}
