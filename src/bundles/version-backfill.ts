import { and, asc, eq, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { bundleVersions, IN_PART, type SharedName, versionBackfill, versionParts } from '../../db/schema.ts'
import { sha256 } from '../core/hash.ts'
import { Backfill } from './backfill.ts'
import { SHARED_NAMES } from './content.ts'
import { MIN_PART_BYTES, partColumn } from './stored.ts'

/** Rows read per batch; most have nothing to move. */
const BATCH_ROWS = 2_000
/**
 * A batch ends early after moving values of this many rows, or this many bytes, so that it takes about ten
 * milliseconds.
 */
const BATCH_MOVES = 200
const BATCH_BYTES = 2 ** 19
/** The last row processed. */
type Position = Pick<typeof versionBackfill.$inferSelect, 'afterBundle' | 'afterVersion'>

/** A value to move into a part, with all versions in the batch that have it. */
interface Move {
  name: SharedName
  bundleId: number
  hash: Buffer
  versions: number[]
}

/**
 * Moves large values of versions written before parts existed into parts, while the service runs; both forms can be
 * read. Each batch is one transaction that also saves the position: after a crash the next process continues there, and
 * of two doing the same batch the second changes nothing.
 */
export class VersionBackfill {
  /** Fraction done, as last seen by this process. */
  progress = 1
  readonly #backfill: Backfill

  constructor(store: Store, log: Logger) {
    const from = performance.now()
    let versions = 0
    this.#backfill = new Backfill(log, {
      batch: async () => {
        const done = await batch(store)
        versions += done.versions
        this.progress = done.progress
        return { isDone: done.progress === 1, isMine: done.isMine }
      },
      failure: 'versions could not be moved into parts; trying again',
      ended: () => {
        if (versions === 0) return
        const seconds = Math.round((performance.now() - from) / 1000)
        log.info({ versions, seconds, progress: this.progress }, 'large values of older versions moved into parts')
      },
    })
  }

  /** Stops after the current batch. */
  stop(): Promise<void> {
    return this.#backfill.stop()
  }
}

/** Processes one batch. `isMine` is false if another process did it. */
async function batch(store: Store): Promise<{ progress: number; versions: number; isMine: boolean }> {
  const [at] = await store.db.select().from(versionBackfill)
  if (at === undefined) return { progress: 1, versions: 0, isMine: true }
  const upTo = await endOf(store, at, at.untilBundle)
  const moves = upTo === null ? [] : await movesIn(store, at, upTo)
  const results = await store.write([...moves.flatMap(statements), advance(store, at, upTo)])
  return {
    progress: upTo === null ? 1 : Math.min(upTo.afterBundle / (at.untilBundle + 1), 1),
    versions: new Set(moves.flatMap(({ bundleId, versions }) => versions.map((version) => `${bundleId}/${version}`)))
      .size,
    isMine: results.at(-1)?.rowsAffected === 1,
  }
}

/** The last row of the batch that begins after `at`, or null if there is none. Reads lengths without the values. */
async function endOf({ db }: Store, at: Position, untilBundle: number): Promise<Position | null> {
  const sizes = SHARED_NAMES.map((name) => sql`iif(${isMovable(name)}, octet_length(${bundleVersions[name]}), 0)`)
  const rows = await db
    .select({
      afterBundle: bundleVersions.bundleId,
      afterVersion: bundleVersions.versionNumber,
      bytes: sql<number>`${sql.join(sizes, sql` + `)}`,
    })
    .from(bundleVersions)
    .where(and(isAfter(at), lte(bundleVersions.bundleId, untilBundle)))
    .orderBy(asc(bundleVersions.bundleId), asc(bundleVersions.versionNumber))
    .limit(BATCH_ROWS)
  let [moves, bytes] = [0, 0]
  const last = rows.find((row) => {
    moves += row.bytes > 0 ? 1 : 0
    bytes += row.bytes
    return moves >= BATCH_MOVES || bytes >= BATCH_BYTES
  })
  return last ?? rows.at(-1) ?? null
}

async function movesIn({ db }: Store, at: Position, upTo: Position): Promise<Move[]> {
  const values = Object.fromEntries(
    SHARED_NAMES.map((name) => [name, sql<string | null>`iif(${isMovable(name)}, ${bundleVersions[name]}, NULL)`]),
  ) as Record<SharedName, SQL<string | null>>
  const rows = await db
    .select({ bundleId: bundleVersions.bundleId, versionNumber: bundleVersions.versionNumber, ...values })
    .from(bundleVersions)
    .where(and(isAfter(at), isUpTo(upTo), sql`(${sql.join(SHARED_NAMES.map(isMovable), sql` OR `)})`))
  const moves = new Map<string, Move>()
  for (const { bundleId, versionNumber, ...row } of rows) {
    for (const name of SHARED_NAMES) {
      const text = row[name]
      if (text === null) continue
      const hash = sha256(text)
      const key = `${name} ${bundleId} ${hash.toString('hex')}`
      const move = moves.get(key)
      if (move === undefined) moves.set(key, { name, bundleId, hash, versions: [versionNumber] })
      else move.versions.push(versionNumber)
    }
  }
  return [...moves.values()]
}

/**
 * Copies the value inside the database, from a row that still has it, and removes it only from rows for which the part
 * exists: since they were read, versions may have been deleted or moved by another process.
 */
function statements({ name, bundleId, hash, versions }: Move): SQL[] {
  const [column, part] = [bundleVersions[name], partColumn(name)]
  const rows = and(eq(bundleVersions.bundleId, bundleId), inArray(bundleVersions.versionNumber, versions), isNull(part))
  return [
    sql`INSERT INTO ${versionParts} (bundle_id, hash, content) SELECT ${bundleId}, ${hash}, ${column} FROM ${bundleVersions} WHERE ${rows} LIMIT 1 ON CONFLICT DO NOTHING`,
    sql`UPDATE ${bundleVersions} SET ${sql.identifier(column.name)} = ${IN_PART[name]}, ${sql.identifier(part.name)} = ${versionParts.id} FROM ${versionParts} WHERE ${versionParts.bundleId} = ${bundleId} AND ${versionParts.hash} = ${hash} AND ${rows}`,
  ]
}

/** Saves the position, unless another process has moved it. */
function advance({ db }: Store, { afterBundle, afterVersion }: Position, upTo: Position | null) {
  const still = and(eq(versionBackfill.afterBundle, afterBundle), eq(versionBackfill.afterVersion, afterVersion))
  return upTo === null
    ? db.delete(versionBackfill).where(still)
    : db.update(versionBackfill).set({ afterBundle: upTo.afterBundle, afterVersion: upTo.afterVersion }).where(still)
}

/** Whether a row stores a large value itself. */
function isMovable(name: SharedName) {
  return sql`(${partColumn(name)} IS NULL AND octet_length(${bundleVersions[name]}) >= ${MIN_PART_BYTES})`
}

function isAfter({ afterBundle, afterVersion }: Position) {
  return sql`(${bundleVersions.bundleId}, ${bundleVersions.versionNumber}) > (${afterBundle}, ${afterVersion})`
}

function isUpTo({ afterBundle, afterVersion }: Position) {
  return sql`(${bundleVersions.bundleId}, ${bundleVersions.versionNumber}) <= (${afterBundle}, ${afterVersion})`
}
