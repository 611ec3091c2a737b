import type { InStatement } from '@libsql/client'
import { eq, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { type Store, statement } from '../../db/client.ts'
import { bundleSearch, searchErasure, searchPending } from '../../db/schema.ts'
import { every, type Loop } from '../core/every.ts'
import { entryOf, ownerTerm } from './search.ts'

/** How long after a commit its bundles are indexed, with all others of that time: searches read their texts until then. */
const DELAY_MS = 250
/** How long until the store is looked at without a commit, because another process may have stopped before it had indexed. */
const LOOK_EVERY_MS = 600_000
/** Pause between batches, so that writes need not wait for more than one. */
const PAUSE_MS = 20

/** Bundles and characters of a batch, which takes about ten milliseconds on libSQL's thread. */
const BATCH = 200
const BATCH_CHARACTERS = 200_000

/** How often the index is rewritten, at most. */
const REWRITE_EVERY_MS = 24 * 3_600_000
/** Pages of the index that one step of rewriting writes. */
const STEP_PAGES = 200

/**
 * Keeps `bundle_index` up to date in the background, so that edits do not pay for it: each leaves a row in
 * `search_pending`. Any process indexes the bundles of all.
 */
export class SearchIndex {
  readonly #store: Store
  readonly #loop: Loop
  /** The erasure that a rewriting in progress is for. */
  #rewritingFor: number | null = null

  constructor(store: Store, log: Logger) {
    this.#store = store
    const run = async () => {
      const hasWorked = (await indexBatch(store)) || (await this.#rewrite(Date.now()))
      if (hasWorked) this.#loop.runWithin(PAUSE_MS)
    }
    this.#loop = every(LOOK_EVERY_MS, run, log, 'bundles could not be indexed for search; trying again')
    this.#loop.runWithin(0)
  }

  /** To be called after each commit. */
  wake(): void {
    this.#loop.runWithin(DELAY_MS)
  }

  /** Stops after the current batch. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /**
   * Takes one step of rewriting the index, if bundles have been erased: SQLite only marks the entries of these as deleted,
   * and what is erased must not stay in the file. After the first step, which names all parts as input, further ones
   * continue it until nothing changes.
   * @returns whether there may be another step to take.
   */
  async #rewrite(now: number): Promise<boolean> {
    const { db, writeCounters, checkpointWal } = this.#store
    if (this.#rewritingFor === null) {
      const [{ erasedAt, rewrittenFor } = { erasedAt: 0, rewrittenFor: 0 }] = await db.select().from(searchErasure)
      if (erasedAt <= rewrittenFor || now < rewrittenFor + REWRITE_EVERY_MS) return false
      await writeCounters([mergeParts(-STEP_PAGES)])
      this.#rewritingFor = erasedAt
      return true
    }
    const before = await partsOf(this.#store)
    await writeCounters([mergeParts(STEP_PAGES)])
    if ((await partsOf(this.#store)) !== before) return true
    const { sql: text, params } = db.update(searchErasure).set({ rewrittenFor: this.#rewritingFor }).toSQL()
    await writeCounters([{ sql: text, args: params as number[] }])
    this.#rewritingFor = null
    // What was erased is still in the write-ahead log.
    await checkpointWal()
    return false
  }
}

function mergeParts(pages: number): InStatement {
  return { sql: "INSERT INTO bundle_index (bundle_index, rank) VALUES ('merge', ?)", args: [pages] }
}

/** The record that lists the parts of the index. */
async function partsOf({ db }: Store): Promise<string | undefined> {
  const [row] = await db.select({ parts: sql<string>`hex(block)` }).from(sql`bundle_index_data`).where(sql`id = 10`)
  return row?.parts
}

/** Indexes some of the pending bundles. @returns whether there were any. */
async function indexBatch({ db, writeCounters }: Store): Promise<boolean> {
  const pending = await db
    .select({
      ownerId: searchPending.ownerId,
      bundleId: searchPending.bundleId,
      length: sql<number | null>`length(${bundleSearch.text})`,
    })
    .from(searchPending)
    .leftJoin(bundleSearch, eq(bundleSearch.bundleId, searchPending.bundleId))
    .limit(BATCH)
  if (pending.length === 0) return false
  let characters = 0
  const batch = pending.filter(({ length }, at) => (characters += length ?? 0) <= BATCH_CHARACTERS || at === 0)
  const entries = JSON.stringify(batch.map(({ ownerId, bundleId }) => [ownerId, bundleId]))
  await writeCounters(INDEXING.map((text) => ({ sql: text, args: [entries] })))
  return true
}

const [owner, bundle] = [sql`(value ->> 0)`, sql`(value ->> 1)`]
/** Statements with the entries to write as their argument. They write what is stored by then, whatever was read before. */
const INDEXING = [
  sql`DELETE FROM bundle_index WHERE rowid IN (SELECT ${entryOf(owner, bundle)} FROM json_each(?))`,
  sql`INSERT INTO bundle_index (rowid, owner, text) SELECT ${entryOf(owner, bundle)}, ${ownerTerm(owner)}, bundle_search.text
    FROM json_each(?) CROSS JOIN bundles ON bundles.id = ${bundle} AND bundles.owner_id = ${owner}
    JOIN bundle_search ON bundle_search.bundle_id = bundles.id`,
  sql`DELETE FROM search_pending WHERE (owner_id, bundle_id) IN (SELECT ${owner}, ${bundle} FROM json_each(?))`,
].map((query) => statement(query).sql)
