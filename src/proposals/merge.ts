import type { Condition } from '../../db/policy.ts'
import type { ProposedChanges } from '../../db/schema.ts'
import {
  BOUNDS,
  CONTENT,
  PROPOSABLE_NAMES,
  type ProposableName,
  textOf as textOfScalar,
} from '../bundles/content/content.ts'
import {
  type Content,
  LINK,
  linksOf,
  type MatchKeys,
  originsOf,
  RULE,
  type RuleState,
  rulesOf,
  VARIABLE,
  variablesOf,
} from '../bundles/content/diff.ts'
import { Variables } from '../bundles/content/shapes.ts'
import { LINK_NAMES, type Link, metadataOf, plainMarksOf, tabOf } from '../bundles/links/link-fields.ts'
import { variableOf, type WholeVariable } from '../bundles/variables/variables.ts'
import { isSame } from '../core/json.ts'
import { validate } from '../operations/validate.ts'
import { Policy } from '../policies/shapes.ts'

/** The list fields of an edit, merged entry by entry. */
type ListField = 'links' | 'variables' | 'rules'

/** Something that a proposal and the newest version changed differently. */
export interface Conflict {
  /** The field of an edit that decides it. */
  field: ListField | ProposableName
  /** Where it is, in words for people. */
  path: string
  /** Texts as they are, other values as JSON; null for none. */
  base: string | null
  newest: string | null
  proposed: string | null
  /** The conditions of a rule, for pages to put into words. */
  conditions?: Record<'base' | 'newest' | 'proposed', Condition>
}

/** What accepting a proposal would change in the newest version. */
interface Merge {
  /** The changes without conflicts. */
  changes: ProposedChanges
  conflicts: Conflict[]
}

/** Merges a proposal onto the newest version, link by link and field by field. */
export function merge(base: Content, newest: Content, proposed: Content): Merge {
  const merges = [
    mergedValues(base, newest, proposed),
    mergedLinks(base, newest, proposed),
    mergedVariables(base, newest, proposed),
    mergedRules(base, newest, proposed),
  ]
  const conflicts = merges.flatMap((part) => part.conflicts)
  return { changes: Object.assign({}, ...merges.map(({ changes }) => changes)), conflicts }
}

function mergedValues(base: Content, newest: Content, proposed: Content): Merge {
  const made: Merge = { changes: {}, conflicts: [] }
  const clash = (name: ProposableName) => {
    const text = (content: Content) => textOfScalar(content[name]) || null
    const texts = { base: text(base), newest: text(newest), proposed: text(proposed) }
    made.conflicts.push({ field: name, path: CONTENT[name].label, ...texts })
  }
  for (const name of PROPOSABLE_NAMES) {
    const [was, is, wanted] = [base[name], newest[name], proposed[name]]
    if (wanted === was || wanted === is) continue
    if (is === was) Object.assign(made.changes, { [name]: wanted })
    else clash(name)
  }
  const { opensAt, closesAt } = { ...newest, ...made.changes }
  if (opensAt !== null && closesAt !== null && opensAt >= closesAt) {
    // Each side is fine, but together the bundle would close before it opens.
    for (const name of ['opensAt', 'closesAt'] as const) {
      if (made.changes[name] === undefined) continue
      delete made.changes[name]
      clash(name)
    }
  }
  return made
}

function mergedLinks(...contents: [base: Content, newest: Content, proposed: Content]): Merge {
  const [base, newest, proposed] = contents.map(linksOf) as [Link[], Link[], Link[]]
  const { value, clashes } = mergeLists(base, newest, proposed, { ...LINK, nameOf: ({ url }) => url })
  const conflicts = clashes.map((clash) => conflict('links', clash))
  const isFit = value.length > 0 && value.length <= BOUNDS.urls
  if (!isFit) {
    const count = (links: readonly Link[]) => `${links.length} links`
    const sides = { base: count(base), newest: count(newest), proposed: count(proposed) }
    conflicts.push({ field: 'links', path: `Links (${value.length} together, of 1 to ${BOUNDS.urls})`, ...sides })
  }
  if (!isFit || isSame(value, newest)) return { changes: {}, conflicts }
  return { changes: { urls: value.map(({ url }) => url), urlMetadata: value.map(metadataOf) }, conflicts }
}

function mergedVariables(...contents: [base: Content, newest: Content, proposed: Content]): Merge {
  const [base, newest, proposed] = contents.map(variablesOf) as [WholeVariable[], WholeVariable[], WholeVariable[]]
  const { value, clashes } = mergeLists(base, newest, proposed, { ...VARIABLE, nameOf: ({ name }) => name })
  const conflicts = clashes.map((clash) => conflict('variables', clash))
  if (isSame(value, newest)) return { changes: {}, conflicts }
  const variables = value.map(variableOf)
  if (isValid(Variables, variables)) return { changes: { variables }, conflicts }
  const names = (list: readonly WholeVariable[]) => list.map(({ name }) => name).join(', ') || null
  const sides = { base: names(base), newest: names(newest), proposed: names(proposed) }
  return { changes: {}, conflicts: [...conflicts, { field: 'variables', path: 'Variables (together)', ...sides }] }
}

function mergedRules(...contents: [base: Content, newest: Content, proposed: Content]): Merge {
  const [base, newest, proposed] = contents.map(rulesOf) as [RuleState[], RuleState[], RuleState[]]
  const tabs = { ...LINK, nameOf: ({ url }: Link) => url }
  const { value, clashes } = mergeLists(base, newest, proposed, {
    ...RULE,
    nameOf: ({ name }) => name,
    merge(field, sides): Merged<unknown> | null {
      if (field === 'omit') return { value: mergedOmits(sides as Record<keyof typeof sides, string[]>), clashes: [] }
      if (field !== 'tabs') return null
      return mergeLists(sides.base as Link[], sides.newest as Link[], sides.proposed as Link[], tabs)
    },
  })
  const conflicts = clashes.map((clash) => conflict('rules', clash))
  if (isSame(value, newest)) return { changes: {}, conflicts }
  const resolutionPolicy = value.length === 0 ? null : { version: 1 as const, rules: value.map(toRule) }
  if (resolutionPolicy !== null && !isValid(Policy, resolutionPolicy)) {
    const names = (rules: readonly RuleState[]) => JSON.stringify(rules.map(({ name }) => name))
    const sides = { base: names(base), newest: names(newest), proposed: names(proposed) }
    return { changes: {}, conflicts: [...conflicts, { field: 'rules', path: 'Rules (together)', ...sides }] }
  }
  return { changes: { resolutionPolicy }, conflicts }
}

/** The links that a rule leaves out, with those that either side added and without those that either put back. */
function mergedOmits({ base, newest, proposed }: Record<'base' | 'newest' | 'proposed', readonly string[]>): string[] {
  const kept = newest.filter((url) => !base.includes(url) || proposed.includes(url))
  return [...kept, ...proposed.filter((url) => !base.includes(url) && !newest.includes(url))]
}

/** Whether a merged list is valid. Each side is, but together they may be too long, or two entries may have the same name. */
function isValid(shape: Parameters<typeof validate>[0], value: unknown): boolean {
  try {
    validate(shape, value)
    return true
  } catch {
    return false
  }
}

/** The content field for each list field. */
const NAMED = { links: 'urls', variables: 'variables', rules: 'resolutionPolicy' } as const

function conflict(field: ListField, { at, base, newest, proposed }: Clash): Conflict {
  const path = [CONTENT[NAMED[field]].label, ...(at.length === 0 ? ['order'] : at)]
  const texts = { base: textOf(base), newest: textOf(newest), proposed: textOf(proposed) }
  const isCondition = field === 'rules' && at.length === 2 && at[1] === 'when' && base !== undefined
  const conditions = { base, newest, proposed } as NonNullable<Conflict['conditions']>
  return { field, path: path.join(' › '), ...texts, ...(isCondition ? { conditions } : {}) }
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === '') return null
  if (typeof value === 'string') return value
  if (isTexts(value)) return value.length === 0 ? null : value.join(', ')
  if (isLink(value)) {
    const { url, note, section, tags } = value
    return [url, note, section, ...tags, ...plainMarksOf(value)].filter((text) => text !== '').join(' · ')
  }
  return JSON.stringify(value)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isLink(value: unknown): value is Link {
  return value !== null && typeof value === 'object' && LINK_NAMES.every((name) => name in value)
}

function toRule({ id, name, showBadge, when, base, omit, tabs }: RuleState) {
  return {
    ...(id === '' ? {} : { id }),
    name,
    ...(showBadge ? { showBadge } : {}),
    when,
    ...(base === 'none' ? {} : { base }),
    ...(omit.length === 0 ? {} : { omit: [...omit] }),
    tabs: tabs.map(tabOf),
  }
}

/** Something that both sides changed differently. A side is `undefined` if it removed it, or the base never had it. */
interface Clash {
  /** The path in the list: an entry's name, then its field; empty for the order of the entries. */
  at: readonly string[]
  base: unknown
  newest: unknown
  proposed: unknown
}

/** How entries of a list are merged. */
interface Entries<T> extends MatchKeys<T> {
  /** The name of an entry in a conflict. */
  nameOf(entry: T): string
  /** Merges one field that both sides changed; null if it is a conflict. */
  merge?: (field: keyof T, sides: { [Side in 'base' | 'newest' | 'proposed']: unknown }) => Merged<unknown> | null
}

interface Merged<T> {
  /** The merged value, with the newest state wherever the sides clash. */
  value: T
  clashes: Clash[]
}

/** An entry of the merged list, with its position on each side; null if that side does not have it. */
interface Node<T> {
  value: T
  newest: number | null
  proposed: number | null
}

/**
 * Merges two lists with a common base: entries that only one side changed, added, removed or moved are taken from that side.
 * Entries must be plain data with a fixed order of fields.
 */
function mergeLists<T extends object>(
  base: readonly T[],
  newest: readonly T[],
  proposed: readonly T[],
  entries: Entries<T>,
): Merged<T[]> {
  const clashes: Clash[] = []
  const [inNewest, inProposed] = [placesIn(base, newest, entries), placesIn(base, proposed, entries)]
  const nodes: Node<T>[] = []
  for (const [at, value] of base.entries()) {
    const [here, there] = [inNewest.of[at] ?? null, inProposed.of[at] ?? null]
    if (here !== null && there !== null) {
      const merged = mergeEntry({ base: value, newest: newest[here]!, proposed: proposed[there]! }, entries)
      clashes.push(...merged.clashes)
      nodes.push({ value: merged.value, newest: here, proposed: there })
    } else if (here !== null && !isSame(newest[here], value)) {
      clashes.push({ at: [entries.nameOf(value)], base: value, newest: newest[here], proposed: undefined })
      nodes.push({ value: newest[here]!, newest: here, proposed: null })
    } else if (there !== null && !isSame(proposed[there], value)) {
      clashes.push({ at: [entries.nameOf(value)], base: value, newest: undefined, proposed: proposed[there] })
    }
  }
  // Entries that both sides added are added once.
  const [ours, theirs] = [inNewest.added, inProposed.added]
  const twins = originsOf(
    ours.map((at) => newest[at]!),
    theirs.map((at) => proposed[at]!),
    { same: entries.same, similar: [] },
  )
  for (const [index, at] of ours.entries()) {
    const twin = theirs[twins.indexOf(index)]
    const only = { value: newest[at]!, clashes: [] }
    const merged = twin === undefined ? only : mergeEntry({ newest: only.value, proposed: proposed[twin]! }, entries)
    clashes.push(...merged.clashes)
    nodes.push({ value: merged.value, newest: at, proposed: twin ?? null })
  }
  for (const [index, at] of theirs.entries()) {
    if (twins[index] === -1) nodes.push({ value: proposed[at]!, newest: null, proposed: at })
  }
  const { main, isClash } = orderOf(nodes, inNewest.of, inProposed.of)
  if (isClash) clashes.push({ at: [], base: names(base), newest: names(newest), proposed: names(proposed) })
  return { value: inOrder(nodes, main).map(({ value }) => value), clashes }

  function names(list: readonly T[]): string[] {
    return list.map((entry) => entries.nameOf(entry))
  }
}

/** The positions of the base's entries in a later list, and the positions of new entries there. */
function placesIn<T>(base: readonly T[], later: readonly T[], keys: MatchKeys<T>) {
  const of = new Map<number, number>()
  const added: number[] = []
  for (const [at, origin] of originsOf(base, later, keys).entries()) {
    if (origin === -1) added.push(at)
    else of.set(origin, at)
  }
  return { of: base.map((_, at) => of.get(at)), added }
}

/** Merges one entry field by field; without a base, an entry that both sides added. */
function mergeEntry<T extends object>(
  { base, newest, proposed }: { base?: T; newest: T; proposed: T },
  { nameOf, merge }: Entries<T>,
): Merged<T> {
  const value = { ...newest }
  const clashes: Clash[] = []
  for (const field of Object.keys(newest) as (keyof T & string)[]) {
    const sides = { base: base?.[field], newest: newest[field], proposed: proposed[field] }
    if (isSame(sides.newest, sides.proposed) || isUnchanged(base, sides.base, sides.proposed)) continue
    if (isUnchanged(base, sides.base, sides.newest)) {
      value[field] = proposed[field]
      continue
    }
    const within = base === undefined ? null : (merge?.(field, sides) ?? null)
    const at = [nameOf(base ?? newest), field]
    if (within === null) clashes.push({ at, ...sides })
    else {
      value[field] = within.value as T[typeof field]
      clashes.push(...within.clashes.map((clash) => ({ ...clash, at: [...at, ...clash.at] })))
    }
  }
  return { value, clashes }
}

/** Whether a side has the base's value of a field; without a base, whether it leaves the field empty. */
function isUnchanged(base: object | undefined, before: unknown, now: unknown): boolean {
  return base === undefined ? now === '' || isSame(now, []) : isSame(before, now)
}

/** The side whose order the entries that both kept get: the one that moved any. */
function orderOf<T>(
  nodes: readonly Node<T>[],
  inNewest: readonly (number | undefined)[],
  inProposed: readonly (number | undefined)[],
): { main: 'newest' | 'proposed'; isClash: boolean } {
  const kept = inNewest.flatMap((here, at) => {
    const there = inProposed[at]
    return here === undefined || there === undefined ? [] : [{ here, there }]
  })
  const [byNewest, byProposed] = [sorted(kept, 'here'), sorted(kept, 'there')]
  const [isOurs, isTheirs] = [!isSame(byNewest, kept), !isSame(byProposed, kept)]
  const isClash = isOurs && isTheirs && !isSame(byNewest, byProposed)
  return { main: isTheirs && !isOurs && nodes.length > 0 ? 'proposed' : 'newest', isClash }
}

function sorted<T extends Record<Key, number>, Key extends string>(list: readonly T[], key: Key): T[] {
  return [...list].sort((one, other) => one[key] - other[key])
}

/** The entries of one side in its order. Those that only the other side has come after the entries that they follow there. */
function inOrder<T>(nodes: readonly Node<T>[], main: 'newest' | 'proposed'): Node<T>[] {
  const side = main === 'newest' ? 'proposed' : 'newest'
  const of = (which: typeof main) =>
    nodes.filter((node) => node[which] !== null).sort((one, other) => (one[which] ?? 0) - (other[which] ?? 0))
  const list = of(main)
  let previous: Node<T> | null = null
  for (const node of of(side)) {
    if (node[main] === null) {
      let at: number = previous === null ? 0 : list.indexOf(previous) + 1
      // Entries that the main side added in the same place come first.
      while (at < list.length && list[at]![side] === null) at += 1
      list.splice(at, 0, node)
    }
    previous = node
  }
  return list
}
