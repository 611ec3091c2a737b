import { type } from 'arktype'
import { type Issue, Problem } from '../core/problem.ts'
import { count } from '../core/words.ts'
import { hintFor, UNKNOWN } from './hints.ts'
import { withoutMisplacedLists } from './misplaced-lists.ts'
import type { Operation } from './operation.ts'

/** More fields than any valid input, including the conditions of the largest policy. */
const MAX_FIELDS = 10_000
const MAX_ISSUES = 100

/**
 * The input as its schema parses it (decisions 1).
 * @throws Problem INVALID_URLS for errors under `urls`, otherwise BAD_REQUEST; it names the path.
 */
export function validate<In>(schema: Operation<In>['input'], raw: unknown): In {
  // Schemas report each unknown field separately: tens of thousands of them blocked the process for a quarter of a second.
  if (fieldsUpTo(MAX_FIELDS, raw) > MAX_FIELDS) {
    throw new Problem('BAD_REQUEST', `the body must have at most ${MAX_FIELDS} fields`)
  }
  const read = schema(withoutMisplacedLists(schema, raw))
  if (!(read instanceof type.errors)) return read as In
  const wrong = read.flatMap(innermost)
  const first = wrong.find(isUnderUrls) ?? wrong[0]
  const code = first !== undefined && isUnderUrls(first) ? 'INVALID_URLS' : 'BAD_REQUEST'
  const place = first?.path.length ? clip(first.path.stringify()) : 'the body'
  const what = first ? reason(first) + hintFor(first, schema, raw) : 'is not valid'
  throw new Problem(code, `${place} ${what}`, { issues: issuesOf(read) })
}

/** A schema’s errors; no more than any page shows. */
export function issuesOf(errors: type.errors): Issue[] {
  return errors.flatMap(innermost).slice(0, MAX_ISSUES).map(toIssue)
}

/** Whether an error is under `urls`, unless `urls` itself is an unknown field. */
function isUnderUrls({ path, expected }: type.errors[number]): boolean {
  return path[0] === 'urls' && (path.length > 1 || expected !== UNKNOWN)
}

/** The number of fields in all objects of an input; stops counting just past `limit`. */
function fieldsUpTo(limit: number, value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  const perEntry = Array.isArray(value) ? 0 : 1
  let fields = 0
  for (const key in value) {
    if (fields > limit) break
    fields += perEntry + fieldsUpTo(limit - fields, (value as Record<string, unknown>)[key])
  }
  return fields
}

/** The errors inside a branch of a union, which say more than that no branch matches. */
function innermost(error: type.errors[number]): type.errors[number][] {
  const within = error.hasCode('union') ? error.errors.filter(({ path }) => path.length > error.path.length) : []
  return within.length > 0 ? within : [error]
}

function toIssue(error: type.errors[number]): Issue {
  return { path: error.path.map((key) => (typeof key === 'number' ? key : String(key))), reason: reason(error) }
}

function reason(error: type.errors[number]): string {
  if (error.hasCode('required')) return `is missing: it must be ${error.expected}`
  if (error.hasCode('minLength')) return `must have at least ${lengthOf(error)}`
  if (error.hasCode('maxLength')) return `must have at most ${lengthOf(error)}`
  // A union’s own text is a whole sentence, with path and value.
  if (error.hasCode('union')) return `must be ${clip(error.errors.map(({ expected }) => expected).join(' or '))}`
  if (error.expected === UNKNOWN) return 'is not a field of this request: remove it'
  return `must be ${clip(error.expected)}`
}

/** A length limit of a string or list. */
function lengthOf({ data, rule }: { data: unknown; rule: number }): string {
  return typeof data === 'string' ? count(rule, 'character') : count(rule, 'entry', 'entries')
}

/** An unknown field’s name is the caller’s text and may be as long as the body. */
function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
