import type { Store } from './client.ts'

/** Builds a query once per database: building costs more than running. */
export function prepared<Query>(build: (db: Store['db']) => Query): (db: Store['db']) => Query {
  const queries = new WeakMap<Store['db'], Query>()
  return (db) => {
    let query = queries.get(db)
    if (query === undefined) queries.set(db, (query = build(db)))
    return query
  }
}
