import type { JsonSchema } from '../core/shape.ts'

/** An example value of a schema, built from the examples of its fields. */
export function exampleOf(schema: JsonSchema, definitions: ReadonlyMap<string, JsonSchema>): unknown {
  const { $ref, examples, anyOf, oneOf, properties, required, items } = schema as Parts
  if (examples !== undefined) return examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return (schema.enum as unknown[])[0]
  if ($ref !== undefined) return exampleOf(definitions.get($ref.split('/').at(-1) ?? '') ?? {}, definitions)
  const [branch] = anyOf ?? oneOf ?? []
  if (branch !== undefined) return exampleOf(branch, definitions)
  if (schema.type === 'array') return items === undefined ? [] : [exampleOf(items, definitions)]
  if (schema.type === 'object') {
    const requiredFields = Object.entries(properties ?? {}).filter(([name]) => required?.includes(name) ?? false)
    return Object.fromEntries(requiredFields.map(([name, field]) => [name, exampleOf(field, definitions)]))
  }
  if (schema.format === 'date-time') return '2026-11-20T09:00:00.000Z'
  return schema.type === 'integer' || schema.type === 'number' ? 1 : schema.type === 'boolean' ? true : 'text'
}

interface Parts {
  $ref?: string
  examples?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
}
