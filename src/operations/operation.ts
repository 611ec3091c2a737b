import type { Type, type } from 'arktype'
import type { LauncherViewer } from '../audience/client.ts'
import type { Config } from '../config/config.ts'
import type { Code } from '../core/codes.ts'
import type { Issue } from '../core/issue.ts'
import type { Service } from '../core/service.ts'
import type { Caller } from '../identity/caller.ts'
import type { Scope } from '../identity/roles.ts'
import type { Commit } from './idempotency.ts'
import { type Declaration, OPERATIONS, type OperationName } from './table.ts'

declare module '../core/service.ts' {
  interface Service {
    /** Drops this process’s cached copies of what an operation changed, as its row says. */
    invalidate: { launcher(slug: string): void; keys(): Promise<void> }
  }
}

/** What callers can send besides the input, for operations that support it. */
export interface Conditions {
  /** As sent, or null; `execute` checks it. */
  idempotencyKey: string | null
  /** The version that the caller has seen (If-Match): the edit is refused if there is another now. Null: any. */
  expectedVersion: number | null
}

/** What a transport passes besides the input: the caller and how they call. */
export interface CallContext {
  caller: Caller
  /** The Service-Client label `<client>/<tag>`, or null. */
  client: string | null
  /** Source of a bundle that the call creates, unless the input has one. */
  source: 'web' | 'api' | 'mcp'
  /** What the call shows of who sends it: for what a bundle’s rules and gates let this viewer see. */
  viewer: LauncherViewer
  /** Called only once the caller is authorised, because 401 wins over an invalid header. */
  conditions(): Conditions & {
    /** What is wrong with them, told with what is wrong with the input. */
    wrong?: readonly Issue[]
  }
}

/** What `run` gets besides its input. */
export interface Context extends Conditions, Pick<CallContext, 'caller' | 'client' | 'source' | 'viewer'> {
  /** In a dry run or an idempotent operation, its store refuses `write`. */
  service: Service
}

/** What `run` of an idempotent operation gets: `commit` is its only way to write. */
export interface IdempotentContext extends Context {
  /** Writes an effect together with its answer; see `once`. */
  commit: Commit
  /**
   * Runs one of several effects of the call, each with a transaction of its own and once per key; each but the first counts as
   * one more request. What `run` returns must be what it commits.
   */
  part<T>(at: number, input: unknown, run: (commit: Commit) => Promise<T>): Promise<T>
}

/** A schema whose output is `T`. */
type Schema<T> = Type<unknown> & ((raw: unknown) => T | type.errors)

/** The answer of a dry run: what would have been saved. */
interface DryRunAnswer {
  bundle: unknown
  /** What is allowed but probably a mistake. */
  warnings: readonly { path: string; message: string }[]
}

/** What answers need to know about this instance: its address, for links. */
export type Site = Pick<Config, 'origin' | 'shortPaths'>

/** An answer as a file. */
interface TextFile {
  filename: string
  text: string
}

/** An answer as CSV: whole, or generated while it is sent. */
export type CsvFile = TextFile | (Download & { filename: string })

/** Text, mostly JSON, that is generated while it is sent. */
export interface Download {
  /** Null if browsers should not save it as a file. */
  filename: string | null
  /** The document is complete after the last part. */
  parts: AsyncIterable<string>
}

/** What a feature adds to an operation's row of the table. */
interface Described<In, Out, Body> {
  /** One line, for choosing between operations. */
  summary: string
  /** For a person or agent new to the service: when to use it, what it returns, what to do next. */
  description: string
  /** Stores the Service-Client label. */
  labelled?: true
  input: Schema<In>
  /** An input that shows more than the required fields. */
  example?: Record<string, unknown>
  /** Accepted content types if not only JSON’s own; all contain JSON. */
  bodyTypes?: readonly string[]
  /** The body of a success, built on first use, because only documents and tools need it. None with 204. */
  output?: () => Schema<Body>
  /** The error codes of `run` that the rest of the declaration does not imply; see `codesOf` in `api/openapi-answers.ts`. */
  errors?: readonly Code[]
  /**
   * What a repeated idempotent call gets, made of the kept first answer: with what was left out of it because the input
   * has it, and without secrets if the caller has not shown that they sent the first call.
   */
  replayed?(first: Out, call: { input: In; isProven: boolean }): NoInfer<Out>
  /** The public part of the output; all of it if omitted. */
  present?: (output: Out, site: Site) => NoInfer<Body>
  /** The answer as a streamed JSON file, if it may be larger than memory. It has no other form, and so no tool. */
  download?: (output: Out) => Download
  /** The route's body as streamed JSON, if it has more than `present` gives tools; null if it is the same. */
  whole?: (output: Out, site: Site) => AsyncIterable<string> | null
  /** Text that a tool’s result has besides the answer, if any. */
  note?: (output: Out) => string | null
  /** Of a page of a list: the query fields that select the next page; null on the last one. */
  next?: (output: Out) => Readonly<Record<string, number | string>> | null
  /** The success status if not 200; with 204 there is no body. */
  status?: 201 | 204
  /** Whether a call created what it answers, if that is not always so: its status is then 201. */
  isNew?: (output: Out) => boolean
  /** Response headers derived from the output, by name. */
  headers?: Record<string, (output: Out) => string>
}

/**
 * An action of the service: its row of the table with its implementation, from which JSON routes, pages, tools and
 * documents are made.
 */
export interface Operation<In = unknown, Out = unknown, Body = unknown>
  extends Omit<Declaration, 'dryRun' | 'csv'>,
    Described<In, Out, Body> {
  name: string
  /** May return synchronously if it has nothing to wait for, as a click on Open all usually does. */
  run(input: In, context: IdempotentContext): Promise<Out> | Out
  /** The same without writing, for callers who send `dryRun`: refuses what `run` would refuse. */
  dryRun?(input: In, context: Context): Promise<DryRunAnswer>
  /** The answer as CSV, for callers who request it; not for pages and tools. */
  csv?(output: Out): CsvFile
}

type Row<Name extends OperationName> = (typeof OPERATIONS)[Name]

/** `Member` if the operation’s row has the flag, so that row and code cannot differ; otherwise it must be omitted. */
type WithFlag<Name extends OperationName, Flag extends 'dryRun' | 'csv', Member> =
  Row<Name> extends Record<Flag, true> ? Record<Flag, Member> : { [F in Flag]?: never }

type ContextOf<Name extends OperationName> = Row<Name> extends { idempotent: true } ? IdempotentContext : Context

/** What `run` must return: the slug in the answer says which launcher to drop. */
type OutputOf<Name extends OperationName> = Row<Name> extends { invalidates: 'launcher' } ? { slug: string } : unknown

/** The implementation of an operation; its row says which members it must have. */
type Implementation<Name extends OperationName, In, Out, Body> = Described<In, Out, Body> & {
  run(input: In, context: ContextOf<Name>): Promise<Out> | Out
} & WithFlag<Name, 'dryRun', (input: In, context: Context) => Promise<DryRunAnswer>> &
  WithFlag<Name, 'csv', (output: Out) => CsvFile>

/** An operation with all its types, from which clients’ types derive. */
interface Implemented<Name extends OperationName, In, Out, Body, SentInput> extends Operation<In, Out, Body> {
  readonly name: Name
  input: Operation<In>['input'] & { readonly inferIn: SentInput }
}

/** Implements an operation of the table; types of answer and context derive from its schemas and row. */
export function implement<const Name extends OperationName, In, Out extends OutputOf<Name>, SentInput, Body = Out>(
  name: Name,
  implementation: Implementation<Name, In, Out, Body> & { input: { readonly inferIn: SentInput } },
): Implemented<Name, In, Out, Body, SentInput> {
  return { name, ...OPERATIONS[name], ...implementation } as unknown as Implemented<Name, In, Out, Body, SentInput>
}

/**
 * Who may call an operation on this instance: the operator may require a credential for what stores data or sends requests.
 */
export function authOf(
  { auth, keyScope, openedBy }: Pick<Operation, 'auth' | 'keyScope' | 'openedBy'>,
  { anonymousBundles, inspect }: Pick<Config, 'anonymousBundles' | 'inspect'>,
): Operation['auth'] {
  if (auth !== 'public' || keyScope === undefined) return auth
  const isOpen = openedBy === 'inspect' ? inspect === 'anyone' : anonymousBundles
  return isOpen ? auth : keyScope
}

/** The scope that a credential needs, if any. */
export function scopeOf({ auth, keyScope }: Pick<Operation, 'auth' | 'keyScope'>): Scope | undefined {
  if (auth === 'public') return keyScope
  return auth === 'authenticated' ? undefined : auth
}

/**
 * Which limit of a person counts a call. Null if it records a viewer’s action: limits per address count these.
 */
export function countedAs(
  { route, effect, auth, keyScope, dryRun }: Pick<Operation, 'route' | 'effect' | 'auth' | 'keyScope' | 'dryRun'>,
  decoded: unknown,
): 'reads' | 'writes' | null {
  if (route.startsWith('GET ') || isTrial({ effect, dryRun }, decoded)) return 'reads'
  return auth !== 'public' || keyScope !== undefined ? 'writes' : null
}

/** Whether an operation’s limit by address holds for a caller. */
export function isLimitedByAddress(caller: Caller, { limitsAlso }: Pick<Operation, 'limitsAlso'>): boolean {
  if (caller.kind === 'anonymous' || limitsAlso === 'everybody') return true
  return limitsAlso === 'unlimited' && (caller.kind === 'session' || caller.key.rateLimitPerHour === 0)
}

/** Whether a call only computes what would be: a dry run or a preview. */
export function isTrial({ effect, dryRun }: Pick<Operation, 'effect' | 'dryRun'>, decoded: unknown): boolean {
  return effect === 'none' || isDryRun(dryRun, decoded)
}

function isDryRun(dryRun: Operation['dryRun'], decoded: unknown): boolean {
  return dryRun !== undefined && (decoded as { dryRun?: unknown } | null)?.dryRun === true
}
