import * as abuse from './abuse/operations.ts'
import * as bundles from './bundles/operations.ts'
import type { Operation } from './core/operation.ts'
import * as identity from './identity/operations.ts'
import * as insights from './insights/operations.ts'
import * as keys from './keys/operations.ts'
import * as launcher from './launcher/operations.ts'
import * as policies from './policies/operations.ts'

const table = [
  bundles.createBundle,
  bundles.getBundle,
  bundles.updateBundle,
  bundles.deleteBundle,
  bundles.restoreBundle,
  bundles.listBundles,
  bundles.listVersions,
  bundles.restoreVersion,
  policies.previewPolicy,
  bundles.claimBundle,
  bundles.listClaims,
  insights.getInsights,
  launcher.recordEvent,
  abuse.reportBundle,
  identity.whoAmI,
  identity.exportData,
  keys.createKey,
  keys.listKeys,
  keys.revokeKey,
] as const

/** Every operation with its own types, which the SDK's are made of. */
export type Table = typeof table

/** The whole service, in the order of the specification. */
export const operations: readonly Operation[] = table as readonly Operation[]
