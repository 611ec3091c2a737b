import type { Condition } from '../../db/policy.ts'
import type { ProposedChanges } from '../../db/schema.ts'
import { BOUNDS } from '../bundles/bounds.ts'
import { CONTENT, PROPOSABLE_NAMES, type ProposableName } from '../bundles/content.ts'
import { type Content, LINK, linksOf, RULE, type RuleState, rulesOf, VARIABLE, variablesOf } from '../bundles/diff.ts'
import { LINK_NAMES, type Link, metadataOf, tabOf } from '../bundles/link-fields.ts'
import { plainMarksOf } from '../bundles/link-marks.ts'
import { textOf as textOfScalar } from '../bundles/values.ts'
import { Variables } from '../bundles/variable-shapes.ts'
import { variableOf, type WholeVariable } from '../bundles/variables.ts'
import { isSame } from '../core/json.ts'
import { validate } from '../operations/validate.ts'
import { Policy } from '../policies/shapes.ts'
import { type Clash, type Merged, mergeLists } from './merge-lists.ts'

/** The fields of an edit that are lists, merged entry by entry. */
type ListField = 'links' | 'variables' | 'rules'

/** What a proposal and the newest version both changed, each in its own way. */
export interface Conflict {
  /** The field of an edit that decides it. */
  field: ListField | ProposableName
  /** Where, for people. */
  path: string
  /** Texts as they are, other values as JSON; null for none. */
  base: string | null
  newest: string | null
  proposed: string | null
  /** The conditions of a rule, for pages to put into words. */
  conditions?: Record<'base' | 'newest' | 'proposed', Condition>
}

/** What accepting a proposal would change of the newest version. */
interface Merge {
  /** Without what is in conflict. */
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
    merge: (field, sides): Merged<unknown> | null =>
      field === 'tabs'
        ? mergeLists(sides.base as Link[], sides.newest as Link[], sides.proposed as Link[], tabs)
        : null,
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

/** Each side is valid, but the merged list may be too long, or two entries may have the same name. */
function isValid(shape: Parameters<typeof validate>[0], value: unknown): boolean {
  try {
    validate(shape, value)
    return true
  } catch {
    return false
  }
}

/** The content behind each. */
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

function toRule({ id, name, showBadge, when, tabs }: RuleState) {
  return {
    ...(id === '' ? {} : { id }),
    name,
    ...(showBadge ? { showBadge } : {}),
    when,
    tabs: tabs.map(tabOf),
  }
}
