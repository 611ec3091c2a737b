import { bundles } from '../../db/schema.ts'
import { NAMES } from '../../src/bundles/content.ts'

const content = NAMES.map((name) => `coalesce(length(CAST(bundles.${bundles[name].name} AS BLOB)), 0)`).join(' + ')
const of = (table: string, bytes: string) =>
  `(SELECT coalesce(sum(${bytes}), 0) FROM ${table} JOIN bundles ON bundles.id = bundle_id WHERE bundles.owner_id = owners.id)`

/** What `owners.history_bytes` must be, counted anew: SQL for a query of `owners`. */
export const HISTORY_BYTES = `(SELECT coalesce(sum(2 * (${content}) + 512), 0) FROM bundles WHERE bundles.owner_id = owners.id)
  + ${of('bundle_versions', 'bundle_versions.bytes')} + ${of('version_parts', 'version_parts.bytes')} + ${of('policy_rules', '64')}`
