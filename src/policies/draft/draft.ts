import { isDeepStrictEqual } from 'node:util'
import { type Base, type Condition, FACTS, type Fact, type Tab } from '../../../db/policy.ts'
import type { Content, Variable } from '../../../db/schema.ts'
import { each } from '../../bundles/content/content.ts'
import { LINK_FIELDS, RULE_NAMES } from '../../bundles/links/link-fields.ts'
import type { Issue, Path } from '../../core/issue.ts'
import { asList, asObject, asText, isObject } from '../../core/untyped.ts'
import { instantOf } from '../clock.ts'
import { countryCode, definitionOf } from '../facts.ts'
import {
  type DraftCondition,
  type DraftLeaf,
  draftCondition,
  kindOf,
  leavesOf,
  toCondition,
  validCondition,
  valuesOf,
} from './conditions.ts'

// Draft policies: their form fields, complete or not, and the conversion from and to policies.

export type DraftTab = Record<keyof Tab, string>

/** An open rule, of which each part is a form field. */
export interface OpenRule {
  /** `''` for a new rule. */
  id: string
  name: string
  showBadge: boolean | undefined
  when: DraftCondition
  base: Base
  /** The URLs of the bundle that a rule that follows it leaves out. */
  omit: string[]
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

/** Rules with more conditions are unwieldy as form fields: they are edited as JSON. */
const MAX_OPEN_CONDITIONS = 200
const MAX_OPEN_TABS = 50

export function toPolicy({ rules }: Draft): { version: 1; rules: unknown[] } {
  return { version: 1, rules: rules.map(toRule) }
}

/** One rule in the form in which it is sent. */
export function toRule(rule: DraftRule): unknown {
  if ('json' in rule) return rule.json
  const { id, name, showBadge, when, base, omit, tabs } = rule
  return {
    ...(id === '' ? {} : { id }),
    name,
    ...(showBadge === undefined ? {} : { showBadge }),
    when: toCondition(when),
    ...(base === 'none' ? {} : { base, ...(omit.length === 0 ? {} : { omit }) }),
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
  const { id, name, showBadge, when, base, omit, tabs } = asObject(rule.json)
  return {
    id: asText(id),
    name: asText(name),
    showBadge: typeof showBadge === 'boolean' ? showBadge : undefined,
    when: draftCondition(when),
    base: base === 'bundle' ? base : 'none',
    omit: asList(omit).map(asText),
    tabs: asList(tabs).map((tab) => draftTab(asObject(tab))),
  }
}

/** The form’s texts for a tab, `''` for each missing one. Accepts any JSON object. */
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

/** Whether a rule can be edited as fields: without loss, and not too large. */
export function canOpen(rule: DraftRule): boolean {
  if (!('json' in rule)) return true
  const draft = toOpenRule(rule)
  if (leavesOf(draft.when, []).length > MAX_OPEN_CONDITIONS || draft.tabs.length > MAX_OPEN_TABS) return false
  return isDeepStrictEqual(toRule(draft), plainRule(rule.json))
}

/** Drops empty notes, an empty list of links left out, and the base `none`: neither the form nor a viewer can tell them from none. */
export function plainRule(rule: unknown): unknown {
  if (!isObject(rule) || !Array.isArray(rule.tabs)) return rule
  const { base, omit, tabs, ...rest } = rule
  return {
    ...rest,
    ...(base === undefined || base === 'none' ? {} : { base }),
    ...(omit === undefined || (Array.isArray(omit) && omit.length === 0) ? {} : { omit }),
    tabs: tabs.map((tab) => {
      if (!isObject(tab) || tab.note !== '') return tab
      const { note: _, ...rest } = tab
      return rest
    }),
  }
}

/**
 * Parts of a draft's open rules that are incomplete although the API would accept them: comparisons with nothing, and values that
 * no viewer has. JSON may contain them (lint warns); in a form they are always mistakes.
 */
export function unfinishedIn({ rules }: Draft, variables: readonly Variable[]): Issue[] {
  const leaves = rules.flatMap((rule, at) =>
    'json' in rule ? [] : leavesOf(rule.when, ['resolutionPolicy', 'rules', at, 'when']),
  )
  return leaves.flatMap(([leaf, path]) =>
    leaf.topic === 'query' ? onVariable(leaf, path, variables) : inLeaf(leaf, path),
  )
}

function onVariable({ name, op, value }: DraftLeaf, path: Path, variables: readonly Variable[]): Issue[] {
  const variable = variables.find((known) => known.name === name)
  // An empty value counts as none, which is the subject of `exists`.
  if (variable === undefined || op !== 'equals' || value.trim() !== '') return []
  return [{ path: [...path, 'value'], reason: { code: variable.options === undefined ? 'empty_text' : 'not_chosen' } }]
}

function inLeaf({ topic, op, value }: DraftLeaf, path: Path): Issue[] {
  if (topic === '' || kindOf(topic) !== 'field') return []
  if (op !== 'equals' && op !== 'in') return []
  const fact = topic as Fact
  const isList = op === 'in'
  const place = [...path, isList ? 'values' : 'value']
  const hasChoices = fact === 'country' || definitionOf(fact)?.values !== undefined
  if (!isList && value.trim() === '')
    return [{ path: place, reason: { code: hasChoices ? 'not_chosen' : 'empty_text' } }]
  const unknown = (isList ? valuesOf(value) : [value]).find((one) => !isKnown(fact, one))
  if (unknown === undefined) return []
  const found = { value: unknown, isListed: isList }
  if (fact === 'country') return [{ path: place, reason: { code: 'no_country', ...found } }]
  return [{ path: place, reason: { code: 'no_such_value', values: definitionOf(fact)?.values ?? [], ...found } }]
}

function isKnown(fact: Fact, value: string): boolean {
  if (fact === 'country') return countryCode(value) !== null
  const { values } = definitionOf(fact) ?? {}
  return values === undefined || values.includes(value.toLowerCase())
}

/** The tester's fields. */
const VIEWER_FIELDS = ['signedIn', ...FACTS, 'query', 'now', 'zone'] as const

/** The tester's texts, as typed; `''` for an empty field. */
export type TestTexts = Readonly<Record<(typeof VIEWER_FIELDS)[number], string>>

/** The tester's viewer. */
export interface TestViewer extends TestTexts {
  /** The values that the viewer fills in, by variable name. */
  values: ReadonlyMap<string, string>
}

/** The example viewers for whom rules are tested. */
export type People = Readonly<Record<'me' | 'colleague' | 'phone', TestViewer>>

/** The example viewer that a viewer equals, whatever values they fill in. */
export function personIn(people: People, viewer: TestViewer): keyof People | null {
  const isSame = (one: TestViewer) => VIEWER_FIELDS.every((name) => one[name] === viewer[name])
  return (Object.keys(people) as (keyof People)[]).find((name) => isSame(people[name])) ?? null
}

/** Builds a viewer by reading each field by name. */
export function testViewer(textOf: (field: keyof TestTexts) => string, values: TestViewer['values']): TestViewer {
  return { ...(Object.fromEntries(VIEWER_FIELDS.map((name) => [name, textOf(name)])) as TestTexts), values }
}

/** The tester's fields in the form for `preview_policy`. */
export function viewerInput({ signedIn, query, values, referrerDomain, now, zone, ...facts }: TestViewer) {
  const filled = [...values].filter(([, value]) => value.trim() !== '')
  return {
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== '')),
    ...(signedIn === 'true' ? { signedIn: true } : {}),
    ...(query === '' && filled.length === 0 ? {} : { query: { ...queryOf(query), ...Object.fromEntries(filled) } }),
    ...(referrerDomain === '' ? {} : { referrerDomain: domainIn(referrerDomain) }),
    ...(now === '' ? {} : { now: instantOf(now, zone || 'UTC') }),
  }
}

/** The first value with a name counts, as in a link. */
function queryOf(text: string): Record<string, string> {
  const pairs = [...new URLSearchParams(text.slice(text.indexOf('?') + 1))]
  return Object.fromEntries(pairs.reverse())
}

/** Reduces a pasted referrer URL to its domain. */
function domainIn(text: string): string {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).hostname : text
}
