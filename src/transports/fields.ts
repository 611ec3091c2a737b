import type { Operation } from '../operation.ts'

type Schema = Operation['input']

/** What is read of a JSON Schema here. */
interface JsonSchema {
  properties?: Record<string, { type?: string }>
}

const known = new WeakMap<Schema, JsonSchema>()

/** The JSON Schema of an operation's input; checks that JSON Schema cannot say are left out. */
function jsonSchemaOf(schema: Schema): JsonSchema {
  let json = known.get(schema)
  if (json === undefined) known.set(schema, (json = schema.toJsonSchema({ fallback: (ctx) => ctx.base }) as JsonSchema))
  return json
}

/**
 * Fields that came as text (path, query, form) as the types that the schema has for them. What does not read
 * as that type stays text, for the schema to refuse; so does a field that came twice, as a list.
 */
export function typed(schema: Schema, fields: Record<string, string | string[]>): Record<string, unknown> {
  const { properties = {} } = jsonSchemaOf(schema)
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, read(text, properties[name]?.type)]))
}

/** The fields of a query by name; where one came twice nobody can tell which was meant, so it is a list. */
export function queryFields(query: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const [first = '', ...more] = query.getAll(name)
      return [name, more.length === 0 ? first : [first, ...more]]
    }),
  )
}

function read(text: string | string[], type: string | undefined): unknown {
  if (typeof text !== 'string') return text
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
