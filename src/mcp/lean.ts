import type { JsonSchema } from '../core/shape.ts'

// Every agent reads every tool before its first call, so tools leave out what only a validator needs: the server checks
// everything again, and its errors name the place.

type Rule = (schema: JsonSchema) => JsonSchema

/** Larger bounds only say that a number is one. */
const MAX_BOUND = 1e9
/** Longer texts are rare: the error of one that is too long says how long it may be. */
const LONG_TEXT = 60
/** Smaller bounds refuse only what nobody sends: nothing, and less than that. */
const MIN_BOUNDS: readonly unknown[] = [0, 1]

/**
 * An input's schema without patterns: most only refuse characters that nobody types, and descriptions state the rest. It does
 * not say that there is nothing else, at every level.
 */
export function leanInput(schema: JsonSchema): JsonSchema {
  return mapped(schema, (inner) => {
    const rest = { ...inner }
    for (const name of ONLY_CHECKED) delete rest[name]
    if (Number(rest.maximum ?? 0) >= MAX_BOUND) delete rest.maximum
    if (Number(rest.maxLength ?? 0) >= LONG_TEXT) delete rest.maxLength
    if (MIN_BOUNDS.includes(rest.minimum)) delete rest.minimum
    if (MIN_BOUNDS.includes(rest.minItems)) delete rest.minItems
    if (rest.additionalProperties === false) delete rest.additionalProperties
    return rest
  })
}

/** What the server checks, and nobody has to know before. */
const ONLY_CHECKED = [
  'pattern',
  'allOf',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'maxItems',
  'minLength',
  'writeOnly',
]

/** More values are a catalogue, of which an answer has one: the API’s document lists them. */
const MAX_OPTIONS = 10

/** An output's schema: only its structure. It does not say that there is nothing else, at every level. */
export function leanOutput(schema: JsonSchema): JsonSchema {
  const isStructure = ([key, value]: [string, unknown]) =>
    !CONSTRAINTS.has(key) &&
    !(key === 'enum' && (value as unknown[]).length > MAX_OPTIONS) &&
    !(key === 'additionalProperties' && value === false)
  return mapped(schema, (inner) => Object.fromEntries(Object.entries(inner).filter(isStructure)))
}

/** A schema whose definitions that are referred to once stand where they are meant, which takes fewer bytes. */
export function withoutSingles({ $defs = {}, ...schema }: JsonSchema): JsonSchema {
  const definitions = $defs as Record<string, JsonSchema>
  const uses = JSON.stringify({ schema, definitions })
  const refTo = (name: string) => `#/$defs/${name}`
  const single = Object.keys(definitions).find((name) => uses.split(JSON.stringify(refTo(name))).length === 2)
  if (single === undefined) return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs }
  const { [single]: meant, ...others } = definitions
  // A definition that refers to itself would end here for ever.
  if (JSON.stringify(meant).includes(refTo(single))) return { ...schema, $defs }
  const put = (inner: JsonSchema): JsonSchema => {
    const { $ref, ...rest } = inner
    return $ref === refTo(single) ? { ...meant, ...rest } : inner
  }
  return withoutSingles(mapped({ ...schema, $defs: others }, put))
}

/** Of a field’s schema only the type, and that of its entries, without the values that it may have: another place lists them. */
export function shapeOf(schema: JsonSchema): JsonSchema {
  const types = (inner: JsonSchema) => Object.fromEntries(Object.entries(inner).filter(([key]) => TYPES.has(key)))
  const { anyOf, ...rest } = mapped(schema, types) as { anyOf?: JsonSchema[] }
  if (anyOf === undefined) return rest
  // Without their values, several kinds of text are one.
  const kinds = [...new Map(anyOf.map((kind) => [JSON.stringify(kind), kind])).values()]
  return kinds.length === 1 ? { ...rest, ...kinds[0] } : { ...rest, anyOf: kinds }
}

/** An object’s schema in which fields with these names have only their types, without the values that they may have. */
export function outlining(names: readonly string[], schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties as Record<string, JsonSchema>)
  const properties = fields.map(([name, field]) => [name, names.includes(name) ? shapeOf(field) : field])
  return { ...schema, properties: Object.fromEntries(properties) }
}

const CONSTRAINTS = new Set(
  'required pattern allOf minLength maxLength minItems maxItems minimum maximum format'.split(' '),
)
const TYPES = new Set('type items anyOf $ref'.split(' '))

/** Applies a rule to a schema and to every schema in it, the innermost first. */
function mapped(schema: JsonSchema, rule: Rule): JsonSchema {
  const inner = Object.entries(schema).map(([key, value]) => {
    if (key !== 'properties' && key !== '$defs') return [key, within(value, rule)]
    const fields = Object.entries(value as Record<string, JsonSchema>)
    return [key, Object.fromEntries(fields.map(([name, field]) => [name, mapped(field, rule)]))]
  })
  return rule(Object.fromEntries(inner))
}

function within(value: unknown, rule: Rule): unknown {
  if (Array.isArray(value)) return value.map((one) => within(one, rule))
  return value !== null && typeof value === 'object' ? mapped(value as JsonSchema, rule) : value
}
