import { DryRun } from '../bundles/answers.ts'
import { type Code, STATUS } from '../core/codes.ts'
import { Problem } from '../core/problem.ts'
import { ERROR_DOCS } from '../operations/error-docs.ts'
import type { Content, Described } from '../operations/openapi-types.ts'
import { type Operation, scopeOf } from '../operations/operation.ts'
import type { Variant } from '../operations/variants.ts'
import { exampleOf } from './examples.ts'
import { type Naming, schemaOf } from './json-schema.ts'
import { type ANSWERED, headers } from './openapi-parts.ts'
import { problemSchema } from './problem-schema.ts'

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
  return { ...success, ...failuresOf(operation, method, naming) }
}

function successOf(operation: Operation, naming: Naming): Described['responses'] {
  const { status = 200, output } = operation
  const own = Object.keys(operation.headers ?? {}) as (keyof typeof ANSWERED)[]
  const replayed = operation.idempotent === undefined ? [] : (['idempotency-replayed'] as const)
  const linked = operation.next === undefined ? [] : (['link'] as const)
  const withHeaders = headers(...own, ...replayed, ...linked, 'ratelimit-policy', 'ratelimit')
  if (output === undefined) return { [status]: { description: 'Done. There is no body.', ...withHeaders } }
  const content = { 'application/json': contentOf(output(), naming) }
  const success = { description: operation.summary, ...withHeaders, content }
  return { [status]: success, ...(operation.isNew === undefined ? {} : { 201: success }) }
}

function successOfVariant(kind: Variant['kind'], naming: Naming): Described['responses'] {
  const withHeaders = headers('ratelimit-policy', 'ratelimit')
  if (kind === 'csv') {
    const content = { 'text/csv': { schema: { type: 'string' } } }
    return { 200: { description: 'The table as a file (RFC 4180).', ...withHeaders, content } }
  }
  const content = { 'application/json': contentOf(DryRun(), naming) }
  return { 200: { description: 'What would be saved.', ...withHeaders, content } }
}

function contentOf(shape: Parameters<typeof schemaOf>[0], naming: Naming): Content {
  const schema = schemaOf(shape, naming, '')
  return { schema, examples: named(exampleOf(schema, naming.definitions)) }
}

/** An example under a name, as readers and generators expect. */
export function named(value: unknown): Content['examples'] {
  return { example: { value } }
}

function failuresOf(operation: Operation, method: string, naming: Naming): Described['responses'] {
  const byStatus = Map.groupBy(codesOf(operation, method), (code) => STATUS[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = codes.join('_or_')
      if (!naming.definitions.has(name)) naming.definitions.set(name, problemSchema(codes, naming.annotations))
      const lacksScope = status === 403 && scopeOf(operation) !== undefined
      const more: (keyof typeof ANSWERED)[] =
        status === 429 ? ['retry-after'] : status === 401 || lacksScope ? ['www-authenticate'] : []
      return [
        status,
        {
          description: codes.map((code) => `\`${code}\`: ${ERROR_DOCS[code]}`).join(' '),
          ...headers(...more),
          content: {
            'application/json': {
              schema: { $ref: SCHEMAS + name },
              examples: named(failure(codes)),
            },
          },
        },
      ]
    }),
  )
}

/** Every error code of an operation: those that follow from its declaration, and those it names. */
function codesOf(operation: Operation, method: string): Code[] {
  const hasBody = method !== 'GET' && method !== 'DELETE' && operation.body !== 'none'
  const codes = new Set<Code>([
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'RATE_LIMITED',
    'MISDIRECTED_REQUEST',
    'INTERNAL_ERROR',
    'STORE_UNAVAILABLE',
  ])
  if (operation.auth !== 'authenticated' || method !== 'GET') codes.add('FORBIDDEN')
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

/** Where the errors of examples were met. */
const MET = { requestId: '5e2e4a4b-8f6c-4d0e-9a53-0c6c1c8f7d21', origin: 'https://openall.example' }

/** An example of an error body. */
function failure([code = 'INTERNAL_ERROR']: readonly Code[]): unknown {
  return new Problem(code, ERROR_DOCS[code], code === 'RATE_LIMITED' ? { retryAfterSeconds: 12 } : {}).body(MET)
}
