import { isDeepStrictEqual } from 'node:util'
import { type } from 'arktype'
import { DAYS, GROUP_OPERATORS } from '../../../db/policy.ts'
import { each } from '../../../src/bundles/content/content.ts'
import { RULE_NAMES } from '../../../src/bundles/links/link-fields.ts'
import type { Issue, Path } from '../../../src/core/issue.ts'
import { pathText, reasonIn } from '../../../src/core/issue-words.ts'
import { isNestedTooDeep, MAX_NESTING, parseJson } from '../../../src/core/json.ts'
import { Problem } from '../../../src/core/problem.ts'
import { versionIn } from '../../../src/http/body.ts'
import { withScheme } from '../../../src/imports/line-links.ts'
import {
  type DraftCondition,
  type DraftLeaf,
  LEAF_OPERATORS,
  newLeaf,
  TOPICS,
} from '../../../src/policies/draft/conditions.ts'
import {
  canOpen,
  type Draft,
  type DraftRule,
  draftOf,
  type Source,
  type TestViewer,
  testViewer,
  toPolicy,
} from '../../../src/policies/draft/draft.ts'
import type { Removed } from '../../../src/policies/draft/edits.ts'
import { Policy, type SentPolicy } from '../../../src/policies/shapes.ts'

/** The submitted form of the rules page. */
export interface SentRules {
  /** The pressed button's name and path: `rule.up`, `2`. */
  action: readonly string[]
  /** The version from which the form was made; null if it names none. */
  version: number | null
  /** The edited rules; null if the form only tests the saved ones. */
  source: Source | null
  removed: Removed | null
  viewer: TestViewer
  /** The browser's time zone, if its script sent it. */
  zone: string
}

/** More fields than any form of the service has; each costs rendering time. */
const MAX_RULES = 100
const MAX_PARTS = 1000
const MAX_FIELDS = 5000
/** `rules.0.when` and two parts for each level of groups, with a margin. */
const MAX_NAME_PARTS = 24

/**
 * Reads the form of the rules page. The name of each field is its path in the policy (`rules.0.when.of.1.op`); a closed rule is
 * JSON in `rules.0.json`.
 * @throws Problem BAD_REQUEST for forms that no page of the service sends.
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
  /** The last value: a ticked checkbox comes after the hidden field with its unticked value. */
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
    base: textOf(rule, 'base') === 'bundle' ? 'bundle' : 'none',
    omit: listOf(rule.of.get('own'), MAX_PARTS)
      .filter((link) => textOf(link, 'shown') !== 'true')
      .map((link) => textOf(link, 'url')),
    tabs: listOf(rule.of.get('tabs'), MAX_PARTS).map((tab) => ({
      url: withScheme(textOf(tab, 'url')),
      ...each(RULE_NAMES, (name) => textOf(tab, name)),
    })),
  }
}

/** @param zone the browser's time zone, the default for conditions on the time. */
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
  // The topic of a variable contains its name, which has a separate field for other values in the link.
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

/** The builder's draft from JSON text; null if fields cannot represent all of it. */
export function fromJson(text: string): { draft: Draft } | null {
  const read = readPolicyJson(text)
  if (!('value' in read)) return null
  const policy = canonical(read.value)
  const draft = draftOf(policy ?? read.value)
  if (policy !== null || read.value === null) return { draft }
  return isDeepStrictEqual(toPolicy(draft), read.value) && draft.rules.every(canOpen) ? { draft } : null
}

/** A policy in its canonical form; null if it is invalid. */
export function canonical(json: unknown): SentPolicy | null {
  const policy = Policy(json)
  return policy instanceof type.errors ? null : policy
}

/** The policy of the edited rules, null if there are none; `wrong` is the error if the text is not JSON. */
export function policyOf(source: Source): { policy: unknown } | { wrong: string } {
  if ('draft' in source) return { policy: source.draft.rules.length === 0 ? null : toPolicy(source.draft) }
  const read = readPolicyJson(source.json)
  return 'wrong' in read ? read : { policy: read.value }
}

/** Parses JSON, or explains why it is invalid, with line and column. */
function readPolicyJson(text: string): { value: unknown } | { wrong: string } {
  if (isNestedTooDeep(text)) return { wrong: `This is nested more than ${MAX_NESTING} levels deep. Nest less.` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { wrong: syntaxErrorOf(text) }
  }
}

function syntaxErrorOf(text: string): string {
  if (text.trim() === '') return 'There’s nothing here. Write a policy, or go back to the builder.'
  const { end } = placesIn(text)
  const rest = text.slice(end)
  const found =
    rest === ''
      ? 'something is missing at the end'
      : rest.startsWith('"')
        ? 'the text that begins here doesn’t end on its line, or has a wrong escape'
        : `“${rest.slice(0, 12).split('\n')[0]}” can’t be here`
  const column = end - text.lastIndexOf('\n', end - 1)
  return `Line ${lineAt(text, end)}, column ${column}: this isn’t JSON, ${found}.`
}

/** The errors of a policy, each with its line in the text and its path. */
export function jsonErrors(text: string, issues: readonly Issue[]): string[] {
  const { places } = placesIn(text)
  return issues
    .filter(({ path }) => path[0] === 'resolutionPolicy')
    .map(({ path: [, ...path], reason }) => {
      const inner = path.findLastIndex((_, index) => places.has(keyOf(path.slice(0, index + 1))))
      const line = lineAt(text, places.get(keyOf(path.slice(0, inner + 1))) ?? 0)
      return `Line ${line}: ${path.length === 0 ? 'the policy' : pathText(path)} ${reasonIn(reason)}.`
    })
}

/** The next token after whitespace; `''` if there is none, or it is invalid. */
const TOKEN =
  /[ \t\r\n]*([{}[\],:]|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b|)/y

/** The offset of each value in a JSON text by its path, and the offset at which valid JSON ends. */
function placesIn(text: string): { places: ReadonlyMap<string, number>; end: number } {
  const places = new Map<string, number>()
  let [token, start, end] = ['', 0, 0]
  const next = () => {
    TOKEN.lastIndex = end
    const [all = '', found = ''] = TOKEN.exec(text) ?? []
    end += all.length
    token = found
    start = end - found.length
  }
  const take = (wanted: string) => {
    const isThere = token === wanted
    if (isThere) next()
    return isThere
  }
  const value = (path: Path): boolean => {
    places.set(keyOf(path), start)
    const close = token === '{' ? '}' : token === '[' ? ']' : ''
    if (close === '') return !/^[}\],:]?$/.test(token) && take(token)
    next()
    for (let index = 0; token !== close; index += 1) {
      if (index > 0 && !take(',')) return false
      const name = token
      if (close === '}' && !(name.startsWith('"') && take(name) && take(':'))) return false
      if (!value([...path, close === '}' ? String(JSON.parse(name)) : index])) return false
    }
    return take(close)
  }
  next()
  value([])
  return { places, end: start }
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String))
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
