import type { Type, type } from 'arktype'
import type { Caller } from '../identity/caller.ts'
import type { Scope } from '../identity/roles.ts'
import { type Declaration, OPERATIONS, type OperationName } from '../operations.ts'
import type { Service } from '../service.ts'
import type { Code } from './codes.ts'
import type { Commit } from './idempotency.ts'

/** What a caller may send beside the input of any operation that takes it. */
export interface Conditions {
  /** As it was sent, or null; `execute` refuses one that cannot be a key. */
  idempotencyKey: string | null
  /** The version that the caller has seen (If-Match); another one now refuses the edit. Null: any. */
  expectedVersion: number | null
}

/** What every transport hands over beside the input: who calls, and how. */
export interface CallContext {
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
export interface Context extends Conditions, Pick<CallContext, 'caller' | 'client' | 'source'> {
  /** The store of a dry run, and of an idempotent operation, refuses `write`. */
  service: Service
}

/** What `run` of an idempotent operation is given: its one way to write. */
export interface IdempotentContext extends Context {
  /** Writes an effect together with its answer; see `once`. */
  commit: Commit
}

/** A schema whose answer is `T`. */
type Schema<T> = Type<unknown> & ((raw: unknown) => T | type.errors)

/** The answer of a dry run: what would have been saved. */
interface DryRunAnswer {
  bundle: unknown
  /** What is allowed in it, and probably a mistake. */
  warnings: readonly { path: string; message: string }[]
}

/** An answer as a file. */
export interface TextFile {
  filename: string
  text: string
}

/** JSON text that is made while it is sent. */
export interface Download {
  /** Null for what is no file to keep. */
  filename: string | null
  /** The document is whole once the last one has come. */
  parts: AsyncIterable<string>
}

/** What every feature says of an operation, beside its row of the table and what that row asks for. */
interface Described<In, Out, Body> {
  /** One line for whoever chooses between operations. */
  summary: string
  /** For somebody, or an agent, who has never seen the service: when to use it, what comes back, what to do next. */
  description: string
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
}

/**
 * One action of the service: its row of the table and its implementation. JSON routes, pages, tools and documents are
 * made from this and nothing else.
 */
export interface Operation<In = unknown, Out = unknown, Body = unknown>
  extends Omit<Declaration, 'dryRun' | 'csv'>,
    Described<In, Out, Body> {
  name: string
  /** May answer in the same turn where it has nothing to wait for, which is what a click on Open all mostly does. */
  run(input: In, context: IdempotentContext): Promise<Out> | Out
  /** The same without writing anything, for callers who send `dryRun`: refuses what `run` would refuse. */
  dryRun?(input: In, context: Context): Promise<DryRunAnswer>
  /** The answer as a file of comma-separated values, for callers who ask for one; pages and tools do not. */
  csv?(output: Out): TextFile
}

type Row<Name extends OperationName> = (typeof OPERATIONS)[Name]

/** `Asked` where an operation's row has a flag, so that the row and the code cannot differ; else it must be left out. */
type WithFlag<Name extends OperationName, Flag extends 'dryRun' | 'csv', Asked> =
  Row<Name> extends Record<Flag, true> ? Record<Flag, Asked> : { [F in Flag]?: never }

type ContextOf<Name extends OperationName> = Row<Name> extends { idempotent: true } ? IdempotentContext : Context

/** What `run` must return: a launcher is dropped by the slug of the answer. */
type OutputOf<Name extends OperationName> = Row<Name> extends { invalidates: 'launcher' } ? { slug: string } : unknown

/** The implementation of an operation; its row of the table says which parts it must have. */
type Implementation<Name extends OperationName, In, Out, Body> = Described<In, Out, Body> & {
  run(input: In, context: ContextOf<Name>): Promise<Out> | Out
} & WithFlag<Name, 'dryRun', (input: In, context: Context) => Promise<DryRunAnswer>> &
  WithFlag<Name, 'csv', (output: Out) => TextFile>

/** An operation with all that is known of its types: clients' types are made of them. */
export interface Implemented<Name extends OperationName, In, Out, Body, Sent> extends Operation<In, Out, Body> {
  readonly name: Name
  input: Operation<In>['input'] & { readonly inferIn: Sent }
}

/** Implements an operation of the table, the types of its answer and context taken from its schemas and its row. */
export function implement<const Name extends OperationName, In, Out extends OutputOf<Name>, Sent, Body = Out>(
  name: Name,
  implementation: Implementation<Name, In, Out, Body> & { input: { readonly inferIn: Sent } },
): Implemented<Name, In, Out, Body, Sent> {
  return { name, ...OPERATIONS[name], ...implementation } as unknown as Implemented<Name, In, Out, Body, Sent>
}

/** The scope that a credential needs, if any. */
export function scopeOf({ access, keyScope }: Pick<Operation, 'access' | 'keyScope'>): Scope | undefined {
  if (access === 'public') return keyScope
  return access === 'authenticated' ? undefined : access
}
