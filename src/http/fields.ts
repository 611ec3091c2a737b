import type { Operation } from '../operations/operation.ts'
import { typeOf } from '../operations/places.ts'

/**
 * Converts fields sent as text (path, query, form) to the types in the schema. What does not parse as that type stays
 * text, and a repeated field stays a list: the schema refuses both.
 */
export function typed(schema: Operation['input'], fields: Record<string, string | string[]>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, read(text, typeOf(schema, name))]))
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
