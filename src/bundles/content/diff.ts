import type { Base, Condition, Rule, Tab } from '../../../db/policy.ts'
import type { Content as Stored } from '../../../db/schema.ts'
import { type Link, wholeLink } from '../links/link-fields.ts'
import { type WholeVariable, wholeVariable } from '../variables/variables.ts'
import {
  CHOICE_NAMES,
  each,
  type Kind,
  type ScalarName,
  SWITCH_NAMES,
  TEXT_NAMES,
  TIME_NAMES,
  textOf,
} from './content.ts'

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
  base: Base
  omit: readonly string[]
  /** Tabs as whole links: fields that tabs do not have are the defaults. */
  tabs: readonly Link[]
}

/** The differences between two states of a bundle, sufficient to turn the first into the second. */
export interface BundleDiff {
  /** Changes in the scalar fields, as texts. */
  fields: Changes<Record<ScalarName, string>>
  links: Entry<Link>[]
  variables: Entry<WholeVariable>[]
  rules: Entry<RuleState>[]
}

/**
 * Compares two states of a bundle. Links match by URL wherever they moved, and links edited in place by note or host; rules
 * match by id, then by name. Equivalent states are equal: no note and an empty one, no policy and one without rules.
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

/** Compares two lists of links, such as a rule’s tabs. */
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
  // Links with the same URL are matched by their metadata first.
  same: [(link) => JSON.stringify(link), ({ url }) => url],
  similar: [({ note }) => (note === '' ? null : note), ({ url }) => (URL.canParse(url) ? new URL(url).host : null)],
}

export const VARIABLE: MatchKeys<WholeVariable> = {
  same: [({ name }) => name],
  similar: [({ name: _, ...fields }) => JSON.stringify(fields)],
}

export const RULE: MatchKeys<RuleState> = {
  same: [({ id }) => (id === '' ? null : id), ({ name }) => name],
  similar: [({ when, base, omit, tabs }) => JSON.stringify([when, base, omit, tabs])],
}

function valuesOf<Name extends ScalarName>(names: readonly Name[], content: Content) {
  return each(names, (name) => textOf(content[name]))
}

/** The links in a state of a bundle, with all their fields. */
export function linksOf({ urls, urlMetadata }: Pick<Content, 'urls' | 'urlMetadata'>): Link[] {
  return urls.map((url, at) => wholeLink(url, urlMetadata[at]))
}

/** The variables in a state of a bundle, with all their fields. */
export function variablesOf({ variables }: Pick<Content, 'variables'>): WholeVariable[] {
  return variables.map(wholeVariable)
}

export function rulesOf({ resolutionPolicy }: Pick<Content, 'resolutionPolicy'>): RuleState[] {
  return (resolutionPolicy?.rules ?? []).map(
    ({ id = '', name, showBadge = false, when, base = 'none', omit = [], tabs }) => ({
      id,
      name,
      showBadge,
      when,
      base,
      omit,
      tabs: tabs.map(({ url, ...metadata }) => wholeLink(url, metadata)),
    }),
  )
}

/** The old and new value of each field that differs. */
export type Changes<T> = { [Field in keyof T]?: { from: T[Field]; to: T[Field] } }

/** An entry that differs between two lists. Positions start at 0. */
export type Entry<T> =
  | { kind: 'added'; to: number; value: T }
  | { kind: 'removed'; from: number; value: T }
  /** `value` is the new entry; `isMoved` if its order among the entries in both lists changed. */
  | { kind: 'kept'; from: number; to: number; isMoved: boolean; value: T; changes: Changes<T> }

/** Computes a key for matching an entry; null if it has none. */
type Key<T> = (entry: T) => string | null

/** The keys by which entries of two lists are matched; the first that matches wins. */
export interface MatchKeys<T> {
  /** Matches anywhere in the list. */
  same: readonly Key<T>[]
  /** Matches only between the same neighbours: entries edited in place. */
  similar: readonly Key<T>[]
}

/**
 * The differences between two lists in reading order: the order of `after`, with removed entries where they were. As few
 * entries as possible are reported as moved. Entries must be plain data with a fixed order of fields.
 */
function diffLists<T extends object>(before: readonly T[], after: readonly T[], keys: MatchKeys<T>): Entry<T>[] {
  // Most edits change few lists.
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const origins = originsOf(before, after, keys)
  const unmoved = longestIncreasing(origins)
  const kept = new Set(origins)
  const removed = before
    .map((value, from) => ({ kind: 'removed' as const, from, value }))
    .filter(({ from }) => !kept.has(from))
  /** Positions in `before` of the unmoved entries: removed entries above one are listed first. */
  const next = [...unmoved].sort((one, other) => one - other).map((to) => origins[to]!)
  const entries: Entry<T>[] = []
  const passRemoved = () => {
    const until = next.shift() ?? before.length
    while (removed.length > 0 && removed[0]!.from < until) entries.push(removed.shift()!)
  }
  passRemoved()
  for (const [to, value] of after.entries()) {
    const from = origins[to]!
    const isMoved = !unmoved.has(to)
    const changes = from === -1 ? {} : changesOf(before[from]!, value)
    if (from === -1) entries.push({ kind: 'added', to, value })
    else if (isMoved || Object.keys(changes).length > 0) {
      entries.push({ kind: 'kept', from, to, isMoved, value, changes })
    }
    if (!isMoved) passRemoved()
  }
  return entries
}

/** For each position in `after`, the position of the same entry in `before`, or -1. */
export function originsOf<T>(before: readonly T[], after: readonly T[], { same, similar }: MatchKeys<T>): number[] {
  const origins = after.map(() => -1)
  for (const key of same) pair(origins, before.map(key), after.map(key))
  const gaps = gapsBetween(before.length, origins)
  const within = (key: Key<T>, places: readonly number[]) => (entry: T, at: number) => {
    const is = key(entry)
    return is === null ? null : `${places[at]} ${is}`
  }
  for (const key of similar) pair(origins, before.map(within(key, gaps.before)), after.map(within(key, gaps.after)))
  return origins
}

/** The fields in which two objects differ. */
function changesOf<T extends object>(before: T, after: T): Changes<T> {
  const changes: Changes<T> = {}
  for (const field of Object.keys(after) as (keyof T)[]) {
    const [from, to] = [before[field], after[field]]
    if (JSON.stringify(from) !== JSON.stringify(to)) changes[field] = { from, to }
  }
  return changes
}

/** Pairs unpaired entries with equal keys, in order. */
function pair(origins: number[], before: readonly (string | null)[], after: readonly (string | null)[]): void {
  const taken = new Set(origins)
  const free = new Map<string, number[]>()
  for (const [at, key] of before.entries()) {
    if (key === null || taken.has(at)) continue
    const places = free.get(key)
    if (places === undefined) free.set(key, [at])
    else places.push(at)
  }
  for (const [at, key] of after.entries()) {
    if (key !== null && origins[at] === -1) origins[at] = free.get(key)?.shift() ?? -1
  }
}

/** For each position in each list, the number of unmoved common entries up to it. */
function gapsBetween(length: number, origins: readonly number[]): { before: number[]; after: number[] } {
  const unmoved = longestIncreasing(origins)
  const anchors = new Set([...unmoved].map((to) => origins[to]!))
  let gap = 0
  const before = Array.from({ length }, (_, at) => (anchors.has(at) ? ++gap : gap))
  gap = 0
  return { before, after: origins.map((_, at) => (unmoved.has(at) ? ++gap : gap)) }
}

/** The positions of a longest increasing subsequence, ignoring negative numbers. */
function longestIncreasing(numbers: readonly number[]): Set<number> {
  /** For each length, the position of the smallest number that ends an increasing subsequence. */
  const ends: number[] = []
  const previous = new Map<number, number | undefined>()
  for (const [at, number] of numbers.entries()) {
    if (number < 0) continue
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (numbers[ends[middle]!]! < number) low = middle + 1
      else high = middle
    }
    previous.set(at, ends[low - 1])
    ends[low] = at
  }
  const rise = new Set<number>()
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) rise.add(at)
  return rise
}
