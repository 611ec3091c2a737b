import type { Condition, Traced } from '../../db/policy.ts'
import type { Implementations } from '../api/implementations.ts'
import type { DryRun } from '../bundles/content/answers.ts'
import type { OPERATIONS, OperationName } from '../operations/table.ts'
import type { Answer, CallOptions } from './call.ts'

type Row<N extends OperationName> = (typeof OPERATIONS)[N]
type Implemented<N extends OperationName> = Implementations[N]

/** Expands a type, except conditions, which are recursive and so need names. */
type Plain<T> = T extends Traced
  ? Traced
  : T extends Condition
    ? Condition
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { [Key in keyof T]: Plain<T[Key]> }
        : T

export type Input<N extends OperationName> = Implemented<N> extends { input: { inferIn: infer In } } ? Plain<In> : never
export type Body<N extends OperationName> =
  Implemented<N> extends { present?: (output: never, site: never) => infer Shown } ? Plain<Shown> : never

type Camel<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text

/** Input is optional if all its fields are. */
type Given<In, Options> = object extends In ? [input?: In, options?: Options] : [input: In, options?: Options]

type OptionsOf<N extends OperationName> = CallOptions &
  (Row<N> extends { idempotent: true } ? { idempotencyKey?: string | null | undefined } : unknown) &
  (Row<N> extends { versioned: true } ? { expectedVersion?: number | null | undefined } : unknown)

type Variants<N extends OperationName> = {
  answer(...given: Given<Input<N>, OptionsOf<N>>): Promise<Answer<Body<N>>>
} & (Row<N> extends { csv: true } ? { csv(...given: Given<Input<N>, OptionsOf<N>>): Promise<string> } : unknown) &
  (Row<N> extends { dryRun: true }
    ? { dryRun(...given: Given<Input<N>, OptionsOf<N>>): Promise<Plain<ReturnType<typeof DryRun>['infer']>> }
    : unknown) &
  (Row<N> extends { pages: infer List extends keyof Body<N> }
    ? { each(...given: Given<Input<N>, OptionsOf<N>>): AsyncGenerator<ItemOf<Body<N>[List]>, void> }
    : unknown)

export type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

type Method<N extends OperationName> = ((...given: Given<Input<N>, OptionsOf<N>>) => Promise<Body<N>>) & Variants<N>

// Not exported, so that the published types do not refer to the server’s: tsc expands a type that it cannot name.
type Client = { readonly [N in OperationName as Camel<N>]: Method<N> }

/** Gives untyped methods the types derived from the table of operations. */
export function typed(methods: Readonly<Record<string, unknown>>) {
  return methods as Client
}
