import type { Type, type } from 'arktype'
import { brokenConstraint } from '../../db/client.ts'
import { type Caller, gone, type SignedIn, signedIn } from '../identity/caller.ts'
import { requireProvenAddress, requireRecentSignIn } from '../identity/proof.ts'
import { allows, type Scope } from '../identity/roles.ts'
import { chargeAddress, chargeKey, chargeWrite } from '../limits/charge.ts'
import { isThere } from '../plans/owners.ts'
import type { Route } from '../routes.ts'
import type { Service } from '../service.ts'
import type { Code } from './codes.ts'
import { type Commit, once } from './idempotency.ts'
import { Problem } from './problem.ts'
import { validate } from './validate.ts'

/** What a caller asks of the one call, beside its input. */
interface Conditions {
  /** As it was sent, or null; `execute` refuses one that cannot be a key. */
  idempotencyKey: string | null
  /** The version that the caller has seen (If-Match); another one now refuses the edit. Null: any. */
  expectedVersion: number | null
}

/** What a dry run answers: what would have been saved. Nothing was. */
interface Rehearsal {
  bundle: unknown
  /** What is allowed in it and hardly meant. */
  warnings: readonly { path: string; message: string }[]
}

/** What every transport hands over beside the input: who asks, and how. */
export interface Asking {
  caller: Caller
  /** The Service-Client label `<client>/<tag>`, or null (decisions 2). */
  client: string | null
  /** Where a bundle that is made by this call comes from, unless its input says (decisions 2). */
  source: 'web' | 'api' | 'mcp'
  /**
   * Read like the input: only once the caller may go on, for 401 wins over a header that cannot be.
   * @throws Problem BAD_REQUEST.
   */
  conditions(): Conditions
}

/** What `run` is given beside its input. */
export interface Context extends Conditions, Pick<Asking, 'caller' | 'client' | 'source'> {
  service: Service
  /** Writes an effect together with its answer; see `once`. */
  commit: Commit
}

/** A schema whose answer is `T`. */
type Schema<T> = Type<unknown> & ((raw: unknown) => T | type.errors)

/** One action of the service. JSON routes, pages, tools and documents are made from this and nothing else. */
export interface Operation<In = unknown, Out = unknown, Body = unknown> extends Route {
  /** verb_noun: tool name, OpenAPI id, SDK method, CLI command. */
  name: string
  /** One line for whoever chooses between operations. */
  summary: string
  /** For somebody, or an agent, who has never seen the service: when to use it, what comes back, what to do next. */
  description: string
  /** Who may call; roles over one bundle are checked where it is loaded. */
  access: 'public' | 'authenticated' | { scope: Scope }
  /**
   * What a caller must have shown beside the scope (decisions 13): that the address is theirs, or, with a session, a sign-in
   * of the last day.
   */
  proof?: readonly ('address' | 'recentSignIn')[]
  /** What a key needs for an operation that is open to callers without one. */
  keyScope?: Scope
  /** The bucket that callers without a credential draw on; on `report` those with a session too. */
  limit?: 'address' | 'report'
  /** Keeps the Service-Client label. */
  labelled?: true
  input: Schema<In>
  /** An input that shows more than the required fields. */
  example?: Record<string, unknown>
  /** Content types of the body where JSON's own is not the only one; all hold JSON. */
  bodyTypes?: readonly string[]
  /** The body of a success, made when it is first asked for: only documents and tools need it. None with 204. */
  output?: () => Schema<Body>
  /** What `run` may refuse beyond what follows from the rest of the declaration; see `codesOf` of the OpenAPI document. */
  errors?: readonly Code[]
  /** What the caller is shown of what `run` returns; all of it where this is missing. */
  present?: (output: Out) => NoInfer<Body>
  /** The answer as a file of comma-separated values, for callers who ask for one; pages and tools do not. */
  csv?: (output: Out) => { filename: string; text: string }
  /** The answer as a JSON file in parts, where it may be larger than memory: it has no other form, so no tool. */
  download?: (output: Out) => Download
  /** The body of the route as JSON in parts, where it is more than `present` gives a tool; null where it is the same. */
  whole?: (output: Out) => AsyncIterable<string> | null
  /** What a tool's caller is told in words beside the answer, if anything. */
  words?: (output: Out) => string | null
  /** The success status where it is not 200; with 204 there is no body. */
  status?: 201 | 204
  /** Headers made from the answer, by name. */
  headers?: Record<string, (output: Out) => string>
  /** May answer in the same turn where it has nothing to wait for, which is what a click on Open all mostly does. */
  run(input: In, context: Context): Promise<Out> | Out
  /** The same without writing anything, for callers who send `dryRun`: refuses what `run` would refuse. */
  rehearse?(input: In, context: Context): Promise<Rehearsal>
}

/** An operation with all that is known of its types: clients' types are made of them. */
export interface Declared<In, Out, Body, Name extends string, Sent> extends Operation<In, Out, Body> {
  readonly name: Name
  input: Operation<In>['input'] & { readonly inferIn: Sent }
}

/** Declares an operation, its types taken from its schema. */
export function operation<In, Out, const Name extends string, Sent, Body = Out>(
  declared: Declared<In, Out, Body, Name, Sent>,
): Declared<In, Out, Body, Name, Sent> {
  return declared
}

/** The scope that a credential needs, if any. */
export function scopeOf({ access, keyScope }: Pick<Operation, 'access' | 'keyScope'>): Scope | undefined {
  return typeof access === 'object' ? access.scope : keyScope
}

/** What is sent to whoever made a successful call. */
export interface Sent {
  status: number
  /** The route's body, the tool's content. */
  body: unknown
  headers: Record<string, string>
  /** The answer as a file, where the operation has one. */
  file?: { filename: string; text: string }
  /** The answer in parts, where it is never held whole. */
  download?: Download
  /** What a tool's caller is told beside the body. */
  words?: string
}

/** JSON text that is made while it is sent. */
export interface Download {
  /** Null for what is no file to keep. */
  filename: string | null
  /** The document is whole once the last one has come. */
  parts: AsyncIterable<string>
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
  asking: Asking
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
  asking: Asking,
  service: Service,
): Promise<Answer<Out>> {
  return admit({ operation, decode, asking, service }, perform)
}

/** The same for callers who may send `dryRun` beside the input, where the operation can be rehearsed. */
export function respond<In, Out>(
  operation: Operation<In, Out>,
  decode: () => unknown,
  asking: Asking,
  service: Service,
): Promise<Sent> {
  return admit<In, Out, Sent>({ operation, decode, asking, service }, operation.rehearse ? rehearseOrPerform : perform)
}

/**
 * Charges a call to whoever must pay for it, lets in who may make it, and reads its input. One function, and no promise
 * where nothing has to be waited for: each costs a click on Open all a thirtieth of its time.
 */
async function admit<In, Out, T extends Sent>(
  call: Call<In, Out>,
  make: (call: Call<In, Out>, raw: unknown, conditions: Conditions) => Promise<T> | T,
): Promise<T> {
  const { operation, asking, service } = call
  const { caller } = asking
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
    const conditions = conditionsOf(asking)
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

function conditionsOf(asking: Asking): Conditions {
  const conditions = asking.conditions()
  if (conditions.idempotencyKey !== null && !/^[\x20-\x7e]{1,255}$/.test(conditions.idempotencyKey)) {
    throw new Problem('BAD_REQUEST', 'Idempotency-Key must be 1 to 255 printable ASCII characters')
  }
  return conditions
}

/** What `run` is given. Named one by one: spreading stood out in the profile of a click. */
function contextOf(
  { asking: { caller, client, source }, service }: Pick<Call<never, never>, 'asking' | 'service'>,
  { idempotencyKey, expectedVersion }: Conditions,
  commit: Commit,
): Context {
  return { caller, client, source, idempotencyKey, expectedVersion, service, commit }
}

function perform<In, Out>(
  call: Call<In, Out>,
  raw: unknown,
  conditions: Conditions,
): Promise<Answer<Out>> | Answer<Out> {
  const { operation, asking, service } = call
  const { caller } = asking
  const { idempotencyKey } = conditions
  const input = validate(operation.input, raw)
  if (operation.idempotent === undefined || idempotencyKey === null) {
    const output = operation.run(input, contextOf(call, conditions, service.store.write))
    return output instanceof Promise
      ? output.then((waited) => answer(operation, waited, {}))
      : answer(operation, output, {})
  }
  const asked = {
    key: idempotencyKey,
    caller: nameOf(caller),
    subject: caller.kind === 'anonymous' ? null : caller.subject,
    operation: operation.name,
    input,
  }
  const run = (commit: Commit) => operation.run(input, contextOf(call, conditions, commit))
  return once({ store: service.store, secret: service.config.secret }, asked, run).then(
    ({ answer: output, replayed }) => answer(operation, output, replayed ? { 'idempotency-replayed': 'true' } : {}),
  )
}

async function rehearseOrPerform<In, Out>(call: Call<In, Out>, sent: unknown, conditions: Conditions): Promise<Sent> {
  const { operation } = call
  const { dryRun, ...raw } = sent as Record<string, unknown>
  if (dryRun !== undefined && typeof dryRun !== 'boolean') {
    throw new Problem('BAD_REQUEST', 'dryRun must be true or false')
  }
  if (dryRun !== true || operation.rehearse === undefined) return perform(call, raw, conditions)
  const context = contextOf(call, conditions, async () => {})
  const body = { dryRun, ...(await operation.rehearse(validate(operation.input, raw), context)) }
  return { status: 200, body, headers: {} }
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

/** Whether a call changes what somebody has: not where it only looks, tries out, or tells of a viewer. */
function isWrite(
  { route, effect, access, keyScope, dryRun }: Pick<Operation, 'route' | 'effect' | 'access' | 'keyScope' | 'dryRun'>,
  decoded: unknown,
): boolean {
  if (route.startsWith('GET ') || effect === 'none') return false
  if (dryRun === true && (decoded as { dryRun?: unknown } | null)?.dryRun === true) return false
  return access !== 'public' || keyScope !== undefined
}
