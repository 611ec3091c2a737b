import { type Type, type } from 'arktype'
import type { Reason } from './issue.ts'
import { lazy } from './lazy.ts'
import { INSTANT, isInstant } from './time.ts'

// Metadata of schemas for documents, beyond what the schemas check.

declare global {
  interface ArkEnv {
    /** Copied into the JSON Schema. */
    meta(): {
      /** The name in documents, for a schema used in several places. */
      named?: string
      /** Describes a field in documents. Not `description`, which arktype puts into its errors. */
      says?: string
      /** An example of the field, for documents. */
      example?: unknown
      /** The names of an object's fields in declared order, because arktype sorts them. */
      order?: readonly string[]
      /** Identifies the schema that documents show instead; see `checked`. */
      sent?: object
      /** A definition from `api/json-schema.ts` that arktype cannot express. */
      $ref?: string
      format?: string
      /** Suggested values, if any value is accepted. */
      enum?: readonly string[]
      default?: string
      /** For a union with an object: the object's schema, which finds all its errors. A union reports one per branch. */
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

/** Reports an error in a value, or at a path in it; see `validate`. */
export function refuse(ctx: Checked, reason: Reason, ...relativePath: (string | number)[]): false {
  return ctx.reject({ code: 'predicate', reason, relativePath })
}

/**
 * Builds a check from a function that says why a value is refused (null if it is not), and from the part that JSON Schema can
 * express.
 */
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

/** One of several objects, each of which a schema checks later; documents show that schema. */
export function checkedLater<Sent>(schema: Pick<Type, 'toJsonSchema'> & { readonly inferIn: Sent }) {
  const check = () => true
  shown.set(check, schema)
  return type('object').narrow(check) as unknown as Type<Sent>
}

/** The schema for which `checkedLater` stands, if the check came from it. */
export function shownSchemaOf(check: object): Pick<Type, 'toJsonSchema'> | undefined {
  return shown.get(check)
}

/** A field with its description and an example, for documents and tools. Outermost: a check or `or` around it drops both. */
export function says<const Def>(shape: type.validate<Def>, text: string, example?: unknown): type.instantiate<Def>
export function says(shape: unknown, text: string, example?: unknown) {
  return type.raw(shape).configure({ says: text, ...(example === undefined ? {} : { example }) }, 'self')
}

/** An object without other fields. Documents show its fields in this order, under `named` if it is used in several places. */
export function object<const Def>(fields: type.validate<Def>, named?: string): type.instantiate<Def>
export function object(fields: object, named?: string) {
  return type.raw({ ...fields, '+': 'reject' }).configure(inOrder(fields, named), 'self')
}

/** Does the same for an object built in another way. */
export function inOrder(fields: object, named?: string) {
  const order = Object.keys(fields).map((name) => name.replace(/\?$/, ''))
  return named === undefined ? { order } : { order, named }
}

const sent = new WeakMap<object, Pick<Type, 'toJsonSchema'>>()

/** A schema with further checks, for which documents show `shape`: with a check, arktype drops the descriptions in it. */
export function checked<Checked extends Type>(shape: Pick<Type, 'toJsonSchema'>, after: Checked): Checked {
  const mark = {}
  sent.set(mark, shape)
  return after.configure({ sent: mark }, 'self') as unknown as Checked
}

/** The schema passed to `checked`, by its mark. */
export function sentSchemaOf(mark: object): Pick<Type, 'toJsonSchema'> | undefined {
  return sent.get(mark)
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

/** The fields of `T` for `object`: with `satisfies`, a missing or extra field does not compile. */
export type ShapeOf<T> = {
  [Name in keyof T & string as undefined extends T[Name] ? `${Name}?` : Name]-?: unknown
}
