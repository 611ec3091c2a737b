import type { Operation } from '../operation.ts'

type Schema = Operation['input']

/** What is read of a JSON Schema here. */
interface JsonSchema {
  properties?: Record<string, { type?: string }>
}

const known = new WeakMap<Schema, JsonSchema>()

/** The JSON Schema of an operation's input; checks that JSON Schema cannot say are left out. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  let json = known.get(schema)
  if (json === undefined) known.set(schema, (json = schema.toJsonSchema({ fallback: (ctx) => ctx.base }) as JsonSchema))
  return json
}

/**
 * Fields that came as text (path, query, form) as the types that the schema has for them. What does not read
 * as that type stays text, for the schema to refuse.
 */
export function typed(schema: Schema, fields: Record<string, string>): Record<string, unknown> {
  const { properties = {} } = jsonSchemaOf(schema)
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, read(text, properties[name]?.type)]))
}

function read(text: string, type: string | undefined): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
