import type { Described } from '../../src/operations/openapi-types.ts'

/** One operation with its place in the document. */
export interface Placed {
  method: string
  path: string
  operation: Described
}
