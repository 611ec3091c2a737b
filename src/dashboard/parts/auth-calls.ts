import { Problem } from '../../core/problem.ts'
import { callAuth as callForForm } from '../../pages/account-forms.ts'
import type { Visit } from './visit.ts'

/**
 * Calls better-auth for the visitor. Returns its answer, or a refusal that the form can explain.
 * @throws Problem for a refusal that no form explains: a role that is too low, an ended session.
 */
export async function callAuth({ request, service }: Visit, path: string, body: unknown): Promise<Response | Problem> {
  const answer = await callForForm(request, service, path, body)
  if (answer instanceof Problem && !EXPLAINED.has(answer.code) && answer.status !== 400) throw answer
  return answer
}

/** Refusals that forms explain, besides those of their input. */
const EXPLAINED = new Set<Problem['code']>([
  'PLAN_LIMIT',
  'EMAIL_UNVERIFIED',
  'INVITATION_LIMIT_REACHED',
  'RATE_LIMITED',
])

/**
 * Calls better-auth for the visitor, for calls whose refusals no form explains.
 * @throws Problem for any refusal.
 */
export async function mustCallAuth(visit: Visit, path: string, body: unknown): Promise<Response> {
  const answer = await callAuth(visit, path, body)
  if (answer instanceof Problem) throw answer
  return answer
}
