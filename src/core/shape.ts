import { type Type, type } from 'arktype'
import type { Reason } from './issue.ts'
import { lazy } from './lazy.ts'
import { INSTANT, isInstant } from './time.ts'

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
      /**
       * Of a union with an object: the schema of the object, which finds all its errors. A union reports one of each
       * branch.
       */
      whole?: (value: unknown) => unknown
    }
  }
}

export type JsonSchema = Record<string, unknown>

const known = new WeakMap<object, JsonSchema>()

/** The part of arktype’s context that checks use. */
export interface Checked {
  reject(error: { code: 'predicate'; reason: Reason; relativePath: (string | number)[] }): false
}

/** Reports what is wrong with a value, or with what is at a path in it; see `validate`. */
export function refuse(ctx: Checked, reason: Reason, ...relativePath: (string | number)[]): false {
  return ctx.reject({ code: 'predicate', reason, relativePath })
}

/** A check by why a value is refused, null if it is not, with the part that JSON Schema can express. */
export function refusing<Value>(schema: JsonSchema, unfit: (value: Value) => Reason | null) {
  const check = (value: Value, ctx: Checked) => {
    const reason = unfit(value)
    return reason === null || refuse(ctx, reason)
  }
  known.set(check, schema)
  return check
}

/** The JSON Schema that `refusing` attached to a check; empty if there is none. */
export function jsonSchemaOf(check: object): JsonSchema {
  return known.get(check) ?? {}
}

const shown = new WeakMap<object, Pick<Type, 'toJsonSchema'>>()

/** One of several objects, each of which is checked by itself later, by a schema that documents show. */
export function checkedLater<Sent>(schema: Pick<Type, 'toJsonSchema'> & { readonly inferIn: Sent }) {
  const check = () => true
  shown.set(check, schema)
  return type('object').narrow(check) as unknown as Type<Sent>
}

/** The schema that `checkedLater` stands for, if a check is one of its. */
export function shownSchemaOf(check: object): Pick<Type, 'toJsonSchema'> | undefined {
  return shown.get(check)
}

/** A formatted time; see `iso`. */
export const Time = lazy(() => type('string').configure({ format: 'date-time' }, 'self'))

/**
 * An instant with its UTC offset, kept in UTC.
 * @param unfit why a time, in milliseconds since 1970, is refused; null if it is not.
 */
export const instantThat = (unfit: (at: number) => Reason | null) =>
  type('string')
    .narrow(
      refusing({ pattern: INSTANT.source, format: 'date-time' }, (text: string) => {
        const isUsual = isInstant(text) && /^(?:19[7-9]|[2-9]\d\d)\d-/.test(new Date(text).toISOString())
        return isUsual ? unfit(Date.parse(text)) : { code: 'not_an_instant' }
      }),
    )
    .pipe((text) => new Date(text).toISOString())

/** The fields of `T` for a strict schema: with `satisfies`, a forgotten or extra field does not compile. */
export type ShapeOf<T> = { '+': 'reject' } & {
  [Name in keyof T & string as undefined extends T[Name] ? `${Name}?` : Name]-?: unknown
}
