import type { StoredBundle } from '../../../src/bundles/access.ts'
import type { Version } from '../../../src/bundles/versions.ts'
import type { DashboardSite } from '../parts/shell.tsx'

/** Two versions beside each other. */
export interface Comparison {
  from: Version
  to: Version
}

/** What is asked of the comparison, as it was typed. */
export interface ComparisonForm {
  from: string
  to: string
  errors: { from?: string | undefined; to?: string | undefined }
}

/** What the page of versions shows. */
export interface HistoryProps {
  site: DashboardSite
  bundle: StoredBundle
  /** Newest first. */
  versions: readonly Version[]
  /** The version before the oldest of them; null where they begin with the first. */
  earlier: Version | null
  /** The number of the newest version that there is. */
  latest: number
  /** The number of the version that is shown in full; null for none. */
  open: number | null
  /** From where on the page lists; null for the newest. */
  before: number | null
  form: ComparisonForm
  comparison: Comparison | null
  /** What was refused. */
  alert: string | null
}
