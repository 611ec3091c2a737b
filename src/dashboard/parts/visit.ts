import type { DashboardSite } from '../../../views/dashboard/parts/shell.tsx'
import { isPinned } from '../../bundles/pins.ts'
import { Problem } from '../../core/problem.ts'
import type { Service } from '../../core/service.ts'
import { callContext } from '../../http/client.ts'
import type { Session } from '../../identity/caller.ts'
import type { Answer } from '../../operations/answer.ts'
import { execute, respond } from '../../operations/execute.ts'
import type { CallContext, Conditions, Operation } from '../../operations/operation.ts'
import { signedInUser } from '../../pages/site.ts'
import { countOpen, countOpenFor } from '../../proposals/stored.ts'

/** A request for a dashboard page by a signed-in visitor. */
export interface Visit {
  request: Request
  service: Service
  /** Path parameters. */
  params: Record<string, string>
  query: URLSearchParams
  session: Session
  context: CallContext
  site: DashboardSite
}

/** The visit of a request, or null if nobody is signed in. */
export async function visitOf(
  request: Request,
  params: Record<string, string>,
  service: Service,
): Promise<Visit | null> {
  const context = await callContext(request, service)
  if (context.caller.kind !== 'session') return null
  const { session, subject } = context.caller
  const { name, origin, shortPaths } = service.config
  const { slug } = params
  const { store } = service
  const [user, toReview, openProposals, pinned] = await Promise.all([
    signedInUser(session, service),
    countOpen(store, subject),
    slug === undefined ? 0 : countOpenFor(store, slug),
    slug === undefined ? false : isPinned(store, session.userId, slug),
  ])
  const site = { name, origin, shortPaths, user, toReview, openProposals, isPinned: pinned }
  return { request, service, params, query: new URL(request.url).searchParams, session, context, site }
}

/**
 * Runs an operation for the visitor, with the same checks as for any other caller.
 * @throws Problem.
 */
export async function run<In, Out>(
  visit: Visit,
  operation: Operation<In, Out>,
  input: unknown,
  conditions: Partial<Conditions> = {},
) {
  const { output } = await answerTo(visit, operation, input, conditions)
  return output
}

/** The same with the response headers, which say whether the answer is a replay. */
export function answerTo<In, Out>(
  { context, service }: Visit,
  operation: Operation<In, Out>,
  input: unknown,
  conditions: Partial<Conditions>,
): Promise<Answer<Out>> {
  const given = { idempotencyKey: null, expectedVersion: null, ...conditions }
  return execute(operation, () => input, { ...context, conditions: () => given }, service)
}

/**
 * Runs an operation that answers with a secret, once for each form, which has a key of its own: null if it was sent
 * before, because a reload sends it again, and a secret is shown only once.
 * @throws Problem.
 */
export async function runOnce<In, Out>(
  visit: Visit,
  operation: Operation<In, Out>,
  input: unknown,
  idempotencyKey: string,
): Promise<Out | null> {
  const { output, headers } = await answerTo(visit, operation, input, { idempotencyKey: idempotencyKey || null })
  return headers['idempotency-replayed'] === undefined ? output : null
}

/**
 * Dry-runs an operation for the visitor: refuses what it would refuse now, and changes nothing.
 * @throws Problem.
 */
export async function dryRun<In, Out>(
  { context, service }: Visit,
  operation: Operation<In, Out>,
  input: Record<string, unknown>,
  conditions: Partial<Pick<Conditions, 'expectedVersion'>> = {},
): Promise<void> {
  const given = { idempotencyKey: null, expectedVersion: null, ...conditions }
  await respond(operation, () => ({ ...input, dryRun: true }), { ...context, conditions: () => given }, service)
}

/**
 * The result of `attempt`, or the Problem if the page itself can explain it: invalid
 * input, a name that is taken, a full plan, an edit conflict, a rate limit.
 * @throws any other error.
 */
export async function resultOrProblem<Out>(attempt: () => Promise<Out>): Promise<Out | Problem> {
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
  'EXTERNAL_ID_TAKEN',
  'IDEMPOTENCY_CONFLICT',
  'VERSION_CONFLICT',
  'PROPOSAL_CONFLICT',
  'KEY_NOT_ROTATABLE',
  'RATE_LIMITED',
])
