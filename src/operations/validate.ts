import { type } from 'arktype'
import type { Expectation, Issue, Path, Reason } from '../core/issue.ts'
import { isExpectation } from '../core/issue-words.ts'
import { invalid, isUnderUrls, Problem } from '../core/problem.ts'
import { hintFor } from './hints.ts'
import type { Operation } from './operation.ts'
import { withoutMisplacedLists } from './places.ts'

/** More fields than any valid input, including the conditions of the largest policy. */
const MAX_FIELDS = 10_000
/** More than any page shows and anybody reads at once. */
export const MAX_ISSUES = 100

type Schema<In> = Operation<In>['input']
type SchemaError = type.errors[number]

/**
 * The input as its schema parses it.
 * @throws Problem INVALID_URLS if something under `urls` is wrong, otherwise BAD_REQUEST; with every issue, up to a limit.
 */
export function validate<In>(schema: Schema<In>, raw: unknown): In {
  // Schemas report each unknown field separately: tens of thousands of them blocked the process for a quarter of a second.
  if (fieldsUpTo(MAX_FIELDS, raw) > MAX_FIELDS) {
    throw new Problem('BAD_REQUEST', `the body must have at most ${MAX_FIELDS} fields`)
  }
  const read = schema(withoutMisplacedLists(schema, raw))
  if (!(read instanceof type.errors)) return read as In
  const found = read.flatMap((error) => foundIn(error))
  const sorted = [
    ...found.filter(({ issue }) => isUnderUrls(issue)),
    ...found.filter(({ issue }) => !isUnderUrls(issue)),
  ]
  throw invalid(
    sorted.slice(0, MAX_ISSUES).map(({ issue, data }) => ({ ...issue, hint: hintFor(issue, data, schema, raw) })),
  )
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

/** An issue with the value that it is about. */
interface Found {
  issue: Issue
  data: unknown
}

/** Each error by itself, and those inside a branch of a union, which say more than that no branch matches. */
function foundIn(error: SchemaError, above: Path = []): Found[] {
  const path = [...above, ...Array.from(error.path, (key) => (typeof key === 'number' ? key : String(key)))]
  if (error.hasCode('intersection')) return error.errors.flatMap((one) => foundIn(one, above))
  if (error.hasCode('union')) {
    const within = error.errors.filter(({ path }) => path.length > error.path.length)
    const whole = within.length === 0 ? undefined : error.meta?.whole?.(error.data)
    if (whole instanceof type.errors) return whole.flatMap((one) => foundIn(one, path))
    if (within.length > 0) return within.flatMap((one) => foundIn(one, above))
  }
  return [{ issue: { path, reason: reasonOf(error) }, data: error.data }]
}

function reasonOf(error: SchemaError): Reason {
  // Of a check of ours; see `refuse`.
  const { reason } = error as { reason?: Reason }
  if (reason !== undefined) return reason
  if (error.hasCode('required')) return { code: 'missing', expected: error.expected }
  if (error.hasCode('minLength')) return { code: 'too_few', limit: error.rule, of: unitOf(error) }
  if (error.hasCode('maxLength')) return { code: 'too_many', limit: error.rule, of: unitOf(error) }
  if (error.hasCode('union')) return { code: 'either', of: error.errors.map(expectationOf) }
  if (error.hasCode('max') && error.rule > 0) return { code: 'too_high', limit: error.rule }
  if (error.hasCode('min') && error.rule !== 0) return { code: 'too_low', limit: error.rule }
  if (error.hasCode('predicate') && error.expected === REMOVED) return { code: 'unknown_field' }
  return { code: 'type', expected: error.expected }
}

/** What arktype expects of an unknown field. */
const REMOVED = 'removed'

function expectationOf(error: SchemaError): Expectation {
  const reason = reasonOf(error)
  return isExpectation(reason) ? reason : { code: 'type', expected: error.expected }
}

function unitOf({ data }: { data: unknown }): 'character' | 'entry' {
  return typeof data === 'string' ? 'character' : 'entry'
}
