import { DAYS, GROUP_OPERATORS } from '../../../db/policy.ts'
import { each } from '../../bundles/content.ts'
import { RULE_NAMES } from '../../bundles/link-fields.ts'
import { parseJson } from '../../core/json.ts'
import { Problem } from '../../core/problem.ts'
import { versionIn } from '../../http/fields.ts'
import { withScheme } from '../../imports/line-links.ts'
import {
  type DraftCondition,
  type DraftLeaf,
  LEAF_OPERATORS,
  newLeaf,
  TOPICS,
} from '../../policies/draft/conditions.ts'
import type { Draft, DraftRule, Source } from '../../policies/draft/draft.ts'
import type { Removed } from '../../policies/draft/edits.ts'
import { type TestViewer, testViewer } from '../../policies/draft/test-viewer.ts'

/** The submitted form of the rules page. */
export interface SentRules {
  /** The pressed button's name and path: `rule.up`, `2`. */
  action: readonly string[]
  /** The version that the form was made from; null if it names none. */
  version: number | null
  /** The edited rules; null if the form only tests the saved ones. */
  source: Source | null
  removed: Removed | null
  viewer: TestViewer
  /** The browser's time zone, if its script sent it. */
  zone: string
}

/** More fields than any form of ours has; each also costs time to render. */
const MAX_RULES = 100
const MAX_PARTS = 1000
const MAX_FIELDS = 5000
/** `rules.0.when` and two parts for each level of groups, with some to spare. */
const MAX_NAME_PARTS = 24

/**
 * Reads the form of the rules page. Each field is named by its path in the policy (`rules.0.when.of.1.op`); a closed
 * rule is the JSON in `rules.0.json`.
 * @throws Problem BAD_REQUEST for forms that no page of ours sends.
 */
export function readRules(form: URLSearchParams): SentRules {
  const root = treeOf(form)
  const json = root.of.get('json')
  const zone = textOf(root, 'zone')
  const hasRules = json !== undefined || textOf(root, 'mode') !== ''
  return {
    action: textOf(root, 'do').split(' '),
    version: versionIn(textOf(root, 'version')),
    source: !hasRules ? null : json === undefined ? { draft: readDraft(root, zone) } : { json: json.text },
    removed: readRemoved(root),
    viewer: readViewer(root),
    zone,
  }
}

/** Fields as a tree, by the parts of their names. */
interface Tree {
  /** The last value: a ticked box comes after the hidden field with its unticked value. */
  text: string
  of: Map<string, Tree>
}

function newTree(): Tree {
  return { text: '', of: new Map() }
}

function treeOf(form: URLSearchParams): Tree {
  if (form.size > MAX_FIELDS) throw new Problem('BAD_REQUEST', `The form has more than ${MAX_FIELDS} fields.`)
  const root = newTree()
  for (const [name, value] of form) {
    const parts = name.split('.', MAX_NAME_PARTS + 1)
    if (parts.length > MAX_NAME_PARTS)
      throw new Problem('BAD_REQUEST', 'The form has a field that is nested too deeply.')
    let tree = root
    for (const part of parts) {
      const inner = tree.of.get(part) ?? newTree()
      tree.of.set(part, inner)
      tree = inner
    }
    tree.text = value.replaceAll('\r\n', '\n')
  }
  return root
}

function textOf({ of }: Tree, name: string): string {
  return of.get(name)?.text ?? ''
}

/** The entries of a list in order, whatever their numbers. */
function listOf(tree: Tree | undefined, max: number): Tree[] {
  const entries = [...(tree?.of ?? [])].filter(([place]) => /^\d{1,6}$/.test(place))
  if (entries.length > max) throw new Problem('BAD_REQUEST', `The form has more than ${max} entries in one list.`)
  return entries.sort(([one], [other]) => Number(one) - Number(other)).map(([, entry]) => entry)
}

function readDraft(root: Tree, zone: string): Draft {
  return { rules: listOf(root.of.get('rules'), MAX_RULES).map((rule) => readRule(rule, zone)) }
}

function readRule(rule: Tree, zone: string): DraftRule {
  const json = rule.of.get('json')
  if (json !== undefined) return { json: parseJson(json.text) }
  const badge = rule.of.get('showBadge')?.text
  return {
    id: textOf(rule, 'id'),
    name: textOf(rule, 'name'),
    showBadge: badge === undefined ? undefined : badge === 'true',
    when: readCondition(rule.of.get('when') ?? newTree(), zone),
    tabs: listOf(rule.of.get('tabs'), MAX_PARTS).map((tab) => ({
      url: withScheme(textOf(tab, 'url')),
      ...each(RULE_NAMES, (name) => textOf(tab, name)),
    })),
  }
}

/** @param zone the browser's time zone, the default of conditions on the time. */
function readCondition(tree: Tree, zone: string): DraftCondition {
  const op = textOf(tree, 'op')
  const group = GROUP_OPERATORS.find((known) => known === op)
  if (group !== undefined && !tree.of.has('topic')) {
    const parts = listOf(tree.of.get('of'), MAX_PARTS).map((part) => readCondition(part, zone))
    // “None of these” is `not` around one group.
    return { op: group, of: group === 'not' && parts.length > 1 ? [{ op: 'or', of: parts }] : parts }
  }
  const text = (name: string) => textOf(tree, name)
  const chosen = text('topic')
  // Of a variable, the topic has the name that is a field of its own for other values in the link.
  const [, variable] = /^query\.(.*)$/.exec(chosen) ?? []
  const topic = variable === undefined ? (TOPICS.find((known) => known === chosen) ?? '') : 'query'
  const fresh: DraftLeaf = {
    ...newLeaf(),
    topic,
    op: LEAF_OPERATORS.find((known) => known === op) ?? 'equals',
    name: variable ?? '',
  }
  // A value for the previous topic makes no sense for this one.
  if (tree.of.has('asked') && text('asked') !== chosen) return withTime(fresh, zone)
  const was = text('was')
  const leaf: DraftLeaf = {
    ...fresh,
    name: variable ?? text('name'),
    value: text('value'),
    zone: text('zone'),
    days: DAYS.filter((day) => tree.of.get('days')?.of.has(day)),
    from: text('from'),
    to: text('to'),
    was: was === '' ? null : parseJson(was),
  }
  return withTime(leaf, zone)
}

/** The default window: office hours in the browser's time zone. */
function withTime(leaf: DraftLeaf, browserZone: string): DraftLeaf {
  const { topic, days, from, to } = leaf
  if (leaf.zone !== '' || (topic !== 'now' && topic !== 'timeWindow')) return leaf
  const zone = browserZone || 'UTC'
  const isNew = topic === 'timeWindow' && days.length === 0 && from === '' && to === ''
  return isNew ? { ...leaf, zone, days: DAYS.slice(0, 5), from: '09:00', to: '17:00' } : { ...leaf, zone }
}

function readRemoved(root: Tree): Removed | null {
  const removed = root.of.get('removed')
  if (removed === undefined) return null
  return { at: Number(textOf(removed, 'at')) || 0, json: parseJson(textOf(removed, 'json')) }
}

function readViewer(root: Tree): TestViewer {
  const viewer = root.of.get('viewer') ?? newTree()
  const values = [...(viewer.of.get('values')?.of ?? [])].map(([name, { text }]) => [name, text] as const)
  return testViewer((name) => textOf(viewer, name).trim(), new Map(values))
}
