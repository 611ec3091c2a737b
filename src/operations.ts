import { createBundle } from './bundles/operations.ts'
import { recordEvent } from './insights/operations.ts'
import type { Operation } from './operation.ts'

/** The whole service, in the order of the specification. */
export const operations = [createBundle, recordEvent] as Operation[]
