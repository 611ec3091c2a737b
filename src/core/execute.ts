import { brokenConstraint } from '../../db/client.ts'
import { type Caller, gone, type SignedIn, signedIn } from '../identity/caller.ts'
import { requireProvenAddress, requireRecentSignIn } from '../identity/proof.ts'
import { allows } from '../identity/roles.ts'
import { chargeAddress, chargeKey, chargeWrite } from '../limits/charge.ts'
import { isThere } from '../plans/owners.ts'
import type { Service } from '../service.ts'
import { type Commit, once, withoutWrite } from './idempotency.ts'
import {
  type CallContext,
  type Conditions,
  type Download,
  type IdempotentContext,
  type Operation,
  scopeOf,
  type TextFile,
} from './operation.ts'
import { Problem } from './problem.ts'
import { validate } from './validate.ts'

/** What is sent to whoever made a successful call. */
export interface Sent {
  status: number
  /** The route's body, the tool's content. */
  body: unknown
  headers: Record<string, string>
  /** The answer as a file, where the operation has one. */
  file?: TextFile
  /** The answer in parts, where it is never held whole. */
  download?: Download
  /** What a tool's caller is told beside the body. */
  words?: string
}

/** A successful call, for pages, which make their own of its output. */
export interface Answer<Out> extends Sent {
  output: Out
}

/** What a call is made of, but for its input. */
interface Call<In, Out> {
  operation: Operation<In, Out>
  /** Reads the input; called only once the caller may go on. */
  decode: () => unknown
  context: CallContext
  service: Service
}

/**
 * The one way into an operation. Checks stand here so that no transport can skip one, in the order in which
 * errors win (decisions 1): 429, 401, 403 for the scope, 400, and then what `run` finds.
 * @throws Problem for whatever is refused.
 */
export function execute<In, Out>(
  operation: Operation<In, Out>,
  decode: () => unknown,
  context: CallContext,
  service: Service,
): Promise<Answer<Out>> {
  return checked({ operation, decode, context, service }, perform)
}

/** The same for callers who may send `dryRun` beside the input, where the operation has a dry run. */
export function respond<In, Out>(
  operation: Operation<In, Out>,
  decode: () => unknown,
  context: CallContext,
  service: Service,
): Promise<Sent> {
  const make = operation.dryRun === undefined ? perform : performOrDryRun
  return checked<In, Out, Sent>({ operation, decode, context, service }, make)
}

/**
 * Charges a call to whoever must pay for it, lets in who may make it, and reads its input. One function, and no promise
 * where nothing has to be waited for: each costs a click on Open all a thirtieth of its time.
 */
async function checked<In, Out, T extends Sent>(
  call: Call<In, Out>,
  make: (call: Call<In, Out>, raw: unknown, conditions: Conditions) => Promise<T> | T,
): Promise<T> {
  const { operation, context, service } = call
  const { caller } = context
  const { limit } = operation
  let paid: Record<string, string> | null = null
  if (caller.kind === 'key') paid = await chargeKey(caller.key, service)
  else if (limit !== undefined && (limit === 'report' || caller.kind === 'anonymous')) {
    const decision = chargeAddress(service, limit, caller.address)
    if (decision instanceof Promise) await decision
  }
  try {
    if (operation.access !== 'public') signedIn(caller)
    const needed = scopeOf(operation)
    if (needed !== undefined && caller.kind !== 'anonymous' && !allows(caller.scopes, needed)) {
      throw new Problem('FORBIDDEN', `needs scope ${needed}`)
    }
    if (operation.proof !== undefined) requireProof(operation.proof, signedIn(caller))
    const conditions = conditionsOf(context)
    const decoding = call.decode()
    const decoded = decoding instanceof Promise ? await decoding : decoding
    if (caller.kind === 'session' && isWrite(operation, decoded)) await chargeWrite(service, caller.userId)
    const made = make(call, decoded, conditions)
    const sent = made instanceof Promise ? await made : made
    return paid === null ? sent : { ...sent, headers: { ...sent.headers, ...paid } }
  } catch (thrown) {
    const error = thrown instanceof Problem ? thrown : await explained(thrown, caller, service)
    if (paid !== null && error instanceof Problem) Object.assign(error.headers, paid)
    throw error
  }
}

function requireProof(proof: NonNullable<Operation['proof']>, caller: SignedIn): void {
  if (proof.includes('address')) requireProvenAddress(caller)
  if (proof.includes('recentSignIn')) requireRecentSignIn(caller)
}

/** What went wrong, or that the caller is gone: then another process has deleted their account since they were read. */
async function explained(error: unknown, caller: Caller, { store, keyRing }: Service): Promise<unknown> {
  if (caller.kind === 'anonymous' || brokenConstraint(error) === null) return error
  if (await isThere(store, caller.subject).catch(() => true)) return error
  keyRing.forget()
  return gone()
}

function conditionsOf(context: CallContext): Conditions {
  const conditions = context.conditions()
  if (conditions.idempotencyKey !== null && !/^[\x20-\x7e]{1,255}$/.test(conditions.idempotencyKey)) {
    throw new Problem('BAD_REQUEST', 'Idempotency-Key must be 1 to 255 printable ASCII characters')
  }
  return conditions
}

/** Whether a call changes what somebody has: not where it only looks, tries out, or tells of a viewer. */
function isWrite(
  { route, effect, access, keyScope, dryRun }: Pick<Operation, 'route' | 'effect' | 'access' | 'keyScope' | 'dryRun'>,
  decoded: unknown,
): boolean {
  if (route.startsWith('GET ') || effect === 'none') return false
  if (dryRun !== undefined && (decoded as { dryRun?: unknown } | null)?.dryRun === true) return false
  return access !== 'public' || keyScope !== undefined
}

function perform<In, Out>(
  call: Call<In, Out>,
  raw: unknown,
  conditions: Conditions,
): Promise<Answer<Out>> | Answer<Out> {
  const { operation, service } = call
  const input = validate(operation.input, raw)
  if (operation.idempotent !== undefined) return performOnce(call, input, conditions)
  const ran = operation.run(input, contextOf(call, conditions, service, noCommit))
  const output = operation.invalidates === undefined ? ran : invalidated(operation, ran, service)
  return output instanceof Promise
    ? output.then((waited) => answer(operation, waited, {}))
    : answer(operation, output, {})
}

/** Runs an idempotent operation, which writes through `commit` alone, whether or not the caller sent a key. */
async function performOnce<In, Out>(call: Call<In, Out>, input: In, conditions: Conditions): Promise<Answer<Out>> {
  const { operation, service, context } = call
  const { caller } = context
  const { store, config } = service
  const { idempotencyKey } = conditions
  const guarded = withoutWrite(service)
  const run = (commit: Commit) => {
    const ran = operation.run(input, contextOf(call, conditions, guarded, commit))
    return operation.invalidates === undefined ? ran : invalidated(operation, ran, service)
  }
  if (idempotencyKey === null) return answer(operation, await run(store.write), {})
  const asked = {
    key: idempotencyKey,
    caller: nameOf(caller),
    subject: caller.kind === 'anonymous' ? null : caller.subject,
    operation: operation.name,
    input,
  }
  const { answer: output, replayed } = await once({ store, secret: config.secret }, asked, run)
  return answer(operation, output, replayed ? { 'idempotency-replayed': 'true' } : {})
}

async function performOrDryRun<In, Out>(call: Call<In, Out>, sent: unknown, conditions: Conditions): Promise<Sent> {
  const { operation, service } = call
  const { dryRun, ...raw } = sent as Record<string, unknown>
  if (dryRun !== undefined && typeof dryRun !== 'boolean') {
    throw new Problem('BAD_REQUEST', 'dryRun must be true or false')
  }
  if (dryRun !== true || operation.dryRun === undefined) return perform(call, raw, conditions)
  const context = contextOf(call, conditions, withoutWrite(service), noCommit)
  const body = { dryRun, ...(await operation.dryRun(validate(operation.input, raw), context)) }
  return { status: 200, body, headers: {} }
}

/** Where nothing is to be committed; `implement` gives `commit` to idempotent operations alone. */
const noCommit: Commit = () => {
  throw new Error('only an idempotent operation has a commit')
}

/** What `run` is given. Named one by one: spreading stood out in the profile of a click. */
function contextOf(
  { context: { caller, client, source } }: Pick<Call<never, never>, 'context'>,
  { idempotencyKey, expectedVersion }: Conditions,
  service: Service,
  commit: Commit,
): IdempotentContext {
  return { caller, client, source, idempotencyKey, expectedVersion, service, commit }
}

/** Once a change has succeeded, forgets what this process keeps of how it was, so that the very next request sees it. */
async function invalidated<Out>(
  { invalidates }: Pick<Operation, 'invalidates'>,
  change: Promise<Out> | Out,
  { launchers, keyRing }: Service,
): Promise<Out> {
  const output = await change
  // `implement` lets no operation invalidate a launcher whose answer has no slug.
  if (invalidates === 'launcher') launchers.drop((output as { slug: string }).slug)
  if (invalidates === 'keys') await keyRing.forget()
  return output
}

/** Tells callers apart for their idempotency keys. */
function nameOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return `address:${caller.address}`
  return caller.kind === 'key' ? `key:${caller.key.id}` : JSON.stringify([caller.userId, caller.subject])
}

function answer<In, Out>(operation: Operation<In, Out>, output: Out, headers: Record<string, string>): Answer<Out> {
  for (const name in operation.headers) headers[name] ??= operation.headers[name]!(output)
  const sent: Answer<Out> = {
    output,
    status: operation.status ?? 200,
    body: operation.present?.(output) ?? output,
    headers,
  }
  if (operation.csv !== undefined) sent.file = operation.csv(output)
  if (operation.download !== undefined) sent.download = operation.download(output)
  const parts = operation.whole?.(output) ?? null
  if (parts !== null) sent.download = { filename: null, parts }
  const words = operation.words?.(output) ?? null
  if (words !== null) sent.words = words
  return sent
}
