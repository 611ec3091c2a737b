import { scope } from 'arktype'
import { BOUNDS } from '../bundles/content/content.ts'
import { Slug } from '../core/fields.ts'
import type { Reason } from '../core/issue.ts'
import { invalid, Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { inOrder, object, says } from '../core/shape.ts'
import type { Caller } from '../identity/caller.ts'
import { linkIn, withAlias } from '../operations/bundle-reference.ts'
import { type Context, implement } from '../operations/operation.ts'
import { isRuleOf } from '../policies/rule-ids.ts'
import { isRuleId, MATCHED_RULE_ID } from '../policies/shapes.ts'
import { isInside, isOpen, isOpenToAll } from './access.ts'
import { LauncherTabs, tabsOf } from './answers.ts'
import { MAX_RULES } from './batches.ts'
import type { Launcher } from './cached.ts'
import { seenAt } from './seen.ts'
import { slugThat } from './served.ts'

/** Compiles schemas, because clicks are as frequent as views. */
const compiled = scope({}, { jitless: false })

const event = {
  slug: Slug,
  kind: says("'open_all' | 'open_tabs'", 'What happened.', 'open_all'),
  'matchedRuleId?': says('string <= 64 | null', ...MATCHED_RULE_ID),
  'isView?': says('boolean', 'With open_all: it was opened without its page, so it counts as a view too.', true),
  'urls?': says(
    `1 <= (string <= ${2 * BOUNDS.url})[] <= ${BOUNDS.urls}`,
    'With open_tabs: the links, as the bundle has them.',
    ['https://example.com/'],
  ),
} as const

/** GET /api/links/:slug/tabs. */
export const getTabs = implement('get_tabs', {
  summary: 'Read the tabs behind a link, filled in',
  description:
    'Reads what the link of any bundle shows you: the tabs, after its rules. If it has variables, send ' +
    '`values`: while one is `missing` or `invalid`, texts and tabs have {name} in its place.',
  input: object({ slug: Slug, 'values?': says({ '[string]': 'string' }, 'Values, by name.', { id: '4711' }) }),
  example: { slug: 'customer', values: { id: '4711' } },
  output: LauncherTabs,
  errors: ['NOT_FOUND', 'MEMBERS_ONLY', 'PASSWORD_REQUIRED', 'NOT_OPEN_YET', 'CLOSED', 'BLOCKED'],
  async run({ slug, values = {} }, { service, viewer }) {
    const link = linkIn(slug, service.config)
    for (const [name, value] of Object.entries(values)) link.query.set(name, value)
    const seen = await withAlias(link, service.store, (one) => seenAt(one, viewer, service))
    return tabsOf(seen, service.config)
  },
})

/** POST /api/links/:slug/events. */
export const recordEvent = implement('record_event', {
  summary: 'Count a click on Open all, or tabs that were opened',
  description:
    'The launcher page sends this when its button is pressed, and for the tabs that were opened, alone or by the ' +
    'button. The answer is the same whether or not there is such a bundle, and what cannot be counted is dropped, ' +
    'as are events of bots and of pages of other sites.',
  again: 'counts once more',
  bodyTypes: ['application/json', 'text/plain'],
  status: 204,
  input: compiled.type({ ...event, '+': 'reject' }).configure(inOrder(event), 'self'),
  errors: ['INVALID_URLS'],
  run({ slug, kind, matchedRuleId, isView = false, urls }, context) {
    if (kind === 'open_tabs') return countTabs(slug, urls ?? refuse({ code: 'missing', expected: 'a list' }), context)
    if (urls !== undefined) refuse({ code: 'unknown_field' })
    const id = matchedRuleId ?? null
    const cached = context.service.launchers.peek(slug)
    const isKnown = id === null || cached?.byRule?.has(id) === true
    if (cached === undefined || !isKnown || !isFree(cached)) return loadAndCount(cached, slug, { id, isView }, context)
    countClick(cached, { id, isView }, context)
  },
})

function refuse(reason: Reason): never {
  throw invalid([{ path: ['urls'], reason }])
}

function isFree({ gate }: Launcher): boolean {
  return gate === null || isOpenToAll(gate, Date.now())
}

/** Counts a click that needs a read, because the bundle is not cached, not open to everybody, or not known to have the rule. */
function loadAndCount(cached: Launcher | undefined, slug: string, click: Click, context: Context): Promise<void> {
  const { id: ruleId } = click
  return unlessDropped(context.service, async () => {
    const { store } = context.service
    const launcher = await seenLauncher(cached, slug, context)
    if (launcher === null) return
    const isKnown = ruleId === null || (isRuleId(ruleId) && (await isRuleOf(store.db, launcher.bundleId, ruleId)))
    if (isKnown) countClick(launcher, click, context)
  })
}

/** Counts opened tabs by their stored URLs: with placeholders, whatever values were filled in. */
function countTabs(slug: string, urls: readonly string[], context: Context): Promise<void> {
  const { launchers, recorder } = context.service
  return unlessDropped(context.service, async () => {
    const launcher = await seenLauncher(launchers.peek(slug), slug, context)
    if (launcher === null) return
    recorder.openTabs(launcher.bundleId, await launchers.linksOf(launcher), urls, context.viewer.headers)
  })
}

/** Counts an event, or drops it: viewers need not notice that the store is down. */
async function unlessDropped({ log }: Service, count: () => Promise<void>): Promise<void> {
  try {
    await count()
  } catch (error) {
    if (error instanceof Problem) return
    log.warn({ err: error }, 'event dropped')
  }
}

/** The launcher with a slug, or with an alias that was its slug when the page was loaded; null for none. */
async function launcherNamed(slug: string, { launchers, store }: Service): Promise<Launcher | null> {
  const launcher = await launchers.load(slug)
  if (launcher !== null) return launcher
  const renamed = await slugThat(store.db, slug)
  return renamed === null ? null : (launchers.peek(renamed) ?? launchers.load(renamed))
}

/** The launcher, if the sender of an event may have seen it. */
async function seenLauncher(
  cached: Launcher | undefined,
  slug: string,
  { caller, service }: Context,
): Promise<Launcher | null> {
  const launcher = cached ?? (await launcherNamed(slug, service))
  return launcher !== null && (await mayHaveSeen(launcher, caller, service)) ? launcher : null
}

async function mayHaveSeen({ gate }: Launcher, caller: Caller, service: Service): Promise<boolean> {
  if (gate === null) return true
  if (gate.times !== null && !isOpen(gate.times, Date.now())) return false
  // A click does not show whether its sender knows the password, which is asked for at each view and stored nowhere.
  if (gate.access !== 'members') return true
  return caller.kind === 'session' && isInside(gate, caller.userId, service)
}

/** A click on Open all. */
interface Click {
  /** The id of the matched rule, or null. */
  id: string | null
  /** Whether it counts as a view too. */
  isView: boolean
}

function countClick(launcher: Launcher, { id: ruleId, isView }: Click, { caller, service, viewer }: Context): void {
  const { launchers, recorder } = service
  const { byRule } = launcher
  // A bundle can have had any number of rules; a launcher does not keep a counter for each.
  const isRoom = byRule === null || byRule.size < MAX_RULES
  const isCounted = ruleId !== null && (isRoom || byRule.has(ruleId))
  const variant = launchers.variant(launcher, isCounted ? { id: ruleId } : null)
  if (isView) recorder.view(variant, caller.address, viewer.headers)
  recorder.openAll(variant, viewer.headers)
}
