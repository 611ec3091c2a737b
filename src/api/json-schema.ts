import { FIELD_DOCS } from '../core/glossary.ts'
import type { Operation } from '../core/operation.ts'
import { type JsonSchema, jsonSchemaOf } from '../core/shape.ts'
import { conditionSchema } from '../policies/conditions.ts'

// The shapes of the table as JSON Schema, each field with what the glossary says of it. Loaded for documents and tools.

/** How shapes that have a name are written. */
export interface Naming {
  /** Before the name of a definition in a `$ref`. */
  prefix: string
  /** Whether a shape with a name becomes a definition, or stands where it is used. */
  named: 'defined' | 'inline'
  /** What is told of each field beside its shape. */
  told: readonly ('description' | 'examples')[]
  /** Gets the definitions that are referred to. */
  definitions: Map<string, JsonSchema>
}

/** The shape of an operation's input or output. */
type Shape = Operation['input']

/** A shape as JSON Schema, with the checks that JSON Schema can say. */
export function schemaOf(shape: Shape, naming: Naming, place: string): JsonSchema {
  const raw = shape.toJsonSchema({
    dialect: null,
    fallback: {
      default: ({ base }) => base,
      predicate: ({ base, predicate }) => merged(base as JsonSchema, jsonSchemaOf(predicate)) as typeof base,
    },
  }) as JsonSchema
  return documented(raw, naming, place)
}

/** Two patterns must both hold, so they cannot stand in one place. */
function merged(base: JsonSchema, more: JsonSchema): JsonSchema {
  if (base.pattern === undefined || more.pattern === undefined) return { ...base, ...more }
  const { pattern, ...rest } = more
  return { ...base, ...rest, allOf: [...((base.allOf as JsonSchema[]) ?? []), { pattern }] }
}

/** An operation's input as JSON Schema. */
export function inputSchema({ input, route }: Operation, naming: Naming): JsonSchema {
  const schema = schemaOf(input, naming, '')
  // An edit changes something.
  return route.startsWith('PATCH ') ? { ...schema, minProperties: parametersOf(route).length + 1 } : schema
}

/** The names of a route's parameters. */
export function parametersOf(route: string): string[] {
  return Array.from(route.matchAll(/:(\w+)/g), ([, name = '']) => name)
}

/** What stands beside an operation's input: headers of its route, and fields of its tool. */
const BESIDE = {
  dryRun: { type: 'boolean', default: false },
  idempotencyKey: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
  expectedVersion: { type: 'integer', minimum: 1, maximum: 1e15 },
} as const

/** The same, documented. */
export function besideSchema(name: keyof typeof BESIDE): JsonSchema {
  return annotated(BESIDE[name], '', name, ['description', 'examples'])
}

/** The names of what stands beside this operation's input. */
export function besideOf({ dryRun, idempotent, versioned }: Operation): (keyof typeof BESIDE)[] {
  return [
    ...(dryRun === undefined ? [] : (['dryRun'] as const)),
    ...(idempotent === undefined ? [] : (['idempotencyKey'] as const)),
    ...(versioned === undefined ? [] : (['expectedVersion'] as const)),
  ]
}

/** What a failed call answers (spec 7). */
export function problemSchema(codes: readonly string[], told: Naming['told']): JsonSchema {
  const retry = codes.includes('RATE_LIMITED')
  const properties = {
    error: { type: 'string' },
    code: { enum: codes },
    ...(retry ? { retryAfterSeconds: { type: 'integer', minimum: 1 } } : {}),
  }
  const required = codes.length === 1 && retry ? Object.keys(properties) : ['error', 'code']
  return documented(
    { type: 'object', properties, required, additionalProperties: false },
    { prefix: '', named: 'inline', told, definitions: new Map() },
    '',
  )
}

/** Each of the definitions that arktype cannot write. */
const WRITTEN: Record<string, (self: JsonSchema) => JsonSchema> = {
  Condition: (self) => conditionSchema(self),
  TracedCondition: (self) => conditionSchema(self, { matched: { type: 'boolean' } }),
}

/**
 * A schema with what is said of its fields.
 * @param place the field around it, or the name of the shape.
 */
function documented(schema: JsonSchema, naming: Naming, place: string): JsonSchema {
  const { named, $ref, ...rest } = schema
  if (typeof $ref === 'string') return refer($ref.slice('#/$defs/'.length), naming)
  if (typeof named === 'string') {
    if (naming.named === 'inline') return documented(rest, naming, named)
    if (!naming.definitions.has(named)) {
      naming.definitions.set(named, {})
      naming.definitions.set(named, documented(rest, naming, named))
    }
    return { $ref: naming.prefix + named }
  }
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, within(key, value, naming, place)]))
}

function within(key: string, value: unknown, naming: Naming, place: string): unknown {
  if (key === 'properties') {
    const fields = Object.entries(value as Record<string, JsonSchema>)
    const known = fields.map(([name, inner]) => [name, field(inner, naming, place, name)] as const)
    return Object.fromEntries(known.sort(([a], [b]) => rank(a) - rank(b)))
  }
  if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object')) {
    return documented(value as JsonSchema, naming, place)
  }
  if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') {
    return (value as JsonSchema[]).map((inner) => documented(inner, naming, place))
  }
  return value
}

function field(schema: JsonSchema, naming: Naming, place: string, name: string): JsonSchema {
  // A constant tells what it is.
  if ('const' in schema) return schema
  return annotated(
    name === 'resolutionPolicy' ? policy(schema, naming) : documented(schema, naming, name),
    place,
    name,
    naming.told,
  )
}

/** A policy that is sent: arktype forgets the name of a shape that it reads into another. */
function policy({ anyOf, ...rest }: JsonSchema, naming: Naming): JsonSchema {
  const named = (anyOf as JsonSchema[]).map((branch) =>
    branch.type === 'object' && branch.named === undefined ? { ...branch, named: 'Policy' } : branch,
  )
  return documented({ ...rest, anyOf: named }, naming, 'resolutionPolicy')
}

function annotated(schema: JsonSchema, place: string, name: string, told: Naming['told']): JsonSchema {
  const [description, example] = FIELD_DOCS[`${place}.${name}`] ?? FIELD_DOCS[name] ?? []
  const isOne = example !== undefined && (schema.enum === undefined || (schema.enum as unknown[]).includes(example))
  return {
    ...schema,
    ...(told.includes('description') && description !== undefined ? { description } : {}),
    ...(told.includes('examples') && isOne ? { examples: [example] } : {}),
  }
}

const ORDER = Object.keys(FIELD_DOCS)

function rank(name: string): number {
  const at = ORDER.findIndex((known) => known === name || known.endsWith(`.${name}`))
  return at === -1 ? ORDER.length : at
}

function refer(name: string, naming: Naming): JsonSchema {
  const ref = { $ref: naming.prefix + name }
  const write = WRITTEN[name]
  if (write !== undefined && !naming.definitions.has(name)) {
    naming.definitions.set(name, {})
    const schema = documented(write({ $ref: `#/$defs/${name}` }), naming, 'Condition')
    naming.definitions.set(name, annotated(schema, '', name, naming.told))
  }
  return ref
}
