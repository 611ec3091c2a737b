import { AsyncLocalStorage } from 'node:async_hooks'
import type { InStatement } from '@libsql/client/sqlite3'
import { type SQL, sql } from 'drizzle-orm'
import type { ActorType, FieldChange } from './event-schema.ts'
import type { Write } from './file.ts'

/** Who causes what is written; see `events` in `event-schema.ts`. */
export interface Actor {
  type: Exclude<ActorType, 'service'>
  /** The person, or who made the key; null for a provider. */
  userId: string | null
  keyId: number | null
}

const current = new AsyncLocalStorage<Actor>()

/** Runs something that is asked for by somebody: whatever it writes is logged as theirs. */
export function actingAs<T>(actor: Actor, run: () => T): T {
  return current.run(actor, run)
}

/** A write that tells the triggers who causes it, in its own transaction; without an actor, the service does. */
export function asActor(write: Write): Write {
  return async (statements) => {
    const actor = current.getStore()
    if (actor === undefined) return write(statements)
    const results = await write([arrive(actor), ...statements, LEAVE])
    return results.slice(1, -1)
  }
}

function arrive({ type, userId, keyId }: Actor): InStatement {
  return { sql: 'INSERT INTO acting (id, type, user_id, key_id) VALUES (1, ?, ?, ?)', args: [type, userId, keyId] }
}

const LEAVE: InStatement = { sql: 'DELETE FROM acting', args: [] }

/** Says what an edit changes, to be logged with it; goes before the edit in its transaction. */
export function withChanges(changes: readonly FieldChange[]): SQL {
  return sql`UPDATE acting SET changes = ${JSON.stringify(changes)}`
}
