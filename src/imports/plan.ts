import type { UrlMetadata } from '../../db/schema.ts'
import type { ValueName } from '../bundles/content/content.ts'
import type { FoundLink, Said, Settings } from '../bundles/list/found.ts'
import { sanitized } from '../core/text.ts'
import { clip } from './clean.ts'
import type { ImportFormat } from './formats.ts'

/** Limits of one import. Beyond `remarks`, remarks are counted but not listed. */
export const IMPORT_BOUNDS = { characters: 8_000_000, links: 2500, bundles: 250, remarks: 200 } as const

/** A link to create. */
export interface ImportedLink {
  /** Its line in the text, counted from 1. */
  line: number
  url: string
  metadata: UrlMetadata
  /** The notices beside its row; missing for none. */
  said?: readonly Said[]
}

/** A bundle to create, with 1 to 25 links. */
export interface ImportedBundle extends Record<ValueName, string | null>, Settings {
  links: ImportedLink[]
  /** Its variables, rules and unversioned fields, not validated yet: creating the bundle does that. */
  variables?: unknown
  resolutionPolicy?: unknown
  externalId?: unknown
  metadata?: unknown
  aliases?: unknown
}

/** Something about a line that the user should know. */
export interface Remark {
  line: number
  text: string
  /** The rest of a sentence that begins with the line, such as “has no link in it”. */
  reason: string
}

/** The result of an import, and the parts of the text that it would leave out. */
export interface ImportPlan {
  format: ImportFormat
  bundles: ImportedBundle[]
  /** Lines without a usable link. */
  skipped: Remark[]
  /** Links that are shortened or cleaned. */
  changed: Remark[]
  /** Totals, including remarks that are not listed; `skipped` includes `duplicates`. */
  counts: { skipped: number; changed: number; duplicates: number }
}

/** All distinct links in a text, as one list. */
export interface FoundList
  extends Pick<ImportPlan, 'format' | 'skipped' | 'changed' | 'counts'>,
    Record<ValueName, string | null>,
    Settings {
  links: ImportedLink[]
  /** The variables of all its bundles, not validated yet; missing if none declares any. */
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
  plan[kind].push({ line: link.line, text: excerptOf(link.text ?? link.url), reason })
}

/** The beginning of a line or address, enough to identify it. */
export function excerptOf(text: string): string {
  return clip(sanitized(text.trim().slice(0, 400)), 120)
}
