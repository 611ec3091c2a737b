import type { Version } from '../../../src/bundles/history.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import type { DashboardSite } from '../parts/shell.tsx'

/** Two versions being compared. */
export interface Comparison {
  from: Version
  to: Version
}

/** The form of the comparison, as typed. */
export interface ComparisonForm {
  from: string
  to: string
  errors: { from?: string | undefined; to?: string | undefined }
}

export interface HistoryProps {
  site: DashboardSite
  bundle: StoredBundle
  icons: SiteIcons
  /** Newest first. */
  versions: readonly Version[]
  /** The version before the oldest listed; null if that is the first. */
  earlier: Version | null
  /** The number of the bundle's latest version. */
  latest: number
  /** The number of the version shown in full; null for none. */
  open: number | null
  /** The page lists versions older than this; null for the newest page. */
  before: number | null
  form: ComparisonForm
  comparison: Comparison | null
  /** The first of two versions to compare; null for none. */
  pick: number | null
  /** Why a restore was refused. */
  alert: string | null
}
