import * as abuse from './abuse/operations.ts'
import * as bundles from './bundles/operations.ts'
import type { Operation } from './core/operation.ts'
import * as identity from './identity/operations.ts'
import * as insights from './insights/operations.ts'
import * as keys from './keys/operations.ts'
import * as launcher from './launcher/operations.ts'
import { OPERATIONS, type OperationName } from './operations.ts'
import * as policies from './policies/operations.ts'

const implemented = [
  ...Object.values(abuse),
  ...Object.values(bundles),
  ...Object.values(identity),
  ...Object.values(insights),
  ...Object.values(keys),
  ...Object.values(launcher),
  ...Object.values(policies),
]

type Implemented = (typeof implemented)[number]

/** By name; tsc refuses this where the table has an operation that no feature implements. */
const byName = Object.fromEntries(implemented.map((operation) => [operation.name, operation])) as {
  readonly [N in Implemented['name']]: Extract<Implemented, { name: N }>
} satisfies Record<OperationName, unknown>

/** Every operation with its own types, which the SDK's are made of. */
export type Implementations = typeof byName

/** Every operation as transports call it, in the order of the table. */
export const operations = (Object.keys(OPERATIONS) as OperationName[]).map((name) => byName[name] as Operation)
