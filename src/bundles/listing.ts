import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles } from '../../db/schema.ts'
import { turnOf } from '../core/turns.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { nameOf, ownerIdOf } from '../plans/owners.ts'
import type { StoredBundle } from './access.ts'
import { found, lookedFor } from './search.ts'
import type { Listing } from './shapes.ts'

// Each order ends with the id, so that pages neither repeat nor skip equal entries.
const ORDERS: Record<Listing['sort'], SQL[]> = {
  created: [desc(bundles.createdAt), desc(bundles.id)],
  updated: [desc(bundles.updatedAt), desc(bundles.id)],
  title: [sql`${bundles.title} IS NULL`, asc(sql`${bundles.title} COLLATE NOCASE`), desc(bundles.id)],
}

/** Whether lists can be sorted so. */
export function isSort(text: string): text is Listing['sort'] {
  return Object.hasOwn(ORDERS, text)
}

/** A page of a subject's bundles. */
export interface Listed {
  bundles: StoredBundle[]
  /** Counts how many there are on all pages together, which takes longer than a page. */
  count(): Promise<number>
  pagination: { limit: number; offset: number }
  subject: Subject
}

/** What tells one query of lists from another, but for its values. */
type Form = Pick<Listing, 'sort' | 'state'> & { subject: Subject['type']; isSearch: boolean; isTagged: boolean }

/**
 * Lists the active subject’s bundles (spec 4.5).
 * @param listing `q` is searched for in slugs, titles, descriptions, links, notes and tags, ignoring case; `tag` is that
 * of a link, letter for letter.
 */
export async function list({ db }: Store, { subject, userId }: SignedIn, listing: Listing): Promise<Listed> {
  const { limit, offset, q, tag, sort, state } = listing
  const form = { sort, state, subject: subject.type, isSearch: q !== undefined, isTagged: tag !== undefined }
  const { page, count } = queries(db)(form)
  const values = {
    owner: nameOf(subject),
    ...(q === undefined ? {} : lookedFor(q)),
    ...(tag === undefined ? {} : { tag, quoted: JSON.stringify(tag) }),
  }
  await turnOf(userId)
  const rows = await page.all({ ...values, limit, offset })
  return {
    bundles: rows.map(({ addressHash: _, ...bundle }): StoredBundle => ({ ...bundle, owner: subject })),
    async count() {
      await turnOf(userId)
      return (await count.all(values))[0]?.total ?? 0
    },
    pagination: { limit, offset },
    subject,
  }
}

/** Whether a link has the tag `tag`. Most bundles do not hold its text, `quoted`, and need not be parsed. */
function tagged(): SQL {
  const has = sql`SELECT 1 FROM json_each(${bundles.urlMetadata}) AS link, json_each(link.value, '$.tags') AS own WHERE own.value = ${sql.placeholder('tag')}`
  return sql`(instr(${bundles.urlMetadata}, ${sql.placeholder('quoted')}) > 0 AND EXISTS (${has}))`
}

/** The queries of each form, built when the first asks in it. */
const queries = prepared((db) => {
  const build = ({ sort, state, subject, isSearch, isTagged }: Form) => {
    const isInState = state === 'deleted' ? isNotNull(bundles.deletedAt) : isNull(bundles.deletedAt)
    const isOwn = eq(bundles.ownerId, ownerIdOf(subject, sql.placeholder('owner')))
    const where = and(isOwn, isInState, isSearch ? found() : undefined, isTagged ? tagged() : undefined)
    return {
      page: db
        .select()
        .from(bundles)
        .where(where)
        .orderBy(...ORDERS[sort])
        .limit(sql.placeholder('limit'))
        .offset(sql.placeholder('offset'))
        .prepare(),
      count: db.select({ total: sql<number>`count(*)` }).from(bundles).where(where).prepare(),
    }
  }
  const built = new Map<string, ReturnType<typeof build>>()
  return (form: Form) => {
    const key = Object.values(form).join()
    let made = built.get(key)
    if (made === undefined) built.set(key, (made = build(form)))
    return made
  }
})
