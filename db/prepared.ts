import { is, Param, Placeholder, sql } from 'drizzle-orm'
import { type Query, type Store, statement } from './client.ts'

/** Builds something once per database: a query, because building it costs more than running it, or a cache. */
export function prepared<Built>(build: (db: Store['db']) => Built): (db: Store['db']) => Built {
  const builtFor = new WeakMap<Store['db'], Built>()
  return (db) => {
    let built = builtFor.get(db)
    if (built === undefined) builtFor.set(db, (built = build(db)))
    return built
  }
}

/** Reads a parameter from the values of a call. */
type Read = (values: Record<string, unknown>) => unknown

/**
 * Builds the statements of a write or a long read once per shape.
 * @param build builds them, with `param` for each value that differs between calls. They may depend on nothing but `shape`.
 */
export function preparedStatements<Shape, Values extends object>(
  build: (db: Store['db'], shape: Shape) => Query[],
): (db: Store['db'], shape: Shape, values: Values) => Query[] {
  const statements = prepared((db) => {
    const built = new Map<string, { sql: string; params: Read[] }[]>()
    return (shape: Shape) => {
      const key = JSON.stringify(shape)
      let made = built.get(key)
      if (made === undefined) {
        made = build(db, shape).map((query) => {
          const { sql, params } = statement(query)
          return { sql, params: params.map(readerOf) }
        })
        built.set(key, made)
      }
      return made
    }
  })
  return (db, shape, values) =>
    statements(db)(shape).map(({ sql, params }) => ({
      toSQL: () => ({ sql, params: params.map((read) => read(values as Record<string, unknown>)) }),
    }))
}

/** A parameter of a prepared statement. Typed `never`, because drizzle’s types accept a placeholder only in some places. */
export function param(name: string): never {
  return sql.placeholder(name) as never
}

/** Several parameters, by name. */
export function params<Name extends string>(names: readonly Name[]): Record<Name, never> {
  return Object.fromEntries(names.map((name) => [name, param(name)])) as Record<Name, never>
}

function readerOf(given: unknown): Read {
  if (is(given, Placeholder)) return ({ [given.name]: value }) => value
  if (!is(given, Param) || !is(given.value, Placeholder)) return () => given
  const { value: placeholder, encoder } = given
  return ({ [placeholder.name]: value }) => (value === null ? null : encoder.mapToDriverValue(value))
}
