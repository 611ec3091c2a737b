import {
  callOptionSchema,
  callOptionsOf,
  inputSchema,
  type Naming,
  problemSchema,
  schemaOf,
} from '../api/json-schema.ts'
import { codesOf } from '../api/openapi-codes.ts'
import { DryRun } from '../bundles/answers.ts'
import { type Operation, scopeOf } from '../core/operation.ts'
import type { JsonSchema } from '../core/shape.ts'
import { allows, type Scope } from '../identity/roles.ts'

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

function inputOf(operation: Operation): Tool['inputSchema'] {
  const naming = newNaming('inline', ['description'])
  // Model APIs do not accept a tool input with a choice at its root: the description states it.
  const { oneOf: _, ...schema } = inputSchema(operation, naming)
  const options = callOptionsOf(operation).map((name) => {
    const { examples: _, ...schema } = callOptionSchema(name)
    return [name, schema]
  })
  const properties = { ...(schema.properties as JsonSchema | undefined), ...Object.fromEntries(options) }
  return { ...schema, type: 'object', properties, ...definitionsOf(naming) }
}

/** Includes the error, because a failed call has structured content too, which clients validate against this schema. */
function outputOf(operation: Operation): Tool['outputSchema'] {
  const naming = newNaming('defined', [])
  const [method = ''] = operation.route.split(' ')
  const answers = [
    ...(operation.output === undefined ? [] : [schemaOf(operation.output(), naming, '')]),
    ...(operation.dryRun === undefined ? [] : [schemaOf(DryRun(), naming, '')]),
    problemSchema(codesOf(operation, method), []),
  ]
  return { type: 'object', anyOf: answers, ...definitionsOf(naming) }
}

/** Every agent reads all tools, so they say each thing once: inputs have descriptions, outputs only their structure. */
function newNaming(named: Naming['named'], annotations: Naming['annotations']): Naming {
  return { prefix: '#/$defs/', named, annotations, definitions: new Map() }
}

function definitionsOf({ definitions }: Naming): { $defs?: JsonSchema } {
  return definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) }
}
