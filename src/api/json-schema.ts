import { DRY_RUN_DOC } from '../core/fields.ts'
import { type JsonSchema, jsonSchemaOf, sentSchemaOf, shownSchemaOf } from '../core/shape.ts'
import type { Operation } from '../operations/operation.ts'
import { conditionSchema, flatConditionSchema } from '../policies/conditions.ts'
import { CONDITION_DOC, MATCHED } from '../policies/shapes.ts'

// Shapes of operations as JSON Schema, with the descriptions of their fields. Loaded only for documents and tools.

/** How schemas are written, and where their definitions go. */
export interface Naming {
  /** Precedes the name of a definition in a `$ref`. */
  prefix: string
  /** Whether a named shape becomes a definition or is inlined. */
  named: 'defined' | 'inline'
  /** The annotations that fields get. */
  annotations: readonly ('description' | 'examples')[]
  /** Whether conditions are written in their short form. */
  flat?: boolean
  /** Named shapes whose structure is left out, with where it is described. */
  opaque?: ReadonlyMap<string, string>
  /** Collects the definitions that are referenced. */
  definitions: Map<string, JsonSchema>
}

/** The shape of an operation's input or output. */
type Shape = Operation['input']

/** A shape as JSON Schema, with the checks that JSON Schema can express. */
export function schemaOf(shape: Shape, naming: Naming): JsonSchema {
  return documented(rawSchemaOf(shape), naming)
}

/** A shape as arktype writes it, with the metadata of `core/shape.ts`. */
export function rawSchemaOf(shape: Pick<Shape, 'toJsonSchema'>): JsonSchema {
  return shape.toJsonSchema({
    dialect: null,
    fallback: {
      default: ({ base }) => base,
      predicate({ base, predicate }) {
        const later = shownSchemaOf(predicate)
        const more = later === undefined ? jsonSchemaOf(predicate) : rawSchemaOf(later)
        return merged(base as JsonSchema, more) as typeof base
      },
    },
  }) as JsonSchema
}

/** Two patterns become one that looks ahead for the second: client generators do not understand `allOf` here. */
function merged(base: JsonSchema, more: JsonSchema): JsonSchema {
  if (base.pattern === undefined || more.pattern === undefined) return { ...base, ...more }
  const pattern = `^(?=[\\s\\S]*(?:${more.pattern}))${String(base.pattern).replace(/^\^/, '')}`
  return { ...base, ...more, pattern }
}

export function inputSchema({ input, route }: Operation, naming: Naming): JsonSchema {
  // The name of an input is only for lists of such inputs.
  const { named: _, ...whole } = sentIn(rawSchemaOf(input))
  const schema = documented(whole, naming)
  // An edit must change something.
  return route.startsWith('PATCH ') ? { ...schema, minProperties: parametersOf(route).length + 1 } : schema
}

/** The names of a route's parameters. */
export function parametersOf(route: string): string[] {
  return Array.from(route.matchAll(/:(\w+)/g), ([, name = '']) => name)
}

/** Options of a call besides its input: `dryRun` in the body, the others as headers; all are fields of its tool. */
const CALL_OPTIONS = {
  dryRun: { says: DRY_RUN_DOC[0], example: DRY_RUN_DOC[1], type: 'boolean', default: false },
  idempotencyKey: {
    says: 'Any string: calls with the same key within 24 hours take effect once.',
    example: 'import-2026-11-20',
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[ -~]*$',
  },
  expectedVersion: {
    says: 'The `versionNumber` that you have read: with a newer one, the call fails (VERSION_CONFLICT) and changes nothing.',
    example: 3,
    type: 'integer',
    minimum: 1,
    maximum: 999_999_999_999_999,
  },
} as const

/** The documented schema of a call option. */
export function callOptionSchema(name: keyof typeof CALL_OPTIONS): JsonSchema {
  return annotated(CALL_OPTIONS[name], ['description', 'examples'])
}

/** The type of a call option in JSON Schema. */
export function callOptionType(name: keyof typeof CALL_OPTIONS): string {
  return CALL_OPTIONS[name].type
}

export function callOptionsOf({ dryRun, idempotent, versioned }: Operation): (keyof typeof CALL_OPTIONS)[] {
  return [
    ...(dryRun === undefined ? [] : (['dryRun'] as const)),
    ...(idempotent === undefined ? [] : (['idempotencyKey'] as const)),
    ...(versioned === undefined ? [] : (['expectedVersion'] as const)),
  ]
}

const CONDITION = { op: 'equals', field: 'emailDomain', value: 'acme.com' }

/** Definitions that arktype cannot generate. */
const WRITTEN: Record<string, (self: JsonSchema, naming: Pick<Naming, 'flat'>) => JsonSchema> = {
  Condition: (self, { flat }) => ({
    says: CONDITION_DOC,
    example: CONDITION,
    ...(flat ? flatConditionSchema(self) : conditionSchema(self)),
  }),
  TracedCondition: (self) => ({
    says: 'A condition, with whether it matches the viewer at each of its nodes.',
    example: { ...CONDITION, matched: true },
    ...conditionSchema(self, { matched: { says: MATCHED[0], example: MATCHED[1], type: 'boolean' } }),
  }),
}

/** A schema with the descriptions and examples of its fields. */
export function documented(schema: JsonSchema, naming: Naming): JsonSchema {
  const { says, example, ...plain } = sentIn(schema)
  return annotated({ says, example, ...structureOf(plain, naming) }, naming.annotations)
}

/** The full schema that a name or a mark stands for. */
export function wholeOf(schema: JsonSchema): JsonSchema {
  const name = String(schema.$ref).slice('#/$defs/'.length)
  return WRITTEN[name]?.({ $ref: schema.$ref }, { flat: false }) ?? sentIn(schema)
}

/** The schema of a shape without its further checks; see `checked`. */
function sentIn({ sent, ...schema }: JsonSchema): JsonSchema {
  const shape = sent === undefined ? undefined : sentSchemaOf(sent as object)
  if (shape === undefined) return schema
  const { says, example } = schema
  return { ...rawSchemaOf(shape), ...(says === undefined ? {} : { says, example }) }
}

function structureOf({ named, $ref, whole: _, order = [], ...rest }: JsonSchema, naming: Naming): JsonSchema {
  if (typeof $ref === 'string') return refer($ref.slice('#/$defs/'.length), naming)
  if (typeof named === 'string') {
    const elsewhere = naming.opaque?.get(named)
    if (elsewhere !== undefined) return opaque(elsewhere)
    if (naming.named === 'defined') return defined(named, { order, ...rest }, naming)
  }
  const parts = Object.entries(rest).map(([key, value]) => [key, partOf(key, value, naming, order as string[])])
  return withType(Object.fromEntries(parts))
}

function defined(name: string, schema: JsonSchema, naming: Naming): JsonSchema {
  if (!naming.definitions.has(name)) {
    naming.definitions.set(name, {})
    naming.definitions.set(name, documented(schema, naming))
  }
  return { $ref: naming.prefix + name }
}

/** A shape without its structure. @param where tells where that is described; empty if the description of its field does. */
function opaque(where: string): JsonSchema {
  return { type: 'object', ...(where === '' ? {} : { description: where }) }
}

/** Gives listed values a type, for generators. */
function withType(schema: JsonSchema): JsonSchema {
  if (schema.type !== undefined || !('const' in schema || 'enum' in schema)) return schema
  const values = 'const' in schema ? [schema.const] : (schema.enum as unknown[])
  const [type, ...others] = new Set(values.map((value) => typeof value))
  if (others.length > 0 || type === undefined || values.includes(null)) return schema
  return { type: type === 'number' ? 'integer' : type, ...schema }
}

/** The value of one keyword. @param order of the properties, as far as it is declared. */
function partOf(key: string, value: unknown, naming: Naming, order: readonly string[]): unknown {
  if (key === 'properties') {
    const fields = value as Record<string, JsonSchema>
    const names = new Set([...order.filter((name) => name in fields), ...Object.keys(fields)])
    return Object.fromEntries(Array.from(names, (name) => [name, documented(fields[name]!, naming)]))
  }
  if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object')) {
    return documented(value as JsonSchema, naming)
  }
  if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') {
    return (value as JsonSchema[]).map((inner) => documented(inner, naming))
  }
  return value
}

function annotated({ says, example, ...schema }: JsonSchema, annotations: Naming['annotations']): JsonSchema {
  return {
    ...schema,
    ...(annotations.includes('description') && says !== undefined
      ? { description: [says, ...(schema.description === undefined ? [] : [schema.description])].join(' ') }
      : {}),
    ...(annotations.includes('examples') && example !== undefined ? { examples: [example] } : {}),
  }
}

function refer(name: string, naming: Naming): JsonSchema {
  const elsewhere = naming.opaque?.get(name)
  if (elsewhere !== undefined) return opaque(elsewhere)
  const write = WRITTEN[name]
  if (write === undefined) return { $ref: naming.prefix + name }
  return defined(name, write({ $ref: `#/$defs/${name}` }, naming), naming)
}
