import type { Condition, Rule, Tab } from '../../db/policy.ts'
import type { Content as Stored } from '../../db/schema.ts'
import { CHOICE_NAMES, each, type ScalarName, SWITCH_NAMES, TEXT_NAMES, TIME_NAMES } from './content.ts'
import type { Kind } from './kinds.ts'
import { type Link, wholeLink } from './link-fields.ts'
import { type Changes, changesOf, diffLists, type Entry, type MatchKeys } from './list-diff.ts'
import { textOf } from './values.ts'
import { type WholeVariable, wholeVariable } from './variables.ts'

/** Content to compare. Its rules need no ids, so that drafts can be compared. */
export type Content = {
  [Name in keyof Stored]: Name extends 'resolutionPolicy' ? ComparablePolicy | null : Readonly<Stored[Name]>
}

interface ComparablePolicy {
  rules: readonly (Omit<Rule, 'id' | 'tabs'> & { id?: string | undefined; tabs: readonly Tab[] })[]
}

/** A rule; `id` is `''` if it was never saved. */
export interface RuleState {
  id: string
  name: string
  showBadge: boolean
  when: Condition
  /** With the default of each field that tabs do not have. */
  tabs: readonly Link[]
}

/** The differences between two states of a bundle, sufficient to turn the first into the second. */
export interface BundleDiff {
  /** Of the fields that are one value, as texts. */
  fields: Changes<Record<ScalarName, string>>
  links: Entry<Link>[]
  variables: Entry<WholeVariable>[]
  rules: Entry<RuleState>[]
}

/**
 * Compares two states of a bundle. Matches links by URL wherever they moved, and links edited in place by host or note;
 * rules by id, then by name. Equivalent states are equal: no note and an empty one, no policy and one without rules.
 */
export function diff(before: Content, after: Content): BundleDiff {
  return {
    fields: {
      ...DIFFS.text(before, after),
      ...DIFFS.time(before, after),
      ...DIFFS.choice(before, after),
      ...DIFFS.switch(before, after),
    },
    links: DIFFS.links(before, after),
    variables: DIFFS.variables(before, after),
    rules: DIFFS.rules(before, after),
  }
}

/** How each kind of content is compared. */
const DIFFS = {
  text: (before: Content, after: Content) => changesOf(valuesOf(TEXT_NAMES, before), valuesOf(TEXT_NAMES, after)),
  time: (before: Content, after: Content) => changesOf(valuesOf(TIME_NAMES, before), valuesOf(TIME_NAMES, after)),
  choice: (before: Content, after: Content) => changesOf(valuesOf(CHOICE_NAMES, before), valuesOf(CHOICE_NAMES, after)),
  switch: (before: Content, after: Content) => changesOf(valuesOf(SWITCH_NAMES, before), valuesOf(SWITCH_NAMES, after)),
  links: (before: Content, after: Content) => diffLinks(linksOf(before), linksOf(after)),
  variables: (before: Content, after: Content) => diffLists(variablesOf(before), variablesOf(after), VARIABLE),
  rules: (before: Content, after: Content) => diffLists(rulesOf(before), rulesOf(after), RULE),
} satisfies Record<Kind, unknown>

/** The same for two lists of links, such as a rule’s tabs. */
export function diffLinks(before: readonly Link[], after: readonly Link[]): Entry<Link>[] {
  return diffLists(before, after, LINK)
}

/** The text for two equal states. */
export const NO_DIFFERENCES = 'No differences.'

/** Whether two states are equal. */
export function isSame(diff: BundleDiff): boolean {
  return Object.values(diff).every((part) => Object.keys(part).length === 0)
}

export const LINK: MatchKeys<Link> = {
  // Duplicates of a URL are matched by their metadata first.
  same: [(link) => JSON.stringify(link), ({ url }) => url],
  similar: [({ note }) => (note === '' ? null : note), ({ url }) => (URL.canParse(url) ? new URL(url).host : null)],
}

export const VARIABLE: MatchKeys<WholeVariable> = {
  same: [({ name }) => name],
  similar: [({ name: _, ...fields }) => JSON.stringify(fields)],
}

export const RULE: MatchKeys<RuleState> = {
  same: [({ id }) => (id === '' ? null : id), ({ name }) => name],
  similar: [({ when, tabs }) => JSON.stringify([when, tabs])],
}

function valuesOf<Name extends ScalarName>(names: readonly Name[], content: Content) {
  return each(names, (name) => textOf(content[name]))
}

/** The links of a state. */
export function linksOf({ urls, urlMetadata }: Pick<Content, 'urls' | 'urlMetadata'>): Link[] {
  return urls.map((url, at) => wholeLink(url, urlMetadata[at]))
}

/** The variables of a state. */
export function variablesOf({ variables }: Pick<Content, 'variables'>): WholeVariable[] {
  return variables.map(wholeVariable)
}

export function rulesOf({ resolutionPolicy }: Pick<Content, 'resolutionPolicy'>): RuleState[] {
  return (resolutionPolicy?.rules ?? []).map(({ id = '', name, showBadge = false, when, tabs }) => ({
    id,
    name,
    showBadge,
    when,
    tabs: tabs.map(({ url, ...metadata }) => wholeLink(url, metadata)),
  }))
}
