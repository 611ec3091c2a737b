import { isDeepStrictEqual } from 'node:util'
import { asList, asObject, asText, isObject } from '../../core/untyped.ts'
import { withScheme } from '../../imports/paste.ts'
import { countLeaves, type DraftCondition, draftCondition, writtenCondition } from './draft-conditions.ts'

// A policy while it is written: what a form holds of it, finished or not, and the policy that this makes.

export interface DraftTab {
  url: string
  note: string
}

/** A rule whose parts are fields of the form. */
export interface OpenRule {
  /** `''` for a new rule. */
  id: string
  name: string
  showBadge: boolean | undefined
  when: DraftCondition
  tabs: DraftTab[]
}

/** A rule that the form only carries along, as the JSON that would be sent. */
interface ClosedRule {
  json: unknown
}

export type DraftRule = OpenRule | ClosedRule

/** A policy while it is written. */
export interface Draft {
  rules: DraftRule[]
}

/** A rule with more than this is no pleasure in a form: it is edited as JSON. */
const MAX_OPEN_CONDITIONS = 200
const MAX_OPEN_TABS = 50

/** A policy as it would be sent; whether it may be is for its schema to say. */
export interface WrittenPolicy {
  version: 1
  rules: unknown[]
}

/** The policy that a draft makes. */
export function written({ rules }: Draft): WrittenPolicy {
  return { version: 1, rules: rules.map(writtenRule) }
}

/** One rule as it would be sent. */
export function writtenRule(rule: DraftRule): unknown {
  if ('json' in rule) return rule.json
  const { id, name, showBadge, when, tabs } = rule
  return {
    ...(id === '' ? {} : { id }),
    name,
    ...(showBadge === undefined ? {} : { showBadge }),
    when: writtenCondition(when),
    tabs: tabs.map(({ url, note }) => ({ url: withScheme(url), ...(note === '' ? {} : { note }) })),
  }
}

/** The draft of a policy, its rules closed. Takes any JSON. */
export function draftOf(policy: unknown): Draft {
  const rules = isObject(policy) && Array.isArray(policy.rules) ? policy.rules : []
  return { rules: rules.map((json) => ({ json })) }
}

/** A rule as fields; what of its JSON is no rule is left out. */
export function opened(rule: DraftRule): OpenRule {
  if (!('json' in rule)) return rule
  const { id, name, showBadge, when, tabs } = asObject(rule.json)
  return {
    id: asText(id),
    name: asText(name),
    showBadge: typeof showBadge === 'boolean' ? showBadge : undefined,
    when: draftCondition(when),
    tabs: asList(tabs).map((tab) => {
      const { url, note } = asObject(tab)
      return { url: asText(url), note: asText(note) }
    }),
  }
}

/** Whether fields can hold all that a rule says, and are few enough to be read. */
export function canOpen(rule: DraftRule): boolean {
  if (!('json' in rule)) return true
  const draft = opened(rule)
  if (countLeaves(draft.when) > MAX_OPEN_CONDITIONS || draft.tabs.length > MAX_OPEN_TABS) return false
  return isDeepStrictEqual(writtenRule(draft), withoutEmptyNotes(rule.json))
}

/** A form has no way to tell an empty note from none, and neither has a viewer. */
function withoutEmptyNotes(rule: unknown): unknown {
  if (!isObject(rule) || !Array.isArray(rule.tabs)) return rule
  return {
    ...rule,
    tabs: rule.tabs.map((tab) => {
      if (!isObject(tab) || tab.note !== '') return tab
      const { note: _, ...rest } = tab
      return rest
    }),
  }
}
