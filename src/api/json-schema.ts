import { type JsonSchema, jsonSchemaOf, shownSchemaOf } from '../core/shape.ts'
import { FIELD_DOCS } from '../operations/glossary.ts'
import type { Operation } from '../operations/operation.ts'
import { conditionSchema, flatConditionSchema } from '../policies/conditions.ts'

// Shapes of operations as JSON Schema, with field descriptions from the glossary. Loaded only for documents and tools.

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
export function schemaOf(shape: Shape, naming: Naming, place: string): JsonSchema {
  return documented(rawSchemaOf(shape), naming, place)
}

function rawSchemaOf(shape: Pick<Shape, 'toJsonSchema'>): JsonSchema {
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

export function inputSchema({ name, input, route }: Operation, naming: Naming): JsonSchema {
  const schema = schemaOf(input, naming, name)
  // An edit must change something.
  return route.startsWith('PATCH ') ? { ...schema, minProperties: parametersOf(route).length + 1 } : schema
}

/** The names of a route's parameters. */
export function parametersOf(route: string): string[] {
  return Array.from(route.matchAll(/:(\w+)/g), ([, name = '']) => name)
}

/** Options of a call besides its input: `dryRun` in the body, the others as headers; all are fields of its tool. */
const CALL_OPTIONS = {
  dryRun: { type: 'boolean', default: false },
  idempotencyKey: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
  expectedVersion: { type: 'integer', minimum: 1, maximum: 999_999_999_999_999 },
} as const

/** The documented schema of a call option. */
export function callOptionSchema(name: keyof typeof CALL_OPTIONS): JsonSchema {
  return annotated(CALL_OPTIONS[name], '', name, ['description', 'examples'])
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

/** Definitions that arktype cannot generate. */
const WRITTEN: Record<string, (self: JsonSchema, naming: Naming) => JsonSchema> = {
  Condition: (self, { flat }) => (flat ? flatConditionSchema(self) : conditionSchema(self)),
  TracedCondition: (self) => conditionSchema(self, { matched: { type: 'boolean' } }),
}

/**
 * A schema with its fields documented.
 * @param place the name of the enclosing field or shape.
 */
export function documented(schema: JsonSchema, naming: Naming, place: string): JsonSchema {
  const { named, $ref, whole: _, ...rest } = schema
  if (typeof $ref === 'string') return refer($ref.slice('#/$defs/'.length), naming)
  if (typeof named === 'string') {
    const elsewhere = naming.opaque?.get(named)
    if (elsewhere !== undefined) return { type: 'object', description: elsewhere }
    if (naming.named === 'inline') return documented(rest, naming, named)
    if (!naming.definitions.has(named)) {
      naming.definitions.set(named, {})
      naming.definitions.set(named, documented(rest, naming, named))
    }
    return { $ref: naming.prefix + named }
  }
  return withType(
    Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, within(key, value, naming, place)])),
  )
}

/** Values that are listed have a type of their own, for generators. */
function withType(schema: JsonSchema): JsonSchema {
  if (schema.type !== undefined || !('const' in schema || 'enum' in schema)) return schema
  const values = 'const' in schema ? [schema.const] : (schema.enum as unknown[])
  const [type, ...others] = new Set(values.map((value) => typeof value))
  if (others.length > 0 || type === undefined || values.includes(null)) return schema
  return { type: type === 'number' ? 'integer' : type, ...schema }
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
  // A constant needs no description.
  if ('const' in schema) return withType(schema)
  const named = ENTRIES[`${place}.${name}`]
  const shape = named === undefined ? schema : { ...schema, items: { ...(schema.items as JsonSchema), named } }
  return annotated(
    name === 'resolutionPolicy' ? policy(schema, naming) : documented(shape, naming, name),
    place,
    name,
    naming.annotations,
  )
}

/** Names of entries of lists in inputs that arktype loses, as below. */
const ENTRIES: Readonly<Record<string, string>> = {
  'update_bundle.addUrls': 'AddedLink',
  'propose_edit.addUrls': 'AddedLink',
  'OneEdit.addUrls': 'AddedLink',
  'create_bundles.bundles': 'NewBundle',
  'update_bundles.edits': 'OneEdit',
}

/** Names the policy of an input again: arktype loses the name of a shape with a morph. */
function policy({ anyOf, ...rest }: JsonSchema, naming: Naming): JsonSchema {
  const named = (anyOf as JsonSchema[]).map((branch) =>
    branch.type === 'object' && branch.named === undefined ? namedPolicy(branch) : branch,
  )
  return documented({ ...rest, anyOf: named }, naming, 'resolutionPolicy')
}

function namedPolicy(schema: JsonSchema): JsonSchema {
  const policy = structuredClone(schema) as { properties: { rules: { items: SentRule } } }
  const { rules } = policy.properties
  rules.items.properties.tabs.items = { ...rules.items.properties.tabs.items, named: 'NewTab' }
  rules.items = { ...rules.items, named: 'NewRule' }
  return { ...policy, named: 'Policy' }
}

type SentRule = JsonSchema & { properties: { tabs: { items: JsonSchema } } }

/** Places whose shapes have names, by the field that they describe. */
const PLACES: Readonly<Record<string, string>> = {
  Rule: 'rules',
  NewRule: 'rules',
  Tab: 'tabs',
  NewTab: 'tabs',
  NewBundle: 'create_bundle',
}

/**
 * What the glossary says of a field of a shape or of the field that encloses it: of this one, or of each. A name alone is
 * for fields that mean the same wherever they stand.
 */
export function fieldDoc(place: string, name: string): readonly [description: string, example?: unknown] | undefined {
  return FIELD_DOCS[`${PLACES[place] ?? place}.${name}`] ?? FIELD_DOCS[`${place}.*`] ?? FIELD_DOCS[name]
}

function annotated(schema: JsonSchema, place: string, name: string, annotations: Naming['annotations']): JsonSchema {
  const [description, example] = fieldDoc(place, name) ?? []
  const isValid = example !== undefined && (schema.enum === undefined || (schema.enum as unknown[]).includes(example))
  return {
    ...schema,
    ...(annotations.includes('description') && description !== undefined
      ? { description: [description, ...(schema.description === undefined ? [] : [schema.description])].join(' ') }
      : {}),
    ...(annotations.includes('examples') && isValid ? { examples: [example] } : {}),
  }
}

const ORDER = Object.keys(FIELD_DOCS)

function rank(name: string): number {
  const at = ORDER.findIndex((known) => known === name || known.endsWith(`.${name}`))
  return at === -1 ? ORDER.length : at
}

function refer(name: string, naming: Naming): JsonSchema {
  const elsewhere = naming.opaque?.get(name)
  if (elsewhere !== undefined) return { type: 'object', description: elsewhere }
  const ref = { $ref: naming.prefix + name }
  const write = WRITTEN[name]
  if (write !== undefined && !naming.definitions.has(name)) {
    naming.definitions.set(name, {})
    const schema = documented(write({ $ref: `#/$defs/${name}` }, naming), naming, 'Condition')
    naming.definitions.set(name, annotated(schema, '', name, naming.annotations))
  }
  return ref
}
