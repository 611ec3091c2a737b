import { type Code, STATUS } from '../core/codes.ts'
import { routes } from '../core/routes.ts'
import { yieldToEventLoop } from '../core/scheduling.ts'
import type { Service } from '../core/service.ts'
import type { JsonSchema } from '../core/shape.ts'
import { sessionCookieName } from '../identity/sessions.ts'
import { ERROR_DOCS } from '../operations/error-docs.ts'
import type { Described, OpenApi, Parameter } from '../operations/openapi-types.ts'
import { authOf, type Operation, scopeOf, type Variant, variantsOf, whenRepeated } from '../operations/operation.ts'
import type { OperationName } from '../operations/table.ts'
import { callOptionSchema, callOptionsOf, inputSchema, type Naming, parametersOf } from './json-schema.ts'
import { exampleOf, headerComponents, named, responsesOf, SCHEMAS } from './openapi-answers.ts'
import { launcherPaths } from './openapi-launchers.ts'
import { webhookPosts } from './openapi-webhooks.ts'
import { HEADERS, IF_MATCH, INTRODUCTION, SCOPE_DOCS, SERVICE_CLIENT, TAG_DOCS, TAGS } from './openapi-words.ts'

// The table of operations as an OpenAPI 3.1 document.

/** The document of the service; made in small pieces, which let other requests run in between. */
export async function openApi(operations: readonly Operation[], { config }: Service): Promise<OpenApi> {
  const naming: Naming = {
    prefix: SCHEMAS,
    named: 'defined',
    annotations: ['description', 'examples'],
    definitions: new Map(),
  }
  const paths: OpenApi['paths'] = {}
  for (const operation of operations) {
    const since = performance.now()
    const [method = ''] = operation.route.split(' ')
    const path = pathOf(operation.route)
    const auth = authOf(operation, config)
    paths[path] = { ...paths[path], [method.toLowerCase()]: described({ ...operation, auth }, method, naming) }
    for (const variant of variantsOf(operation)) {
      const place = pathOf(variant.route)
      paths[place] = { [method.toLowerCase()]: described({ ...operation, auth }, method, naming, variant) }
    }
    await yieldToEventLoop(since)
  }
  const values = paths['/api/links/{slug}/tabs']?.get?.parameters.filter(({ name }) => name === 'values') ?? []
  Object.assign(paths, launcherPaths(naming, values))
  const webhooks = webhookPosts(naming)
  return {
    openapi: '3.1.1',
    info: {
      title: `${config.name} API`,
      version: '1',
      summary: 'Sets of up to 25 URLs behind one link.',
      description: INTRODUCTION,
      contact: { name: config.name, url: config.origin },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    'x-errors': Object.fromEntries(
      Object.entries(STATUS).map(([code, status]) => [code, { status, description: ERROR_DOCS[code as Code] }]),
    ),
    servers: [{ url: config.origin, description: config.name }],
    tags: Object.entries(TAG_DOCS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries([...naming.definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: headerComponents(),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key. It takes precedence over a session.' },
        oauth: {
          type: 'oauth2',
          description: 'An app that a person has connected; its token stands for a key with these scopes.',
          flows: {
            authorizationCode: {
              authorizationUrl: `${config.origin}${routes.account.authorize.href()}`,
              tokenUrl: `${config.origin}/oauth/token`,
              refreshUrl: `${config.origin}/oauth/token`,
              scopes: SCOPE_DOCS,
            },
          },
        },
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

function pathOf(route: string): string {
  const [, path = ''] = route.split(' ')
  return `/api${path.replaceAll(/:(\w+)/g, '{$1}')}`
}

function described(operation: Operation, method: string, naming: Naming, variant?: Variant): Described {
  const { name, summary } = operation
  return {
    operationId: variant?.name ?? name,
    tags: [TAGS[name as OperationName]],
    summary: variant === undefined ? summary : `${summary}: ${SHORT[variant.kind]}`,
    description: descriptionOf(operation, variant),
    security: operation.auth === 'public' ? [{}, ...credentialsFor(operation)] : credentialsFor(operation),
    ...scopedTo(operation),
    ...requestOf(operation, method, naming, variant),
    responses: responsesOf(operation, method, naming, variant?.kind),
  }
}

const SHORT = { dryRun: 'what would be saved', csv: 'as CSV' } as const

function descriptionOf(operation: Operation, variant: Variant | undefined): string {
  const scope = scopeOf(operation)
  const needed = scope === undefined ? '' : ` A key needs the scope \`${scope}\`.`
  return textOf(operation, variant) + needed
}

function textOf(operation: Operation, variant: Variant | undefined): string {
  const { name, description, dryRun, csv } = operation
  const repeated = whenRepeated(operation)
  if (variant?.kind === 'csv')
    return `The table of ${name} as a file, like ${name} with \`format=csv\` or \`Accept: text/csv\`.`
  if (variant?.kind === 'dryRun') {
    return `Checks everything that ${name} checks and answers with what it would save, with warnings. Saves nothing. The same as ${name} with \`dryRun: true\` in its body.`
  }
  const others = [
    ...(dryRun === undefined ? [] : [`With \`dryRun\` it is ${name}_dry_run.`]),
    ...(csv === undefined ? [] : [`As a file: ${name}_csv.`]),
    ...(repeated === null ? [] : [`Sent again, it ${repeated}.`]),
  ]
  return [description, ...others].join(' ')
}

/** The accepted credentials. Only OAuth's scheme may name the scope, which a key needs too (`x-scope`). */
function credentialsFor(operation: Operation): Described['security'] {
  const scope = scopeOf(operation)
  return [{ key: [] }, { oauth: scope === undefined ? [] : [scope] }, { session: [] }]
}

function scopedTo(operation: Operation): { 'x-scope'?: string } {
  const scope = scopeOf(operation)
  return scope === undefined ? {} : { 'x-scope': scope }
}

function requestOf(
  operation: Operation,
  method: string,
  naming: Naming,
  variant: Variant | undefined,
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
      ...(where === 'query' && name === operation.query ? ({ style: 'form', explode: true } as const) : {}),
      schema: rest,
      ...(example[name] === undefined ? {} : { example: example[name] }),
    }
  }
  const parameters = [...inPath.map((name) => parameter(name, 'path')), ...headersOf(operation, variant)]
  const others = Object.keys(properties).filter((name) => !inPath.includes(name))
  if (method === 'GET' || method === 'DELETE') {
    return { parameters: [...parameters, ...others.map((name) => parameter(name, 'query'))] }
  }
  if (operation.body === 'none') return { parameters }
  const needed = required.filter((name) => !inPath.includes(name))
  const body = {
    ...schema,
    properties: pick(properties, others),
    ...(needed.length === 0 ? { required: undefined } : { required: needed }),
    ...(minProperties === undefined ? {} : { minProperties: Number(minProperties) - inPath.length }),
  }
  const described = { schema: JSON.parse(JSON.stringify(body)), examples: named(pick(example, others)) }
  const types = operation.bodyTypes ?? ['application/json']
  const content = Object.fromEntries(types.map((type) => [type, described]))
  return { parameters, requestBody: { required: operation.body !== 'optional', content } }
}

function headersOf(operation: Operation, variant: Variant | undefined): Parameter[] {
  const header = (name: string, { description, examples, ...schema }: JsonSchema, example: unknown): Parameter => {
    return { name, in: 'header', required: false, description: String(description), schema, example }
  }
  const conditions = callOptionsOf(operation).flatMap((name) => {
    if (name === 'dryRun' || (name === 'idempotencyKey' && variant !== undefined)) return []
    const schema = callOptionSchema(name)
    if (name === 'idempotencyKey') return header(HEADERS[name], schema, 'import-2026-11-20')
    return header(HEADERS[name], { ...schema, ...IF_MATCH }, '"v3"')
  })
  if (operation.labelled === undefined) return conditions
  return [...conditions, header('Service-Client', SERVICE_CLIENT, 'acme-importer/1.4')]
}

function pick<T>(from: Record<string, T>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name] as T]))
}
