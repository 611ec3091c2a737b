import { Traversal, type } from 'arktype'
import type { Expectation, Issue, Path, Reason } from '../core/issue.ts'
import { isExpectation } from '../core/issue-words.ts'
import { invalid, isUnderUrls, Problem, UNDER_URLS } from '../core/problem.ts'
import { type Flags, hintFor } from './hints.ts'
import type { Operation } from './operation.ts'
import { examinable } from './places.ts'

/** More than the largest policies have: 128 KiB hold some 27 000 different entries in lists of 250, or 7 300 conditions. */
export const MAX_SIZE = { fields: 10_000, entries: 30_000, nodes: 10_000 }
/** More than any page shows and anybody reads at once. */
export const MAX_ISSUES = 100

type Schema<In> = Operation<In>['input']
type SchemaError = type.errors[number]

/**
 * Parses an input by its schema.
 * @throws Problem INVALID_URLS if anything under `urls` is wrong, otherwise BAD_REQUEST; with every issue, up to a limit.
 */
export function validate<In>(schema: Schema<In>, raw: unknown, { operation, wrong = [] }: Sender = {}): In {
  refuseLarger(raw, MAX_SIZE)
  const read = bounded(schema, examinable(schema, raw, MAX_ISSUES))
  const isRead = !(read instanceof type.errors)
  if (isRead && wrong.length === 0) return read as In
  const found = isRead ? [] : read.flatMap((error) => foundIn(error))
  // An aborted check may not have reached the links, which decide the code.
  if (found.length >= MAX_ISSUES && !found.some(isUnderUrls)) found.push(...ofLinks(schema, raw))
  const sorted = [...found.filter(isUnderUrls), ...found.filter((issue) => !isUnderUrls(issue))]
  const told = sorted.slice(0, MAX_ISSUES).map((issue) => ({ ...issue, hint: hintFor(issue, schema, raw, operation) }))
  throw invalid([...told, ...wrong].slice(0, MAX_ISSUES))
}

/** Properties of the call that an input is for. */
interface Sender {
  operation?: Flags
  /** Errors in the call's headers. */
  wrong?: readonly Issue[]
}

/** Continues with the next field or entry until the maximum number of errors is reached: each takes 40 µs to make. */
class Bounded extends Traversal {
  override get failFast(): boolean {
    return super.failFast || this.errors.count >= MAX_ISSUES
  }
}

/** A schema's output for a value, or its first errors. A function that chooses a schema finds only a few. */
function bounded(schema: (value: unknown) => unknown, value: unknown): unknown {
  if (!('traverse' in schema)) return schema(value)
  // Like arktype itself, with a custom traversal.
  const node = schema as unknown as {
    $: { resolvedConfig: Traversal['config'] }
    traverse(value: unknown, context: Traversal): unknown
  }
  const context = new Bounded(value, node.$.resolvedConfig)
  node.traverse(value, context)
  return context.finalize()
}

/** The issues of an input’s links, without its other fields. */
function ofLinks<In>(schema: Schema<In>, raw: unknown): Issue[] {
  const fields = Object.entries(raw as object).filter(([name]) => UNDER_URLS.includes(name))
  const read = bounded(schema, examinable(schema, Object.fromEntries(fields), MAX_ISSUES))
  if (!(read instanceof type.errors)) return []
  return read.flatMap((error) => foundIn(error)).filter(isUnderUrls)
}

/** Each error by itself. Errors within a branch of a union are listed too, because they say more than that no branch matches. */
function foundIn(error: SchemaError, above: Path = []): Issue[] {
  const path = [...above, ...Array.from(error.path, (key) => (typeof key === 'number' ? key : String(key)))]
  if (error.hasCode('intersection')) return error.errors.flatMap((one) => foundIn(one, above))
  if (error.hasCode('union')) {
    const within = error.errors.filter(({ path }) => path.length > error.path.length)
    const schema = within.length === 0 ? undefined : error.meta?.whole
    const whole = schema && bounded(schema, error.data)
    if (whole instanceof type.errors) return whole.flatMap((one) => foundIn(one, path))
    if (within.length > 0) return within.flatMap((one) => foundIn(one, above))
    // The value has the shape of one branch, whose check says more than any "it must be … or …".
    const said = error.errors.filter((one) => 'reason' in one && !isExpectation(reasonOf(one)))
    if (said.length > 0) return said.flatMap((one) => foundIn(one, above))
  }
  return [{ path, reason: reasonOf(error) }]
}

function reasonOf(error: SchemaError): Reason {
  // From a check of the service; see `refuse`.
  const { reason } = error as { reason?: Reason }
  if (reason !== undefined) return reason
  if (error.hasCode('required')) return { code: 'missing', expected: error.expected }
  if (error.hasCode('minLength')) return { code: 'too_few', limit: error.rule, of: unitOf(error) }
  if (error.hasCode('maxLength')) return { code: 'too_many', limit: error.rule, of: unitOf(error) }
  if (error.hasCode('union')) return ofBranches(error.errors)
  if (error.hasCode('max') && error.rule > 0) return { code: 'too_high', limit: error.rule }
  if (error.hasCode('min') && error.rule !== 0) return { code: 'too_low', limit: error.rule }
  if (error.hasCode('predicate') && error.expected === REMOVED) return { code: 'unknown_field' }
  return { code: 'type', expected: error.expected }
}

/**
 * Why no branch of a union accepts a value. If the value has the type of a branch, that branch's check refused it, and other
 * types need no mention: whether arktype mentions them depends on how it tells branches apart.
 */
function ofBranches(errors: readonly SchemaError[]): Reason {
  const checked = errors.filter((one) => 'reason' in one)
  const of = (checked.length > 0 ? checked : errors).map(expectationOf)
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { code: 'either', of }
}

/** arktype's expectation of an unknown field. */
const REMOVED = 'removed'

function expectationOf(error: SchemaError): Expectation {
  const reason = reasonOf(error)
  return isExpectation(reason) ? reason : { code: 'type', expected: error.expected }
}

function unitOf({ data }: { data: unknown }): 'character' | 'entry' {
  return typeof data === 'string' ? 'character' : 'entry'
}

/** The size of a parsed JSON value. */
interface Size {
  /** In all objects. */
  fields: number
  /** In all lists. */
  entries: number
  /** Number of objects and lists. */
  nodes: number
}

/**
 * Refuses values that are too large, because schemas copy a value, check each entry and report each unknown field, which blocked
 * the process for up to a second.
 * @param what the name of the value, with which the refusal begins.
 * @throws Problem BAD_REQUEST if the value exceeds `max`.
 */
export function refuseLarger(value: unknown, max: Size, what = 'the body'): void {
  const { fields, entries, nodes } = counted(value, { fields: 0, entries: 0, nodes: 0 }, max)
  const most = (limit: number, of: string) => new Problem('BAD_REQUEST', `${what} must have at most ${limit} ${of}`)
  if (fields > max.fields) throw most(max.fields, 'fields')
  if (entries > max.entries) throw most(max.entries, 'list entries')
  if (nodes > max.nodes) throw most(max.nodes, 'objects and lists')
}

/** Adds the size of a value; stops just past the maximum. */
function counted(value: unknown, size: Size, max: Size): Size {
  if (value === null || typeof value !== 'object') return size
  const isList = Array.isArray(value)
  size.nodes += 1
  if (isList) size.entries += value.length
  for (const key in value) {
    if (!isList) size.fields += 1
    if (size.fields > max.fields || size.entries > max.entries || size.nodes > max.nodes) break
    counted((value as Record<string, unknown>)[key], size, max)
  }
  return size
}
