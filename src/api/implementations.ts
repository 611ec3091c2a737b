import * as abuse from '../abuse/operations.ts'
import * as accounts from '../accounts/operations.ts'
import * as bulk from '../bundles/bulk-operations.ts'
import * as claims from '../bundles/claim-operations.ts'
import * as bundles from '../bundles/operations.ts'
import * as policies from '../bundles/policy-operations.ts'
import * as replacing from '../bundles/replace-operations.ts'
import * as versions from '../bundles/version-operations.ts'
import * as events from '../events/operations.ts'
import * as exporting from '../export/operations.ts'
import * as insights from '../insights/operations.ts'
import * as inspection from '../inspection/operations.ts'
import * as keys from '../keys/operations.ts'
import * as copies from '../launcher/duplicate.ts'
import * as launcher from '../launcher/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { OPERATIONS, type OperationName } from '../operations/table.ts'
import * as proposals from '../proposals/operations.ts'
import * as transfers from '../transfers/operations.ts'
import * as webhooks from '../webhooks/operations.ts'

const implemented = [
  ...Object.values(abuse),
  ...Object.values(accounts),
  ...Object.values(bundles),
  ...Object.values(bulk),
  ...Object.values(copies),
  ...Object.values(replacing),
  ...Object.values(versions),
  ...Object.values(claims),
  ...Object.values(events),
  ...Object.values(exporting),
  ...Object.values(insights),
  ...Object.values(inspection),
  ...Object.values(keys),
  ...Object.values(launcher),
  ...Object.values(webhooks),
  ...Object.values(policies),
  ...Object.values(proposals),
  ...Object.values(transfers),
]

type Implemented = (typeof implemented)[number]

/** By name; does not compile if a feature leaves an operation of the table unimplemented. */
const byName = Object.fromEntries(implemented.map((operation) => [operation.name, operation])) as {
  readonly [N in Implemented['name']]: Extract<Implemented, { name: N }>
} satisfies Record<OperationName, unknown>

/** Every operation with its own types, from which the SDK’s derive. */
export type Implementations = typeof byName

/** Every operation, untyped as transports call it, in the order of the table. */
export const operations = (Object.keys(OPERATIONS) as OperationName[]).map((name) => byName[name] as Operation)
