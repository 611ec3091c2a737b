import type { Path } from '../core/issue.ts'
import { jsonSchemaOf, shownSchemaOf } from '../core/shape.ts'
import type { Operation } from './operation.ts'

// The places in an operation’s input, from its JSON Schema, and the allowed number of fields in objects, from its checks.

type Schema = Operation['input']

/** The part of a JSON Schema used here. */
export interface Place {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  format?: string
  required?: readonly string[]
  anyOf?: Place[]
  properties?: Record<string, Place>
  items?: Place
  maxItems?: number
  maxProperties?: number
  additionalProperties?: Place | boolean
}

const known = new WeakMap<Schema, readonly Place[]>()

/** The values allowed at the root of an input. */
function placesOf(schema: Schema): readonly Place[] {
  let places = known.get(schema)
  if (places === undefined) {
    const sized: Fallback = ({ base, predicate }) => ({ ...base, ...sizeIn(jsonSchemaOf(predicate)) })
    places = branchesOf(schema.toJsonSchema({ fallback: { default: ({ base }) => base, predicate: sized } }) as Place)
    known.set(schema, places)
  }
  return places
}

type Fallback = (context: { base: object; predicate: object }) => object

function sizeIn({ maxProperties }: Place): Place {
  return maxProperties === undefined ? {} : { maxProperties }
}

function branchesOf(place: Place | undefined): readonly Place[] {
  if (place === undefined) return []
  return place.anyOf === undefined ? [place] : place.anyOf.flatMap(branchesOf)
}

/** The values allowed under a key. */
export function within(places: readonly Place[], key: string | number): readonly Place[] {
  return places.flatMap(({ properties = {}, items, additionalProperties }) => {
    if (typeof key === 'number') return branchesOf(items)
    if (Object.hasOwn(properties, key)) return branchesOf(properties[key])
    return typeof additionalProperties === 'object' ? branchesOf(additionalProperties) : []
  })
}

const wholly = new WeakMap<Schema, readonly Place[]>()

/** The values allowed at the root of an input, including those allowed by later checks. */
export function allPlacesOf(schema: Schema): readonly Place[] {
  let places = wholly.get(schema)
  if (places === undefined) {
    const predicate: Fallback = ({ base, predicate }) =>
      shownSchemaOf(predicate)?.toJsonSchema({ fallback: ({ base }) => base }) ?? base
    places = branchesOf(schema.toJsonSchema({ fallback: { default: ({ base }) => base, predicate } }) as Place)
    wholly.set(schema, places)
  }
  return places
}

/** The values allowed at a path in an input. */
export function placesAt(schema: Schema, path: Path): readonly Place[] {
  return path.reduce(within, allPlacesOf(schema))
}

/** The names of all fields that an object in one of these places may have. */
export function fieldsOf(places: readonly Place[]): string[] {
  return places.flatMap(({ properties = {} }) => Object.keys(properties))
}

/** The type of a field of an input in JSON, if it has one. */
export function typeOf(schema: Schema, field: string): string | undefined {
  return placesOf(schema)[0]?.properties?.[field]?.type
}

/** Stands for a list where an object belongs: no schema accepts a symbol. */
const LIST = Symbol('a list')

/**
 * The input without meaningless parts, changed in ways that keep its errors.
 * - A null in an optional field that does not accept null is left out: programs that must send every field send it there.
 * - Every list in an object’s place is replaced by a value that the schema refuses. To arktype a list is an object whose keys are
 *   all missing, so it would accept `[]` wherever no key is required.
 * - Of the unknown fields of all objects only the first `maxUnknown` are kept, and of a list that is too long one entry too many:
 *   arktype copies its input, and takes 10 µs to report each unknown field. Of an object that is too long two entries too many
 *   are kept, because one of them may not count.
 */
export function examinable(schema: Schema, raw: unknown, maxUnknown: number): unknown {
  return replaced(placesOf(schema), raw, { unknown: maxUnknown })
}

/** @param places the allowed values. @param left number of unknown fields still kept. */
function replaced(places: readonly Place[], value: unknown, left: { unknown: number }): unknown {
  if (value === null || typeof value !== 'object' || places.length === 0) return value
  const isList = Array.isArray(value)
  if (isList && isOnlyObject(places)) return LIST
  // The schema refuses it for its length alone.
  if (isList && value.length > longestIn(places)) return value.slice(0, longestIn(places) + 1)
  let copy: Record<string, unknown> | undefined
  const changed = () => (copy ??= (isList ? [...value] : { ...value }) as Record<string, unknown>)
  if (!isList && Object.keys(value).length > mostIn(places) + 2)
    copy = Object.fromEntries(Object.entries(value).slice(0, mostIn(places) + 2))
  const isClosed = !isList && places.every((place) => place.additionalProperties === false || isNoObject(place))
  for (const name of Object.keys(copy ?? value)) {
    if (isClosed && !places.some(({ properties = {} }) => Object.hasOwn(properties, name))) {
      if (left.unknown > 0) left.unknown -= 1
      else delete changed()[name]
      continue
    }
    const inner = (value as Record<string, unknown>)[name]
    if (inner === null && !isList && isLeftOut(places, name)) delete changed()[name]
    if (inner === null || typeof inner !== 'object') continue
    const read = replaced(within(places, isList ? Number(name) : name), inner, left)
    if (read !== inner) changed()[name] = read
  }
  return copy ?? value
}

/** Whether a null in a field means the same as leaving the field out. */
export function isLeftOut(places: readonly Place[], name: string): boolean {
  const having = places.filter(({ properties = {} }) => Object.hasOwn(properties, name))
  const isOptional = having.length > 0 && having.every(({ required = [] }) => !required.includes(name))
  return isOptional && !within(having, name).some(takesNull)
}

/** Whether a place accepts null. */
export function takesNull({ type, const: only, enum: options }: Place): boolean {
  if (type !== undefined) return type === 'null'
  return options === undefined ? only === undefined || only === null : options.includes(null)
}

/** The maximum length of a list in these places. */
function longestIn(places: readonly Place[]): number {
  const lengths = places.map(({ type = 'array', maxItems = Number.POSITIVE_INFINITY }) =>
    type === 'array' ? maxItems : 0,
  )
  return Math.max(...lengths)
}

/** The maximum number of entries of an object in these places. */
function mostIn(places: readonly Place[]): number {
  const most = places.map((place) => (isNoObject(place) ? 0 : (place.maxProperties ?? Number.POSITIVE_INFINITY)))
  return Math.max(...most)
}

function isNoObject({ type }: Place): boolean {
  return type !== undefined && type !== 'object'
}

function isOnlyObject(places: readonly Place[]): boolean {
  const types = places.map(({ type }) => type)
  return types.includes('object') && !types.includes('array') && !types.includes(undefined)
}
