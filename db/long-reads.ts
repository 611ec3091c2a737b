import type { InStatement } from '@libsql/client/sqlite3'
import { retryWhileBusy } from './busy.ts'
import { openFileConnection } from './connection.ts'
import { SETTINGS } from './file.ts'
import type { Connection } from './remote.ts'

/** A search reads pages all over its index: with the cache of other connections it takes a fifth longer in a large one. */
const CACHE_KIB = 2_048

/** A connection for reads that take long. */
export interface LongReads {
  /** Runs a statement with positional arguments that returns one row with one column. Returns its value. */
  read(statement: InStatement): Promise<unknown>
  close(): void
}

/**
 * Opens a connection to a file opened by `openFile`, on which reads run on one of libSQL's threads. One row, because the
 * thread works only until the first: the driver computes further rows on the event loop.
 */
export async function openLongReads(path: string): Promise<LongReads> {
  const database = openFileConnection(path)
  await database.exec(`${SETTINGS}; PRAGMA cache_size = -${CACHE_KIB}`)
  return {
    async read(statement) {
      const [row] = await retryWhileBusy(() => database.execWith(statement))
      return valueIn(row)
    },
    close: () => database.close(),
  }
}

/** The same on a server, whose answers the event loop only waits for. */
export function readerOn(client: Pick<Connection, 'execute'>): LongReads['read'] {
  return async (statement) => valueIn((await client.execute(statement)).rows[0])
}

function valueIn(row: unknown): unknown {
  return Object.values(row ?? {})[0] ?? null
}
