import { actingAs, brokenConstraint, type Store } from '../../db/client.ts'
import type { Issue } from '../core/issue.ts'
import { Problem } from '../core/problem.ts'
import { waitForReadSlot } from '../core/scheduling.ts'
import type { Service } from '../core/service.ts'
import { actorOf, allows, type Caller, gone, type SignedIn, signedIn } from '../identity/caller.ts'
import { requireProvenAddress, requireRecentSignIn } from '../identity/proof.ts'
import { countForAddress, countForCaller, countForKey } from '../limits/rate-limits.ts'
import { subjectExists } from '../plans/owners.ts'
import { aliasFound, externalIdIn, slugFound, withAlias, withSlug } from './bundle-reference.ts'
import { type Commit, type IdempotentCall, once } from './idempotency.ts'
import {
  type Answer,
  answer,
  authOf,
  type CallContext,
  type Conditions,
  countedAs,
  type IdempotentContext,
  isLimitedByAddress,
  isTrial,
  type Operation,
  type PublicAnswer,
  scopeOf,
} from './operation.ts'
import { validate } from './validate.ts'

/** Errors in the call's headers. */
export interface Found {
  wrong?: readonly Issue[]
}

/** Reads the input; called only after the caller is authorised. Its errors come with the input's own. */
type Decode = (found: Found) => unknown

/** A call without its input. */
interface Call<In, Out> extends Found {
  operation: Operation<In, Out>
  decode: Decode
  context: CallContext
  service: Service
  /** A key's remaining requests; null if it has no limit. */
  rateLimitHeaders?: Record<string, string> | null
}

/**
 * The only way into an operation, so that no transport can skip a check. The order decides which error wins:
 * 429, 401, 403 for the scope, 400, then errors of `run`.
 * @throws Problem if the call is refused.
 */
export function execute<In, Out>(
  operation: Operation<In, Out>,
  decode: Decode,
  context: CallContext,
  service: Service,
): Promise<Answer<Out>> {
  return checked({ operation, decode, context, service }, perform)
}

/** Like `execute`, for callers who may send `dryRun` with the input, if the operation supports it. */
export function respond<In, Out>(
  operation: Operation<In, Out>,
  decode: Decode,
  context: CallContext,
  service: Service,
): Promise<PublicAnswer> {
  const make = operation.dryRun === undefined ? perform : performOrDryRun
  return checked<In, Out, PublicAnswer>({ operation, decode, context, service }, make)
}

/**
 * Counts, authorises and decodes a call. A single function that awaits only real promises, because each further await
 * makes a click on Open all 3 % slower.
 */
async function checked<In, Out, T extends PublicAnswer>(
  call: Call<In, Out>,
  make: (call: Call<In, Out>, raw: unknown, conditions: Conditions) => Promise<T> | T,
): Promise<T> {
  const { operation, context, service } = call
  const { caller } = context
  const { limit } = operation
  const rateLimitHeaders = caller.kind === 'key' ? await countForKey(caller.key, service) : null
  call.rateLimitHeaders = rateLimitHeaders
  try {
    if (limit !== undefined && isLimitedByAddress(caller, operation)) {
      const decision = countForAddress(service, limit, caller.address)
      if (decision instanceof Promise) await decision
    }
    if (authOf(operation, service.config) !== 'public') signedIn(caller)
    const needed = scopeOf(operation)
    if (needed !== undefined && caller.kind !== 'anonymous' && !allows(caller.scopes, needed)) {
      const message = `needs scope ${needed}`
      const challenge = `Bearer error="insufficient_scope", error_description="${message}", scope="${needed}"`
      throw new Problem('FORBIDDEN', message, { headers: { 'www-authenticate': challenge } })
    }
    if (operation.proof !== undefined) requireProof(operation.proof, signedIn(caller))
    const conditions = context.conditions()
    call.wrong = wrongIn(conditions)
    const decoding = call.decode(call)
    const sent = decoding instanceof Promise ? await decoding : decoding
    const decoded = namesBundle(operation) ? withSlug(sent, service.config) : sent
    if (caller.kind !== 'anonymous') await countForCaller(service, countedAs(operation, decoded), caller)
    // Checking a long policy blocks the event loop.
    if (caller.kind !== 'anonymous' && isTrial(operation, decoded)) await waitForReadSlot(caller.userId)
    const run = () => make(call, decoded, conditions)
    // Writes of callers without a credential are not attributed to them.
    const made = caller.kind === 'anonymous' ? run() : actingAs(actorOf(caller), run)
    const answered = made instanceof Promise ? await made : made
    return rateLimitHeaders === null ? answered : { ...answered, headers: { ...answered.headers, ...rateLimitHeaders } }
  } catch (thrown) {
    const error = thrown instanceof Problem ? thrown : await unlessAccountGone(thrown, caller, service)
    if (!(error instanceof Problem)) throw error
    if (rateLimitHeaders !== null) Object.assign(error.headers, rateLimitHeaders)
    throw error.status === 400 && error.issues.length === 0 ? error.beside(call.wrong ?? NOTHING_WRONG) : error
  }
}

/** Whether `slug` names an existing bundle, and the operation does not parse the rest of a link itself. */
function namesBundle({ route, query }: Pick<Operation, 'route' | 'query'>): boolean {
  return query === undefined && route.includes('/:slug')
}

function requireProof(proof: NonNullable<Operation['proof']>, caller: SignedIn): void {
  if (proof.includes('address')) requireProvenAddress(caller)
  if (proof.includes('recentSignIn')) requireRecentSignIn(caller)
}

/** The error itself, or UNAUTHORIZED if another process has deleted the caller’s account since they were identified. */
async function unlessAccountGone(error: unknown, caller: Caller, { store, invalidate }: Service): Promise<unknown> {
  if (caller.kind === 'anonymous' || brokenConstraint(error) === null) return error
  if (await subjectExists(store, caller.subject).catch(() => true)) return error
  void invalidate.keys()
  return gone()
}

const NOTHING_WRONG: readonly Issue[] = []

function wrongIn({ idempotencyKey, wrong = NOTHING_WRONG }: ReturnType<CallContext['conditions']>): readonly Issue[] {
  if (idempotencyKey === null || /^[\x20-\x7e]{1,255}$/.test(idempotencyKey)) return wrong
  return [...wrong, { path: ['Idempotency-Key'], reason: { code: 'not_an_idempotency_key' } }]
}

function perform<In, Out>(
  call: Call<In, Out>,
  raw: unknown,
  conditions: Conditions,
): Promise<Answer<Out>> | Answer<Out> {
  const { operation, service, context } = call
  const input = validate(operation.input, raw, call)
  // The answer to a click is the same whether or not the bundle exists.
  if (operation.ownPagesOnly === true) return performValid(call, input, conditions)
  if (externalIdIn(input) !== null)
    return slugFound(input, context.caller, service.store).then((found) => performValid(call, found, conditions))
  if (!namesBundle(operation)) return performValid(call, input, conditions)
  // An idempotency key is tied to the input, which must be the same each time.
  if (operation.idempotent !== undefined && conditions.idempotencyKey !== null)
    return aliasFound(input, service.store).then((found) => performValid(call, found, conditions))
  return withAlias(input, service.store, (found) => performValid(call, found, conditions))
}

function performValid<In, Out>(
  call: Call<In, Out>,
  input: In,
  conditions: Conditions,
): Promise<Answer<Out>> | Answer<Out> {
  const { operation, service } = call
  if (operation.idempotent !== undefined) return performOnce(call, input, conditions)
  const ran = operation.run(input, contextOf(call, conditions, service))
  const output = operation.invalidates === undefined ? ran : invalidated(operation, ran, service)
  return output instanceof Promise ? output.then((waited) => answer(call, waited, {})) : answer(call, output, {})
}

/** Runs an idempotent operation, which may write only through `commit`, with or without a key. */
async function performOnce<In, Out>(call: Call<In, Out>, input: In, conditions: Conditions): Promise<Answer<Out>> {
  const { operation, service, context } = call
  const { caller } = context
  const { store, config } = service
  const { idempotencyKey } = conditions
  const guarded = readOnly(service)
  const agent = context.viewer.headers.get('user-agent') ?? ''
  const keyed: IdempotentCall | null =
    idempotencyKey === null ? null : { key: idempotencyKey, caller, agent, operation: operation.name, input }
  const part = partsOf({ service, caller, keyed, rateLimitHeaders: call.rateLimitHeaders ?? null })
  const run = (commit: Commit) => {
    const ran = operation.run(input, contextOf(call, conditions, guarded, { commit, part }))
    return operation.invalidates === undefined ? ran : invalidated(operation, ran, service)
  }
  if (keyed === null) return answer(call, await run(store.write), {})
  const { answer: first, replay } = await once({ store, secret: config.secret }, keyed, run)
  if (replay === null) return answer(call, first, {})
  const again = { input, ...replay, context: contextOf(call, conditions, guarded) }
  const output = (await operation.replayed?.(first, again)) ?? first
  return answer(call, output, { 'idempotency-replayed': 'true' })
}

async function performOrDryRun<In, Out>(
  call: Call<In, Out>,
  sent: unknown,
  conditions: Conditions,
): Promise<PublicAnswer> {
  const { operation, service } = call
  const { dryRun = null, ...raw } = sent as Record<string, unknown>
  if (dryRun !== null && typeof dryRun !== 'boolean') {
    const reason = { code: 'type', expected: 'true or false' } as const
    call.wrong = [...(call.wrong ?? []), { path: ['dryRun'], reason }]
  }
  if (dryRun !== true || operation.dryRun === undefined) return perform(call, raw, conditions)
  const context = contextOf(call, conditions, readOnly(service))
  const { dryRun: tried } = operation
  const input = await slugFound(validate(operation.input, raw, call), call.context.caller, service.store)
  const body = { dryRun, ...(await withAlias(input, service.store, (found) => tried(found, context))) }
  return { status: 200, body, headers: {} }
}

const guardedServices = new WeakMap<Service, Service>()

/**
 * The service with a store that refuses writes: a dry run must not write, and an idempotent operation only through
 * `commit`, or a retry would repeat the write. Created once per service.
 */
function readOnly(service: Service): Service {
  let made = guardedServices.get(service)
  if (made === undefined) {
    const store: Store = Object.create(service.store, { write: { value: refuse }, writeCounters: { value: refuse } })
    made = Object.create(service, { store: { value: store } }) as Service
    guardedServices.set(service, made)
  }
  return made
}

async function refuse(): Promise<never> {
  throw new Error('idempotent operations must write through commit, and dry runs must not write')
}

/** For other operations; `implement` passes these functions only to idempotent ones. */
const onlyIdempotent = () => {
  throw new Error('only an idempotent operation has a commit and parts')
}
const NO_WRITES: Pick<IdempotentContext, 'commit' | 'part'> = { commit: onlyIdempotent, part: onlyIdempotent }

/** Builds the context of `run`. Lists the fields, because spreading was visible in the profile of a click. */
function contextOf(
  { context: { caller, client, source, viewer } }: Pick<Call<never, never>, 'context'>,
  { idempotencyKey, expectedVersion }: Conditions,
  service: Service,
  { commit, part } = NO_WRITES,
): IdempotentContext {
  return { caller, client, source, viewer, idempotencyKey, expectedVersion, service, commit, part }
}

/** After a successful change, drops this process’s cached copies, so that the next request sees the change. */
async function invalidated<Out>(
  { invalidates }: Pick<Operation, 'invalidates'>,
  change: Promise<Out> | Out,
  { invalidate }: Service,
): Promise<Out> {
  const output = await change
  // `implement` ensures that the answer has a slug.
  if (invalidates === 'launcher') invalidate.launcher((output as { slug: string }).slug)
  if (invalidates === 'keys') await invalidate.keys()
  return output
}

/** A call that runs in parts. */
interface Whole {
  service: Service
  caller: Caller
  /** Null without an idempotency key. */
  keyed: IdempotentCall | null
  /** Headers of the answer; each counted part updates them. */
  rateLimitHeaders: Record<string, string> | null
}

/**
 * Counts a part of a call like a call of its own. The first part needs no counting, because the call itself was counted.
 * @returns headers with a key's remaining requests.
 * @throws Problem RATE_LIMITED.
 */
export async function countPart(service: Service, caller: Caller): Promise<Record<string, string>> {
  const headers = caller.kind === 'key' ? await countForKey(caller.key, service) : {}
  if (caller.kind !== 'anonymous') await countForCaller(service, 'writes', caller)
  return headers
}

/** Runs parts of a call; see `IdempotentContext`. */
function partsOf({ service, caller, keyed, rateLimitHeaders }: Whole): IdempotentContext['part'] {
  return async (at, input, run) => {
    if (at > 0) Object.assign(rateLimitHeaders ?? {}, await countPart(service, caller))
    if (keyed === null) return run(service.store.write)
    const part = { ...keyed, operation: `${keyed.operation} ${at}`, input }
    return (await once({ store: service.store, secret: service.config.secret }, part, run)).answer
  }
}
