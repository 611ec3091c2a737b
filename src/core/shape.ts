import { type } from 'arktype'
import { lazy } from './lazy.ts'

// What shapes tell documents beside what they check.

declare global {
  interface ArkEnv {
    /** Goes into the JSON Schema of a shape as it stands. */
    meta(): {
      /** What documents call a shape that stands in several places. */
      named?: string
      /** A definition that arktype cannot write: one of `api/json-schema.ts`. */
      $ref?: string
      format?: string
      /** What to send, where anything is taken. */
      enum?: readonly string[]
      default?: string
    }
  }
}

/** A part of a JSON Schema. */
export type JsonSchema = Record<string, unknown>

const known = new WeakMap<object, JsonSchema>()

/** A check of a schema, and what of it JSON Schema can say. */
export function said<Check extends (...args: never[]) => unknown>(schema: JsonSchema, check: Check): Check {
  known.set(check, schema)
  return check
}

/** What JSON Schema says of a check that was made by `said`; of any other, nothing. */
export function whatIsSaid(check: object): JsonSchema {
  return known.get(check) ?? {}
}

/** A time as it is shown; see `iso`. */
export const Time = lazy(() => type('string').configure({ format: 'date-time' }, 'self'))

/** The fields of `T` as a strict shape names them: with `satisfies`, one that is forgotten or added does not compile. */
export type ShapeOf<T> = { '+': 'reject' } & {
  [Name in keyof T & string as undefined extends T[Name] ? `${Name}?` : Name]-?: unknown
}
