import type { Operation } from '../operations/operation.ts'

type Schema = Operation['input']

/** The part of a JSON Schema used here. */
interface JsonSchema {
  properties?: Record<string, { type?: string }>
}

/** Types of the fields that are not strings, by name. */
type Types = ReadonlyMap<string, string>

const known = new WeakMap<Schema, Types>()

/** The non-string fields of an operation’s input, from its JSON Schema. */
function typesOf(schema: Schema): Types {
  let types = known.get(schema)
  if (types === undefined) {
    // Omits checks that JSON Schema cannot express.
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
 * Converts fields sent as text (path, query, form) to the types in the schema. What does not parse as that type stays
 * text, and a repeated field stays a list: the schema refuses both.
 */
export function typed(schema: Schema, fields: Record<string, string | string[]>): Record<string, unknown> {
  const types = typesOf(schema)
  if (types.size === 0) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, read(text, types.get(name))]))
}

/** The parameters of a query by name; a repeated one is a list, so that the schema refuses it. */
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

/** A version number, or null if invalid. */
export function versionIn(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}
