import type { Condition } from '../../db/policy.ts'
import type { JsonSchema } from '../core/shape.ts'
import { OPERATORS, type Raw, type Report, UNKNOWN_KEY } from './operators.ts'

/** An error in a condition: its path from the root, and what was expected there. */
export interface Wrong {
  path: (string | number)[]
  expected: string
}

/** Maximum number of errors reported. */
const MAX_WRONG = 20

/**
 * Parses a condition into its canonical form (decisions 6): lenient in how `not` and `in` are written, strict in
 * everything else.
 * @returns the condition, or its errors.
 */
export function readCondition(raw: unknown): Condition | Wrong[] {
  const wrong: Wrong[] = []
  const condition = read(
    raw,
    (expected, ...path) => {
      if (wrong.length < MAX_WRONG) wrong.push({ path, expected })
      return null
    },
    0,
  )
  return condition === null || wrong.length > 0 ? wrong : condition
}

function read(raw: unknown, report: Report, depth: number): Condition | null {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return report('a condition: an object with an op')
  const { op } = raw as Raw
  if (!isOperator(op)) return report(`one of ${Object.keys(OPERATORS).join(', ')}`, 'op')
  for (const key of Object.keys(raw)) if (!KEYS.get(op)?.has(key)) report(UNKNOWN_KEY, key)
  return OPERATORS[op].read(raw as Raw, report, depth, read)
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

/**
 * The JSON Schema of any condition, in canonical form, without the limit on nesting.
 * @param self refers to this schema.
 * @param more additional keys of every node.
 */
export function conditionSchema(self: JsonSchema, more: Record<string, JsonSchema> = {}): JsonSchema {
  // Operators with equal keys share a branch, to keep the schema short for agents.
  const alike = Map.groupBy(Object.entries(OPERATORS), ([, { keys }]) => JSON.stringify(keys(self)))
  return {
    anyOf: [...alike.values()].map((operators) => {
      const names = operators.map(([op]) => op)
      const op = names.length === 1 ? { const: names[0] } : { enum: names }
      const properties = { op, ...more, ...operators[0]![1].keys(self) }
      return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
    }),
  }
}
