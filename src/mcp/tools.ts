import { callOptionSchema, callOptionsOf, inputSchema, type Naming, schemaOf } from '../api/json-schema.ts'
import { DryRun } from '../bundles/answers.ts'
import { isContent } from '../bundles/content.ts'
import { type Operation, scopeOf } from '../core/operation.ts'
import type { JsonSchema } from '../core/shape.ts'
import { allows, type Scope } from '../identity/roles.ts'
import { leanInput, leanOutput } from './lean.ts'

/** A tool as listed (decisions 10). */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema & { type: 'object' }
  outputSchema: JsonSchema & { type: 'object' }
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
}

/** Whether an operation is a tool: all that use a credential, except those whose answer may not fit into a message. */
export function isTool({ access, keyScope, download }: Operation): boolean {
  return download === undefined && (access !== 'public' || keyScope !== undefined)
}

/** Whether a key with these scopes may call it. */
export function isAllowed(operation: Operation, scopes: readonly Scope[]): boolean {
  const needed = scopeOf(operation)
  return needed === undefined || allows(scopes, needed)
}

/** An operation as a tool: its input is a flat object, its output the body of its route. */
export function toTool(operation: Operation): Tool {
  const { name, summary, description } = operation
  const annotations = hintsOf(operation)
  return {
    name,
    title: summary,
    description,
    inputSchema: inputOf(operation),
    outputSchema: outputOf(operation),
    annotations,
  }
}

/** Derived from the route’s method, or from the declared effect. */
function hintsOf({ route, effect }: Operation): Tool['annotations'] {
  const isDeletion = route.startsWith('DELETE ')
  const readOnlyHint = route.startsWith('GET ') || effect === 'none'
  return {
    readOnlyHint,
    destructiveHint: isDeletion,
    idempotentHint: readOnlyHint || isDeletion || effect === 'repeatable',
    openWorldHint: false,
  }
}

/** Tools that describe content, policies and conditions; others refer to them. Whoever may edit may also preview. */
const DESCRIBES_CONTENT: readonly string[] = ['create_bundle']
const DESCRIBES_POLICIES: readonly string[] = ['update_bundle', 'preview_policy']

/** Fields that only callers without a credential may send; tools always have one. */
const ANONYMOUS_FIELDS = ['email']

function inputOf(operation: Operation): Tool['inputSchema'] {
  const { name } = operation
  const [hasContent, hasPolicies] = [DESCRIBES_CONTENT.includes(name), DESCRIBES_POLICIES.includes(name)]
  const naming = newNaming('inline', ['description'], {
    ...(hasContent ? {} : { UrlMetadata: 'See create_bundle.' }),
    ...(name === 'preview_policy' ? {} : { Condition: 'A condition: see preview_policy.' }),
    ...(hasPolicies ? {} : { Policy: 'See update_bundle; its rules have no `id` yet.' }),
  })
  const schema = inputSchema(operation, naming)
  const options = callOptionsOf(operation).map((name) => {
    const { examples: _, ...schema } = callOptionSchema(name)
    return [name, schema]
  })
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([field, inner]) => {
    if (ANONYMOUS_FIELDS.includes(field)) return []
    const { description: _, ...structure } = inner
    const isDescribed = field === 'resolutionPolicy' ? hasPolicies : hasContent || !isContent(field)
    return [[field, isDescribed ? inner : structure]]
  })
  const properties = Object.fromEntries([...fields, ...options])
  return { ...leanInput({ ...schema, properties, ...definitionsOf(naming) }), type: 'object' }
}

/** Includes the error, because a failed call has structured content too, which clients validate against this schema. */
function outputOf(operation: Operation): Tool['outputSchema'] {
  const isWhole = operation.name === 'get_bundle'
  const naming = newNaming('defined', [], isWhole ? { ...OPAQUE } : { ...OPAQUE, Bundle: AS_READ })
  const answers = [
    ...(operation.output === undefined ? [] : [schemaOf(operation.output(), naming, '')]),
    ...(operation.dryRun === undefined ? [] : [schemaOf(DryRun(), naming, '')]),
    PROBLEM,
  ]
  return { ...leanOutput({ anyOf: answers, ...definitionsOf(naming) }), type: 'object' }
}

const AS_READ = 'See get_bundle.'
const AS_SENT = 'See update_bundle.'

/** What answers do not describe again. */
const OPAQUE = {
  UrlMetadata: 'See create_bundle.',
  Draft: AS_READ,
  Policy: AS_SENT,
  SavedPolicy: AS_SENT,
  TracedCondition: 'The condition, with `matched` at each node.',
}

/** Without the codes of each operation: a failed call says what to do. */
const PROBLEM = {
  type: 'object',
  properties: { error: { type: 'string' }, code: { type: 'string' }, retryAfterSeconds: { type: 'integer' } },
  required: ['error', 'code'],
}

/** Every agent reads all tools, so they say each thing once: inputs have descriptions, outputs only their structure. */
function newNaming(named: Naming['named'], annotations: Naming['annotations'], opaque: Record<string, string>): Naming {
  return {
    prefix: '#/$defs/',
    named,
    annotations,
    flat: true,
    opaque: new Map(Object.entries(opaque)),
    definitions: new Map(),
  }
}

function definitionsOf({ definitions }: Naming): { $defs?: JsonSchema } {
  return definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) }
}
