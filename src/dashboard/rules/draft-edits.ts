import { POLICY_BOUNDS } from '../../policies/shapes.ts'
import {
  canOpen,
  type Draft,
  type DraftCondition,
  type DraftGroup,
  type DraftLeaf,
  type DraftRule,
  type DraftTab,
  newLeaf,
  type OpenRule,
  opened,
  writtenRule,
} from './draft.ts'

// What the buttons of a rule builder do to a draft, each by a name and the place that it is done at.

/** A rule that was taken out, to be put back. */
export interface Removed {
  at: number
  json: unknown
}

/** A draft that was changed. */
export interface Edited {
  removed: Removed | null
  /** The place where the work goes on, as the path of a field or button; `''` for none. */
  focus: string
  /** What was done, for whoever cannot see it. */
  said: string
}

interface Editing {
  draft: Draft
  /** The bundle's own tabs. */
  own: readonly DraftTab[]
  removed: Removed | null
}

/**
 * Does to a draft what a button names: `rule.up 2`, `if.add rules.0.when.of.1`. One that there is no place for
 * does nothing.
 */
export function edit(editing: Editing, [name = '', ...places]: readonly string[]): Edited {
  const done = (RULE_EDITS[name] ?? CONDITION_EDITS[name] ?? TAB_EDITS[name])?.(editing, places)
  return { removed: null, focus: '', said: '', ...done }
}

type Edit = (editing: Editing, places: readonly string[]) => Partial<Edited> | undefined

const RULE_EDITS: Record<string, Edit> = {
  'rule.add': ({ draft }) => added(draft, { name: '', when: newLeaf() }),
  'rule.start': ({ draft }, [kind = '']) => {
    const start = Object.hasOwn(STARTS, kind) ? STARTS[kind as StartName] : undefined
    return start && added(draft, { name: freeName(draft, start.name), when: { ...newLeaf(), ...start.when } })
  },
  'rule.open': ({ draft }, [place]) =>
    atRule(draft, place, (rule, at) => {
      if (!canOpen(rule)) return {}
      draft.rules[at] = opened(rule)
      return { focus: `rules.${at}.name` }
    }),
  'rule.close': ({ draft }, [place]) =>
    atRule(draft, place, (rule, at) => {
      draft.rules[at] = { json: writtenRule(rule) }
      return { focus: `rules.${at}.edit` }
    }),
  'rule.up': ({ draft }, [place]) => moved(draft.rules, place, -1, 'Rule', (at) => `rules.${at}`),
  'rule.down': ({ draft }, [place]) => moved(draft.rules, place, 1, 'Rule', (at) => `rules.${at}`),
  'rule.move': ({ draft }, [from, to]) => {
    const by = Number(to) - Number(from)
    return by === 0 ? {} : moved(draft.rules, from, by, 'Rule', (at) => `rules.${at}`)
  },
  'rule.copy': ({ draft }, [place]) =>
    atRule(draft, place, (rule, at) => {
      if (draft.rules.length >= POLICY_BOUNDS.rules) return {}
      const { id: _, ...copy } = opened(rule)
      const json = writtenRule({ ...copy, id: '', name: freeName(draft, copy.name) })
      draft.rules.splice(at + 1, 0, canOpen(rule) ? opened({ json }) : withoutId(rule, freeName(draft, copy.name)))
      return { focus: `rules.${at + 1}.name`, said: 'Rule duplicated' }
    }),
  'rule.remove': ({ draft }, [place]) =>
    atRule(draft, place, (rule, at) => {
      draft.rules.splice(at, 1)
      return { removed: { at, json: writtenRule(rule) }, focus: 'undo', said: 'Rule removed' }
    }),
  'rule.undo': ({ draft, removed }) => {
    if (removed === null) return
    const at = Math.min(removed.at, draft.rules.length)
    draft.rules.splice(at, 0, { json: removed.json })
    return { focus: `rules.${at}.edit`, said: 'Rule put back' }
  },
}

/** Rules to begin with. */
export const STARTS = {
  members: { name: 'People of our organisation', when: { subject: 'orgRole', op: 'exists' } },
  phone: { name: 'On a phone', when: { subject: 'device', op: 'equals', value: 'mobile' } },
  language: { name: 'German speakers', when: { subject: 'language', op: 'startsWith', value: 'de' } },
  campaign: { name: 'From the newsletter', when: { subject: 'query', name: 'ref', op: 'equals', value: 'newsletter' } },
} as const satisfies Record<string, { name: string; when: Partial<DraftLeaf> }>

type StartName = keyof typeof STARTS

function added(draft: Draft, { name, when }: Pick<OpenRule, 'name' | 'when'>): Partial<Edited> {
  const at = draft.rules.length
  if (at >= POLICY_BOUNDS.rules) return {}
  draft.rules.push({ id: '', name, showBadge: undefined, when, tabs: [{ url: '', note: '' }] })
  return { focus: `rules.${at}.name`, said: `Rule ${at + 1} added` }
}

function withoutId(rule: DraftRule, name: string): DraftRule {
  const { id: _, ...rest } = (writtenRule(rule) ?? {}) as Record<string, unknown>
  return { json: { ...rest, name } }
}

/** A name that no rule has: `name`, `name 2`, … */
function freeName({ rules }: Draft, name: string): string {
  const taken = new Set(rules.map((rule) => opened(rule).name))
  if (!taken.has(name)) return name
  const base = [...name.replace(/ \d+$/, '')].slice(0, POLICY_BOUNDS.name - 4).join('')
  for (let number = 2; ; number += 1) if (!taken.has(`${base} ${number}`)) return `${base} ${number}`
}

function atRule(
  { rules }: Draft,
  place: string | undefined,
  change: (rule: DraftRule, at: number) => Partial<Edited>,
): Partial<Edited> | undefined {
  const at = Number(place)
  const rule = rules[at]
  return rule === undefined ? undefined : change(rule, at)
}

function moved<T>(
  list: T[],
  place: string | undefined,
  by: number,
  what: string,
  pathOf: (at: number) => string,
): Partial<Edited> | undefined {
  const from = Number(place)
  const to = from + by
  if (list[from] === undefined || list[to] === undefined) return
  list.splice(to, 0, ...list.splice(from, 1))
  // The button that was pressed, or where it cannot be pressed again, the other.
  const isAtEnd = by < 0 ? to === 0 : to === list.length - 1
  const button = by < 0 === isAtEnd ? 'down' : 'up'
  return { focus: `${pathOf(to)}.${button}`, said: `${what} moved to place ${to + 1} of ${list.length}` }
}

const CONDITION_EDITS: Record<string, Edit> = {
  // To a lone condition a second one is added by a group around both.
  'if.add': ({ draft }, [path = '']) => atCondition(draft, path, (found) => addPart(found, path, newLeaf())),
  'if.group': ({ draft }, [path = '']) =>
    atCondition(draft, path, (found) => addPart(found, path, { op: 'or', of: [newLeaf()] })),
  'if.nest': ({ draft }, [path = '']) =>
    atCondition(draft, path, (found) => {
      wrapped(found, 'and')
      return { focus: `${path}.op`, said: 'Put into a group' }
    }),
  'if.lift': ({ draft }, [path = '']) =>
    atCondition(draft, path, ({ condition, replace }) => {
      if (!('of' in condition)) return {}
      replace(...condition.of)
      return { focus: partField(path, condition.of[0]), said: 'Group taken away' }
    }),
  'if.remove': ({ draft }, [path = '']) =>
    atCondition(draft, path, ({ replace }) => {
      replace()
      const parent = path.replace(/\.of\.\d+$/, '')
      return { focus: parent === path ? `${path}.subject` : `${parent}.add`, said: 'Condition removed' }
    }),
}

interface Found {
  condition: DraftCondition
  /** Puts others in its place; a group that is left empty goes too, and a rule is left with a blank condition. */
  replace(...others: DraftCondition[]): void
}

function addPart(found: Found, path: string, part: DraftCondition): Partial<Edited> {
  const { condition } = found
  const [only] = 'of' in condition && condition.op === 'not' ? condition.of : []
  // `not` takes one condition: what else shall not hold stands in one group with it.
  if (only !== undefined) {
    const inner: Found = {
      condition: only,
      replace: (...others) => (condition as DraftGroup).of.splice(0, 1, ...others),
    }
    const isAny = 'of' in only && only.op === 'or'
    return addPart(isAny ? inner : { ...inner, condition: wrapped(inner, 'or') }, `${path}.of.0`, part)
  }
  const group = 'of' in condition ? condition : wrapped(found, 'and')
  group.of.push(part)
  const said = 'of' in part ? 'Group added' : 'Condition added'
  return { focus: partField(`${path}.of.${group.of.length - 1}`, part), said }
}

function wrapped({ condition, replace }: Found, op: DraftGroup['op']): DraftGroup {
  const group: DraftGroup = { op, of: [condition] }
  replace(group)
  return group
}

function partField(path: string, part: DraftCondition | undefined): string {
  return part !== undefined && 'of' in part ? `${path}.of.0.subject` : `${path}.subject`
}

function atCondition(draft: Draft, path: string, change: (found: Found) => Partial<Edited>) {
  const [, rulePlace, rest = ''] = /^rules\.(\d+)\.when((?:\.of\.\d+)*)$/.exec(path) ?? []
  const rule = draft.rules[Number(rulePlace)]
  if (rule === undefined || 'json' in rule) return
  let condition = rule.when
  let replace: Found['replace'] = (...others) => {
    rule.when = others.length > 1 ? { op: 'and', of: others } : (others[0] ?? newLeaf())
  }
  for (const place of rest.match(/\d+/g) ?? []) {
    const group: DraftGroup | null = 'of' in condition ? condition : null
    const part = group?.of[Number(place)]
    if (group === null || part === undefined) return
    const removeGroup = replace
    condition = part
    replace = (...others) => {
      group.of.splice(Number(place), 1, ...others)
      if (group.of.length === 0) removeGroup()
    }
  }
  return change({ condition, replace })
}

const TAB_EDITS: Record<string, Edit> = {
  'tab.add': (editing, [place]) => withTabs(editing, place, () => [{ url: '', note: '' }]),
  'tab.own': (editing, [place, which]) => withTabs(editing, place, () => editing.own.slice(Number(which)).slice(0, 1)),
  'tab.all': (editing, [place]) =>
    withTabs(editing, place, (tabs) => editing.own.filter(({ url }) => tabs.every((tab) => tab.url.trim() !== url))),
  'tab.up': ({ draft }, [place, at]) => moveTab(draft, place, at, -1),
  'tab.down': ({ draft }, [place, at]) => moveTab(draft, place, at, 1),
  'tab.remove': ({ draft }, [place, which]) =>
    atRule(draft, place, (rule, at) => {
      if ('json' in rule) return {}
      rule.tabs.splice(Number(which), 1)
      return { focus: `rules.${at}.tabs.add`, said: 'Tab removed' }
    }),
}

function withTabs(
  { draft }: Editing,
  place: string | undefined,
  more: (tabs: readonly DraftTab[]) => readonly DraftTab[],
) {
  return atRule(draft, place, (rule, at) => {
    if ('json' in rule) return {}
    // A place that was never written into is the first to be taken.
    const kept = rule.tabs.filter(({ url, note }) => url.trim() !== '' || note !== '')
    const fresh = more(kept).slice(0, POLICY_BOUNDS.tabs - kept.length)
    if (fresh.length === 0) return {}
    rule.tabs = [...kept, ...fresh]
    const isBlank = fresh[0]?.url === ''
    return {
      focus: isBlank ? `rules.${at}.tabs.${rule.tabs.length - 1}.url` : `rules.${at}.tabs.add`,
      said: fresh.length === 1 ? 'Tab added' : `${fresh.length} tabs added`,
    }
  })
}

function moveTab(draft: Draft, place: string | undefined, at: string | undefined, by: number) {
  return atRule(draft, place, (rule, number) =>
    'json' in rule ? {} : (moved(rule.tabs, at, by, 'Tab', (to) => `rules.${number}.tabs.${to}`) ?? {}),
  )
}
