import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import type { Tab } from '../../db/policy.ts'
import { bundleVersions, type UrlMetadata, versionParts } from '../../db/schema.ts'
import { diffLinks } from '../bundles/diff.ts'
import { type Link, wholeLink } from '../bundles/link-fields.ts'
import { waitForReadSlot } from '../operations/read-slots.ts'
import type { PublicBundle } from './served.ts'

/** Changes that a feed has. */
const MAX_CHANGES = 50
/** Versions that are looked at for them: not every edit changes the tabs. */
const MAX_VERSIONS = 200

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
  /** When the bundle was created. */
  createdAt: number
  /** Newest first. */
  changes: Change[]
}

/** The part of a viewer’s bundle that decides. */
type Seen = Pick<PublicBundle, 'rule' | 'isProtected'>

/**
 * How the tabs of a bundle changed that this viewer sees. Someone for whom no gate had to open sees nothing of the versions
 * that had one. Versions share equal values, so that most that changed no tab are known without reading them; the others are
 * read one in each round of the event loop, whoever asks.
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

/** All feeds together take the turn of one person. */
const FEEDS = 'feeds'

/** A version whose tabs may differ from those of the one before that the viewer sees; null if there is none. */
const CANDIDATE = { number: sql<number>`number`, at: sql<number>`at`, before: sql<number | null>`before` }

/** A list of tabs in versions. */
interface List {
  /** Equal only if the tabs are. */
  mark: SQL
  /** The tabs as text. */
  text: SQL
  tabsOf(text: string): Link[]
}

/** Where the tabs of a version are: in a part, which versions with the same value share, or in its row. */
const savedIn = (name: string) =>
  sql`coalesce((SELECT content FROM ${versionParts} p WHERE p.id = v.${sql.identifier(`${name}_part`)}), v.${sql.identifier(name)})`
const markOf = (name: string) => sql`coalesce(v.${sql.identifier(`${name}_part`)}, v.${sql.identifier(name)}, '')`

/** The bundle’s own: URLs and their metadata, each a list as JSON. */
const OWN: List = {
  mark: sql`${markOf('urls')} || ' ' || ${markOf('url_metadata')}`,
  text: sql`'[' || ${savedIn('urls')} || ',' || ${savedIn('url_metadata')} || ']'`,
  tabsOf(text) {
    const [urls, metadata] = text === '' ? [[], []] : (JSON.parse(text) as [string[], UrlMetadata[]])
    return urls.map((url, at) => wholeLink(url, metadata[at]))
  },
}

/** Those of a rule: of a policy, the database reads only these. */
function ofRule(id: string): List {
  return {
    mark: markOf('resolution_policy'),
    text: sql`coalesce((SELECT json_extract(rule.value, '$.tabs') FROM json_each(${savedIn('resolution_policy')}, '$.rules') rule
      WHERE json_extract(rule.value, '$.id') = ${id}), '')`,
    tabsOf: (text) => (text === '' ? [] : (JSON.parse(text) as Tab[]).map(({ url, ...more }) => wholeLink(url, more))),
  }
}

/** Reads the tabs of versions; of neighbours, each once. */
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

/** Adds what changed from one state to the next, if anything. A tab that leads elsewhere now is another tab. */
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
