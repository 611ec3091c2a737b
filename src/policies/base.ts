import type { Base, Policy, Rule, Tab } from '../../db/policy.ts'
import type { Content, UrlMetadata } from '../../db/schema.ts'
import type { Issue } from '../core/issue.ts'
import { invalid } from '../core/problem.ts'
import { isObject } from '../core/untyped.ts'

// The tabs of rules that follow their bundle: its own as they are now, less some, and then those of the rule.

/** A bundle's own links. */
export type Own = Readonly<{ urls: readonly string[]; urlMetadata: readonly UrlMetadata[] }>

export const NO_LINKS: Own = { urls: [], urlMetadata: [] }

/** A tab as viewers get it: one of the bundle has all fields of a link. */
export type ShownTab = Tab & UrlMetadata

/** A rule with the tabs that its viewers get. */
export type ShownRule = Pick<Rule, 'id' | 'name' | 'showBadge'> & { tabs: readonly ShownTab[] }

/** The parts of a rule that decide its tabs, saved or not. */
export interface Based {
  base?: Base | undefined
  omit?: readonly string[] | undefined
}

export function follows({ base }: Based): boolean {
  return base === 'bundle'
}

/** The places of the bundle's links that a rule begins with. */
export function placesIn(rule: Based, urls: readonly string[]): number[] {
  if (!follows(rule)) return []
  const { omit = [] } = rule
  return [...urls.keys()].filter((at) => !omit.includes(urls[at]!))
}

/** The bundle's own tabs, for rules to share. */
export function ownTabsOf({ urls, urlMetadata }: Own): ShownTab[] {
  return urls.map((url, at) => ({ ...urlMetadata[at], url }))
}

/** The tabs that viewers of a rule get. @param own the bundle's. */
export function shownTabs(rule: Based & Pick<Rule, 'tabs'>, own: readonly ShownTab[]): readonly ShownTab[] {
  if (!follows(rule)) return rule.tabs
  const { omit = [], tabs } = rule
  return [...own.filter(({ url }) => !omit.includes(url)), ...tabs]
}

/** Whether a rule leaves its viewers no tab, so that the next rule is tried. */
export function isEmptied(rule: Based & { tabs: readonly unknown[] }, urls: readonly string[]): boolean {
  return rule.tabs.length === 0 && placesIn(rule, urls).length === 0
}

/** Refuses a sent policy with a rule that would leave no tab. @throws Problem BAD_REQUEST. */
export function refuseEmptiedRules(
  { rules }: { rules: readonly (Based & { tabs: readonly unknown[] })[] },
  urls: readonly string[],
): void {
  const issues = rules.flatMap((rule, at): Issue[] =>
    isEmptied(rule, urls)
      ? [{ path: ['resolutionPolicy', 'rules', at, 'tabs'], reason: { code: 'leaves_no_tab' } }]
      : [],
  )
  if (issues.length > 0) throw invalid(issues)
}

/**
 * Rules of a file, not validated yet, without those that leave no tab: an export has them where an edit of the links emptied them,
 * and nobody may send them.
 * @returns the names of those left out too; no policy if none is left.
 */
export function withoutEmptied(policy: unknown, urls: readonly string[]): { policy: unknown; names: string[] } {
  const rules: unknown = isObject(policy) ? policy.rules : undefined
  if (!isObject(policy) || !Array.isArray(rules)) return { policy, names: [] }
  const emptied = rules.filter((rule) => isRule(rule) && follows(rule) && isEmptied(rule, urls))
  if (emptied.length === 0) return { policy, names: [] }
  const left = rules.filter((rule) => !emptied.includes(rule))
  return {
    policy: left.length === 0 ? undefined : { ...policy, rules: left },
    names: emptied.map(({ name }) => String(name)),
  }
}

function isRule(rule: unknown): rule is Based & { tabs: readonly unknown[] } {
  if (!isObject(rule) || !Array.isArray(rule.tabs)) return false
  return rule.omit === undefined || Array.isArray(rule.omit)
}

/** Content with rules that fit its links: what they leave out is a link of the bundle, and named once. */
export function withFittingRules<Some extends Pick<Content, 'urls' | 'resolutionPolicy'>>(content: Some): Some {
  const { urls, resolutionPolicy } = content
  if (resolutionPolicy === null || resolutionPolicy.rules.every(({ omit }) => isFit(omit, urls))) return content
  return { ...content, resolutionPolicy: fitted(resolutionPolicy, urls) }
}

function fitted(policy: Policy, urls: readonly string[]): Policy {
  const rules = policy.rules.map((rule) =>
    isFit(rule.omit, urls) ? rule : { ...rule, omit: [...new Set(rule.omit)].filter((url) => urls.includes(url)) },
  )
  return { ...policy, rules }
}

function isFit(omit: readonly string[] | undefined, urls: readonly string[]): boolean {
  return omit === undefined || omit.every((url, at) => urls.includes(url) && omit.indexOf(url) === at)
}

/** Rules with the links that they leave out changed, as the bundle's are. */
export function withOmits<Some extends { rules: readonly Based[] }>(
  policy: Some,
  change: (url: string) => string,
): Some {
  const rules = policy.rules.map((rule) => (rule.omit === undefined ? rule : { ...rule, omit: rule.omit.map(change) }))
  return { ...policy, rules }
}
