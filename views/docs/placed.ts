import type { Described, Parameter } from '../../src/operations/openapi-types.ts'

/** One operation with its place in the document. */
export interface Placed {
  method: string
  path: string
  operation: Described
}

/** A parameter of a query with its example: `limit=20`; of one that has all parameters as its fields, `id=4711&range=7d`. */
export function exampleQuery({ name, explode, example }: Pick<Parameter, 'name' | 'explode' | 'example'>): string {
  const fields = explode === true ? Object.entries(example ?? {}) : [[name, example]]
  return fields.map(([field, value]) => `${field}=${encodeURIComponent(String(value))}`).join('&')
}
