import { type } from 'arktype'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { blockedBundles, bundles, idNamed, REPORT_REASONS, reports } from '../../db/schema.ts'
import { Slug } from '../core/fields.ts'
import { Problem } from '../core/problem.ts'
import { object, says } from '../core/shape.ts'
import { lines } from '../core/text-shapes.ts'
import { implement } from '../operations/operation.ts'

/** A viewer’s report of a bundle. */
interface Report {
  slug: string
  reason: (typeof REPORT_REASONS)[number]
  detail?: string | undefined
}

/** Maximum reports per bundle, so that nobody can fill the store. */
const MAX_REPORTS = 100

/**
 * Stores a report for the operator; drops it if the bundle already has a hundred.
 * @throws Problem NOT_FOUND.
 */
async function report({ db, write }: Store, { slug, reason, detail }: Report): Promise<void> {
  const [bundle] = await db
    .select({ id: bundles.id })
    .from(bundles)
    .where(and(eq(bundles.slug, slug), isNull(bundles.deletedAt)))
  if (bundle === undefined) throw new Problem('NOT_FOUND', 'There is no bundle with this slug.')
  const text = detail?.trim() || null
  await write([
    sql`INSERT INTO ${reports} (bundle_id, reason, detail, at)
      SELECT ${bundle.id}, ${reason}, ${text}, ${Date.now()}
      WHERE (SELECT count(*) FROM ${reports} WHERE ${reports.bundleId} = ${bundle.id}) < ${MAX_REPORTS}`,
  ])
}

interface ReportedBundle {
  slug: string
  title: string | null
  urls: string[]
  isBlocked: boolean
  reports: { reason: Report['reason']; detail: string | null; at: number }[]
}

/** All reported bundles, most recently reported first. */
export async function listReports({ db }: Store): Promise<ReportedBundle[]> {
  const rows = await db
    .select({
      slug: bundles.slug,
      title: bundles.title,
      urls: bundles.urls,
      blockedAt: blockedBundles.at,
      reason: reports.reason,
      detail: reports.detail,
      at: reports.at,
    })
    .from(reports)
    .innerJoin(bundles, eq(bundles.id, reports.bundleId))
    .leftJoin(blockedBundles, eq(blockedBundles.bundleId, reports.bundleId))
    .orderBy(sql`${reports.id} DESC`)
  const bySlug = new Map<string, ReportedBundle>()
  for (const { slug, title, urls, blockedAt, ...report } of rows) {
    const known = bySlug.get(slug)
    if (known === undefined) bySlug.set(slug, { slug, title, urls, isBlocked: blockedAt !== null, reports: [report] })
    else known.reports.push(report)
  }
  return [...bySlug.values()]
}

/** Deletes the reports of a bundle; returns how many there were. */
export async function dismissReports({ db, write }: Store, slug: string): Promise<number> {
  const [result] = await write([db.delete(reports).where(sql`${reports.bundleId} = ${idNamed(slug)}`)])
  return result?.rowsAffected ?? 0
}

/** Blocks a bundle: within a second, its launcher answers 451 in every process. Returns false for an unknown slug. */
export async function block({ write }: Store, slug: string, reason: string): Promise<boolean> {
  const insert: Query = sql`INSERT INTO ${blockedBundles} (bundle_id, reason, at)
    SELECT id, ${reason}, ${Date.now()} FROM ${bundles} WHERE id = ${idNamed(slug)}
    ON CONFLICT (bundle_id) DO UPDATE SET reason = excluded.reason`
  const [result] = await write([insert])
  return result?.rowsAffected === 1
}

/** Unblocks a bundle. Returns false if it was not blocked. */
export async function unblock({ db, write }: Store, slug: string): Promise<boolean> {
  const [result] = await write([db.delete(blockedBundles).where(sql`${blockedBundles.bundleId} = ${idNamed(slug)}`)])
  return result?.rowsAffected === 1
}

/** POST /api/links/:slug/reports: reports a bundle to the operator. */
export const reportBundle = implement('report_bundle', {
  summary: 'Report a bundle to the operator of this server',
  description:
    'Reports to the operator of this server that a bundle is harmful or illegal. Nothing is stored about the reporter, and ' +
    'nothing happens automatically: a person reviews it. An address may send five reports per hour.',
  again: 'is another report',
  status: 204,
  input: object({
    slug: Slug,
    reason: says(type.enumerated(...REPORT_REASONS), 'What is wrong with it.', 'phishing'),
    'detail?': says(lines(1000), 'What to look at, in your own words.', 'The third link asks for bank details.'),
  }),
  example: { slug: 'launch-day', reason: 'phishing', detail: 'The third link asks for bank details.' },
  errors: ['NOT_FOUND'],
  async run(input, { service: { store, log } }) {
    await report(store, input)
    log.info({ reason: input.reason }, 'a bundle was reported: run openall admin reports')
  },
})
