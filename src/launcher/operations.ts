import { scope, type } from 'arktype'
import { BOUNDS } from '../bundles/bounds.ts'
import type { Reason } from '../core/issue.ts'
import { invalid, Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import type { Caller } from '../identity/caller.ts'
import { type Context, implement } from '../operations/operation.ts'
import { linkIn } from '../operations/slug-in.ts'
import { isRuleId } from '../policies/rule-id.ts'
import { isRuleOf } from '../policies/rule-ids.ts'
import { isInside } from './access-decision.ts'
import { isOpenToAll } from './access-gate.ts'
import { LauncherTabs } from './answers.ts'
import { MAX_RULES } from './batches.ts'
import type { Launcher } from './cached.ts'
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
    const link = linkIn(slug, service.config)
    for (const [name, value] of Object.entries(values)) link.query.set(name, value)
    return tabsOf(await seenAt(link, viewer, service), service.config)
  },
})

/** POST /api/links/:slug/events. */
export const recordEvent = implement('record_event', {
  summary: 'Count a click on Open all, or tabs that were opened',
  description:
    'The launcher page sends this when its button is pressed, and for the tabs that were opened, alone or by the ' +
    'button. The answer is the same whether or not there is such a bundle, and what cannot be counted is dropped, ' +
    'as are events of bots and of pages of other sites.',
  bodyTypes: ['application/json', 'text/plain'],
  status: 204,
  input: compiled.type({
    slug: 'string',
    kind: "'open_all' | 'open_tabs'",
    'matchedRuleId?': 'string <= 64 | null',
    'urls?': `1 <= (string <= ${2 * BOUNDS.url})[] <= ${BOUNDS.urls}`,
    '+': 'reject',
  }),
  errors: ['INVALID_URLS'],
  run({ slug, kind, matchedRuleId, urls }, context) {
    if (kind === 'open_tabs') return countTabs(slug, urls ?? refuse({ code: 'missing', expected: 'a list' }), context)
    if (urls !== undefined) refuse({ code: 'unknown_field' })
    const id = matchedRuleId ?? null
    const cached = context.service.launchers.peek(slug)
    const isKnown = id === null || cached?.byRule?.has(id) === true
    if (cached === undefined || !isKnown || !isFree(cached)) return loadAndCount(cached, slug, id, context)
    countClick(cached, id, context)
  },
})

function refuse(reason: Reason): never {
  throw invalid([{ path: ['urls'], reason }])
}

function isFree({ gate }: Launcher): boolean {
  return gate === null || isOpenToAll(gate, Date.now())
}

/** Counts a click that needs a read: if the bundle is not cached, not free to see, or not yet known to have the rule. */
function loadAndCount(
  cached: Launcher | undefined,
  slug: string,
  ruleId: string | null,
  context: Context,
): Promise<void> {
  return unlessDropped(context.service, async () => {
    const { store } = context.service
    const launcher = await seenLauncher(cached, slug, context)
    if (launcher === null) return
    const isKnown = ruleId === null || (isRuleId(ruleId) && (await isRuleOf(store.db, launcher.bundleId, ruleId)))
    if (isKnown) countClick(launcher, ruleId, context)
  })
}

/** Counts tabs that were opened, as the bundle has them: with placeholders, whatever was filled in. */
function countTabs(slug: string, urls: readonly string[], context: Context): Promise<void> {
  const { launchers, recorder } = context.service
  return unlessDropped(context.service, async () => {
    const launcher = await seenLauncher(launchers.peek(slug), slug, context)
    if (launcher === null) return
    recorder.openTabs(launcher.bundleId, await launchers.linksOf(launcher), urls, context.viewer.headers)
  })
}

/** Counts an event, or drops it: a viewer need not see that the store is down. */
async function unlessDropped({ log }: Service, count: () => Promise<void>): Promise<void> {
  try {
    await count()
  } catch (error) {
    if (error instanceof Problem) return
    log.warn({ err: error }, 'event dropped')
  }
}

/** The launcher, if the sender of an event may have seen it. */
async function seenLauncher(
  cached: Launcher | undefined,
  slug: string,
  { caller, service }: Context,
): Promise<Launcher | null> {
  const launcher = cached ?? (await service.launchers.load(slug))
  return launcher !== null && (await mayHaveSeen(launcher, caller, service)) ? launcher : null
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
  const { byRule } = launcher
  // A bundle can have had any number of rules; a launcher does not keep a counter for each.
  const isRoom = byRule === null || byRule.size < MAX_RULES
  const isCounted = ruleId !== null && (isRoom || byRule.has(ruleId))
  recorder.openAll(launchers.variant(launcher, isCounted ? { id: ruleId } : null), viewer.headers)
}
