import { isDeepStrictEqual } from 'node:util'
import type { Condition, Tab } from '../../../db/policy.ts'
import type { Content } from '../../../db/schema.ts'
import { each } from '../../bundles/content.ts'
import { LINK_FIELDS, RULE_NAMES } from '../../bundles/link-fields.ts'
import { asList, asObject, asText, isObject } from '../../core/untyped.ts'
import { type DraftCondition, draftCondition, leavesOf, toCondition, validCondition } from './conditions.ts'

// Draft policies: their form fields, complete or not, and their conversion from and to policies.

export type DraftTab = Record<keyof Tab, string>

/** An open rule: each part is a field of the form. */
export interface OpenRule {
  /** `''` for a new rule. */
  id: string
  name: string
  showBadge: boolean | undefined
  when: DraftCondition
  tabs: DraftTab[]
}

/** A closed rule: the form carries it as the JSON to be saved. */
interface ClosedRule {
  json: unknown
}

export type DraftRule = OpenRule | ClosedRule

/** A policy being edited. */
export interface Draft {
  rules: DraftRule[]
}

/** The edited rules: a draft of the builder, or JSON text. */
export type Source = { draft: Draft } | { json: string }

/** Larger rules are unwieldy as form fields: they are edited as JSON. */
const MAX_OPEN_CONDITIONS = 200
const MAX_OPEN_TABS = 50

export function toPolicy({ rules }: Draft): { version: 1; rules: unknown[] } {
  return { version: 1, rules: rules.map(toRule) }
}

/** One rule to be sent. */
export function toRule(rule: DraftRule): unknown {
  if ('json' in rule) return rule.json
  const { id, name, showBadge, when, tabs } = rule
  return {
    ...(id === '' ? {} : { id }),
    name,
    ...(showBadge === undefined ? {} : { showBadge }),
    when: toCondition(when),
    tabs: tabs.map(toTab),
  }
}

function toTab({ url, ...texts }: DraftTab): Tab {
  const sent = RULE_NAMES.map((name) => [name, LINK_FIELDS[name].lines === 'one' ? texts[name].trim() : texts[name]])
  return { url, ...Object.fromEntries(sent.filter(([, text]) => text !== '')) }
}

/** The draft of a policy, all rules closed. Accepts any JSON. */
export function draftOf(policy: unknown): Draft {
  const rules = isObject(policy) && Array.isArray(policy.rules) ? policy.rules : []
  return { rules: rules.map((json) => ({ json })) }
}

/** A rule as fields; invalid parts of its JSON are left out. */
export function toOpenRule(rule: DraftRule): OpenRule {
  if (!('json' in rule)) return rule
  const { id, name, showBadge, when, tabs } = asObject(rule.json)
  return {
    id: asText(id),
    name: asText(name),
    showBadge: typeof showBadge === 'boolean' ? showBadge : undefined,
    when: draftCondition(when),
    tabs: asList(tabs).map((tab) => draftTab(asObject(tab))),
  }
}

/** The form’s texts of a tab, `''` for each that it lacks. Accepts any JSON object. */
export function draftTab(tab: Record<string, unknown>): DraftTab {
  return each(['url', ...RULE_NAMES], (name) => asText(tab[name]))
}

/** A bundle's own tabs, in the form of a rule's. */
export function ownTabs({ urls, urlMetadata }: Pick<Content, 'urls' | 'urlMetadata'>): DraftTab[] {
  return urls.map((url, index) => draftTab({ ...urlMetadata[index], url }))
}

/** The condition of a rule; null if it is incomplete. */
export function conditionOf(rule: DraftRule): Condition | null {
  return validCondition(asObject(toRule(rule)).when)
}

/** Whether a rule can be edited as fields: nothing is lost, and it is not too large. */
export function canOpen(rule: DraftRule): boolean {
  if (!('json' in rule)) return true
  const draft = toOpenRule(rule)
  if (leavesOf(draft.when, []).length > MAX_OPEN_CONDITIONS || draft.tabs.length > MAX_OPEN_TABS) return false
  return isDeepStrictEqual(toRule(draft), withoutEmptyNotes(rule.json))
}

/** Drops an empty note: neither the form nor a viewer can tell it from none. */
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
