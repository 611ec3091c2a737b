import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import type { Rule } from '../../db/policy.ts'
import { bundleVersions, type UrlMetadata, versionParts } from '../../db/schema.ts'
import { diffLinks } from '../bundles/content/diff.ts'
import { type Link, wholeLink } from '../bundles/links/link-fields.ts'
import { waitForReadSlot } from '../core/scheduling.ts'
import { ownTabsOf, shownTabs } from '../policies/base.ts'
import type { PublicBundle } from './served.ts'

/** Maximum changes in a feed. */
const MAX_CHANGES = 50
/** Versions searched for changes: not every edit changes the tabs. */
const MAX_VERSIONS = 200

/** The changes to a launcher's tabs in one edit. */
export interface Change {
  versionNumber: number
  /** Milliseconds since 1970. */
  at: number
  added: string[]
  /** Tabs with a changed note, section, tags or way to open. */
  changed: string[]
  removed: number
  isReordered: boolean
}

export interface Changes {
  /** When the bundle was created. */
  createdAt: number
  /** Newest first. */
  changes: Change[]
}

/** The properties of a viewer’s bundle that decide what they see. */
type Seen = Pick<PublicBundle, 'rule' | 'isProtected'>

/**
 * The changes of the tabs that this viewer sees. A viewer who needed to pass no gate sees nothing of the versions that had one.
 * Versions share equal values, so most that changed no tab are recognised without reading them. The others are read one per round
 * of the event loop, whoever asks.
 */
export async function changesOf({ db }: Store, bundleId: number, { rule, isProtected }: Seen): Promise<Changes> {
  const list = rule === null ? OWN : ofRule(rule.id)
  await waitForReadSlot(FEEDS)
  const found = sql`(
    WITH newest AS (
      SELECT v.version_number AS number, v.edited_at AS at, v.access, ${list.mark} AS mark
      FROM ${bundleVersions} v WHERE v.bundle_id = ${bundleId} ORDER BY v.version_number DESC LIMIT ${MAX_VERSIONS}
    ), seen AS (
      SELECT number, at, mark, lag(number) OVER byNumber AS before, lag(mark) OVER byNumber AS markBefore
      FROM newest WHERE ${isProtected ? 1 : 0} OR access = 'link' WINDOW byNumber AS (ORDER BY number)
    )
    SELECT number, at, before FROM seen
    WHERE before IS NULL AND EXISTS (SELECT 1 FROM newest WHERE number = 1) OR mark <> markBefore
  )`
  const candidates = await db.select(CANDIDATE).from(found).orderBy(desc(CANDIDATE.number))
  const changes: Change[] = []
  const read = readerOf(db, bundleId, list)
  for (const { number, at, before } of candidates) {
    const newer = await read(number)
    const older = before === null ? '' : await read(before)
    if (older !== newer) add(changes, list.tabsOf(older), { versionNumber: number, at, tabs: list.tabsOf(newer) })
    if (changes.length === MAX_CHANGES) break
  }
  const first = and(eq(bundleVersions.bundleId, bundleId), eq(bundleVersions.versionNumber, 1))
  const [created] = await db.select({ at: bundleVersions.editedAt }).from(bundleVersions).where(first)
  return { createdAt: created?.at ?? 0, changes }
}

/** All feeds together count as one person for turns. */
const FEEDS = 'feeds'

/** A version whose tabs may differ from those one version before; null if there is none. */
const CANDIDATE = { number: sql<number>`number`, at: sql<number>`at`, before: sql<number | null>`before` }

/** A list of tabs in versions. */
interface List {
  /** Equal only if the tabs are equal. */
  mark: SQL
  /** The tabs as text. */
  text: SQL
  tabsOf(text: string): Link[]
}

/** The tabs of a version: in a part, which versions with the same value share, or in its own row. */
const savedIn = (name: string) =>
  sql`coalesce((SELECT content FROM ${versionParts} p WHERE p.id = v.${sql.identifier(`${name}_part`)}), v.${sql.identifier(name)})`
const markOf = (name: string) => sql`coalesce(v.${sql.identifier(`${name}_part`)}, v.${sql.identifier(name)}, '')`

/** The bundle’s own tabs: URLs and their metadata, each a list as JSON. */
const OWN: List = {
  mark: sql`${markOf('urls')} || ' ' || ${markOf('url_metadata')}`,
  text: sql`'[' || ${savedIn('urls')} || ',' || ${savedIn('url_metadata')} || ']'`,
  tabsOf(text) {
    const [urls, metadata] = text === '' ? [[], []] : (JSON.parse(text) as [string[], UrlMetadata[]])
    return urls.map((url, at) => wholeLink(url, metadata[at]))
  },
}

/** The tabs of a rule: the database reads only these from a policy, and the bundle's own if the rule follows it. */
function ofRule(id: string): List {
  const part = (name: string) => sql`json(json_extract(rule.value, ${`$.${name}`}))`
  const own = sql`CASE WHEN json_extract(rule.value, '$.base') = 'bundle' THEN json_array(json(${savedIn('urls')}), json(${savedIn('url_metadata')}), ${part('omit')}) END`
  return {
    mark: sql`${markOf('resolution_policy')} || ' ' || ${OWN.mark}`,
    text: sql`coalesce((SELECT json_array(${part('tabs')}, json(${own})) FROM json_each(${savedIn('resolution_policy')}, '$.rules') rule
      WHERE json_extract(rule.value, '$.id') = ${id}), '')`,
    tabsOf(text) {
      if (text === '') return []
      const [tabs, own] = JSON.parse(text) as RuleTabs
      const [urls, urlMetadata, omit] = own ?? [[], [], null]
      const rule = { tabs, base: own === null ? 'none' : 'bundle', omit: omit ?? [] } as const
      return shownTabs(rule, ownTabsOf({ urls, urlMetadata })).map(({ url, ...more }) => wholeLink(url, more))
    },
  }
}

/** The tabs of a rule in a version; for one that follows the bundle, also the bundle's links, and what it leaves out. */
type RuleTabs = [tabs: Rule['tabs'], own: [urls: string[], urlMetadata: UrlMetadata[], omit: string[] | null] | null]

/** Reads the tabs of versions; adjacent versions share reads. */
function readerOf(db: Store['db'], bundleId: number, { text }: List): (versionNumber: number) => Promise<string> {
  let last = { versionNumber: 0, text: '' }
  return async (versionNumber) => {
    if (last.versionNumber === versionNumber) return last.text
    await waitForReadSlot(FEEDS)
    // A bundle that was deleted meanwhile has no versions.
    const [row] = await db
      .select({ text: sql<string>`${text}` })
      .from(sql`${bundleVersions} v`)
      .where(sql`v.bundle_id = ${bundleId} AND v.version_number = ${versionNumber}`)
    last = { versionNumber, text: row?.text ?? '' }
    return last.text
  }
}

interface State {
  versionNumber: number
  at: number
  tabs: readonly Link[]
}

/** Adds the changes between two states, if any. A tab with another address counts as another tab. */
function add(changes: Change[], before: readonly Link[], { versionNumber, at, tabs }: State): void {
  const change: Change = { versionNumber, at, added: [], changed: [], removed: 0, isReordered: false }
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
