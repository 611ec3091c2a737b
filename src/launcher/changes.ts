import { and, desc, eq, lt, type SQL } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundleVersions, type Content } from '../../db/schema.ts'
import { diffLinks, linksOf, rulesOf } from '../bundles/diff.ts'
import type { Link } from '../bundles/link-fields.ts'
import { VERSION_COLUMNS } from '../bundles/stored.ts'
import type { PublicBundle } from './served.ts'

/** Changes that a feed has. */
const MAX_CHANGES = 50
/** Versions that are read for them: not every edit changes the tabs. */
const MAX_VERSIONS = 200
const AT_ONCE = 50

/** What one edit changed in the tabs of a launcher. */
export interface Change {
  versionNumber: number
  /** Milliseconds since 1970. */
  at: number
  added: string[]
  /** Those whose note, tags, section or way to open changed. */
  changed: string[]
  removed: number
  isReordered: boolean
}

export interface Changes {
  /** When the newest version was saved. */
  updatedAt: number
  /** Newest first. */
  changes: Change[]
}

/**
 * How the tabs of a bundle changed that this viewer sees. Someone for whom no gate had to open sees nothing of the versions
 * that had one.
 */
export async function changesOf({ db }: Store, bundleId: number, seen: Seen): Promise<Changes> {
  const ruleId = seen.rule?.id ?? null
  const columns = ruleId === null ? OWN : { ...OWN, resolutionPolicy: VERSION_COLUMNS.resolutionPolicy }
  const page = (before: number) =>
    db
      .select(columns as typeof OWN & { resolutionPolicy?: SQL<Content['resolutionPolicy']> })
      .from(bundleVersions)
      .where(and(eq(bundleVersions.bundleId, bundleId), lt(bundleVersions.versionNumber, before)))
      .orderBy(desc(bundleVersions.versionNumber))
      .limit(AT_ONCE)
  const changes: Change[] = []
  let updatedAt = 0
  let newer: State | null = null
  let before = Number.MAX_SAFE_INTEGER
  for (let read = 0; read < MAX_VERSIONS && before > 1; read += AT_ONCE) {
    for (const version of await page(before)) {
      before = version.versionNumber
      if (!seen.isProtected && version.access !== 'link') continue
      updatedAt ||= version.editedAt
      const state = { ...version, tabs: tabsOf(version, ruleId) }
      if (newer !== null) add(changes, state.tabs, newer)
      if (changes.length === MAX_CHANGES) return { updatedAt, changes }
      newer = state
    }
    // A bundle that was deleted meanwhile has no versions.
    if (before === Number.MAX_SAFE_INTEGER) break
  }
  if (before === 1 && newer !== null) add(changes, [], newer)
  return { updatedAt, changes }
}

const OWN = {
  versionNumber: VERSION_COLUMNS.versionNumber,
  editedAt: VERSION_COLUMNS.editedAt,
  access: VERSION_COLUMNS.access,
  urls: VERSION_COLUMNS.urls,
  urlMetadata: VERSION_COLUMNS.urlMetadata,
}

/** The part of a viewer’s bundle that decides. */
type Seen = Pick<PublicBundle, 'rule' | 'isProtected'>

interface State {
  versionNumber: number
  editedAt: number
  tabs: readonly Link[]
}

type Stored = Pick<Content, 'urls' | 'urlMetadata'> & Partial<Pick<Content, 'resolutionPolicy'>>

function tabsOf({ resolutionPolicy = null, ...own }: Stored, ruleId: string | null): readonly Link[] {
  if (ruleId === null) return linksOf(own)
  return rulesOf({ resolutionPolicy }).find(({ id }) => id === ruleId)?.tabs ?? []
}

/** Adds what changed from one state to the next, if anything. A tab that leads elsewhere now is another tab. */
function add(changes: Change[], before: readonly Link[], { versionNumber, editedAt, tabs }: State): void {
  const change: Change = { versionNumber, at: editedAt, added: [], changed: [], removed: 0, isReordered: false }
  const entries = diffLinks(before, tabs)
  for (const entry of entries) {
    if (entry.kind === 'kept' && entry.changes.url === undefined) {
      if (entry.isMoved) change.isReordered = true
      if (Object.keys(entry.changes).length > 0) change.changed.push(entry.value.url)
      continue
    }
    if (entry.kind !== 'removed') change.added.push(entry.value.url)
    if (entry.kind !== 'added') change.removed += 1
  }
  if (entries.length > 0) changes.push(change)
}
