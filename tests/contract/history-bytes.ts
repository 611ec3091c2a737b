import { BUNDLE_OVERHEAD, bundles, bundleVersions, VERSION_OVERHEAD } from '../../db/schema.ts'
import { NAMES } from '../../src/bundles/content/content.ts'

const sized = (columns: { name: string }[], of: string) =>
  columns.map(({ name }) => `coalesce(length(CAST(${of}.${name} AS BLOB)), 0)`).join(' + ')
const current = sized(
  [...NAMES, 'externalId' as const, 'metadata' as const, 'aliases' as const].map((name) => bundles[name]),
  'bundles',
)
const version = sized(
  NAMES.map((name) => bundleVersions[name]),
  'bundle_versions',
)
const of = (table: string, bytes: string) =>
  `(SELECT coalesce(sum(${bytes}), 0) FROM ${table} JOIN bundles ON bundles.id = bundle_id WHERE bundles.owner_id = owners.id)`

/** What `owners.history_bytes` must be, counted anew: SQL for a query of `owners`. */
export const HISTORY_BYTES = `(SELECT coalesce(sum(2 * (${current} + ${BUNDLE_OVERHEAD})), 0) FROM bundles WHERE bundles.owner_id = owners.id)
  + coalesce((SELECT length(png) FROM organization_pictures WHERE organization_id = owners.organization_id), 0)
  + ${of('bundle_versions', `${version} + ${VERSION_OVERHEAD}`)} + ${of('version_parts', 'length(CAST(version_parts.content AS BLOB))')} + ${of('policy_rules', '64')}`

/** The same from the sizes that its rows have of themselves, which know nothing of a field that a migration has added since. */
export const SUM_OF_BYTES = `(SELECT coalesce(sum(2 * bytes), 0) FROM bundles WHERE bundles.owner_id = owners.id)
  + ${of('bundle_versions', 'bundle_versions.bytes')} + ${of('version_parts', 'version_parts.bytes')} + ${of('policy_rules', '64')}`
