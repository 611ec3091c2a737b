import type { Type, type } from 'arktype'
import { type Commit, once } from './idempotency.ts'
import { type Caller, signedIn } from './identity/identify.ts'
import { allows, type Scope } from './identity/roles.ts'
import type { KnownKey } from './keys/keys.ts'
import type { Bucket, Decision, Limit } from './limits/bucket.ts'
import { Problem } from './problem.ts'
import type { Service } from './service.ts'
import { validate } from './validate.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** What a caller asks of the one call, beside its input. */
interface Conditions {
  /** As it was sent, or null; `execute` refuses one that cannot be a key. */
  idempotencyKey: string | null
  /** The version that the caller has seen (If-Match); another one now refuses the edit. Null: any. */
  expectedVersion: number | null
}

/** What every transport hands over beside the input: who asks, and how. */
export interface Asking {
  caller: Caller
  /** The Service-Client label `<client>/<tag>`, or null (decisions 2). */
  client: string | null
  /**
   * Read like the input: only once the caller may go on, for 401 wins over a header that cannot be.
   * @throws Problem BAD_REQUEST.
   */
  conditions(): Conditions
}

/** What `run` is given beside its input. */
export interface Context extends Conditions, Pick<Asking, 'caller' | 'client'> {
  service: Service
  /** Writes an effect together with its answer; see `once`. */
  commit: Commit
}

/** One action of the service. JSON routes, pages, tools and documents are made from this and nothing else. */
export interface Operation<In = unknown, Out = unknown> {
  /** verb_noun: tool name, OpenAPI id, SDK method, CLI command. */
  name: string
  /** One line for whoever chooses between operations. */
  summary: string
  /** Below `/api`; its parameters are fields of the input. */
  route: `${Method} /${string}`
  /** Who may call; roles over one bundle are checked where it is loaded. */
  access: 'public' | 'authenticated' | { scope: Scope }
  /** What a key needs for an operation that is open to callers without one. */
  keyScope?: Scope
  /** The bucket that callers without a credential draw on. */
  limit?: 'address'
  /** Takes effect once per idempotency key; `run` then writes through `commit`. */
  idempotent?: true
  input: Type<unknown> & ((raw: unknown) => In | type.errors)
  /** Content types of the body where JSON's own is not the only one; all hold JSON. */
  bodyTypes?: readonly string[]
  /** A request for it needs no body. */
  body?: 'none'
  /** What the caller is shown of what `run` returns; all of it where this is missing. */
  present?: (output: Out) => unknown
  /** The answer as a file of comma-separated values, for callers who ask for one; pages and tools do not. */
  csv?: (output: Out) => { filename: string; text: string }
  /** The success status where it is not 200; with 204 there is no body. */
  status?: 201 | 204
  /** Headers made from the answer. */
  headers?: (output: Out) => Record<string, string>
  run(input: In, context: Context): Promise<Out>
}

/** Declares an operation, its types taken from its schema. */
export function operation<In, Out>(declared: Operation<In, Out>): Operation<In, Out> {
  return declared
}

/** A successful call. */
export interface Answer<Out> {
  output: Out
  /** What is sent: the route's body, the tool's content. */
  body: unknown
  headers: Record<string, string>
}

/**
 * The one way into an operation. Checks stand here so that no transport can skip one, in the order in which
 * errors win (decisions 1): 429, 401, 403 for the scope, 400, and then what `run` finds. `decode` reads the
 * input and is called only once the caller may go on.
 * @throws Problem for whatever is refused.
 */
export async function execute<In, Out>(
  operation: Operation<In, Out>,
  decode: () => unknown,
  asking: Asking,
  service: Service,
): Promise<Answer<Out>> {
  const { caller } = asking
  if (caller.kind !== 'key') {
    if (operation.limit === 'address' && caller.kind === 'anonymous') {
      await charge(service.bucket, service.limits.address, caller.address, 'from your address')
    }
    return perform(operation, decode, asking, service)
  }
  const headers = await chargeKey(caller.key, service)
  try {
    const answer = await perform(operation, decode, asking, service)
    return { ...answer, headers: { ...answer.headers, ...headers } }
  } catch (error) {
    if (error instanceof Problem) Object.assign(error.headers, headers)
    throw error
  }
}

async function perform<In, Out>(
  operation: Operation<In, Out>,
  decode: () => unknown,
  asking: Asking,
  service: Service,
): Promise<Answer<Out>> {
  const { caller, client } = asking
  const { access, keyScope } = operation
  if (access !== 'public') signedIn(caller)
  const needed = access === 'public' ? keyScope : access === 'authenticated' ? undefined : access.scope
  if (needed !== undefined && caller.kind !== 'anonymous' && !allows(caller.scopes, needed)) {
    throw new Problem('FORBIDDEN', `needs scope ${needed}`)
  }
  const conditions = asking.conditions()
  if (conditions.idempotencyKey !== null && !/^[\x20-\x7e]{1,255}$/.test(conditions.idempotencyKey)) {
    throw new Problem('BAD_REQUEST', 'Idempotency-Key must be 1 to 255 printable ASCII characters')
  }
  const input = validate(operation.input, await decode())
  const run = (commit: Commit) => operation.run(input, { caller, client, ...conditions, service, commit })
  if (operation.idempotent === undefined || conditions.idempotencyKey === null) {
    return answer(operation, await run((writes) => service.store.write(writes).then(() => undefined)), {})
  }
  const call = { key: conditions.idempotencyKey, caller: nameOf(caller), operation: operation.name, input }
  const { answer: output, replayed } = await once({ store: service.store, secret: service.config.secret }, call, run)
  return answer(operation, output, replayed ? { 'idempotency-replayed': 'true' } : {})
}

/** Tells callers apart for their idempotency keys. */
function nameOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return `address:${caller.address}`
  return caller.kind === 'key' ? `key:${caller.key.id}` : JSON.stringify([caller.userId, caller.subject])
}

function answer<In, Out>(operation: Operation<In, Out>, output: Out, headers: Record<string, string>): Answer<Out> {
  return {
    output,
    body: operation.present?.(output) ?? output,
    headers: { ...operation.headers?.(output), ...headers },
  }
}

/**
 * Counts one request against a limit.
 * @param whose ends the sentence "Too many requests …".
 * @throws Problem RATE_LIMITED.
 */
export async function charge(bucket: Bucket, limit: Limit, key: string, whose: string): Promise<Decision> {
  const taken = bucket.take(limit, key)
  const decision = taken instanceof Promise ? await taken : taken
  if (decision.allowed) return decision
  const { resetSeconds } = decision
  const wait = `${resetSeconds} second${resetSeconds === 1 ? '' : 's'}`
  throw new Problem('RATE_LIMITED', `Too many requests ${whose}. Try again in ${wait}.`, {
    retryAfterSeconds: resetSeconds,
  })
}

const HOUR_MS = 3_600_000

/**
 * Counts one request of a key; every request that carries it counts, those refused for another reason too.
 * @returns the fields of the IETF draft that tell what is left (decisions 8).
 * @throws Problem RATE_LIMITED, with the same fields.
 */
async function chargeKey(
  { id, rateLimitPerHour: max }: KnownKey,
  { bucket }: Service,
): Promise<Record<string, string>> {
  if (max === 0) return {}
  const policy = { 'ratelimit-policy': `"perhr";q=${max};w=3600` }
  try {
    const { remaining, resetSeconds } = await charge(
      bucket,
      { name: 'key', max, windowMs: HOUR_MS },
      String(id),
      'with this key',
    )
    return { ...policy, ratelimit: `"perhr";r=${remaining};t=${resetSeconds}` }
  } catch (error) {
    if (error instanceof Problem)
      Object.assign(error.headers, policy, { ratelimit: `"perhr";r=0;t=${error.retryAfterSeconds}` })
    throw error
  }
}
