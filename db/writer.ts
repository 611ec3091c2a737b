import type { InStatement, ResultSet } from '@libsql/client/sqlite3'
import pLimit from 'p-limit'
import {
  BUSY_PATIENCE_MS,
  BUSY_TIMEOUT_MS,
  type Committed,
  isBusy,
  openFileConnection,
  retryWhileBusy,
  SETTINGS,
  type Write,
} from './file.ts'

/** Maximum writes in one transaction. Their statements run on the event loop, about 0.1 ms per bundle. */
const MAX_GROUP = 64

/** The only writer to a file in this process. It never blocks the event loop waiting for the disk or another process. */
interface Writer {
  /**
   * Runs statements atomically and durably. Queued writes share a transaction, and so one wait for the disk. Each has its own
   * savepoint, so that a failed one is rolled back alone.
   * @throws LibsqlError with SQLITE_BUSY if another process writes for five seconds.
   */
  write: Write
  /**
   * Runs statements in their own transaction on libSQL’s thread. Durable only with the next `write`: a power cut may
   * lose them.
   */
  writeCounters(statements: InStatement[]): Promise<void>
  /** Moves the write-ahead log into the file. @returns false if a reader of an older state prevents it. */
  checkpoint(): Promise<boolean>
  /** Resolves once queued writes are done. */
  close(): Promise<void>
}

/** A queued write and the promise it settles. */
interface QueuedWrite {
  statements: InStatement[]
  /** When to stop retrying, by `performance.now()`. */
  deadline: number
  resolve(results: ResultSet[]): void
  reject(error: unknown): void
}

/** Whether a commit waits for the disk; SQLite’s `PRAGMA synchronous`. */
type Synchronous = 'FULL' | 'NORMAL'

/** Opens the writer of a file opened by `openFile`. */
export async function openWriter(path: string, committed: Committed): Promise<Writer> {
  const database = openFileConnection(path)
  await database.exec(SETTINGS)
  // A file allows one writer at a time, and a connection one transaction.
  const inTurn = pLimit(1)
  const queue: QueuedWrite[] = []
  /** Whether a turn for the queued writes is already scheduled. */
  let haveTurn = false

  let setting: Synchronous | null = null

  const transaction = async <T>(synchronous: Synchronous, run: () => Promise<T>): Promise<T> => {
    if (setting !== synchronous) {
      setting = null
      database.execNow(`PRAGMA synchronous = ${synchronous}`)
      setting = synchronous
    }
    // On the event loop, because a trip to libSQL’s thread takes longer.
    database.execNow('BEGIN IMMEDIATE')
    try {
      const result = await run()
      await database.exec('COMMIT')
      return result
    } catch (error) {
      // Some errors, such as a full disk, have already ended the transaction.
      await database.exec('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /** Runs writes in a transaction. Returns functions that settle them, to be called once the transaction is durable. */
  const runGroup = async (group: QueuedWrite[]): Promise<(() => void)[]> => {
    const [first] = group
    if (first !== undefined && group.length === 1) {
      const results = await database.batch(first.statements)
      return [() => first.resolve(results)]
    }
    const settles: (() => void)[] = []
    for (const queued of group) settles.push(await inSavepoint(queued))
    return settles
  }

  /** Runs one of several writes. @returns a function that settles it. */
  const inSavepoint = async ({ statements, resolve, reject }: QueuedWrite): Promise<() => void> => {
    await database.batch(['SAVEPOINT one'])
    try {
      const results = await database.batch(statements)
      await database.batch(['RELEASE one'])
      return () => resolve(results)
    } catch (error) {
      // Some errors, such as a full disk, end the whole transaction.
      if (!database.isInTransaction) throw error
      await database.batch(['ROLLBACK TO one', 'RELEASE one'])
      return () => reject(error)
    }
  }

  /**
   * One turn runs all writes that are queued when it comes. With one turn each, counters would wait behind those of later writes:
   * for seconds on a busy machine, where each turn finds a few.
   */
  const takeTurn = () => {
    if (haveTurn) return
    haveTurn = true
    void inTurn(writeQueued)
  }

  const writeQueued = async () => {
    haveTurn = false
    let group: QueuedWrite[] = []
    try {
      await retryWhileBusy(async () => {
        // More writes may have been queued while another process held the file.
        group.push(...queue.splice(0, MAX_GROUP - group.length))
        if (group.length === 0) return
        try {
          const startedAt = performance.now()
          const settles = await transaction('FULL', () => runGroup(group))
          committed((performance.now() - startedAt) / 1000, group.length)
          for (const settle of settles) settle()
        } catch (error) {
          if (isBusy(error)) group = rejectExpired(group, error)
          throw error
        }
      }, Number.POSITIVE_INFINITY)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
    if (queue.length > 0) takeTurn()
  }

  return {
    write: (statements) =>
      new Promise((resolve, reject) => {
        queue.push({ statements, deadline: performance.now() + BUSY_PATIENCE_MS, resolve, reject })
        takeTurn()
      }),
    writeCounters: (statements) =>
      retryWhileBusy(() =>
        inTurn(() =>
          transaction('NORMAL', async () => {
            for (const statement of statements) await database.execWith(statement)
          }),
        ),
      ),
    checkpoint: () =>
      inTurn(async () => {
        // Off the event loop, so it may wait for short reads.
        database.execNow(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
        try {
          const [row] = await database.execWith({ sql: 'PRAGMA wal_checkpoint(TRUNCATE)', args: [] })
          return (row as { busy: number } | undefined)?.busy === 0
        } finally {
          database.execNow('PRAGMA busy_timeout = 0')
        }
      }),
    close: () => inTurn(() => database.close()),
  }
}

/** Rejects the writes past their deadline. Returns the rest, to be retried. */
function rejectExpired(group: QueuedWrite[], error: unknown): QueuedWrite[] {
  const now = performance.now()
  return group.filter(({ deadline, reject }) => {
    if (now <= deadline) return true
    reject(error)
    return false
  })
}
