import type { Traced } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { each } from '../../bundles/content/content.ts'
import { LINK_FIELDS, RULE_NAMES } from '../../bundles/links/link-fields.ts'
import { labelOf } from '../../bundles/variables/variables.ts'
import { clauseIn } from '../../core/field-words.ts'
import type { Issue, Path, Reason } from '../../core/issue.ts'
import { entryOf } from '../../core/untyped.ts'
import { asSentence } from '../../core/words.ts'
import { type Concern, domainAlone, warningIn } from '../lint.ts'
import type { Tried } from '../preview.ts'
import { leavesOf, type Topic } from './conditions.ts'
import { type Draft, toOpenRule, toPolicy } from './draft.ts'

/** A note beside the part it concerns. */
interface Note {
  /** `todo`: not filled in yet, which is an error only when saving. */
  kind: 'error' | 'todo' | 'warning'
  text: string
  /** The button that puts it right: its edit and its label. */
  repair?: { action: string; label: string }
  /** The field that it concerns, by its name on the page below the place; undefined if it concerns the whole place. */
  field?: string
}

/** The result of a policy's complete rules for a viewer. */
export interface TestResult {
  /** Null if the policy as a whole is invalid. */
  preview: Tried | null
  /** For each rule in the preview, its index in the draft. */
  places: readonly number[]
  /** The errors of the draft and the viewer. */
  issues: readonly Issue[]
  /** The error of the policy as a whole. */
  message: string | null
}

/** The notes of a draft, by path: `rules.0.when.of.1`, `rules.0.tabs.2`, `viewer.now`. */
export interface Findings {
  notes: ReadonlyMap<string, readonly Note[]>
  /** Whether a rule or condition matches the viewer. */
  marks: ReadonlyMap<string, boolean>
  /** For each rule, why it matches or not, by its path. Empty until somebody tests the rules as a viewer. */
  reasons: ReadonlyMap<string, RuleReason>
  /** Facts that are never known on this server. */
  absent: AbsentFacts
}

/** A rule's conditions with their results. */
interface RuleReason {
  condition: Traced
  /** Whether no rule before it matches. */
  isReached: boolean
}

/** Facts that are never known, and why. */
export type AbsentFacts = Partial<Record<Topic, string>>

interface FindingsContext {
  /** Whether somebody tests the rules as a viewer: until then, it is irrelevant whether they match. */
  isTried: boolean
  absent: AbsentFacts
  /** The bundle's variables. */
  variables: readonly Variable[]
  /** `saving`: missing values are errors. */
  moment: 'saving' | 'editing'
}

/**
 * Assigns errors, warnings and results to the paths they concern.
 */
export function findingsOf(
  draft: Draft,
  testResult: TestResult,
  { isTried, absent, variables, moment }: FindingsContext,
): Findings {
  const policy = toPolicy(draft)
  const notes = new Map<string, Note[]>()
  const add = (place: string, note: Note) => {
    const known = notes.get(place) ?? []
    if (known.every(({ text }) => text !== note.text)) notes.set(place, [...known, note])
  }
  for (const { path, reason } of testResult.issues) {
    const inPolicy = path[0] === 'resolutionPolicy' ? path.slice(1) : path
    const isMissing = path[0] === 'resolutionPolicy' && isEmpty(valueAt(policy, inPolicy))
    const text = (isMissing ? missing(inPolicy, reason) : undefined) ?? sentence(inPolicy, reason)
    const place = placeOf(inPolicy, draft)
    const field = fieldAt(inPolicy, place, reason)
    const kind = isMissing && moment === 'editing' ? 'todo' : 'error'
    add(place, { kind, text, ...(field === undefined ? {} : { field }) })
  }
  const rules = testResult.places
  for (const { path, concern } of testResult.preview?.warnings ?? []) {
    const place =
      path[0] === 'viewer'
        ? ['viewer', 'values', ...path.slice(2)]
        : path.slice(1).map((part, index) => (index === 1 ? (rules[Number(part)] ?? part) : part))
    const text = warningText(concern, rules, variables)
    const repair = { action: `rule.base ${place[1]} bundle`, label: 'Follow the bundle' }
    add(placeOf(place, draft), { kind: 'warning', text, ...(concern.code === 'copies_bundle' ? { repair } : {}) })
  }
  for (const [at, rule] of draft.rules.entries()) {
    for (const [{ topic }, path] of leavesOf(toOpenRule(rule).when, ['rules', at, 'when'])) {
      const text = topic === '' ? undefined : absent[topic]
      if (text !== undefined) add(placeOf(path, draft), { kind: 'warning', text })
    }
  }
  const marks = new Map<string, boolean>()
  const reasons = new Map<string, RuleReason>()
  const trace = isTried ? (testResult.preview?.trace ?? []) : []
  const first = trace.findIndex(({ matched }) => matched)
  for (const [index, { condition }] of trace.entries()) {
    marks.set(`rules.${rules[index]}`, condition.matched)
    reasons.set(`rules.${rules[index]}`, { condition, isReached: first === -1 || index <= first })
    mark(marks, `rules.${rules[index]}.when`, condition)
  }
  return { notes, marks, reasons, absent }
}

function mark(marks: Map<string, boolean>, place: string, condition: Traced): void {
  marks.set(place, condition.matched)
  if (!('of' in condition)) return
  for (const [index, part] of condition.of.entries()) mark(marks, `${place}.of.${index}`, part)
}

const PLACES = [
  /^rules\.\d+\.when(?:\.of\.\d+)*/,
  /^rules\.\d+\.tabs\.\d+/,
  /^rules\.\d+\.(?:name|tabs)/,
  /^rules\.\d+/,
  /^viewer\.(?:values\.)?\w+/,
]

/** The place on the page that shows the notes for a path; for a closed rule, the rule. */
function placeOf(path: Path, { rules }: Draft): string {
  const text = path.join('.')
  const rule = path[0] === 'rules' ? rules[Number(path[1])] : undefined
  if (rule !== undefined && 'json' in rule) return `rules.${path[1]}`
  return PLACES.map((place) => place.exec(text)?.[0]).find((place) => place !== undefined) ?? ''
}

/** Names of condition fields on the page that differ from those in a policy. */
const FIELDS: Record<string, string> = { op: 'topic', field: 'name', values: 'value', timeZone: 'zone' }

function fieldAt(path: Path, place: string, { code }: Reason): string | undefined {
  const [part] = path
    .join('.')
    .slice(place.length + 1)
    .split('.')
  // A wrong time concerns its zone too.
  return !part || code === 'not_an_instant' ? undefined : (entryOf(FIELDS, part) ?? part)
}

function valueAt(json: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined),
    json,
  )
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0) ||
    value === 'query.'
  )
}

const MISSING: Record<string, string> = {
  name: 'Give the rule a name.',
  tabs: 'Add at least one tab.',
  url: 'Enter a link.',
  op: 'Choose what to check.',
  field: 'Enter the name to look for in the link.',
  value: 'Enter a value.',
  values: 'Enter at least one value.',
  of: 'Add a condition to this group.',
  days: 'Choose at least one day.',
  from: 'Set a start time.',
  to: 'Set an end time.',
  timeZone: 'Set a time zone.',
}

function missing(path: Path, { code }: Reason): string | undefined {
  if (code === 'not_chosen') return 'Choose a value.'
  if (code === 'leaves_no_tab') return 'Keep at least one link of the bundle, or add a tab.'
  if (code === 'not_an_instant') return 'Set a date and time.'
  return entryOf(MISSING, String(path.at(-1)))
}

const SUBJECTS: Record<string, string> = {
  name: 'The name',
  url: 'The link',
  ...each(RULE_NAMES, (name) => `The ${LINK_FIELDS[name].label.toLowerCase()}`),
  value: 'The value',
  values: 'The list',
  from: 'The beginning',
  to: 'The end',
  timeZone: 'The time zone',
  tabs: 'The list of tabs',
  field: 'The name in the link',
  now: 'The date and time',
}

function sentence(path: Path, reason: Reason): string {
  const last = path.at(-1)
  if (typeof last === 'number' && path.at(-2) === 'values') return `Value ${last + 1} ${clauseIn(reason)}.`
  const subject = entryOf(SUBJECTS, String(last)) ?? (path.includes('when') ? 'This condition' : 'This')
  return `${subject} ${clauseIn(reason)}.`
}

/** @param places for each tested rule, its index in the draft. */
function warningText(concern: Concern, places: readonly number[], variables: readonly Variable[]): string {
  const nameOf = (rule: number) => `rule ${(places[rule] ?? rule) + 1}`
  switch (concern.code) {
    case 'duplicate_rule':
      return `This is a duplicate of ${nameOf(concern.rule)}, which is tried first: no one gets these tabs.`
    case 'unreachable_rule':
      return `This is unreachable: everyone it matches gets the tabs of ${nameOf(concern.rule)}, which is tried first.`
    case 'no_such_value': {
      const variable = variables.find(({ name }) => concern.field === `query.${name}`)
      return `${asSentence(warningIn(variable === undefined ? concern : { ...concern, field: labelOf(variable) }))}.`
    }
    case 'no_such_variable':
      return `No variable of this bundle is called “${concern.name}”: did you mean “${concern.near}”?`
    case 'refused_value':
      return concern.message
    case 'not_a_domain':
      return `${domainAlone(concern)}.`
    case 'copies_bundle':
      return 'This is a copy of the bundle’s links: its edits don’t reach these people.'
    case 'leaves_no_tab':
      return 'This leaves no tab, so the next rule is tried.'
    case 'not_in_bundle':
      return 'It leaves out a link that the bundle doesn’t have.'
    case 'too_wide':
      return `"${concern.value}" also ends "not${concern.value}": choose “is” for the domain itself, or write .${concern.value} for its subdomains.`
    case 'not_whole_subtags':
      return `This also matches languages that only begin with “${concern.value}”: choose “is” instead.`
    case 'over':
    case 'ends_before_it_begins':
      return `This ${warningIn(concern)}.`
    default:
      return `${asSentence(warningIn(concern))}.`
  }
}
