import { asc, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { blockedBundles, bundles, member, organization, owners, user } from '../../db/schema.ts'
import { omit } from '../bundles/content/content.ts'
import { subjectOf } from '../bundles/edit/bundles.ts'
import { iso } from '../core/time.ts'
import { realEmail } from '../identity/sessions.ts'
import type { Site } from '../operations/operation.ts'
import { bundleParts } from './export.ts'

/** Rows held in memory at a time. */
const PAGE = 100

const NOT_SHOWN = ['addressHash', 'slugHash', 'viewedAt', 'bytes'] as const
const BUNDLE = omit(NOT_SHOWN, getTableColumns(bundles))

/**
 * All people, organisations and bundles of an instance as JSON lines, each an object with a `type`. Bundles come with every
 * version, count and proposal, deleted ones included. Leaves out whatever could sign somebody in: passwords, sessions, keys,
 * webhooks’ secrets, claims. Rows are read while it is sent; edits made meanwhile may be missing.
 */
export async function* instanceParts(store: Store, site: Site): AsyncGenerator<string> {
  yield line({ type: 'instance', exportedAt: iso(Date.now()), origin: site.origin })
  yield* people(store)
  yield* organizations(store)
  yield* allBundles(store, site)
}

function line(row: object): string {
  return `${JSON.stringify(row)}\n`
}

async function* people({ db }: Store): AsyncGenerator<string> {
  const row = sql<number>`"user".rowid`
  const { id, name, emailVerified, image, createdAt, disabledAt } = user
  for (let last = 0; ; ) {
    const rows = await db
      .select({ row, id, email: realEmail, name, emailVerified, image, createdAt, disabledAt, plan: owners.plan })
      .from(user)
      .leftJoin(owners, eq(owners.userId, user.id))
      .where(gt(row, last))
      .orderBy(asc(row))
      .limit(PAGE)
    for (const { row, plan, ...person } of rows) {
      last = row
      yield line({ type: 'user', ...person, plan: plan ?? 'free' })
    }
    if (rows.length < PAGE) return
  }
}

async function* organizations({ db }: Store): AsyncGenerator<string> {
  const { id, name, slug, createdBy, createdAt } = organization
  for (let last = ''; ; ) {
    const rows = await db
      .select({ id, name, slug, createdBy, createdAt, plan: owners.plan })
      .from(organization)
      .leftJoin(owners, eq(owners.organizationId, id))
      .where(gt(id, last))
      .orderBy(asc(id))
      .limit(PAGE)
    for (const { plan, ...found } of rows) {
      const { userId, role, createdAt: since } = member
      const members = await db.select({ userId, role, since }).from(member).where(eq(member.organizationId, found.id))
      last = found.id
      yield line({ type: 'organization', ...found, plan: plan ?? 'free', members })
    }
    if (rows.length < PAGE) return
  }
}

/** A bundle is sent in parts, because its history may be large. */
async function* allBundles(store: Store, site: Site): AsyncGenerator<string> {
  const { userId, organizationId } = owners
  for (let last = 0; ; ) {
    const rows = await store.db
      .select({ bundle: BUNDLE, userId, organizationId, blocked: blockedBundles.reason })
      .from(bundles)
      .leftJoin(owners, eq(owners.id, bundles.ownerId))
      .leftJoin(blockedBundles, eq(blockedBundles.bundleId, bundles.id))
      .where(gt(bundles.id, last))
      .orderBy(asc(bundles.id))
      .limit(PAGE)
    for (const { bundle, userId, organizationId, blocked } of rows) {
      const owner = bundle.ownerId === null ? null : subjectOf({ userId, organizationId })
      yield `${JSON.stringify({ type: 'bundle', blocked }).slice(0, -1)},"bundle":`
      yield* bundleParts(store, { ...bundle, owner }, site)
      yield '}\n'
      last = bundle.id
    }
    if (rows.length < PAGE) return
  }
}
