import { and, desc, eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { Caller, Subject } from '../identity/caller.ts'
import { ownerIdOf, subjectIdOf } from '../plans/owners.ts'

/** Begins what names a bundle by its external id, in the place of a slug: no slug has a colon. */
export const EXTERNAL = 'ext:'

/** The external id in the place of a slug; null for a slug. */
export function externalIdIn(input: unknown): string | null {
  const { slug } = (input ?? {}) as { slug?: unknown }
  return typeof slug === 'string' && slug.startsWith(EXTERNAL) ? slug.slice(EXTERNAL.length) : null
}

/**
 * Input whose `slug` may be `ext:` with the external id of a bundle of the acting subject’s, with its slug. Of bundles that had
 * the id one after the other, it is the one that is not deleted, else the last deleted.
 * @throws Problem NOT_FOUND, also for a caller without an account.
 */
export async function slugFound<In>(input: In, caller: Caller, { db }: Pick<Store, 'db'>): Promise<In> {
  const externalId = externalIdIn(input)
  if (externalId === null) return input
  const slug = caller.kind === 'anonymous' ? null : await slugOf(db, caller.subject, externalId)
  if (slug === null) throw noSuchId()
  return { ...input, slug }
}

async function slugOf(db: Store['db'], subject: Subject, externalId: string): Promise<string | null> {
  const [bundle] = await withExternalId(db)(subject.type).all({ owner: subjectIdOf(subject), externalId })
  return bundle?.slug ?? null
}

/** The bundle of an owner that has an external id, or had it last. */
export const withExternalId = prepared((db) => {
  const of = (type: Subject['type']) =>
    db
      .select({ id: bundles.id, slug: bundles.slug, deletedAt: bundles.deletedAt })
      .from(bundles)
      .where(
        and(
          eq(bundles.ownerId, ownerIdOf(type, sql.placeholder('owner'))),
          eq(bundles.externalId, sql.placeholder('externalId')),
        ),
      )
      .orderBy(sql`${bundles.deletedAt} IS NOT NULL`, desc(bundles.deletedAt))
      .limit(1)
      .prepare()
  const queries = { user: of('user'), organization: of('organization') }
  return (type: Subject['type']) => queries[type]
})

function noSuchId(): Problem {
  return new Problem('NOT_FOUND', 'You have no bundle with this external id: put_bundle makes one.', {
    userMessage: 'None of your bundles has this ID.',
  })
}
