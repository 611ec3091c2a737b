import { DryRun } from '../bundles/content/answers.ts'
import { type Code, STATUS } from '../core/codes.ts'
import { Problem } from '../core/problem.ts'
import type { JsonSchema } from '../core/shape.ts'
import { ERROR_DOCS, PROBLEM_DOCS } from '../operations/error-docs.ts'
import type { Content, Described, OpenApi } from '../operations/openapi-types.ts'
import { type Operation, scopeOf, type Variant } from '../operations/operation.ts'
import { MAX_ISSUES } from '../operations/validate.ts'
import { documented, type Naming, schemaOf } from './json-schema.ts'

/** Precedes the name of a definition. */
export const SCHEMAS = '#/components/schemas/'

/** The answers of an operation or a variant, each with one type. */
export function responsesOf(
  operation: Operation,
  method: string,
  naming: Naming,
  kind: Variant['kind'] | undefined,
): Described['responses'] {
  const success = kind === undefined ? successOf(operation, naming) : successOfVariant(kind, naming)
  const needsScope = scopeOf(operation) !== undefined
  const failures = failuresOf(codesOf(operation, method), naming, (status) => [
    ...(status === 401 || (status === 403 && needsScope) ? (['www-authenticate'] as const) : []),
    ...(UNCOUNTED.includes(status) ? [] : LIMITS),
  ])
  return { ...success, ...failures }
}

const LIMITS: readonly HeaderName[] = ['ratelimit-policy', 'ratelimit']
/** Statuses of requests that were not counted, or whose failure is not the caller's. */
const UNCOUNTED: readonly number[] = [421, 500, 503]

function successOf(operation: Operation, naming: Naming): Described['responses'] {
  const { status = 200, output } = operation
  const own = Object.keys(operation.headers ?? {}) as HeaderName[]
  const replayed = operation.idempotent === undefined ? [] : (['idempotency-replayed'] as const)
  const linked = operation.next === undefined ? [] : (['link'] as const)
  const withHeaders = headers(...own, ...replayed, ...linked, ...LIMITS, 'x-request-id')
  if (output === undefined) return { [status]: { description: 'Done. There is no body.', ...withHeaders } }
  const content = { 'application/json': contentOf(output(), naming) }
  const success = { description: operation.summary, ...withHeaders, content }
  return { [status]: success, ...(operation.isNew === undefined ? {} : { 201: success }) }
}

function successOfVariant(kind: Variant['kind'], naming: Naming): Described['responses'] {
  const withHeaders = headers(...LIMITS, 'x-request-id')
  if (kind === 'csv') {
    const content = { 'text/csv': { schema: { type: 'string' } } }
    return { 200: { description: 'The table as a file (RFC 4180).', ...withHeaders, content } }
  }
  const content = { 'application/json': contentOf(DryRun(), naming) }
  return { 200: { description: 'What would be saved.', ...withHeaders, content } }
}

function contentOf(shape: Parameters<typeof schemaOf>[0], naming: Naming): Content {
  const schema = schemaOf(shape, naming)
  return { schema, examples: named(exampleOf(schema, naming.definitions)) }
}

/** An example under a name, as readers and generators expect. */
export function named(value: unknown): Content['examples'] {
  return { example: { value } }
}

/**
 * The answers with these codes, one for each status.
 * @param more the headers of a status, besides those that follow from it.
 * @param type of the body: JSON, or a text.
 */
export function failuresOf(
  codes: readonly Code[],
  naming: Naming,
  more: (status: number) => readonly HeaderName[],
  type = 'application/json',
): Described['responses'] {
  const byStatus = Map.groupBy(codes, (code) => STATUS[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const waits: HeaderName[] = status === 429 || status === 503 ? ['retry-after'] : []
      const content = type === 'application/json' ? problemOf(codes, naming) : { schema: { type: 'string' } }
      return [
        status,
        {
          description: codes.map((code) => `\`${code}\`: ${ERROR_DOCS[code]}`).join(' '),
          ...headers(...waits, ...more(status), 'x-request-id'),
          content: { [type]: content },
        },
      ]
    }),
  )
}

function problemOf(codes: readonly Code[], naming: Naming): Content {
  const name = codes.join('_or_')
  if (!naming.definitions.has(name)) naming.definitions.set(name, problemSchema(codes, naming.annotations))
  return { schema: { $ref: SCHEMAS + name }, examples: named(failure(codes)) }
}

/** Every error code of an operation: those that follow from its declaration, and those it names. */
export function codesOf(operation: Operation, method: string): Code[] {
  const hasBody = method !== 'GET' && method !== 'DELETE' && operation.body !== 'none'
  const codes = new Set<Code>([
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'RATE_LIMITED',
    'MISDIRECTED_REQUEST',
    'INTERNAL_ERROR',
    'STORE_UNAVAILABLE',
  ])
  if (hasBody || operation.body === 'none') {
    codes.add('INVALID_JSON').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  }
  if (operation.idempotent !== undefined) codes.add('IDEMPOTENCY_CONFLICT')
  if (operation.versioned !== undefined) codes.add('VERSION_CONFLICT')
  if (operation.proof?.includes('address')) codes.add('EMAIL_UNVERIFIED')
  if (operation.proof?.includes('recentSignIn')) codes.add('RECENT_SIGN_IN_REQUIRED')
  for (const code of operation.errors ?? []) codes.add(code)
  return (Object.keys(STATUS) as Code[]).filter((code) => codes.has(code))
}

/** The request id and the origin in example errors. */
const MET = { requestId: '5e2e4a4b-8f6c-4d0e-9a53-0c6c1c8f7d21', origin: 'https://openall.example' }

/** An example of an error body. */
function failure([code = 'INTERNAL_ERROR']: readonly Code[]): unknown {
  return new Problem(code, ERROR_DOCS[code], code === 'RATE_LIMITED' ? { retryAfterSeconds: 12 } : {}).body(MET)
}

/** The headers of answers, with the description and the pattern of each. */
const ANSWERED = {
  etag: ['The `versionNumber` of the bundle as `"v<N>"`, for If-Match.', '^"v[0-9]+"$'],
  link: ['The next page, with `rel="next"`; absent on the last one.', '^<[^<>]+>; rel="next"$'],
  location: [
    'The URL of what was created, in this API; of a link that was mistyped, the one that was meant.',
    '^(?:/api/|https?://)[^\\s]+$',
  ],
  'idempotency-replayed': ['`true` if this is the stored answer to the first call with the same key.', '^true$'],
  'ratelimit-policy': [
    'The limit of the key, as in draft-ietf-httpapi-ratelimit-headers; absent without one.',
    '^"perhr";q=[0-9]+;w=3600$',
  ],
  ratelimit: ['What remains of it, and the seconds until it is replenished.', '^"perhr";r=[0-9]+;t=[0-9]+$'],
  'retry-after': ['Whole seconds to wait.', '^[1-9][0-9]*$'],
  'www-authenticate': [
    'Bearer: send an API key, with the `scope` if it names one. `resource_metadata` says where apps sign in. Of a bundle’s link, Cookie: sign in on its page; Form: enter its password there.',
    '^(?:Bearer( .+)?|Cookie|Form)$',
  ],
  'x-request-id': [
    'The id of the request, by which the operator finds it; `requestId` in an error.',
    '^[A-Za-z0-9_.:/+=-]{1,128}$',
  ],
} as const

type HeaderName = keyof typeof ANSWERED

/** References to headers, for a response. */
export function headers(...names: HeaderName[]): { headers: Record<string, { $ref: string }> } {
  const own = names.map((name) => [title(name), { $ref: `#/components/headers/${title(name)}` }])
  return { headers: Object.fromEntries(own) }
}

/** All headers, for the document's components. */
export function headerComponents(): OpenApi['components']['headers'] {
  const all = (Object.keys(ANSWERED) as HeaderName[]).map((name) => {
    const [description, pattern] = ANSWERED[name]
    const schema: JsonSchema = { type: 'string', pattern }
    return [title(name), { description, schema }]
  })
  return Object.fromEntries(all)
}

/** A header's name as usually capitalised: `Retry-After`. */
function title(name: string): string {
  if (name === 'etag') return 'ETag'
  return name
    .replace('ratelimit', 'RateLimit')
    .replace(/(^|-)[a-z]/g, (first) => first.toUpperCase())
    .replace('Www', 'WWW')
}

/** An example value of a schema, built from the examples of its fields. */
export function exampleOf(schema: JsonSchema, definitions: ReadonlyMap<string, JsonSchema>): unknown {
  const { $ref, examples, anyOf, oneOf, properties, required, items } = schema as Parts
  if (examples !== undefined) return examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return (schema.enum as unknown[])[0]
  if ($ref !== undefined) return exampleOf(definitions.get($ref.split('/').at(-1) ?? '') ?? {}, definitions)
  const [branch] = anyOf ?? oneOf ?? []
  if (branch !== undefined) return exampleOf(branch, definitions)
  if (schema.type === 'array') return items === undefined ? [] : [exampleOf(items, definitions)]
  if (schema.type === 'object') {
    const requiredFields = Object.entries(properties ?? {}).filter(([name]) => required?.includes(name) ?? false)
    return Object.fromEntries(requiredFields.map(([name, field]) => [name, exampleOf(field, definitions)]))
  }
  if (schema.format === 'date-time') return '2026-11-20T09:00:00.000Z'
  return schema.type === 'integer' || schema.type === 'number' ? 1 : schema.type === 'boolean' ? true : 'text'
}

interface Parts {
  $ref?: string
  examples?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
}

/** The body of an error: one of these codes. */
export function problemSchema(codes: readonly string[], annotations: Naming['annotations']): JsonSchema {
  const retry = codes.includes('RATE_LIMITED')
  const ofInput = codes.includes('BAD_REQUEST') || codes.includes('INVALID_URLS')
  const properties = {
    error: { ...saying(PROBLEM_DOCS.error), type: 'string' },
    code: codes.includes(PROBLEM_DOCS.code[1])
      ? { ...saying(PROBLEM_DOCS.code), enum: codes }
      : { says: PROBLEM_DOCS.code[0], enum: codes },
    ...(ofInput ? { errors: ERRORS } : {}),
    ...(retry ? { retryAfterSeconds: RETRY } : {}),
    requestId: {
      says: 'The id by which the operator finds the request; as in X-Request-Id.',
      example: '5e2e4a4b-8f6c-4d0e-9a53-0c6c1c8f7d21',
      type: 'string',
      minLength: 1,
      maxLength: 128,
    },
    docUrl: {
      says: 'What the code means, on this server.',
      example: 'https://openall.example/docs/errors#invalid_urls',
      type: 'string',
      format: 'uri',
    },
  }
  const always = ['error', 'code', 'requestId', 'docUrl']
  const required = codes.length === 1 && retry ? [...always, 'retryAfterSeconds'] : always
  return documented(
    { type: 'object', properties, required, additionalProperties: false },
    { prefix: '', named: 'inline', annotations, definitions: new Map() },
  )
}

function saying([says, example]: readonly [string, unknown]): JsonSchema {
  return { says, example }
}

const RETRY = { says: 'Seconds to wait until one request is accepted.', example: 12, type: 'integer', minimum: 1 }

const ERRORS = {
  says: 'The problem with each field, if there are several; the first is `error`.',
  type: 'array',
  minItems: 2,
  maxItems: MAX_ISSUES,
  items: {
    type: 'object',
    properties: {
      path: { ...saying(PROBLEM_DOCS.path), type: 'string' },
      message: { ...saying(PROBLEM_DOCS.message), type: 'string' },
    },
    required: ['path', 'message'],
    additionalProperties: false,
  },
}
