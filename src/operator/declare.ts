type Env = Record<string, string | undefined>

/** The words after a command. */
export interface Given {
  /** The command's own. */
  name: string
  /** One for each of its `params`; none is empty. */
  args: string[]
  options: Record<string, string | undefined>
  /** Those of its `flags` that were set. */
  flags: ReadonlySet<string>
}

/** What a command prints, and whether it found something wrong. */
interface Output {
  parts: AsyncIterable<string> | [string]
  hasFailed: boolean
}

/** An admin command. */
export interface Command {
  params: readonly string[]
  /** What each option’s value is called. */
  options?: Record<string, string>
  flags?: readonly string[]
  summary: string
  execute(env: Env, given: Given, isJson: boolean): Promise<Output>
}

type Words = Omit<Command, 'execute'>

/** A command with one result. */
export type CommandOf<T> = Words & {
  run(env: Env, given: Given): Promise<T>
  /** The result in lines for people. */
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

/** A command with any number of results, which are printed as they are read: one JSON object, or what `say` makes, a line. */
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

/** A command whose output is JSON lines already, in parts. */
export function streaming({
  parts,
  ...words
}: Words & { parts(env: Env, given: Given): AsyncIterable<string> }): Command {
  return { ...words, execute: async (env, given) => ({ parts: parts(env, given), hasFailed: false }) }
}

async function* lines<T>(rows: AsyncIterable<T>, say: (row: T) => string) {
  for await (const row of rows) yield `${say(row)}\n`
}
