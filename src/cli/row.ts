import { type Declaration, OPERATIONS, type OperationName } from '../operations/table.ts'
import { methodName } from '../sdk/client.ts'
import type { Client } from '../sdk/openall.ts'
import type { Body, Input, ItemOf } from '../sdk/signatures.ts'
import { type Command, command, type Flags, integer, type Run, slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { type Columns, note, oneLine, print, printJson, printTable, progress, styled } from './output.ts'
import { printContent } from './print-content.ts'

/** The argument that names a bundle. */
export const SLUG = { type: 'positional', description: 'The bundle: its slug, or its link' } as const

/** Refuses an edit if someone else has edited the bundle since. */
export const IF_VERSION = {
  valueHint: 'number',
  description: 'Refuse if this is not the latest version',
} as const

export const DRY_RUN = { type: 'boolean', description: 'Show what would be saved, without saving it' } as const

type NamesBundle<N extends OperationName> = (typeof OPERATIONS)[N]['route'] extends `${string}/:slug${string}`
  ? true
  : false

/** The flags from the table of operations: the bundle that the route names, `--if-version` and `--dry-run`. */
type Given<N extends OperationName> = (NamesBundle<N> extends true ? { slug: typeof SLUG } : unknown) &
  ((typeof OPERATIONS)[N] extends { versioned: true } ? { 'if-version': typeof IF_VERSION } : unknown) &
  ((typeof OPERATIONS)[N] extends { dryRun: true } ? { 'dry-run': typeof DRY_RUN } : unknown)

/** The output for people: a line, or text from `say`, or a list from the answer in columns, and then a note. */
type Told<Answer, List extends keyof Answer, R> =
  | { list?: never; say(answer: Answer, run: R): Promise<void> | string | void }
  | {
      list: List
      columns: Columns<ItemOf<Answer[List]>>
      /** The note printed in place of a table without rows. */
      empty?: string
      say?(answer: Answer, run: R): void
    }

interface Row<N extends OperationName, Other extends OperationName, F extends Flags> {
  summary: string
  examples: readonly string[]
  /** Arguments and flags beyond those from the table. With `csv` the answer is printed as CSV, with `all` every page. */
  args?: F & FieldsOf<F, N>
  rest?: 'any'
  /** The operation to call if this argument or flag is missing. */
  without?: Record<string, Other>
  /** Fields of the input that differ from the flags' own values. @throws UsageError. */
  input?(run: Run<F & Given<N>>): Promise<Partial<Fields<N>>> | Partial<Fields<N>>
}

/** Flags that are fields of the operation’s input. */
type FieldsOf<F extends Flags, N extends OperationName> = { [Name in keyof F]: { field?: keyof Fields<N> & string } }

type Fields<N extends OperationName> = Omit<Input<N>, 'dryRun' | (NamesBundle<N> extends true ? 'slug' : never)>

/**
 * Defines a command that calls one operation: which flags are fields of its input, and how people see the answer. The bundle,
 * `--if-version`, `--dry-run` and `--json` come from the table of operations.
 */
export function row<
  N extends OperationName,
  const F extends Flags = Record<never, never>,
  Other extends OperationName = never,
  List extends keyof Body<N | Other> = never,
>(name: N, declared: Row<N, Other, F> & Told<Body<N | Other>, List, Run<F & Given<N>>>): Command {
  const { summary, examples, args, rest, without = {}, input } = declared
  const { route, versioned, dryRun }: Declaration = OPERATIONS[name]
  const namesBundle = route.includes('/:slug')
  const flags: Flags = {
    ...(namesBundle ? { slug: 'slug' in without ? { ...SLUG, optional: true as const } : SLUG } : {}),
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
      if (given.csv && given.json) throw new UsageError('give --csv or --json, not both')
      const own = { ...fieldsIn(flags, given, run.lists), ...(await input?.(run)) }
      const [called = name] = Object.entries(without).flatMap(([word, other]) =>
        given[word] === undefined ? [other] : [],
      )
      if (given.csv && given.slug === undefined) throw new UsageError('--csv needs a bundle')
      const method = methodOf<N | Other>(run.client, called)
      const { versioned, pages }: Declaration = OPERATIONS[called]
      const fields = namesBundle && given.slug !== undefined ? { slug: slugIn(given.slug, run.server), ...own } : own
      if (given['dry-run']) return printDryRun(await method.dryRun(fields), given.json === true)
      if (given.csv) return void process.stdout.write(await method.csv(fields))
      const options = {
        idempotencyKey: given['idempotency-key'],
        ...(versioned ? expectedVersionIn(given['if-version']) : {}),
      }
      const answer =
        given.all && pages !== undefined ? await everyPage(method, fields, pages) : await method(fields, options)
      if (given.json) return printJson(answer)
      if ('columns' in declared) {
        const { list, columns, empty } = declared
        const entries = answer[list] as never[]
        if (entries.length === 0 && empty !== undefined) return note(empty)
        printTable(entries, columns as Columns<never>)
      }
      const line = await declared.say?.(answer, run)
      if (line !== undefined) print(oneLine(line))
    },
  })
}

/** The answer with the entries of all its pages. */
async function everyPage<Answer>(method: Method<Answer>, fields: unknown, pages: string): Promise<Answer> {
  const entries: unknown[] = []
  for await (const entry of method.each(fields)) {
    entries.push(entry)
    if (entries.length % 100 === 0) progress(`${entries.length} ${pages}…`)
  }
  progress(null)
  return { [pages]: entries } as Answer
}

/** The given flags that are fields of an input. @throws UsageError for an invalid number. */
function fieldsIn(flags: Flags, args: Words, lists: Run<Flags>['lists']): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const [name, flag] of Object.entries(flags)) {
    if (!('field' in flag) || flag.field === undefined) continue
    const values = 'multiple' in flag ? lists[name] : undefined
    const value = values?.length === 0 ? undefined : (values ?? args[name])
    const called = flag.type === 'positional' ? `the ${name}` : `--${name}`
    if (value !== undefined) made[flag.field] = 'number' in flag ? integer(String(value), called) : value
  }
  return made
}

/** The words that any of these commands may be given. */
interface Words {
  slug?: string
  json?: boolean
  csv?: boolean
  all?: boolean
  'dry-run'?: boolean
  'if-version'?: string | undefined
  'idempotency-key'?: string | undefined
  [flag: string]: string | boolean | undefined
}

interface Method<Answer> {
  (input: unknown, options: { idempotencyKey?: string | undefined; expectedVersion?: number }): Promise<Answer>
  dryRun(input: unknown): Promise<WouldBe>
  csv(input: unknown): Promise<string>
  each(input: unknown): AsyncIterable<unknown>
}

/** The client’s method for an operation; only the service checks its input. */
export function methodOf<N extends OperationName>(client: Client, name: N): Method<Body<N>> {
  return client[methodName(name) as keyof Client] as unknown as Method<Body<N>>
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
