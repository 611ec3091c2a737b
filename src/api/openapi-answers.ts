import { DryRun } from '../bundles/answers.ts'
import { type Code, STATUS } from '../core/codes.ts'
import { Problem } from '../core/problem.ts'
import { ERROR_DOCS } from '../operations/error-docs.ts'
import type { Content, Described } from '../operations/openapi-types.ts'
import { type Operation, scopeOf } from '../operations/operation.ts'
import type { Variant } from '../operations/variants.ts'
import { type Naming, schemaOf } from './json-schema.ts'
import { type HeaderName, headers } from './openapi-headers.ts'
import { exampleOf } from './openapi-parts.ts'
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
  const needsScope = scopeOf(operation) !== undefined
  const failures = failuresOf(codesOf(operation, method), naming, (status) => [
    ...(status === 401 || (status === 403 && needsScope) ? (['www-authenticate'] as const) : []),
    ...(UNCOUNTED.includes(status) ? [] : LIMITS),
  ])
  return { ...success, ...failures }
}

const LIMITS: readonly HeaderName[] = ['ratelimit-policy', 'ratelimit']
/** Answers to requests that were not counted, or whose failure is not the caller's. */
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
  const schema = schemaOf(shape, naming, '')
  return { schema, examples: named(exampleOf(schema, naming.definitions)) }
}

/** An example under a name, as readers and generators expect. */
export function named(value: unknown): Content['examples'] {
  return { example: { value } }
}

/**
 * The answers of these codes, one for each status.
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

/** Where the errors of examples were met. */
const MET = { requestId: '5e2e4a4b-8f6c-4d0e-9a53-0c6c1c8f7d21', origin: 'https://openall.example' }

/** An example of an error body. */
function failure([code = 'INTERNAL_ERROR']: readonly Code[]): unknown {
  return new Problem(code, ERROR_DOCS[code], code === 'RATE_LIMITED' ? { retryAfterSeconds: 12 } : {}).body(MET)
}
