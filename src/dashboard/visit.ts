import type { Viewer } from '../../views/parts/layout.tsx'
import { type Answer, execute, respond } from '../core/execute.ts'
import type { CallContext, Conditions, Operation } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { callContext } from '../http/client.ts'
import type { Session } from '../identity/caller.ts'
import { viewerOf } from '../pages/site.ts'
import type { Service } from '../service.ts'

/** Somebody context is signed in, on a page of the dashboard. */
export interface Visit {
  request: Request
  service: Service
  /** The path's own parameters. */
  params: Record<string, string>
  query: URLSearchParams
  session: Session
  context: CallContext
  site: { name: string; origin: string; viewer: Viewer }
}

/** A visit, or null where nobody is signed in. */
export async function visitOf(
  request: Request,
  params: Record<string, string>,
  service: Service,
): Promise<Visit | null> {
  const context = await callContext(request, service)
  if (context.caller.kind !== 'session') return null
  const { session } = context.caller
  const { name, origin } = service.config
  const site = { name, origin, viewer: await viewerOf(session, service) }
  return { request, service, params, query: new URL(request.url).searchParams, session, context, site }
}

/** What a page may ask of a call, beside its input. */
type Wishes = Partial<Conditions>

/**
 * Runs an operation for the visitor, with every check that it has for any other caller.
 * @throws Problem.
 */
export async function run<In, Out>(visit: Visit, operation: Operation<In, Out>, input: unknown, wishes: Wishes = {}) {
  const { output } = await answerTo(visit, operation, input, wishes)
  return output
}

/** The same with the answer's headers, which tell whether it was given before. */
export function answerTo<In, Out>(
  { context, service }: Visit,
  operation: Operation<In, Out>,
  input: unknown,
  wishes: Wishes,
): Promise<Answer<Out>> {
  const given = { idempotencyKey: null, expectedVersion: null, ...wishes }
  return execute(operation, () => input, { ...context, conditions: () => given }, service)
}

/**
 * Checks what an operation would refuse as things stand, and changes nothing.
 * @throws Problem.
 */
export async function rehearse<In, Out>(
  { context, service }: Visit,
  operation: Operation<In, Out>,
  input: Record<string, unknown>,
  conditions: Partial<Pick<Conditions, 'expectedVersion'>> = {},
): Promise<void> {
  const given = { idempotencyKey: null, expectedVersion: null, ...conditions }
  await respond(operation, () => ({ ...input, dryRun: true }), { ...context, conditions: () => given }, service)
}

/**
 * What `attempt` gives, or the Problem it was refused with, where that is one the page itself can explain: input
 * that cannot be, a name that is taken, a plan that is full, an edit that came too late or too soon after others.
 * @throws what else went wrong.
 */
export async function explained<Out>(attempt: () => Promise<Out>): Promise<Out | Problem> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof Problem && EXPLAINED.has(error.code)) return error
    throw error
  }
}

const EXPLAINED = new Set<Problem['code']>([
  'INVALID_URLS',
  'BAD_REQUEST',
  'PLAN_LIMIT',
  'EMAIL_UNVERIFIED',
  'RECENT_SIGN_IN_REQUIRED',
  'SLUG_TAKEN',
  'IDEMPOTENCY_CONFLICT',
  'VERSION_CONFLICT',
  'RATE_LIMITED',
])
