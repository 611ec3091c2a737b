import type { Type, type } from 'arktype'
import type { LauncherViewer } from '../audience/user-agent.ts'
import type { Config } from '../config/config.ts'
import type { Code } from '../core/codes.ts'
import type { CsvReader } from '../core/csv.ts'
import type { Issue } from '../core/issue.ts'
import type { Service } from '../core/service.ts'
import type { Caller, Scope } from '../identity/caller.ts'
import type { Commit } from './idempotency.ts'
import { type Declaration, OPERATIONS, type OperationName } from './table.ts'

declare module '../core/service.ts' {
  interface Service {
    /** Drops this process’s cached copies of changed data, as the operation's row says. */
    invalidate: { launcher(slug: string): void; keys(): Promise<void> }
  }
}

/** Options of a call besides the input, for operations that support them. */
export interface Conditions {
  /** As sent, or null; `execute` checks it. */
  idempotencyKey: string | null
  /** The version that the caller has seen (If-Match): the edit is refused if it is not the latest. Null: any version. */
  expectedVersion: number | null
}

/** A transport's arguments besides the input: the caller and how they call. */
export interface CallContext {
  caller: Caller
  /** The Service-Client label `<client>/<tag>`, or null. */
  client: string | null
  /** Source of a bundle that the call creates, unless the input has one. */
  source: 'web' | 'api' | 'mcp'
  /** The properties of the request that decide what a bundle’s rules and gates let this viewer see. */
  viewer: LauncherViewer
  /** Called only once the caller is authorised, because 401 wins over an invalid header. */
  conditions(): Conditions & {
    /** Errors in the headers, which are reported with the input's. */
    wrong?: readonly Issue[]
  }
}

/** The context of `run`. */
export interface Context extends Conditions, Pick<CallContext, 'caller' | 'client' | 'source' | 'viewer'> {
  /** In a dry run or an idempotent operation, its store refuses `write`. */
  service: Service
}

/** The context of an idempotent operation's `run`: `commit` is its only way to write. */
export interface IdempotentContext extends Context {
  /** Writes an effect together with its answer; see `once`. */
  commit: Commit
  /**
   * Runs one of several effects of the call, each in its own transaction and once per key. Each but the first counts as one more
   * request. `run` must return exactly what it commits.
   */
  part<T>(at: number, input: unknown, run: (commit: Commit) => Promise<T>): Promise<T>
}

/** A schema whose output is `T`. */
type Schema<T> = Type<unknown> & ((raw: unknown) => T | type.errors)

/** The answer of a dry run: the result of a save, unsaved. */
interface DryRunAnswer {
  bundle: unknown
  /** Probable mistakes, which are allowed. */
  warnings: readonly { path: string; message: string }[]
}

/** This instance, for links in answers. */
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

/** A feature's part of an operation, in addition to its row in the table. */
interface Described<In, Out, Body> {
  /** One line, for choosing between operations. */
  summary: string
  /** For a person or agent new to the service: its use, its answer, the next step. */
  description: string
  /** Stores the Service-Client label. */
  labelled?: true
  input: Schema<In>
  /** An input that shows more than the required fields. */
  example?: Record<string, unknown>
  /** Accepted content types if not only JSON’s own; all contain JSON. */
  bodyTypes?: readonly string[]
  /** The most bytes of its body, if that may be larger than others. */
  maxBody?: number
  /** The body of a success, built on first use, because only documents and tools need it. None with 204. */
  output?: () => Schema<Body>
  /** The error codes of `run` that the rest of the declaration does not imply; see `codesOf` in `api/openapi-answers.ts`. */
  errors?: readonly Code[]
  /**
   * Builds the answer to a repeated idempotent call from the stored first answer. Adds omitted parts that the input or the store
   * has, and leaves out secrets unless the caller has proved that they sent the first call.
   */
  replayed?(
    first: NoInfer<Out>,
    call: { input: In; isProven: boolean; context: Context },
  ): Promise<NoInfer<Out>> | NoInfer<Out>
  /** See `whenRepeated`. Not for operations whose effect is the same however often they are called. */
  again?: string
  /** The public part of the output; all of it if omitted. */
  present?: (output: Out, site: Site) => NoInfer<Body>
  /** The answer as a streamed JSON file, if it may be larger than memory. It has no other form, and so no tool. */
  download?: (output: Out) => Download
  /** The route's body as streamed JSON, if it has more than tools get from `present`; null if it is the same. */
  whole?: (output: Out, site: Site) => AsyncIterable<string> | null
  /** A text that accompanies the answer in a tool’s result, if any. */
  note?: (output: Out) => string | null
  /** For a page of a list: the query fields of the next page; null on the last one. */
  next?: (output: Out) => Readonly<Record<string, number | string>> | null
  /** The success status if not 200; with 204 there is no body. */
  status?: 201 | 204
  /** Whether a call created the resource in its answer, for operations that do not always: the status is then 201. */
  isNew?: (output: Out) => boolean
  /** Response headers derived from the output, by name. */
  headers?: Record<string, (output: Out) => string>
}

/**
 * An action of the service: its row in the table with its implementation, from which JSON routes, pages, tools and documents are
 * made.
 */
export interface Operation<In = unknown, Out = unknown, Body = unknown>
  extends Omit<Declaration, 'dryRun' | 'csv'>,
    Described<In, Out, Body> {
  name: string
  /** May return synchronously if there is nothing to wait for, which is usual for a click on Open all. */
  run(input: In, context: IdempotentContext): Promise<Out> | Out
  /** Checks without writing, for callers who send `dryRun`: refuses whatever `run` would refuse. */
  dryRun?(input: In, context: Context): Promise<DryRunAnswer>
  /** The answer as CSV, for callers who request it; not for pages and tools. */
  csv?(output: Out, reader: CsvReader): CsvFile
}

type Row<Name extends OperationName> = (typeof OPERATIONS)[Name]

/** `Member` if the operation’s row has the flag, so that row and code cannot differ; otherwise it must be omitted. */
type WithFlag<Name extends OperationName, Flag extends 'dryRun' | 'csv', Member> =
  Row<Name> extends Record<Flag, true> ? Record<Flag, Member> : { [F in Flag]?: never }

type ContextOf<Name extends OperationName> = Row<Name> extends { idempotent: true } ? IdempotentContext : Context

/** The result of `run`. Its slug says which launcher to drop from the cache. */
type OutputOf<Name extends OperationName> = Row<Name> extends { invalidates: 'launcher' } ? { slug: string } : unknown

/** The implementation of an operation; the operation's row decides which members it must have. */
type Implementation<Name extends OperationName, In, Out, Body> = Described<In, Out, Body> & {
  run(input: In, context: ContextOf<Name>): Promise<Out> | Out
} & WithFlag<Name, 'dryRun', (input: In, context: Context) => Promise<DryRunAnswer>> &
  WithFlag<Name, 'csv', (output: Out, reader: CsvReader) => CsvFile>

/** An operation with all its types, from which clients’ types derive. */
interface Implemented<Name extends OperationName, In, Out, Body, SentInput> extends Operation<In, Out, Body> {
  readonly name: Name
  input: Operation<In>['input'] & { readonly inferIn: SentInput }
}

/** Implements an operation of the table; the types of its answer and context derive from its schemas and row. */
export function implement<const Name extends OperationName, In, Out extends OutputOf<Name>, SentInput, Body = Out>(
  name: Name,
  implementation: Implementation<Name, In, Out, Body> & { input: { readonly inferIn: SentInput } },
): Implemented<Name, In, Out, Body, SentInput> {
  return { name, ...OPERATIONS[name], ...implementation } as unknown as Implemented<Name, In, Out, Body, SentInput>
}

/**
 * Who may call an operation on this instance: the operator may require a credential for operations that store data or send
 * requests.
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

/** The limit of a person that counts a call. Null if the call records a viewer’s action, which limits per address count. */
export function countedAs(
  { route, effect, auth, keyScope, dryRun }: Pick<Operation, 'route' | 'effect' | 'auth' | 'keyScope' | 'dryRun'>,
  decoded: unknown,
): 'reads' | 'writes' | null {
  if (route.startsWith('GET ') || isTrial({ effect, dryRun }, decoded)) return 'reads'
  return auth !== 'public' || keyScope !== undefined ? 'writes' : null
}

/** The effect of repeating a call that writes and takes no idempotency key, as the end of a sentence. Null for others. */
export function whenRepeated({
  route,
  idempotent,
  effect,
  again = 'changes nothing more',
}: Pick<Operation, 'route' | 'idempotent' | 'effect' | 'again'>): string | null {
  return /^(POST|PUT|PATCH) /.test(route) && idempotent === undefined && effect !== 'none' ? again : null
}

/** Whether an operation’s limit by address applies to a caller. */
export function isLimitedByAddress(caller: Caller, { limitsAlso }: Pick<Operation, 'limitsAlso'>): boolean {
  if (caller.kind === 'anonymous' || limitsAlso === 'everybody') return true
  return limitsAlso === 'unlimited' && (caller.kind === 'session' || caller.key.rateLimitPerHour === 0)
}

/** Whether a call only computes a result: a dry run or a preview. */
export function isTrial({ effect, dryRun }: Pick<Operation, 'effect' | 'dryRun'>, decoded: unknown): boolean {
  return effect === 'none' || isDryRun(dryRun, decoded)
}

function isDryRun(dryRun: Operation['dryRun'], decoded: unknown): boolean {
  return dryRun !== undefined && (decoded as { dryRun?: unknown } | null)?.dryRun === true
}

/** A form of an operation with its own route and answer, so that each route has one kind of answer. */
export interface Variant {
  /** `create_bundle_dry_run`, `get_insights_csv`. */
  name: string
  kind: 'dryRun' | 'csv'
  route: Operation['route']
}

/** The variants of an operation: its dry run, its answer as CSV. */
export function variantsOf({ name, route, dryRun, csv }: Operation): Variant[] {
  return [
    ...(dryRun === undefined ? [] : [{ name: `${name}_dry_run`, kind: 'dryRun', route: `${route}/dry-run` } as const]),
    ...(csv === undefined ? [] : [{ name: `${name}_csv`, kind: 'csv', route: `${route}.csv` } as const]),
  ]
}

/** The answer to a successful call. */
export interface PublicAnswer {
  status: number
  /** The JSON body of the route and the content of the tool. */
  body: unknown
  headers: Record<string, string>
  /** Makes a file from the answer, if the operation has one. */
  file?: (reader: CsvReader) => CsvFile
  /** The answer streamed in parts, if it may be too large for memory. */
  download?: Download
  /** The query fields that select the next page, if there is one. */
  next?: Readonly<Record<string, number | string>>
  /** A text that accompanies the body in a tool’s result. */
  note?: string
}

/** The answer with the operation’s own output, from which pages are rendered. */
export interface Answer<Out> extends PublicAnswer {
  output: Out
}

/** The answer to a call, from the operation's result. */
export function answer<In, Out>(
  { operation, service: { config } }: { operation: Operation<In, Out>; service: Service },
  output: Out,
  headers: Record<string, string>,
): Answer<Out> {
  for (const name in operation.headers) headers[name] ??= operation.headers[name]!(output)
  const sent: Answer<Out> = {
    output,
    status: operation.isNew?.(output) ? 201 : (operation.status ?? 200),
    body: operation.present?.(output, config) ?? output,
    headers,
  }
  const { csv } = operation
  if (csv !== undefined) sent.file = (reader) => csv(output, reader)
  if (operation.download !== undefined) sent.download = operation.download(output)
  const parts = operation.whole?.(output, config) ?? null
  if (parts !== null) sent.download = { filename: null, parts }
  const [next, note] = [operation.next?.(output) ?? null, operation.note?.(output) ?? null]
  if (next !== null) sent.next = next
  if (note !== null) sent.note = note
  return sent
}
