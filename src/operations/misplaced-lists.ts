import type { Operation } from './operation.ts'

type Schema = Operation['input']

/** The part of a JSON Schema used here. */
interface Place {
  type?: string
  anyOf?: Place[]
  properties?: Record<string, Place>
  additionalProperties?: Place | boolean
  items?: Place
}

/** Stands for a list where an object belongs: no schema takes a symbol. */
const LIST = Symbol('a list')

const known = new WeakMap<Schema, readonly Place[]>()

/**
 * The input with every list in an object’s place replaced by something that the schema refuses, and otherwise as it is.
 * To arktype a list is an object whose keys are all missing, so it would take `[]` wherever no key is required.
 */
export function withoutMisplacedLists(schema: Schema, raw: unknown): unknown {
  let places = known.get(schema)
  if (places === undefined) {
    places = branchesOf(schema.toJsonSchema({ fallback: ({ base }) => base }) as Place)
    known.set(schema, places)
  }
  return replaced(places, raw)
}

/** @param places what the value may be. */
function replaced(places: readonly Place[], value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) {
    if (isOnlyObject(places)) return LIST
    const entries = places.flatMap(({ items }) => branchesOf(items))
    return entries.length === 0 ? value : withFields(value, () => entries)
  }
  return withFields(value as Record<string, unknown>, (name) =>
    places.flatMap(({ properties = {}, additionalProperties: others }) =>
      branchesOf(Object.hasOwn(properties, name) ? properties[name] : typeof others === 'object' ? others : undefined),
    ),
  )
}

function withFields<T extends Record<string, unknown> | unknown[]>(
  value: T,
  placesOf: (name: string) => readonly Place[],
): T {
  let copy: Record<string, unknown> | undefined
  for (const [name, inner] of Object.entries(value)) {
    if (inner === null || typeof inner !== 'object') continue
    const read = replaced(placesOf(name), inner)
    if (read === inner) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[name] = read
  }
  return (copy as T | undefined) ?? value
}

function isOnlyObject(places: readonly Place[]): boolean {
  const types = places.map(({ type }) => type)
  return types.includes('object') && !types.includes('array') && !types.includes(undefined)
}

function branchesOf(place: Place | undefined): readonly Place[] {
  if (place === undefined) return []
  return place.anyOf === undefined ? [place] : place.anyOf.flatMap(branchesOf)
}
