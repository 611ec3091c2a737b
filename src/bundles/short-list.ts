import { and, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles, owners } from '../../db/schema.ts'
import { fitting, MAX_MESSAGE, piecesOf } from '../core/parts.ts'
import type { SignedIn } from '../identity/caller.ts'
import { waitForReadSlot } from '../operations/read-slots.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { eachShape, isAfter, isListed, ORDERS, ownerOf, type Shape, searched } from './list-order.ts'
import type { Place, Sized } from './pinned.ts'
import type { Listing } from './shapes.ts'
import { contentBytes } from './stored.ts'

type Row = typeof bundles.$inferSelect

/** No pinned bundles. */
const NONE = '[]'

/** Whether a bundle is not among those in the placeholder `pinned`. */
export const isUnpinned = () => sql`${bundles.id} NOT IN (SELECT value FROM json_each(${sql.placeholder('pinned')}))`

/** A page without the pinned bundles, whose ids are a list in JSON. */
export interface Rest {
  limit: number
  offset: number
  pinned: string
  key: Place['key']
  keyId: Place['keyId']
}

export interface Queries {
  /** @param first the pinned bundles on the page. */
  page(first: readonly Sized[], rest: Rest): Promise<{ rows: Row[]; inMessage: number }>
  /** How many entries all pages have. */
  count(): Promise<number>
}

/** A listing, and whether its page begins after an entry. */
export type Found = Listing & { isAfter: boolean }

/** Where a page begins. */
export const placed = ({ sort, isAfter: isIt }: Pick<Shape, 'sort' | 'isAfter'>) => (isIt ? isAfter(sort) : undefined)

/** A list in the order of an index, without conditions that the index does not have. */
export function shortList({ db }: Store, caller: SignedIn, { sort, state, isAfter, externalId }: Found): Queries {
  const { subject, userId } = caller
  const queries = short(db)({ sort, state, subject: subject.type, isAfter, isNamed: externalId !== undefined })
  const { smallPage, sizes, count } = queries
  const values = { owner: subjectIdOf(subject), ...searched({ externalId }) }
  return {
    async page(first, rest) {
      await waitForReadSlot(userId)
      const rows = rest.pinned === NONE ? await smallPage.all({ ...values, ...rest }) : []
      if (rows.length > 0) return { rows, inMessage: rest.limit }
      return read(queries, caller, [...first, ...(await sizes.all({ ...values, ...rest }))])
    },
    async count() {
      await waitForReadSlot(userId)
      return (await count.all(values))[0]?.total ?? 0
    },
  }
}

/** Short queries. */
export const short = prepared((db) =>
  eachShape((shape: Shape) => ({
    /** For who has pinned none. Empty where the owner's bundles may not fit into one message. */
    smallPage: db
      .select()
      .from(bundles)
      .where(and(isListed(shape, ifSmall(ownerOf(shape.subject))), placed(shape)))
      .orderBy(...ORDERS[shape.sort])
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(),
    sizes: db
      .select({ id: bundles.id, bytes: contentBytes() })
      .from(bundles)
      .where(and(isListed(shape), isUnpinned(), placed(shape)))
      .orderBy(...ORDERS[shape.sort])
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(),
    count: db.select({ total: sql<number>`count(*)` }).from(bundles).where(isListed(shape)).prepare(),
    /**
     * Some may be gone since their ids were found. CASE, so that SQLite reads these bundles, and does not look for them
     * among all of the owner.
     */
    byIds: db
      .select()
      .from(bundles)
      .where(
        sql`${bundles.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')})) AND CASE WHEN ${isListed({ ...shape, isNamed: false })} THEN 1 END`,
      )
      .prepare(),
  })),
)

/**
 * Reads the bundles of a page, a megabyte at a time: reads of a file block the event loop.
 * @returns those that were not deleted meanwhile, and how many fit into one message.
 */
export async function read(
  { byIds }: ReturnType<ReturnType<typeof short>>,
  { subject, userId }: SignedIn,
  page: readonly Sized[],
): Promise<{ rows: Row[]; inMessage: number }> {
  const rows: Row[] = []
  for (const piece of piecesOf(page)) {
    await waitForReadSlot(userId)
    const ids = JSON.stringify(piece.map(({ id }) => id))
    const found = await byIds.all({ owner: subjectIdOf(subject), ids })
    const byId = new Map(found.map((row) => [row.id, row]))
    rows.push(...piece.flatMap(({ id }) => byId.get(id) ?? []))
  }
  return { rows, inMessage: fitting(page) }
}

/**
 * The owner's id if all their bundles fit into one message, because all their versions do; else null. As a condition of its
 * own, SQLite would check it for each bundle of the owner.
 */
function ifSmall(ownerId: SQL): SQL<number> {
  return sql<number>`(SELECT ${owners.id} FROM ${owners} WHERE ${owners.id} = ${ownerId} AND ${owners.historyBytes} <= ${sql.raw(String(MAX_MESSAGE))})`
}
