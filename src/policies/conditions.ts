import type { Condition } from '../../db/policy.ts'
import type { JsonSchema } from '../core/shape.ts'
import { OPERATORS, type Raw, type Report, UNKNOWN_KEY } from './operators.ts'

/** One thing wrong with a condition: where, from its root, and what would be right there. */
export interface Wrong {
  path: (string | number)[]
  expected: string
}

/** A policy made of mistakes is not worth a list of them all. */
const MAX_WRONG = 20

/**
 * Reads a condition in its canonical form (decisions 6): lenient in how `not` and `in` are written, closed in
 * everything else.
 * @returns the condition, or what is wrong with it.
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

/** The keys that each operator takes. */
const KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(OPERATORS).map(([op, { keys, lenient = [] }]) => [
    op,
    new Set(['op', ...Object.keys(keys({})), ...lenient]),
  ]),
)

/**
 * Any condition as JSON Schema, in the form that is kept; how deep it may nest is not said by it.
 * @param self refers to this schema.
 * @param more keys that each node has as well.
 */
export function conditionSchema(self: JsonSchema, more: Record<string, JsonSchema> = {}): JsonSchema {
  // Operators that take the same keys stand together: agents read this whole.
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
