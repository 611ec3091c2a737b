import type { Operation } from '../core/operation.ts'

type Schema = Operation['input']

/** What is read of a JSON Schema here. */
interface JsonSchema {
  properties?: Record<string, { type?: string }>
}

/** Fields by the type that they are read as. */
type Types = ReadonlyMap<string, string>

const known = new WeakMap<Schema, Types>()

/** The fields of an operation's input that are not plain text, by its JSON Schema. */
function typesOf(schema: Schema): Types {
  let types = known.get(schema)
  if (types === undefined) {
    // Checks that JSON Schema cannot say are left out.
    const { properties = {} } = schema.toJsonSchema({ fallback: (ctx) => ctx.base }) as JsonSchema
    const read = Object.entries(properties).flatMap(([name, { type }]) => (isRead(type) ? [[name, type] as const] : []))
    known.set(schema, (types = new Map(read)))
  }
  return types
}

function isRead(type: string | undefined): type is string {
  return type === 'integer' || type === 'number' || type === 'boolean'
}

/**
 * Fields that came as text (path, query, form) as the types that the schema has for them. What does not read
 * as that type stays text, for the schema to refuse; so does a field that came twice, as a list.
 */
export function typed(schema: Schema, fields: Record<string, string | string[]>): Record<string, unknown> {
  const types = typesOf(schema)
  if (types.size === 0) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, read(text, types.get(name))]))
}

/** The fields of a query by name; where one came twice nobody can tell which was meant, so it is a list. */
export function queryFields(query: URLSearchParams): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>()
  for (const [name, value] of query) {
    const before = fields.get(name)
    if (before === undefined) fields.set(name, value)
    else if (typeof before === 'string') fields.set(name, [before, value])
    else before.push(value)
  }
  return Object.fromEntries(fields)
}

function read(text: string | string[], type: string | undefined): unknown {
  if (typeof text !== 'string') return text
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** The number of a version, or null for what is none. */
export function versionIn(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}
