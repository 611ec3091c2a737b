import { parseArgs } from 'node:util'
import { UnusableCopy } from '../../db/unusable-copy.ts'
import { BadSetting } from '../config/settings.ts'
import { escapeControls } from '../core/text.ts'
import { entryOf } from '../core/untyped.ts'
import { commitOfBuild, VERSION } from '../runtime/built.ts'
import { COMMANDS } from './commands.ts'
import { CannotOperate, type Command, type Given } from './declare.ts'

type Env = Record<string, string | undefined>

/**
 * The result of a command: text for standard output, in parts if it may be long, or an error. `isUsage`: the words are no
 * command; `hasFailed`: the command ran and found something wrong.
 */
export type Operated = { parts: AsyncIterable<string> | [string]; hasFailed: boolean } | Refused
interface Refused {
  error: string
  usage?: string
}

/**
 * Runs an admin command on the store and files that the environment names. Prints lines for people, or JSON with `--json`.
 * Escapes users’ texts in the output as JSON does, because it goes to a terminal.
 */
export async function operate(words: readonly string[], env: Env): Promise<Operated> {
  const [first = ''] = words
  if (first === 'help' || first === '--help') return { parts: [`${usage()}\n`], hasFailed: false }
  if (first === '--version') return { parts: [`${VERSION} (${commitOfBuild()})\n`], hasFailed: false }
  const found = find(words)
  if ('error' in found) return found
  const { command, given, isJson } = found
  try {
    const { parts, hasFailed } = await command.execute(env, given, isJson)
    return { parts: Array.isArray(parts) ? [escapeControls(parts[0])] : escaped(parts), hasFailed }
  } catch (error) {
    return { error: sentence(error) }
  }
}

/** The one line that an operator reads about an error. */
export function sentence(error: unknown): string {
  const isExpected = error instanceof CannotOperate || error instanceof UnusableCopy || error instanceof BadSetting
  // The driver’s own message, because the reader is the operator.
  return escapeControls(
    isExpected || !(error instanceof Error) ? String((error as Error).message) : `that failed: ${error.message}`,
  )
}

async function* escaped(parts: AsyncIterable<string>) {
  for await (const part of parts) yield escapeControls(part)
}

/** The command that the words name, with its arguments; or why there is none. */
function find(words: readonly string[]): { command: Command; given: Given; isJson: boolean } | Refused {
  const [first = '', second = ''] = words
  const isPair = entryOf(COMMANDS, `${first} ${second}`) !== undefined
  const name = isPair ? `${first} ${second}` : first
  const command = entryOf(COMMANDS, name)
  const refused = (error: string): Refused => ({ error, usage: usage() })
  if (command === undefined) {
    const nexts = Object.keys(COMMANDS).flatMap((known) => (known.startsWith(`${first} `) ? [known] : []))
    return refused(nexts.length === 0 ? `there is no command ${first}` : `say what to do: ${nexts.join(', ')}`)
  }
  const read = readWords(command, words.slice(isPair ? 2 : 1))
  if (read === null || read.args.length !== command.params.length || read.args.includes(''))
    return refused(`${name} takes ${placeholders(command) || 'no arguments'}`)
  const { isJson, ...rest } = read
  return { command, given: { name, ...rest }, isJson }
}

/** Null for an option that the command does not have, or one without its value. */
function readWords(
  { options: known = {}, flags = [] }: Command,
  words: string[],
): (Omit<Given, 'name'> & { isJson: boolean }) | null {
  const typed = (type: 'string' | 'boolean', names: readonly string[]) => names.map((name) => [name, { type }] as const)
  const options = Object.fromEntries([...typed('string', Object.keys(known)), ...typed('boolean', flags)])
  try {
    const { values, positionals } = parseArgs({
      args: words,
      options: { ...options, json: { type: 'boolean' as const } },
      allowPositionals: true,
    })
    const { json: isJson = false, ...given } = values as Record<string, string> & { json?: boolean }
    const set = new Set(flags.filter((name) => name in given))
    return { args: positionals, options: given, flags: set, isJson }
  } catch {
    return null
  }
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, command]) => [`${name} ${placeholders(command)}`, command.summary] as const,
  )
  const each = lines.map(([how, summary]) => `  ${how.trim()}\n      ${summary}`)
  return [...each, '  Each takes --json, for programs.'].join('\n')
}

function placeholders({ params, options = {}, flags = [] }: Command): string {
  const named = Object.entries(options).map(([name, value]) => `[--${name} <${value}>]`)
  return [...params.map((name) => `<${name}>`), ...named, ...flags.map((name) => `[--${name}]`)].join(' ')
}
