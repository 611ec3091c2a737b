import type { InStatement } from '@libsql/client'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { type Store, statement } from '../../../db/client.ts'
import { isUnread, read } from '../../../db/feed.ts'
import { bundleChanges, bundleSearch, bundles, type Content, searchErasure } from '../../../db/schema.ts'
import { type Loop, repeat } from '../../core/scheduling.ts'
import { type NameWith, TEXT_NAMES } from '../content/content.ts'
import { textsBeside } from '../links/link-fields.ts'
import { labelOf } from '../variables/variables.ts'

/** The fields of a bundle that lists search. */
type SearchableContent = Pick<Content, 'urls' | 'urlMetadata' | 'variables' | TextName> & {
  slug: string
  aliases: readonly string[]
}

/** Folds case and normalises accents: `ÄPFEL` becomes `äpfel`. Pure. */
export function fold(text: string): string {
  // Via upper case, so that ß equals SS. A final sigma is folded too, because it depends on the next character.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/**
 * The search text of a bundle: its slug, aliases, texts, links with their texts, and labels of variables, one per line. A
 * stranger’s search skips the aliases by their place. Pure.
 */
export function searchText({ slug, aliases, urls, urlMetadata, variables, ...rest }: SearchableContent): string {
  const texts = TEXT_NAMES.map((name) => rest[name] ?? '')
  const beside = [...urlMetadata.flatMap(textsBeside), ...variables.map(labelOf)]
  return fold([slug, ...aliases, ...texts, ...urls, ...beside].filter((text) => text !== '').join('\n'))
}

/**
 * Writes the search text of a bundle, in the transaction that writes its content.
 * @param bundle the condition that selects the bundle; if none matches, nothing is written.
 */
export function writeSearchText(bundle: SQL | undefined, text: string): SQL {
  return sql`INSERT INTO ${bundleSearch} (bundle_id, text) SELECT ${bundles.id}, ${text} FROM ${bundles} WHERE ${bundle}
    ON CONFLICT DO UPDATE SET text = excluded.text WHERE ${bundleSearch.text} <> excluded.text`
}

/**
 * The term for an owner in the index: three characters from a range that no script uses, so that the owner's entries have their
 * own list. Entries are also numbered by owner first (`entryOf`): without either, a search would visit the entries of all owners.
 */
export function ownerTerm(owner: SQL): SQL {
  return sql`char(983040 + (${owner} & 32767), 983040 + (${owner} >> 15 & 32767), 983040 + (${owner} >> 30 & 32767))`
}

/** The row id of an entry in `bundle_index`. It does not fit a JavaScript number. */
export function entryOf(owner: SQL, bundle: SQL): SQL {
  return sql`((${owner} << 32) + ${bundle})`
}

type TextName = NameWith<{ kind: 'text' }>

/** Delay after a commit until its bundles are indexed, together with others. Until then, searches read their texts. */
const DELAY_MS = 250
/** How often the store is polled without a commit, because another process may have stopped before indexing. */
const LOOK_EVERY_MS = 600_000
/** The pause between batches, so that writes need not wait for more than one. */
const PAUSE_MS = 20

/** The bundles and characters in a batch, which takes about ten milliseconds on libSQL's thread. */
const BATCH = 200
const BATCH_CHARACTERS = 200_000

/** The index is rewritten at most this often. */
const REWRITE_EVERY_MS = 24 * 3_600_000
/** How many pages of the index one step of rewriting writes. */
const STEP_PAGES = 200

/**
 * Keeps `bundle_index` up to date in the background, so that edits need not wait: each leaves a row in the feed. Every process
 * indexes bundles, also those that others changed.
 */
export class SearchIndex {
  readonly #store: Store
  readonly #loop: Loop
  /** The time of the erasure for which the index is being rewritten; null if it is not. */
  #rewritingFor: number | null = null

  constructor(store: Store, log: Logger) {
    this.#store = store
    const run = async () => {
      const hasWorked = (await indexBatch(store)) || (await this.#rewrite(Date.now()))
      if (hasWorked) this.#loop.runWithin(PAUSE_MS)
    }
    this.#loop = repeat(LOOK_EVERY_MS, run, log, 'bundles could not be indexed for search; trying again')
    this.#loop.runWithin(0)
  }

  /** Must be called after each commit. */
  wake(): void {
    this.#loop.runWithin(DELAY_MS)
  }

  /** Stops after the current batch. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /**
   * Takes one step of rewriting the index if bundles have been erased: SQLite only marks their entries as deleted, but erased
   * text must not stay in the file. The first step names all parts as input; further ones continue until nothing changes.
   * @returns whether there may be another step.
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
    // The write-ahead log still has the erased text.
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
      seq: bundleChanges.seq,
      ownerId: bundleChanges.ownerId,
      bundleId: bundleChanges.bundleId,
      length: sql<number | null>`length(${bundleSearch.text})`,
    })
    .from(bundleChanges)
    .leftJoin(bundleSearch, eq(bundleSearch.bundleId, bundleChanges.bundleId))
    .where(isUnread('forSearch'))
    .limit(BATCH)
  if (pending.length === 0) return false
  let characters = 0
  const batch = pending.filter(({ length }, at) => (characters += length ?? 0) <= BATCH_CHARACTERS || at === 0)
  const entries = JSON.stringify(batch.map(({ ownerId, bundleId, seq }) => [ownerId, bundleId, seq]))
  await writeCounters(INDEXING.map((text) => ({ sql: text, args: [entries] })))
  return true
}

const [owner, bundle] = [sql`(value ->> 0)`, sql`(value ->> 1)`]
/** Statements that take the entries to write as their argument. They write the text stored by then, not an earlier one. */
const INDEXING = [
  sql`DELETE FROM bundle_index WHERE rowid IN (SELECT ${entryOf(owner, bundle)} FROM json_each(?))`,
  sql`INSERT INTO bundle_index (rowid, owner, text) SELECT ${entryOf(owner, bundle)}, ${ownerTerm(owner)}, bundle_search.text
    FROM (SELECT DISTINCT json_array(value ->> 0, value ->> 1) AS value FROM json_each(?)) CROSS JOIN bundles ON bundles.id = ${bundle} AND bundles.owner_id = ${owner}
    JOIN bundle_search ON bundle_search.bundle_id = bundles.id`,
  read('forSearch', sql`SELECT value ->> 2 FROM json_each(?)`),
].map((query) => statement(query).sql)
