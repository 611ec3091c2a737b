import { asc, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { param, preparedStatements } from '../../db/prepared.ts'
import { bundles } from '../../db/schema.ts'
import { cursorOf, keyIn, NumberKey } from '../core/cursor.ts'
import type { Issue } from '../core/issue.ts'
import { everyLink, type Linking } from '../core/links.ts'
import { invalid, Problem } from '../core/problem.ts'
import { unfitUrl } from '../core/text.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { requireRole } from '../identity/roles.ts'
import { inLongReadSlot } from '../operations/read-slots.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { BOUNDS } from './bounds.ts'
import * as dryRun from './dry-run.ts'
import { isListed, ownerOf } from './list-order.ts'
import type { SentChanges } from './merge.ts'
import { loadFor } from './roles.ts'
import { type Edit, nextContent, writeVersion } from './versions.ts'

/** A link that becomes another; if both end in `/`, so does every link that begins with it. */
interface Replacement {
  from: string
  to: string
  dryRun?: boolean
  cursor?: string
}

/** Who replaces, and what happens around each version. */
interface Replacing extends Omit<Edit, 'slug' | 'expectedVersion' | 'commit'> {
  /** Called before each version after the first. @throws Problem RATE_LIMITED. */
  count(): Promise<unknown>
  /** Called after each version. */
  edited(slug: string): void
}

/** What became of the bundles of one call, and the cursor of the next. */
export interface Replaced {
  replaced: { slug: string; versionNumber?: number; places: number }[]
  skipped: { slug: string; reason: string }[]
  hasMore: boolean
  nextCursor?: string
}

/**
 * Replaces a link in the bundles of the acting subject and in their rules, a version for each, up to a hundred in a call.
 * @throws Problem FORBIDDEN for viewers; RATE_LIMITED if nothing could be done.
 */
export async function replace(replacing: Replacing, replacement: Replacement): Promise<Replaced> {
  const { store, caller, count, edited } = replacing
  requireRole(caller.role, 'editor')
  const found = await candidates(store, caller, replacement)
  const page = found.slice(0, BOUNDS.bulk)
  const done: Pick<Replaced, 'replaced' | 'skipped'> = { replaced: [], skipped: [] }
  let after = 0
  for (const [id, slug] of page) {
    const beganAt = performance.now()
    try {
      if (replacement.dryRun !== true && done.replaced.length > 0) await count()
      const made = await replaceIn(replacing, slug, replacement)
      if (made !== null) done.replaced.push({ slug, ...made })
      if (made?.versionNumber !== undefined) edited(slug)
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      if (error.code === 'RATE_LIMITED') return { ...done, hasMore: true, nextCursor: cursorOf([after]) }
      // One that is gone by now has no such link.
      if (error.code !== 'NOT_FOUND') done.skipped.push({ slug, reason: error.message })
    }
    after = id
    await yieldToEventLoop(beganAt)
  }
  const hasMore = found.length > page.length
  return { ...done, hasMore, ...(hasMore ? { nextCursor: cursorOf([after]) } : {}) }
}

/** The bundles in which the link may stand, by their ids: one more than a call changes. */
async function candidates(
  store: Store,
  { subject, userId }: SignedIn,
  { from, to, cursor }: Replacement,
): Promise<[id: number, slug: string][]> {
  const [after] = keyIn(cursor, NumberKey) ?? [0]
  const text = JSON.stringify(from)
  const values = { owner: subjectIdOf(subject), after, text: isPrefix({ from, to }) ? text.slice(0, -1) : text }
  const [query] = containing(store.db, subject.type, values)
  return JSON.parse(String((await inLongReadSlot(userId, () => store.readLong(query!))) ?? '[]'))
}

const containing = preparedStatements((_, subject: Subject['type']) => {
  const [text, after] = [param('text'), param('after')]
  const has = sql`(instr(${bundles.urls}, ${text}) > 0 OR instr(coalesce(${bundles.resolutionPolicy}, ''), ${text}) > 0)`
  const page = sql`SELECT ${bundles.id} AS id, ${bundles.slug} AS slug FROM ${bundles} WHERE ${isListed({ subject, state: 'active' }, ownerOf(subject))} AND ${bundles.id} > ${after} AND ${has} ORDER BY ${asc(bundles.id)} LIMIT ${sql.raw(String(BOUNDS.bulk + 1))}`
  return [sql`SELECT json_group_array(json_array(id, slug)) FROM (${page})`]
})

/** @returns null if the link is not in the bundle. @throws Problem. */
async function replaceIn(replacing: Replacing, slug: string, replacement: Replacement) {
  const edit = { ...replacing, slug, expectedVersion: null }
  if (replacement.dryRun === true) {
    const { changes, places } = changesOf(await loadFor(edit.store.db, edit.caller, slug, 'editor'), replacement)
    if (places === 0) return null
    await dryRun.edit(edit, changes)
    return { places }
  }
  let places = 0
  const { versionNumber } = await writeVersion(edit, async (bundle) => {
    const found = changesOf(bundle, replacement)
    places = found.places
    return places === 0 ? null : nextContent(edit, bundle, found.changes)
  })
  return places === 0 ? null : { versionNumber, places }
}

type Policies = { urlMetadata: NonNullable<SentChanges['urlMetadata']> } & Pick<SentChanges, 'resolutionPolicy'> &
  Linking

/**
 * The edit that replaces a link in a bundle, and in how many places.
 * @throws Problem INVALID_URLS, BAD_REQUEST for a link that becomes too long.
 */
function changesOf(bundle: Policies, replacement: Pick<Replacement, 'from' | 'to'>) {
  const next = (url: string) => replacedLink(url, replacement)
  const { urls, urlMetadata, resolutionPolicy } = bundle
  const changed = everyLink(bundle).filter(({ url }) => next(url) !== url)
  const issues = changed.flatMap(({ url, path }): Issue[] => {
    const reason = unfitUrl(next(url))
    return reason === null ? [] : [{ path, reason }]
  })
  if (issues.length > 0) throw invalid(issues)
  const isInRules = everyLink({ ...bundle, urls: [] }).some(({ url }) => next(url) !== url)
  const changes: SentChanges = { urls: urls.map(next), urlMetadata }
  if (isInRules && resolutionPolicy != null) {
    const rules = resolutionPolicy.rules.map((rule) => {
      return { ...rule, tabs: rule.tabs.map((tab) => ({ ...tab, url: next(tab.url) })) }
    })
    changes.resolutionPolicy = { ...resolutionPolicy, rules }
  }
  return { changes, places: changed.length }
}

function replacedLink(url: string, { from, to }: Pick<Replacement, 'from' | 'to'>): string {
  if (url === from) return to
  return isPrefix({ from, to }) && url.startsWith(from) ? to + url.slice(from.length) : url
}

const isPrefix = ({ from, to }: Pick<Replacement, 'from' | 'to'>) => from.endsWith('/') && to.endsWith('/')
