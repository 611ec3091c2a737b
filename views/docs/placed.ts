import type { Described } from '../../src/api/openapi-types.ts'

/** One operation with its place in the document. */
export interface Placed {
  method: string
  path: string
  operation: Described
}
