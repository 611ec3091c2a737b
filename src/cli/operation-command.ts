import { type Declaration, OPERATIONS, type OperationName } from '../operations/table.ts'
import { methodName } from '../sdk/client.ts'
import type { Client } from '../sdk/openall.ts'
import type { Body, Input } from '../sdk/signatures.ts'
import { type Command, command, type Flags, integer, type Run, slugIn } from './command.ts'
import { note, oneLine, print, printJson, styled } from './output.ts'
import { printContent } from './print-content.ts'

/** The argument that names a bundle. */
export const SLUG = { type: 'positional', required: true, description: 'The bundle: its slug, or its link' } as const

/** Refuses an edit if someone else has edited the bundle since. */
export const IF_VERSION = {
  type: 'string',
  valueHint: 'number',
  description: 'Refuse if this is not the latest version',
} as const

export const DRY_RUN = { type: 'boolean', description: 'Show what would be saved, without saving it' } as const

type NamesBundle<N extends OperationName> = (typeof OPERATIONS)[N]['route'] extends `${string}/:slug${string}`
  ? true
  : false

/** What the table gives: the bundle that the route names, `--if-version` and `--dry-run`. */
type Given<N extends OperationName> = (NamesBundle<N> extends true ? { slug: typeof SLUG } : unknown) &
  ((typeof OPERATIONS)[N] extends { versioned: true } ? { 'if-version': typeof IF_VERSION } : unknown) &
  ((typeof OPERATIONS)[N] extends { dryRun: true } ? { 'dry-run': typeof DRY_RUN } : unknown)

interface OfOperation<N extends OperationName, F extends Flags> {
  summary: string
  examples: readonly string[]
  /** The arguments and flags that the table does not give. */
  args?: F
  rest?: 'any'
  /** The fields of the input besides the bundle’s slug, which is given. @throws UsageError. */
  input?(run: Run<F & Given<N>>): Promise<Fields<N>> | Fields<N>
  /** Prints the answer for people, or returns the one line that says it. */
  say(answer: Body<N>, run: Run<F & Given<N>>): Promise<void> | string | void
}

type Fields<N extends OperationName> = Omit<Input<N>, 'dryRun' | (NamesBundle<N> extends true ? 'slug' : never)>

/**
 * Defines a command that calls one operation: how its words become the input, and how a person reads the answer. Which
 * bundle it is about, `--if-version`, `--dry-run` and `--json` come from the table of operations.
 */
export function commandFor<N extends OperationName, const F extends Flags = Record<never, never>>(
  name: N,
  { summary, examples, args, rest, input, say }: OfOperation<N, F>,
): Command {
  const { route, versioned, dryRun }: Declaration = OPERATIONS[name]
  const namesBundle = route.includes('/:slug')
  const flags = {
    ...(namesBundle ? { slug: SLUG } : {}),
    ...args,
    ...(versioned ? { 'if-version': IF_VERSION } : {}),
    ...(dryRun ? { 'dry-run': DRY_RUN } : {}),
  }
  return command({
    summary,
    examples,
    args: flags as F & Given<N>,
    ...(rest === undefined ? {} : { rest }),
    async run(run) {
      const given: Words = run.args
      const bundle = namesBundle && given.slug !== undefined ? { slug: slugIn(given.slug, run.server) } : {}
      const fields = { ...bundle, ...(await input?.(run)) }
      const method = methodOf(run.client, name)
      if (given['dry-run']) return printDryRun(await method.dryRun(fields), given.json === true)
      const answer = await method(fields, {
        idempotencyKey: given['idempotency-key'],
        ...expectedVersionIn(given['if-version']),
      })
      if (given.json) return printJson(answer)
      const line = await say(answer, run)
      if (line !== undefined) print(oneLine(line))
    },
  })
}

/** What any of these commands may have been given. */
interface Words {
  slug?: string
  json?: boolean
  'dry-run'?: boolean
  'if-version'?: string | undefined
  'idempotency-key'?: string | undefined
}

interface Method<N extends OperationName> {
  (input: unknown, options: { idempotencyKey?: string | undefined; expectedVersion?: number }): Promise<Body<N>>
  dryRun(input: unknown): Promise<WouldBe>
}

/** The client’s method for an operation, whose input is checked by the service alone. */
export function methodOf<N extends OperationName>(client: Client, name: N): Method<N> {
  return client[methodName(name) as keyof Client] as unknown as Method<N>
}

/** `--if-version` as an option of a call. */
export function expectedVersionIn(flag: string | undefined): { expectedVersion?: number } {
  return flag === undefined ? {} : { expectedVersion: integer(flag, '--if-version') }
}

type WouldBe = Awaited<ReturnType<Client['createBundle']['dryRun']>>

/** Prints what would be saved, and warnings. */
export function printDryRun(answer: WouldBe, isJson: boolean): void {
  const { bundle, warnings } = answer
  if (isJson) {
    printJson(answer)
    return
  }
  print(styled('bold', oneLine(bundle.title ?? bundle.slug ?? 'A bundle without a title')))
  printContent(bundle)
  for (const { path, message } of warnings) note(`warning: ${oneLine(path)} ${oneLine(message)}`)
  note('Nothing was saved. Run it without --dry-run to save.')
}
