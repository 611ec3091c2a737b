import { Traversal, type } from 'arktype'
import type { Expectation, Issue, Path, Reason } from '../core/issue.ts'
import { isExpectation } from '../core/issue-words.ts'
import { refuseLarger } from '../core/json.ts'
import { invalid, isUnderUrls, UNDER_URLS } from '../core/problem.ts'
import { hintFor } from './hints.ts'
import type { Operation } from './operation.ts'
import { examinable } from './places.ts'

/** More than the largest policies have: 128 KiB hold some 27 000 different entries in lists of 250, and 7 300 conditions. */
export const MAX_SIZE = { fields: 10_000, entries: 30_000, nodes: 10_000 }
/** More than any page shows and anybody reads at once. */
export const MAX_ISSUES = 100

type Schema<In> = Operation<In>['input']
type SchemaError = type.errors[number]

/**
 * The input as its schema parses it.
 * @throws Problem INVALID_URLS if something under `urls` is wrong, otherwise BAD_REQUEST; with every issue, up to a limit.
 */
export function validate<In>(schema: Schema<In>, raw: unknown, { operation, wrong = [] }: Sender = {}): In {
  refuseLarger(raw, MAX_SIZE)
  const read = bounded(schema, examinable(schema, raw, MAX_ISSUES))
  const isRead = !(read instanceof type.errors)
  if (isRead && wrong.length === 0) return read as In
  const found = isRead ? [] : read.flatMap((error) => foundIn(error))
  // What was stopped may not have come to the links, which decide the code.
  if (found.length >= MAX_ISSUES && !found.some(isUnderUrls)) found.push(...ofLinks(schema, raw))
  const sorted = [...found.filter(isUnderUrls), ...found.filter((issue) => !isUnderUrls(issue))]
  const told = sorted.slice(0, MAX_ISSUES).map((issue) => ({ ...issue, hint: hintFor(issue, schema, raw, operation) }))
  throw invalid([...told, ...wrong].slice(0, MAX_ISSUES))
}

/** Of the call that an input belongs to. */
interface Sender {
  operation?: Pick<Operation, 'versioned' | 'idempotent'>
  /** What is wrong with what was sent beside it. */
  wrong?: readonly Issue[]
}

/** Goes on to the next field or entry until there are as many errors as are answered: each takes 40 µs to make. */
class Bounded extends Traversal {
  override get failFast(): boolean {
    return super.failFast || this.errors.count >= MAX_ISSUES
  }
}

/** What a schema makes of a value, or its first errors. A function that chooses a schema finds a few. */
function bounded(schema: (value: unknown) => unknown, value: unknown): unknown {
  if (!('traverse' in schema)) return schema(value)
  // What arktype itself does, with a traversal of its own.
  const node = schema as unknown as {
    $: { resolvedConfig: Traversal['config'] }
    traverse(value: unknown, context: Traversal): unknown
  }
  const context = new Bounded(value, node.$.resolvedConfig)
  node.traverse(value, context)
  return context.finalize()
}

/** The issues of an input’s links, looked at without its other fields. */
function ofLinks<In>(schema: Schema<In>, raw: unknown): Issue[] {
  const fields = Object.entries(raw as object).filter(([name]) => UNDER_URLS.includes(name))
  const read = bounded(schema, examinable(schema, Object.fromEntries(fields), MAX_ISSUES))
  if (!(read instanceof type.errors)) return []
  return read.flatMap((error) => foundIn(error)).filter(isUnderUrls)
}

/** Each error by itself, and those inside a branch of a union, which say more than that no branch matches. */
function foundIn(error: SchemaError, above: Path = []): Issue[] {
  const path = [...above, ...Array.from(error.path, (key) => (typeof key === 'number' ? key : String(key)))]
  if (error.hasCode('intersection')) return error.errors.flatMap((one) => foundIn(one, above))
  if (error.hasCode('union')) {
    const within = error.errors.filter(({ path }) => path.length > error.path.length)
    const schema = within.length === 0 ? undefined : error.meta?.whole
    const whole = schema && bounded(schema, error.data)
    if (whole instanceof type.errors) return whole.flatMap((one) => foundIn(one, path))
    if (within.length > 0) return within.flatMap((one) => foundIn(one, above))
    // It has the shape of one branch, whose check says what no end of "it must be … or …" can.
    const said = error.errors.filter((one) => 'reason' in one && !isExpectation(reasonOf(one)))
    if (said.length > 0) return said.flatMap((one) => foundIn(one, above))
  }
  return [{ path, reason: reasonOf(error) }]
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
