import { desc, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Store } from '../../../db/client.ts'
import { prepared, preparedStatements } from '../../../db/prepared.ts'
import { bundles } from '../../../db/schema.ts'
import { inLongReadSlot } from '../../core/scheduling.ts'
import type { Subject } from '../../identity/caller.ts'
import { subjectIdOf } from '../../plans/owners.ts'
import { each } from '../content/content.ts'
import { isListed, ownerOf } from '../list/list-order.ts'

/** A tag, and the number of bundles with a link that has it. */
export interface TagCount {
  tag: string
  bundles: number
}

/** How many bundles are counted, the last edited ones: the navigation must cost the same however many there are. */
const COUNTED = 500
/** How many tags the navigation has room for. */
const SHOWN = 12

/** How many subjects’ tags are cached, so that their lists need not wait: a megabyte or two. */
const MAX_KEPT = 1000

/** The cached tags of a subject, and a mark for the bundles in which they were counted. */
interface Kept {
  mark: string
  tags: TagCount[]
}

const keptIn = prepared(() => new LRUCache<string, Kept>({ max: MAX_KEPT }))

/**
 * The most frequent tags in a subject's last edited bundles, by name. They are cached until one of these bundles changes, then
 * counted again in one query that does not block the event loop.
 * @param userId who asks: long reads take turns by user.
 */
export async function tagCounts(store: Store, subject: Subject, userId: string): Promise<TagCount[]> {
  const owner = subjectIdOf(subject)
  const kept = keptIn(store.db)
  const [{ mark } = { mark: '' }] = await marked[subject.type](store.db).all({ owner })
  const known = kept.get(owner)
  if (known !== undefined && known.mark === mark) return known.tags
  const tags = await countTags(store, subject, userId)
  kept.set(owner, { mark, tags })
  return tags
}

/** Queries for a mark that changes as soon as one of the bundles is edited, added or removed; read from an index. */
const marked = each(['user', 'organization'], (type) =>
  prepared((db) => {
    const newest = db
      .select({ id: bundles.id, updatedAt: bundles.updatedAt })
      .from(bundles)
      .where(isListed({ subject: type, state: 'active' }))
      .orderBy(desc(bundles.updatedAt))
      .limit(COUNTED)
      .as('newest')
    const mark = sql<string>`count(*) || ' ' || coalesce(sum(${newest.id}), 0) || ' ' || coalesce(sum(${newest.updatedAt}), 0)`
    return db.select({ mark }).from(newest).prepare()
  }),
)

async function countTags(store: Store, subject: Subject, userId: string): Promise<TagCount[]> {
  const [query] = counted(store.db, subject.type, { owner: subjectIdOf(subject) })
  const found = await inLongReadSlot(userId, () => store.readLong(query!))
  const tags = JSON.parse(String(found ?? '[]')) as [tag: string, bundles: number][]
  return tags.map(([tag, bundles]) => ({ tag, bundles })).toSorted((a, b) => a.tag.localeCompare(b.tag, 'en'))
}

const counted = preparedStatements((_, subject: Subject['type']) => {
  const newest = sql`SELECT ${bundles.id} AS id, ${bundles.urlMetadata} AS links FROM ${bundles} WHERE ${isListed({ subject, state: 'active' }, ownerOf(subject))} ORDER BY ${desc(bundles.updatedAt)} LIMIT ${sql.raw(String(COUNTED))}`
  const tags = sql`SELECT DISTINCT newest.id, tag.value AS tag FROM (${newest}) AS newest, json_each(newest.links) AS link, json_each(link.value, '$.tags') AS tag`
  return [
    sql`SELECT json_group_array(json_array(tag, bundles)) FROM (SELECT tag, count(*) AS bundles FROM (${tags}) GROUP BY tag ORDER BY bundles DESC, tag LIMIT ${sql.raw(String(SHOWN))})`,
  ]
})
