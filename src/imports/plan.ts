import type { UrlMetadata } from '../../db/schema.ts'
import type { ValueName } from '../bundles/content.ts'
import type { FoundLink, Settings } from '../bundles/found.ts'
import { sanitized } from '../core/text.ts'
import { clip } from './clean.ts'
import type { ImportFormat } from './formats.ts'

/** Limits of one import. Beyond `remarks`, remarks are counted but not listed. */
export const IMPORT_BOUNDS = { characters: 8_000_000, links: 2500, bundles: 250, remarks: 200 } as const

/** A link to create. */
export interface ImportedLink {
  /** Its line in the text, from 1. */
  line: number
  url: string
  metadata: UrlMetadata
}

/** A bundle to create, with 1 to 25 links. */
export interface ImportedBundle extends Record<ValueName, string | null>, Settings {
  links: ImportedLink[]
  /** Its variables, its rules, and what it has for its owner alone, not validated yet: creating the bundle does that. */
  variables?: unknown
  resolutionPolicy?: unknown
  externalId?: unknown
  metadata?: unknown
}

/** Something about a line that the user should know. */
export interface Remark {
  line: number
  text: string
  /** The rest of a sentence that begins with the line, such as “has no link in it”. */
  reason: string
}

/** What an import would create, and which parts of the text it would leave out. */
export interface ImportPlan {
  format: ImportFormat
  bundles: ImportedBundle[]
  /** Lines without a usable link. */
  skipped: Remark[]
  /** Links that are shortened or cleaned. */
  changed: Remark[]
  /** Totals, including remarks that are not listed; `duplicates` are among those skipped. */
  counts: { skipped: number; changed: number; duplicates: number }
}

/** All distinct links of a text, as one list. */
export interface FoundList
  extends Pick<ImportPlan, 'format' | 'skipped' | 'changed' | 'counts'>,
    Record<ValueName, string | null>,
    Settings {
  links: ImportedLink[]
  /** Those of all its bundles, not validated yet; missing for none. */
  variables?: unknown[]
}

/** Adds a remark to a plan. */
export function remark(
  plan: ImportPlan,
  kind: 'skipped' | 'changed',
  link: Pick<FoundLink, 'line' | 'url' | 'text'>,
  reason: string,
) {
  plan.counts[kind] += 1
  if (plan.counts[kind] > IMPORT_BOUNDS.remarks) return
  const excerpt = (link.text ?? link.url).trim().slice(0, 400)
  plan[kind].push({ line: link.line, text: clip(sanitized(excerpt), 120), reason })
}
