type Env = Record<string, string | undefined>

/** The words after a command. */
export interface Given {
  name: string
  /** One for each of its `params`; none is empty. */
  args: string[]
  options: Record<string, string | undefined>
  /** Those of its `flags` that were given. */
  flags: ReadonlySet<string>
}

/** The output of a command, and whether it found something wrong. */
interface Output {
  parts: AsyncIterable<string> | [string]
  hasFailed: boolean
}

/** An admin command. */
export interface Command {
  params: readonly string[]
  /** The placeholder for each option’s value. */
  options?: Record<string, string>
  flags?: readonly string[]
  summary: string
  execute(env: Env, given: Given, isJson: boolean): Promise<Output>
}

type Words = Omit<Command, 'execute'>

/** A command with one result. */
export type CommandOf<T> = Words & {
  run(env: Env, given: Given): Promise<T>
  /** The result as lines for people. */
  say(result: T): string
  hasFailed?: (result: T) => boolean
}

/** Declares a command with one result. */
export function command<T>({ run, say, hasFailed = () => false, ...words }: CommandOf<T>): Command {
  return {
    ...words,
    async execute(env, given, isJson) {
      const result = await run(env, given)
      const text = isJson ? JSON.stringify(result, null, 2) : say(result)
      return { parts: [`${text}\n`], hasFailed: hasFailed(result) }
    },
  }
}

/** Declares a command with any number of results, printed as they are read, one per line: a JSON object, or `say`'s text. */
export function listing<T>({
  rows,
  say,
  ...words
}: Words & {
  rows(env: Env, given: Given): AsyncIterable<T>
  say(row: T): string
}): Command {
  return {
    ...words,
    async execute(env, given, isJson) {
      return { parts: lines(rows(env, given), isJson ? JSON.stringify : say), hasFailed: false }
    },
  }
}

/** Declares a command whose output already consists of JSON lines, in parts. */
export function streaming({
  parts,
  ...words
}: Words & { parts(env: Env, given: Given): AsyncIterable<string> }): Command {
  return { ...words, execute: async (env, given) => ({ parts: parts(env, given), hasFailed: false }) }
}

async function* lines<T>(rows: AsyncIterable<T>, say: (row: T) => string) {
  for await (const row of rows) yield `${say(row)}\n`
}

/** A request that cannot be carried out; the message says why and what to do. */
export class CannotOperate extends Error {}
