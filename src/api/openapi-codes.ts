import { type Code, STATUS } from '../core/codes.ts'
import { ERROR_DOCS } from '../operations/error-docs.ts'
import type { Operation } from '../operations/operation.ts'

/** Every error code of an operation: those that follow from its declaration, and those it names. */
export function codesOf(operation: Operation, method: string): Code[] {
  const hasBody = method !== 'GET' && method !== 'DELETE' && operation.body !== 'none'
  const codes = new Set<Code>([
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'RATE_LIMITED',
    'MISDIRECTED_REQUEST',
    'INTERNAL_ERROR',
    'STORE_UNAVAILABLE',
  ])
  if (operation.access !== 'authenticated' || method !== 'GET') codes.add('FORBIDDEN')
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

/** An example of an error body. */
export function failure([code = 'INTERNAL_ERROR']: readonly Code[]): unknown {
  const body = { error: ERROR_DOCS[code], code }
  return code === 'RATE_LIMITED' ? { ...body, retryAfterSeconds: 12 } : body
}
