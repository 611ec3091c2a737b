import { reportBundle } from '../abuse/reports.ts'
import {
  inviteMember,
  listMembers,
  removeMember,
  revokeInvitation,
  updateMember,
  whoAmI,
} from '../accounts/operations.ts'
import * as claims from '../bundles/claims/claim-operations.ts'
import * as bulk from '../bundles/edit/bulk-operations.ts'
import { listVersions, restoreVersion } from '../bundles/edit/history.ts'
import * as bundles from '../bundles/edit/operations.ts'
import * as policies from '../bundles/edit/policy-operations.ts'
import { renameBundle } from '../bundles/edit/rename.ts'
import { replaceUrl } from '../bundles/links/replace.ts'
import { listEvents } from '../events/events.ts'
import { exportData } from '../export/export.ts'
import * as insights from '../insights/operations.ts'
import { inspectUrls } from '../inspection/inspect.ts'
import * as keys from '../keys/operations.ts'
import * as copies from '../launcher/duplicate.ts'
import * as launcher from '../launcher/operations.ts'
import type { Operation } from '../operations/operation.ts'
import { OPERATIONS, type OperationName } from '../operations/table.ts'
import * as proposals from '../proposals/operations.ts'
import * as startPage from '../start-page/operations.ts'
import { transferBundle } from '../transfers/transfer.ts'
import * as webhooks from '../webhooks/operations.ts'

const implemented = [
  reportBundle,
  whoAmI,
  listMembers,
  inviteMember,
  revokeInvitation,
  updateMember,
  removeMember,
  ...Object.values(startPage),
  ...Object.values(bundles),
  ...Object.values(bulk),
  renameBundle,
  ...Object.values(copies),
  replaceUrl,
  listVersions,
  restoreVersion,
  ...Object.values(claims),
  listEvents,
  exportData,
  ...Object.values(insights),
  inspectUrls,
  ...Object.values(keys),
  ...Object.values(launcher),
  ...Object.values(webhooks),
  ...Object.values(policies),
  ...Object.values(proposals),
  transferBundle,
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
