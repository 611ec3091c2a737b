import type { Path } from '../core/issue.ts'
import type { Operation } from './operation.ts'

// The places of an operation’s input, from its JSON Schema without the checks that that cannot express.

type Schema = Operation['input']

/** The part of a JSON Schema used here. */
interface Place {
  type?: string
  anyOf?: Place[]
  properties?: Record<string, Place>
  items?: Place
}

const known = new WeakMap<Schema, readonly Place[]>()

/** What the value of an input may be. */
function placesOf(schema: Schema): readonly Place[] {
  let places = known.get(schema)
  if (places === undefined) {
    places = branchesOf(schema.toJsonSchema({ fallback: ({ base }) => base }) as Place)
    known.set(schema, places)
  }
  return places
}

function branchesOf(place: Place | undefined): readonly Place[] {
  if (place === undefined) return []
  return place.anyOf === undefined ? [place] : place.anyOf.flatMap(branchesOf)
}

/** What may be under a key. */
function within(places: readonly Place[], key: string | number): readonly Place[] {
  return places.flatMap(({ properties = {}, items }) =>
    branchesOf(typeof key === 'number' ? items : Object.hasOwn(properties, key) ? properties[key] : undefined),
  )
}

/** The names of the fields of the object at a path of an input. */
export function fieldsAt(schema: Schema, path: Path): string[] {
  return path.reduce(within, placesOf(schema)).flatMap(({ properties = {} }) => Object.keys(properties))
}

/** The type of a field of an input in JSON, if it has one. */
export function typeOf(schema: Schema, field: string): string | undefined {
  return placesOf(schema)[0]?.properties?.[field]?.type
}

/** Stands for a list where an object belongs: no schema takes a symbol. */
const LIST = Symbol('a list')

/**
 * The input with every list in an object’s place replaced by something that the schema refuses, and otherwise as it is.
 * To arktype a list is an object whose keys are all missing, so it would take `[]` wherever no key is required.
 */
export function withoutMisplacedLists(schema: Schema, raw: unknown): unknown {
  return replaced(placesOf(schema), raw)
}

/** @param places what the value may be. */
function replaced(places: readonly Place[], value: unknown): unknown {
  if (value === null || typeof value !== 'object' || places.length === 0) return value
  const isList = Array.isArray(value)
  if (isList && isOnlyObject(places)) return LIST
  let copy: Record<string, unknown> | undefined
  for (const [name, inner] of Object.entries(value)) {
    if (inner === null || typeof inner !== 'object') continue
    const read = replaced(within(places, isList ? Number(name) : name), inner)
    if (read === inner) continue
    copy ??= (isList ? [...value] : { ...value }) as Record<string, unknown>
    copy[name] = read
  }
  return copy ?? value
}

function isOnlyObject(places: readonly Place[]): boolean {
  const types = places.map(({ type }) => type)
  return types.includes('object') && !types.includes('array') && !types.includes(undefined)
}
