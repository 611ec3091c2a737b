import { DryRun } from '../bundles/answers.ts'
import { STATUS } from '../core/codes.ts'
import { ERROR_DOCS } from '../core/glossary.ts'
import { accessOf, type Operation, scopeOf } from '../core/operation.ts'
import type { JsonSchema } from '../core/shape.ts'
import { sessionCookieName } from '../identity/sessions.ts'
import type { Service } from '../service.ts'
import { exampleOf } from './examples.ts'
import {
  callOptionSchema,
  callOptionsOf,
  inputSchema,
  type Naming,
  parametersOf,
  problemSchema,
  schemaOf,
} from './json-schema.ts'
import { codesOf, failure } from './openapi-codes.ts'
import { type ANSWERED, FORMAT, HEADERS, headers, IF_MATCH, SERVICE_CLIENT } from './openapi-parts.ts'

// The table of operations as an OpenAPI 3.1 document. Loaded on the first request for it.

/** An OpenAPI 3.1 document: the parts used here. */
export interface OpenApi {
  openapi: '3.1.1'
  info: { title: string; version: string; summary: string; description: string; license: { name: string } }
  servers: { url: string }[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> }
}

/** One operation of the document. */
export interface Described {
  operationId: string
  summary: string
  description: string
  security: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, Response>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

interface Content {
  schema: JsonSchema
  example?: unknown
}

interface Response {
  description: string
  headers?: Record<string, { description: string; schema: JsonSchema }>
  content?: Record<string, Content>
}

const SCHEMAS = '#/components/schemas/'

/** The document of the service. */
export function openApi(operations: readonly Operation[], { config }: Service): OpenApi {
  const naming: Naming = {
    prefix: SCHEMAS,
    named: 'defined',
    annotations: ['description', 'examples'],
    definitions: new Map(),
  }
  const paths: OpenApi['paths'] = {}
  // For readers only: each response refers to a schema with its own codes.
  naming.definitions.set('Problem', problemSchema(Object.keys(STATUS), naming.annotations))
  for (const operation of operations) {
    const [method = '', route = ''] = operation.route.split(' ')
    const path = `/api${route.replaceAll(/:(\w+)/g, '{$1}')}`
    const access = accessOf(operation, config)
    paths[path] = { ...paths[path], [method.toLowerCase()]: described({ ...operation, access }, method, naming) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: `${config.name} API`,
      version: '1',
      summary: 'Sets of up to 25 URLs behind one link.',
      description: INTRODUCTION,
      license: { name: 'MIT' },
    },
    servers: [{ url: config.origin }],
    paths,
    components: {
      schemas: Object.fromEntries([...naming.definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key. It takes precedence over a session.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName(config),
          description: 'A signed-in browser. Requests that change something must come from this service’s own pages.',
        },
      },
    },
  }
}

const INTRODUCTION =
  'Answers and errors are JSON unless an operation says otherwise. An error is `{ error, code }`: a sentence that says what ' +
  'to do, and a code for programs. Times are ISO 8601 in UTC. Unknown fields are refused.'

function described(operation: Operation, method: string, naming: Naming): Described {
  const { name, summary, description } = operation
  return {
    operationId: name,
    summary,
    description,
    security: securityOf(operation),
    ...requestOf(operation, method, naming),
    responses: { ...successOf(operation, naming), ...failuresOf(operation, method, naming) },
  }
}

function securityOf(operation: Operation): Described['security'] {
  const scope = scopeOf(operation)
  const credentials: Described['security'] = [{ key: scope === undefined ? [] : [scope] }, { session: [] }]
  return operation.access === 'public' ? [{}, ...credentials] : credentials
}

function requestOf(
  operation: Operation,
  method: string,
  naming: Naming,
): Pick<Described, 'parameters' | 'requestBody'> {
  const { minProperties, ...schema } = inputSchema(operation, naming)
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] }
  const inPath = parametersOf(operation.route)
  const example =
    operation.example ??
    (exampleOf({ ...schema, properties: pick(properties, required) }, naming.definitions) as Record<string, unknown>)
  const parameter = (name: string, where: 'path' | 'query'): Parameter => {
    const { description, examples, ...rest } = properties[name] ?? {}
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      description: String(description),
      schema: rest,
      ...(example[name] === undefined ? {} : { example: example[name] }),
    }
  }
  const parameters = [...inPath.map((name) => parameter(name, 'path')), ...headersOf(operation)]
  const others = Object.keys(properties).filter((name) => !inPath.includes(name))
  if (method === 'GET' || method === 'DELETE') {
    const format = operation.csv === undefined ? [] : [FORMAT]
    return { parameters: [...parameters, ...others.map((name) => parameter(name, 'query')), ...format] }
  }
  if (operation.body === 'none') return { parameters }
  const options = callOptionsOf(operation).includes('dryRun') ? { dryRun: callOptionSchema('dryRun') } : {}
  const needed = required.filter((name) => !inPath.includes(name))
  const body = {
    ...schema,
    properties: { ...pick(properties, others), ...options },
    ...(needed.length === 0 ? { required: undefined } : { required: needed }),
    ...(minProperties === undefined ? {} : { minProperties: Number(minProperties) - inPath.length }),
  }
  const described = { schema: JSON.parse(JSON.stringify(body)), example: pick(example, others) }
  const types = operation.bodyTypes ?? ['application/json']
  const content = Object.fromEntries(types.map((type) => [type, described]))
  return { parameters, requestBody: { required: operation.body !== 'optional', content } }
}

/** The headers that an operation reads. */
function headersOf(operation: Operation): Parameter[] {
  const header = (name: string, { description, examples, ...schema }: JsonSchema, example: unknown): Parameter => {
    return { name, in: 'header', required: false, description: String(description), schema, example }
  }
  const conditions = callOptionsOf(operation).flatMap((name) => {
    if (name === 'dryRun') return []
    const schema = callOptionSchema(name)
    if (name === 'idempotencyKey') return header(HEADERS[name], schema, 'import-2026-11-20')
    return header(HEADERS[name], { ...schema, ...IF_MATCH }, '"v3"')
  })
  if (operation.labelled === undefined) return conditions
  return [...conditions, header('Service-Client', SERVICE_CLIENT, 'acme-importer/1.4')]
}

function successOf(operation: Operation, naming: Naming): Described['responses'] {
  const { status = 200, output, csv, dryRun } = operation
  const own = Object.keys(operation.headers ?? {}) as (keyof typeof ANSWERED)[]
  const replayed = operation.idempotent === undefined ? [] : (['idempotency-replayed'] as const)
  const withHeaders = headers(...own, ...replayed, 'ratelimit-policy', 'ratelimit')
  if (output === undefined) return { [status]: { description: 'Done. There is no body.', ...withHeaders } }
  const body = (shape: typeof output): Content => {
    const schema = schemaOf(shape(), naming, '')
    return { schema, example: exampleOf(schema, naming.definitions) }
  }
  const json = body(output)
  const content: Record<string, Content> = { 'application/json': json }
  if (csv !== undefined) content['text/csv'] = { schema: { type: 'string' } }
  const done = { description: operation.summary, ...withHeaders, content }
  if (dryRun === undefined) return { [status]: done }
  const dry = body(DryRun)
  if (status !== 200) {
    const withoutSaving = { description: 'With `dryRun`: what would be saved.', content: { 'application/json': dry } }
    return { 200: { ...withoutSaving, ...headers('ratelimit-policy', 'ratelimit') }, [status]: done }
  }
  const both = {
    schema: { anyOf: [json.schema, dry.schema] },
    example: json.example,
  }
  return {
    200: {
      ...done,
      description: `${done.description}. With \`dryRun\`: what would be saved.`,
      content: { 'application/json': both },
    },
  }
}

function failuresOf(operation: Operation, method: string, naming: Naming): Described['responses'] {
  const byStatus = Map.groupBy(codesOf(operation, method), (code) => STATUS[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = codes.join('_or_')
      if (!naming.definitions.has(name)) naming.definitions.set(name, problemSchema(codes, naming.annotations))
      const more = status === 429 ? (['retry-after'] as const) : status === 401 ? (['www-authenticate'] as const) : []
      return [
        status,
        {
          description: codes.map((code) => `\`${code}\`: ${ERROR_DOCS[code]}`).join(' '),
          ...headers(...more),
          content: {
            'application/json': {
              schema: { $ref: SCHEMAS + name },
              example: failure(codes),
            },
          },
        },
      ]
    }),
  )
}

function pick<T>(from: Record<string, T>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name] as T]))
}
