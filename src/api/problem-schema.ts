import type { JsonSchema } from '../core/shape.ts'
import { MAX_ISSUES } from '../operations/validate.ts'
import { documented, type Naming } from './json-schema.ts'

/** The body of an error: one of these codes. */
export function problemSchema(codes: readonly string[], annotations: Naming['annotations']): JsonSchema {
  const retry = codes.includes('RATE_LIMITED')
  const ofInput = codes.includes('BAD_REQUEST') || codes.includes('INVALID_URLS')
  const properties = {
    error: { type: 'string' },
    code: { enum: codes },
    ...(ofInput ? { errors: ERRORS } : {}),
    ...(retry ? { retryAfterSeconds: { type: 'integer', minimum: 1 } } : {}),
    requestId: { type: 'string', minLength: 1, maxLength: 128 },
    docUrl: { type: 'string', format: 'uri' },
  }
  const always = ['error', 'code', 'requestId', 'docUrl']
  const required = codes.length === 1 && retry ? [...always, 'retryAfterSeconds'] : always
  return documented(
    { type: 'object', properties, required, additionalProperties: false },
    { prefix: '', named: 'inline', annotations, definitions: new Map() },
    '',
  )
}

const ERRORS = {
  type: 'array',
  minItems: 2,
  maxItems: MAX_ISSUES,
  items: {
    type: 'object',
    properties: { path: { type: 'string' }, message: { type: 'string' } },
    required: ['path', 'message'],
    additionalProperties: false,
  },
}
