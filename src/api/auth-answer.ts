import { type Code, STATUS } from '../core/codes.ts'
import type { Issue } from '../core/issue.ts'
import { internalError, invalid, Problem, unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { asSentence } from '../core/words.ts'
import { headersWith, JSON_TYPE } from '../http/respond.ts'
import { fromZod } from '../http/zod-issues.ts'
import { withRealEmails } from '../identity/enumeration.ts'
import { signInAgain } from '../identity/proof.ts'

/** An answer of better-auth with our headers and real addresses, or its refusal as one of ours. */
export async function toServiceResponse(response: Response, { store }: Service): Promise<Response | Problem> {
  if (response.status >= 400) return toProblem(response)
  const headers = headersWith({ 'cache-control': 'no-store' })
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') headers.set(name, value)
  })
  if (headers.get('content-type') === 'application/json') headers.set('content-type', JSON_TYPE)
  for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie)
  const body = response.body === null ? null : await withRealEmails(store, await response.text())
  return new Response(body, { status: response.status, headers })
}

/** Refusals of a session that is too old: better-auth has a code for each place that looks. */
const STALE = new Set(['SESSION_NOT_FRESH', 'SESSION_EXPIRED'])

async function toProblem(response: Response): Promise<Problem> {
  const { message, code = '' } = (await response.json().catch(() => ({}))) as { message?: string; code?: string }
  const { status } = response
  if (status >= 500) return internalError()
  if (status === 404 && code === '') return unknownUrl()
  if (code === 'VALIDATION_ERROR') return invalid(issuesIn(message ?? ''))
  if (STALE.has(code)) return signInAgain()
  // better-auth also answers 401 if a member’s role is too low; a browser would go to sign in for nothing.
  if (code.startsWith('YOU_ARE_NOT_ALLOWED')) {
    return new Problem('FORBIDDEN', sentence(message), { userMessage: 'You need the admin role to do this.' })
  }
  return new Problem(
    Object.hasOwn(STATUS, code) ? (code as Code) : (BY_STATUS[status] ?? 'BAD_REQUEST'),
    sentence(message),
  )
}

/** Of codes that we do not have. */
const BY_STATUS: Record<number, Code> = { 401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 429: 'RATE_LIMITED' }

function sentence(message = 'This was refused.'): string {
  return asSentence(message)
}

/** The issues in `[body.role] Invalid input: expected string, received undefined; [body.email] …`. */
function issuesIn(message: string): Issue[] {
  return message.split(/; (?=\[(?:body|query)\b)/).map((part) => {
    const [, path = '', said = part] = /^\[(?:body|query)\.?([^\]]*)\] (.*)$/s.exec(part) ?? []
    return fromZod({ path: path === '' ? [] : path.split('.'), message: said })
  })
}
