import { type } from 'arktype'
import { lazy } from './lazy.ts'

// Metadata of schemas that documents show, besides what they check.

declare global {
  interface ArkEnv {
    /** Copied into the JSON Schema. */
    meta(): {
      /** The name, in documents, of a schema used in several places. */
      named?: string
      /** A definition that arktype cannot express: one of `api/json-schema.ts`. */
      $ref?: string
      format?: string
      /** Suggested values, if any value is accepted. */
      enum?: readonly string[]
      default?: string
    }
  }
}

/** A part of a JSON Schema. */
export type JsonSchema = Record<string, unknown>

const known = new WeakMap<object, JsonSchema>()

/** Attaches to a check the part of it that JSON Schema can express. */
export function withJsonSchema<Check extends (...args: never[]) => unknown>(schema: JsonSchema, check: Check): Check {
  known.set(check, schema)
  return check
}

/** The JSON Schema that `withJsonSchema` attached to a check; empty if there is none. */
export function jsonSchemaOf(check: object): JsonSchema {
  return known.get(check) ?? {}
}

/** A formatted time; see `iso`. */
export const Time = lazy(() => type('string').configure({ format: 'date-time' }, 'self'))

/** The fields of `T` for a strict schema: with `satisfies`, a forgotten or extra field does not compile. */
export type ShapeOf<T> = { '+': 'reject' } & {
  [Name in keyof T & string as undefined extends T[Name] ? `${Name}?` : Name]-?: unknown
}
