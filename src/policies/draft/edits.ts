import { type Base, DAYS } from '../../../db/policy.ts'
import { entryOf } from '../../core/untyped.ts'
import { POLICY_BOUNDS } from '../shapes.ts'
import { type DraftCondition, type DraftGroup, type DraftLeaf, newLeaf } from './conditions.ts'
import {
  canOpen,
  type Draft,
  type DraftRule,
  type DraftTab,
  draftTab,
  type OpenRule,
  toOpenRule,
  toRule,
} from './draft.ts'

// The buttons of the rule builder.

/** A removed rule, for undo. */
export interface Removed {
  at: number
  json: unknown
}

interface Editing {
  draft: Draft
  /** The bundle's own tabs. */
  own: readonly DraftTab[]
  removed: Removed | null
  /** The browser's time zone, for new conditions on the time. */
  zone?: string
}

/** The draft after an edit. */
interface Edited {
  removed: Removed | null
  /** The path of the field or button to focus; `''` for none. */
  focus: string
  /** What was done, for screen readers. */
  announcement: string
}

/** A button's edit; does nothing if its path does not exist. */
type Edit = (editing: Editing, places: readonly string[]) => Partial<Edited> | undefined

/**
 * Applies the button named by `rule.up 2` or `if.add rules.0.when.of.1` to a draft. A path that does not exist
 * changes nothing.
 */
export function edit(editing: Editing, [name = '', ...places]: readonly string[]): Edited {
  const done = entryOf(EDITS, name)?.(editing, places)
  return { removed: null, focus: '', announcement: '', ...done }
}

const EDITS: Readonly<Record<string, Edit>> = {
  'rule.add': ({ draft }) => withRule(draft, { name: '', when: newLeaf() }),
  'rule.start': ({ draft, zone }, [kind = '']) => {
    const start = entryOf<{ name: string; when: Partial<DraftLeaf>; focus?: string }>(STARTS, kind)
    if (start === undefined) return
    const at = draft.rules.length
    const when = { ...newLeaf(), ...start.when, zone: start.when.topic === 'timeWindow' ? zone || 'UTC' : '' }
    const added = withRule(draft, { name: freeName(draft, start.name), when })
    return added && start.focus !== undefined ? { ...added, focus: `rules.${at}.${start.focus}` } : added
  },
  // With a part of its sentence as the second place, the focus moves to the controls of that part.
  'rule.open': ofRule((rule, at, { draft }, [where = '']) => {
    if (!canOpen(rule)) return
    draft.rules[at] = toOpenRule(rule)
    const tabs = toOpenRule(rule).base === 'bundle' ? 'own.0.shown' : 'tabs.0.url'
    const focus = /^when(?:\.of\.\d+)*$/.test(where) ? `${where}.topic` : where === 'tabs' ? tabs : 'name'
    return { focus: `rules.${at}.${focus}` }
  }),
  'rule.base': ofRule((rule, at, { draft, own }, [which]) => {
    if (!canOpen(rule)) return
    const base = which === 'bundle' ? which : 'none'
    draft.rules[at] = withBase(toOpenRule(rule), base, own)
    const announcement = base === 'bundle' ? 'Follows the bundle' : 'Has a list of its own'
    return { focus: `rules.${at}.base.${base}`, announcement }
  }),
  'rule.close': ofRule((rule, at, { draft }) => {
    draft.rules[at] = { json: toRule(rule) }
    return { focus: `rules.${at}.edit` }
  }),
  'rule.up': ({ draft }, [place]) => moved(draft.rules, place, -1, 'Rule', 'rules'),
  'rule.down': ({ draft }, [place]) => moved(draft.rules, place, 1, 'Rule', 'rules'),
  'rule.move': ({ draft }, [from, to]) => moved(draft.rules, from, Number(to) - Number(from), 'Rule', 'rules'),
  'rule.copy': ofRule((rule, at, { draft }) => {
    if (draft.rules.length >= POLICY_BOUNDS.rules) return
    const { id: _, ...rest } = (toRule(rule) ?? {}) as Record<string, unknown>
    const copy = { json: { ...rest, name: freeName(draft, toOpenRule(rule).name) } }
    draft.rules.splice(at + 1, 0, canOpen(rule) ? toOpenRule(copy) : copy)
    return { focus: `rules.${at + 1}.name`, announcement: 'Rule duplicated' }
  }),
  'rule.remove': ofRule((rule, at, { draft }) => {
    draft.rules.splice(at, 1)
    return { removed: { at, json: toRule(rule) }, focus: 'undo', announcement: 'Rule removed' }
  }),
  'rule.undo': ({ draft, removed }) => {
    if (removed === null) return
    const at = Math.min(removed.at, draft.rules.length)
    draft.rules.splice(at, 0, { json: removed.json })
    return { focus: `rules.${at}.edit`, announcement: 'Rule put back' }
  },

  // Adding to a single condition wraps both in a group.
  'if.add': ofCondition((condition, path) => joined(condition, path, newLeaf())),
  'if.group': ofCondition((condition, path) => joined(condition, path, { op: 'or', of: [newLeaf()] })),
  'if.nest': ofCondition((condition, path) => ({
    into: [{ op: 'and', of: [condition] }],
    focus: `${path}.op`,
    announcement: 'Put into a group',
  })),
  'if.lift': ofCondition((condition, path) =>
    'of' in condition
      ? {
          into: condition.of,
          focus: firstField(path, condition.of[0]),
          announcement: 'Group removed, its conditions kept',
        }
      : { into: [condition] },
  ),
  'if.remove': ofCondition((_, path) => {
    const parent = path.replace(/\.of\.\d+$/, '')
    const focus = parent === path ? `${path}.topic` : `${parent}.add`
    return { into: [], focus, announcement: 'Condition removed' }
  }),

  'tab.add': ofOpenRule((rule, at) => withTabs(rule, at, (tabs) => [draftTab({ section: tabs.at(-1)?.section })])),
  'tab.own': ofOpenRule((rule, at, { own }, [which]) => withTabs(rule, at, () => own.slice(Number(which)).slice(0, 1))),
  'tab.all': ofOpenRule((rule, at, { own }) =>
    withTabs(rule, at, (tabs) => own.filter(({ url }) => tabs.every((tab) => tab.url.trim() !== url))),
  ),
  'tab.up': ofOpenRule((rule, at, _, [place]) => moved(rule.tabs, place, -1, 'Tab', `rules.${at}.tabs`)),
  'tab.down': ofOpenRule((rule, at, _, [place]) => moved(rule.tabs, place, 1, 'Tab', `rules.${at}.tabs`)),
  'tab.remove': ofOpenRule((rule, at, _, [which]) => {
    rule.tabs.splice(Number(which), 1)
    return { focus: `rules.${at}.tabs.add`, announcement: 'Tab removed' }
  }),
}

/**
 * A rule with another base that gives its viewers the same tabs, as far as possible: a list of its own becomes what differs from the
 * bundle, unless they have nothing in common, and the reverse.
 */
function withBase(rule: OpenRule, base: Base, own: readonly DraftTab[]): OpenRule {
  if (rule.base === base) return rule
  if (base === 'none') {
    const shown = own.filter(({ url }) => !rule.omit.includes(url))
    return { ...rule, base, omit: [], tabs: [...shown, ...rule.tabs].slice(0, POLICY_BOUNDS.tabs) }
  }
  const urls = new Set(rule.tabs.map(({ url }) => url.trim()))
  const missing = own.filter(({ url }) => !urls.has(url)).map(({ url }) => url)
  const isOther = missing.length === own.length
  const tabs = rule.tabs.filter(({ url, note }) => {
    return (url.trim() !== '' || note !== '') && own.every((tab) => tab.url !== url.trim())
  })
  return { ...rule, base, omit: isOther ? [] : [...new Set(missing)], tabs }
}

/** Starter rules. */
export const STARTS = {
  domain: { name: 'Colleagues', when: { topic: 'emailDomain', op: 'equals' }, focus: 'when.value' },
  members: { name: 'Members', when: { topic: 'orgRole', op: 'exists' } },
  phone: { name: 'On a phone', when: { topic: 'device', op: 'equals', value: 'mobile' } },
  hours: { name: 'Office hours', when: { topic: 'timeWindow', days: DAYS.slice(0, 5), from: '09:00', to: '17:00' } },
} as const satisfies Record<string, { name: string; when: Partial<DraftLeaf>; focus?: string }>

type RuleChange<Rule> = (
  rule: Rule,
  at: number,
  editing: Editing,
  places: readonly string[],
) => Partial<Edited> | undefined

/** Changes the rule at the first place. */
function ofRule(change: RuleChange<DraftRule>): Edit {
  return (editing, [place, ...places]) => {
    const at = Number(place)
    const rule = editing.draft.rules[at]
    return rule && change(rule, at, editing, places)
  }
}

function ofOpenRule(change: RuleChange<OpenRule>): Edit {
  return ofRule((rule, ...rest) => ('json' in rule ? undefined : change(rule, ...rest)))
}

/** The replacement of a condition: one, several, or none. */
interface Change extends Partial<Edited> {
  into: readonly DraftCondition[]
}

/** Changes the condition at a path. An emptied group is removed too, and an emptied rule gets a blank condition. */
function ofCondition(change: (condition: DraftCondition, path: string) => Change): Edit {
  return ({ draft }, [path = '']) => {
    const [, place, inner = ''] = /^rules\.(\d+)\.when((?:\.of\.\d+)*)$/.exec(path) ?? []
    const rule = draft.rules[Number(place)]
    if (rule === undefined || 'json' in rule) return
    let edited: Partial<Edited> | undefined
    const into = replaced(rule.when, inner.match(/\d+/g)?.map(Number) ?? [], (found) => {
      const { into, ...rest } = change(found, path)
      edited = rest
      return into
    })
    rule.when = into.length > 1 ? { op: 'and', of: into } : (into[0] ?? newLeaf())
    return edited
  }
}

function replaced(
  condition: DraftCondition,
  [at, ...rest]: readonly number[],
  change: (condition: DraftCondition) => readonly DraftCondition[],
): readonly DraftCondition[] {
  if (at === undefined) return change(condition)
  if (!('of' in condition) || condition.of[at] === undefined) return [condition]
  const of = condition.of.flatMap((part, index) => (index === at ? replaced(part, rest, change) : [part]))
  return of.length === 0 ? [] : [{ ...condition, of }]
}

function joined(condition: DraftCondition, path: string, part: DraftCondition): Change {
  const group: DraftGroup = 'of' in condition ? condition : { op: 'and', of: [condition] }
  const [only, ...rest] = group.of
  // `not` takes one condition, so several are put into one group.
  if (group.op === 'not' && only !== undefined) {
    const isAny = 'of' in only && only.op === 'or'
    const { into, ...edited } = joined(isAny ? only : { op: 'or', of: [only] }, `${path}.of.0`, part)
    return { ...edited, into: [{ ...group, of: [...into, ...rest] }] }
  }
  return {
    into: [{ ...group, of: [...group.of, part] }],
    focus: firstField(`${path}.of.${group.of.length}`, part),
    announcement: 'of' in part ? 'Group added' : 'Condition added',
  }
}

function firstField(path: string, condition: DraftCondition | undefined): string {
  return condition !== undefined && 'of' in condition ? `${path}.of.0.topic` : `${path}.topic`
}

/** Moves an entry of the list at a path, and keeps the focus on it. */
function moved<T>(
  list: T[],
  place: string | undefined,
  by: number,
  what: string,
  path: string,
): Partial<Edited> | undefined {
  const from = Number(place)
  const to = from + by
  if (by === 0 || list[from] === undefined || list[to] === undefined) return
  list.splice(to, 0, ...list.splice(from, 1))
  // Focus the same button, or its opposite if the entry cannot move further.
  const isAtEnd = by < 0 ? to === 0 : to === list.length - 1
  const button = by < 0 === isAtEnd ? 'down' : 'up'
  return { focus: `${path}.${to}.${button}`, announcement: `${what} moved to place ${to + 1} of ${list.length}` }
}

function withRule({ rules }: Draft, { name, when }: Pick<OpenRule, 'name' | 'when'>): Partial<Edited> | undefined {
  const at = rules.length
  if (at >= POLICY_BOUNDS.rules) return
  rules.push({ id: '', name, showBadge: undefined, when, base: 'bundle', omit: [], tabs: [] })
  return { focus: `rules.${at}.name`, announcement: `Rule ${at + 1} added` }
}

/** An unused rule name: `name`, `name 2`, … */
function freeName({ rules }: Draft, name: string): string {
  const taken = new Set(rules.map((rule) => toOpenRule(rule).name))
  if (!taken.has(name)) return name
  const base = [...name.replace(/ \d+$/, '')].slice(0, POLICY_BOUNDS.name - 4).join('')
  for (let number = 2; ; number += 1) if (!taken.has(`${base} ${number}`)) return `${base} ${number}`
}

function withTabs(
  rule: OpenRule,
  at: number,
  more: (tabs: readonly DraftTab[]) => readonly DraftTab[],
): Partial<Edited> | undefined {
  // An empty row is filled first.
  const kept = rule.tabs.filter(({ url, note }) => url.trim() !== '' || note !== '')
  const fresh = more(kept).slice(0, POLICY_BOUNDS.tabs - kept.length)
  if (fresh.length === 0) return
  rule.tabs = [...kept, ...fresh]
  const isBlank = fresh[0]?.url === ''
  return {
    focus: isBlank ? `rules.${at}.tabs.${rule.tabs.length - 1}.url` : `rules.${at}.tabs.add`,
    announcement: fresh.length === 1 ? 'Tab added' : `${fresh.length} tabs added`,
  }
}
