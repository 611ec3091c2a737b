import { asc, sql } from 'drizzle-orm'
import type { Store } from '../../../db/client.ts'
import { param, preparedStatements } from '../../../db/prepared.ts'
import { bundles } from '../../../db/schema.ts'
import { DRY_RUN_DOC, Slug, VERSION_DOC } from '../../core/fields.ts'
import type { Issue } from '../../core/issue.ts'
import { lazy } from '../../core/lazy.ts'
import { everyLink, type Linking } from '../../core/links.ts'
import { Cursor, cursorOf, HasMore, keyIn, NextCursor, NumberKey } from '../../core/paging.ts'
import { invalid, Problem } from '../../core/problem.ts'
import { inLongReadSlot, yieldToEventLoop } from '../../core/scheduling.ts'
import { checked, object, refuse, says } from '../../core/shape.ts'
import { unfitUrl } from '../../core/text.ts'
import { Url } from '../../core/text-shapes.ts'
import { requireRole, type SignedIn, type Subject } from '../../identity/caller.ts'
import { countPart } from '../../operations/execute.ts'
import { implement } from '../../operations/operation.ts'
import { subjectIdOf } from '../../plans/owners.ts'
import { withOmits } from '../../policies/base.ts'
import { BOUNDS } from '../content/content.ts'
import { loadFor } from '../edit/bundles.ts'
import * as dryRun from '../edit/dry-run.ts'
import { type Edit, editing, nextContent, type SentChanges, writeVersion } from '../edit/edit.ts'
import { isListed, ownerOf } from '../list/list-order.ts'

/** Replaces a link by another; if both end in `/`, also the beginning of every link that starts with it. */
interface Replacement {
  from: string
  to: string
  dryRun?: boolean
  cursor?: string
}

/** Who replaces, and the callbacks around each version. */
interface Replacing extends Omit<Edit, 'slug' | 'expectedVersion' | 'commit'> {
  /** Called before each further bundle once one has changed. @throws Problem RATE_LIMITED. */
  count(): Promise<unknown>
  /** Called after each version. */
  edited(slug: string): void
}

/** The result for the bundles in one call, and the cursor for the next call. */
export interface Replaced {
  replaced: { slug: string; versionNumber?: number; places: number }[]
  skipped: { slug: string; reason: string }[]
  hasMore: boolean
  nextCursor?: string
}

/**
 * Replaces a link in the acting subject’s bundles, rules included: a version for each, up to a hundred bundles per call.
 * @throws Problem FORBIDDEN for viewers.
 */
async function replace(replacing: Replacing, replacement: Replacement): Promise<Replaced> {
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
      // A bundle that is gone by now no longer has the link.
      if (error.code !== 'NOT_FOUND') done.skipped.push({ slug, reason: error.message })
    }
    after = id
    await yieldToEventLoop(beganAt)
  }
  const hasMore = found.length > page.length
  return { ...done, hasMore, ...(hasMore ? { nextCursor: cursorOf([after]) } : {}) }
}

/** Bundles that may have the link, in the order of their ids: one more than a call changes. */
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

/** @returns null if the bundle does not have the link. @throws Problem if its edit is refused. */
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

type Rule = NonNullable<SentChanges['resolutionPolicy']>['rules'][number]

type Policies = { urlMetadata: NonNullable<SentChanges['urlMetadata']> } & Pick<SentChanges, 'resolutionPolicy'> &
  Linking

/**
 * The edit that replaces a link in a bundle, and the number of places.
 * @throws Problem INVALID_URLS, BAD_REQUEST for a link that becomes invalid or too long.
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
  const changes: SentChanges = { urls: urls.map(next), urlMetadata }
  const isInRule = ({ omit = [], tabs }: Rule) =>
    [...omit, ...tabs.map(({ url }) => url)].some((url) => next(url) !== url)
  if (resolutionPolicy?.rules.some(isInRule)) {
    const rules = resolutionPolicy.rules.map((rule) => {
      return { ...rule, tabs: rule.tabs.map((tab) => ({ ...tab, url: next(tab.url) })) }
    })
    changes.resolutionPolicy = withOmits({ ...resolutionPolicy, rules }, next)
  }
  return { changes, places: changed.length }
}

function replacedLink(url: string, { from, to }: Pick<Replacement, 'from' | 'to'>): string {
  if (url === from) return to
  return isPrefix({ from, to }) && url.startsWith(from) ? to + url.slice(from.length) : url
}

const isPrefix = ({ from, to }: Pick<Replacement, 'from' | 'to'>) => from.endsWith('/') && to.endsWith('/')

const DryRun = says('boolean', ...DRY_RUN_DOC)

const sent = object({
  from: says(Url, 'The link as it is in bundles.', 'https://old.example/plan'),
  to: says(Url, 'What it becomes.', 'https://example.com/plan'),
  'dryRun?': DryRun,
  'cursor?': Cursor,
})

/** The body of POST /api/me/replace. */
const ReplaceBody = checked(
  sent,
  sent.narrow(({ from, to }, ctx) => from !== to || refuse(ctx, { code: 'no_change' })),
)

const replacedIn = lazy(() =>
  object(
    {
      slug: Slug,
      'versionNumber?': says('number.integer', ...VERSION_DOC),
      places: says('number.integer', 'How many links changed there.', 1),
    },
    'ReplacedIn',
  ),
)

const notReplaced = lazy(() =>
  object(
    {
      slug: Slug,
      reason: says('string', 'Why.', 'This bundle is being edited too often. Read it again and retry.'),
    },
    'NotReplaced',
  ),
)

const ReplaceAnswer = lazy(() =>
  object({
    'dryRun?': DryRun,
    replaced: says(replacedIn().array(), 'The bundles that it was, or would be, replaced in.'),
    skipped: says(notReplaced().array(), 'Those that could not be changed.'),
    hasMore: HasMore,
    'nextCursor?': NextCursor,
  }),
)

/** POST /api/me/replace. */
export const replaceUrl = implement('replace_url', {
  summary: 'Replace a link in all your bundles',
  description:
    'Also in rules; up to 100 bundles in a call, a version for each. If both end in /, links that begin with `from` change ' +
    'too. Try `dryRun` first.',
  again: 'finds nothing more to replace',
  input: ReplaceBody,
  example: { from: 'https://old.example/wiki/', to: 'https://example.com/wiki/', dryRun: true },
  output: ReplaceAnswer,
  errors: ['FORBIDDEN'],
  async run(input, context) {
    const { service, caller } = context
    const replacing = {
      ...editing(context),
      count: () => countPart(service, caller),
      edited: (slug: string) => service.invalidate.launcher(slug),
    }
    const done = await replace(replacing, input)
    return input.dryRun === true ? { dryRun: true, ...done } : done
  },
})
