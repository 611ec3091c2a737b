import { authenticate } from '../../api/auth.ts'
import { Problem } from '../../core/problem.ts'
import type { Visit } from './visit.ts'

/** A refusal by better-auth. */
export interface Refusal {
  /** better-auth's own, such as `INVALID_PASSWORD`. */
  code: string
  problem: Problem
}

/**
 * Calls better-auth for the visitor. Returns its answer, or a refusal that the form can explain.
 * @throws Problem for a refusal that no form explains: a role that is too low, an ended session.
 */
export async function callAuth(visit: Visit, path: string, body: unknown): Promise<Response | Refusal> {
  const { request, service } = visit
  let answer: Response
  try {
    answer = await authenticate(request, service, path, () => body)
  } catch (error) {
    if (error instanceof Problem && (error.code === 'BAD_REQUEST' || error.code === 'RATE_LIMITED')) {
      return { code: error.code, problem: error }
    }
    throw error
  }
  if (answer.ok) return answer
  const { error, code } = (await answer.json()) as { error: string; code: string }
  if (answer.status === 401) throw new Problem('UNAUTHORIZED', error)
  if (code === 'PLAN_LIMIT' || code === 'EMAIL_UNVERIFIED') return { code, problem: new Problem(code, error) }
  if (code === 'RECENT_SIGN_IN_REQUIRED') throw new Problem(code, error)
  if (answer.status === 403) throw new Problem('FORBIDDEN', error, forRole(code))
  if (answer.status >= 500) throw new Problem('INTERNAL_ERROR', error)
  return { code, problem: new Problem('BAD_REQUEST', error) }
}

/** Our wording if the role is too low; better-auth has its own. */
function forRole(code: string) {
  return code.startsWith('YOU_ARE_NOT_ALLOWED') ? { userMessage: 'You need the admin role to do this.' } : {}
}

/** Whether a refusal concerns the field with this name in the call; limits and plans concern none. */
export function concernsField({ problem: { message } }: Refusal, field: string): boolean {
  return message.startsWith(`${field} must `) || message.includes(`[body.${field}]`)
}

/**
 * Calls better-auth for the visitor, for calls whose refusals no form explains.
 * @throws Problem for any refusal.
 */
export async function mustCallAuth(visit: Visit, path: string, body: unknown): Promise<Response> {
  const answer = await callAuth(visit, path, body)
  if (answer instanceof Response) return answer
  throw answer.problem
}
