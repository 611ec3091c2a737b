import type { Condition, Leaf } from '../../db/policy.ts'
import type { Reason } from '../core/issue.ts'
import { isSame } from '../core/json.ts'
import type { JsonSchema } from '../core/shape.ts'
import { OPERATORS, type Raw, type ReadInner, type Report } from './operators.ts'

/** An error in a condition, with its path from the root. */
interface ConditionError {
  path: (string | number)[]
  reason: Reason
}

const MAX_ERRORS = 20

/**
 * Parses a condition into its canonical form. Accepts several forms of `not` and `in`, and only one of
 * everything else.
 * @returns the condition, or its errors.
 */
export function readCondition(raw: unknown): Condition | ConditionError[] {
  const wrong: ConditionError[] = []
  const report: Report = (reason, ...path) => {
    if (wrong.length < MAX_ERRORS) wrong.push({ path, reason })
    return null
  }
  // Nested conditions are not read once their errors would no longer be reported.
  const inner: ReadInner = (raw, report, depth) => (wrong.length < MAX_ERRORS ? read(raw, report, depth, inner) : null)
  const condition = inner(raw, report, 0)
  return condition === null || wrong.length > 0 ? wrong : condition
}

function read(raw: unknown, report: Report, depth: number, inner: ReadInner): Condition | null {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return report({ code: 'not_a_condition' })
  const { op } = raw as Raw
  if (!isOperator(op)) return report({ code: 'no_option', options: Object.keys(OPERATORS) }, 'op')
  // No key accepts null: programs that must send the keys of all operators send null for the others.
  const sent: Raw = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))
  for (const key of Object.keys(sent)) if (!KEYS.get(op)?.has(key)) report({ code: 'unknown_field' }, key)
  return OPERATORS[op].read(sent, report, depth, inner)
}

function isOperator(op: unknown): op is Condition['op'] {
  return typeof op === 'string' && Object.hasOwn(OPERATORS, op)
}

/** The keys of each operator. */
const KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(OPERATORS).map(([op, { keys, lenient = [] }]) => [
    op,
    new Set(['op', ...Object.keys(keys({})), ...lenient]),
  ]),
)

/** A single object with the keys of all operators, a third as long: for agents, whose mistakes the parser explains. */
export function flatConditionSchema(self: JsonSchema): JsonSchema {
  const variants = Map.groupBy(
    Object.values(OPERATORS).flatMap(({ keys }) => Object.entries(keys(self))),
    ([key]) => key,
  )
  const properties = [...variants].map(([key, found]) => [key, eitherOf(found.map(([, schema]) => schema))])
  return {
    type: 'object',
    properties: { op: { enum: Object.keys(OPERATORS) }, ...Object.fromEntries(properties) },
    required: ['op'],
    additionalProperties: false,
  }
}

/** A schema that each of these satisfies: their common part, or if there is none, a choice of them. */
function eitherOf(schemas: readonly JsonSchema[]): JsonSchema {
  const { says, ...first } = schemas[0]!
  const common = Object.entries(first).filter(([key, value]) => schemas.every((one) => isSame(one[key], value)))
  if (common.length > 0) return { says, ...Object.fromEntries(common) }
  const choices = schemas.flatMap((schema) => (schema.anyOf as JsonSchema[] | undefined) ?? [schema])
  return { says, anyOf: choices.filter((one, index) => choices.findIndex((other) => isSame(one, other)) === index) }
}

/**
 * The JSON Schema of any condition, in canonical form, without the limit on nesting.
 * @param self refers to this schema.
 * @param more additional keys of every node.
 */
export function conditionSchema(self: JsonSchema, more: Record<string, JsonSchema> = {}): JsonSchema {
  // Operators with equal keys share a branch, to keep the schema short for agents.
  const branches = Map.groupBy(Object.entries(OPERATORS), ([, { keys }]) => JSON.stringify(keys(self)))
  return {
    anyOf: [...branches.values()].map((operators) => {
      const names = operators.map(([op]) => op)
      const op = names.length === 1 ? { const: names[0] } : { enum: names }
      const properties = { op, ...more, ...operators[0]![1].keys(self) }
      return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
    }),
  }
}

// The conditions in a tree that contain no others.

export function leavesOf(condition: Condition): Leaf[] {
  return 'of' in condition ? condition.of.flatMap(leavesOf) : [condition]
}

export function withLeaves(condition: Condition, change: (leaf: Leaf) => Leaf): Condition {
  if (!('of' in condition)) return change(condition)
  return { ...condition, of: condition.of.map((part) => withLeaves(part, change)) }
}
