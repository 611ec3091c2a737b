import { parseArgs } from 'node:util'
import about from '../../package.json' with { type: 'json' }
import { launcherLinkIn } from '../core/launcher-link.ts'
import { type Client, createClient } from '../sdk/openall.ts'
import { credentialFor } from './credentials.ts'
import { UsageError } from './exit.ts'
import { serverFor } from './settings.ts'

interface Described {
  description: string
}

/** A flag or argument that is a field of an operation’s input, in a row of the table of commands. */
interface OfInput {
  field?: string
  /** Whether it must be a whole number. */
  number?: true
}

/** A flag with a text. The values of a flag with `multiple` are in `lists`. */
interface TextFlag extends Described, OfInput {
  type?: 'string'
  /** The placeholder for its value; `number`, or its own name, if omitted. */
  valueHint?: string
  alias?: string
  multiple?: true
}

interface Switch extends Described {
  type: 'boolean'
  alias?: string
}

interface Choice extends Described, Pick<OfInput, 'field'> {
  type: 'enum'
  options: readonly string[]
}

/** A positional argument. */
interface Place extends Described, OfInput {
  type: 'positional'
  optional?: true
}

/** A flag or argument. */
export type Flag = TextFlag | Switch | Choice | Place
export type Flags = Record<string, Flag>

const COMMON = {
  server: {
    valueHint: 'address',
    description: 'The service; default: OPENALL_URL, then the one you last logged in to',
  },
  json: { type: 'boolean', description: 'Print the answer as JSON' },
} as const satisfies Flags

/** The value of a flag in `run`. */
type ValueOf<F extends Flag> = F extends { type: 'boolean' }
  ? boolean
  : F extends { type: 'positional' }
    ? F extends { optional: true }
      ? string | undefined
      : string
    : F extends { options: readonly (infer Option)[] }
      ? Option | undefined
      : string | undefined

/** The argument of a command's `run`. */
export interface Run<F extends Flags> {
  args: { [Name in keyof (F & typeof COMMON)]: ValueOf<(F & typeof COMMON)[Name]> }
  /** Arguments after the named ones. */
  more: string[]
  /** The values of flags that may be given several times. */
  lists: Record<string, string[]>
  /** The service's address. */
  server: string
  /** A client with the saved key of the server. */
  client: Client
}

/** Completes a word typed after a bundle’s slug or link. */
type CompleteRest = (at: { slug: string; typed: string; server: string; client: Client }) => Promise<string[]>

interface Declared<F extends Flags> {
  summary: string
  /** Command lines that can be run as they are, except for their slugs. */
  examples: readonly string[]
  args: F
  /** `none` if it uses no credential. */
  credential?: 'none'
  /** Whether more arguments may follow the named ones. */
  rest?: 'any'
  /** For a command about a bundle: completes the words after it. */
  completeRest?: CompleteRest
  run(run: Run<F>): Promise<void>
}

export interface Command {
  summary: string
  examples: readonly string[]
  flags: Flags
  completeRest?: CompleteRest | undefined
  /** @throws UsageError. */
  run(words: string[]): Promise<void>
}

/** Defines a command with strictly checked and typed flags, and a client. */
export function command<const F extends Flags>(declared: Declared<F>): Command {
  const { summary, examples, args, rest = 'none', completeRest, credential, run } = declared
  const flags: Flags = { ...args, ...COMMON }
  return {
    summary,
    examples,
    flags,
    completeRest,
    async run(words) {
      const { values, more, lists } = read(words, flags)
      if (rest === 'none' && more[0] !== undefined) throw new UsageError(`unexpected argument "${more[0]}"`)
      const server = serverFor(values.server as string | undefined)
      // A command about credentials must work even if the saved one is invalid.
      const key = credential === 'none' ? undefined : await credentialFor(server)
      const client = createClient({ server, key, label: `cli/${about.version}`, source: 'cli' })
      await run({ args: values as Run<F>['args'], more, lists, server, client })
    },
  }
}

/** Parses the words after a command. @throws UsageError. */
function read(words: string[], flags: Flags) {
  const { values: given, positionals } = parsed(words, flags)
  const values: Record<string, string | boolean | undefined> = {}
  const lists: Record<string, string[]> = {}
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.type === 'positional') {
      values[name] = positionals.shift()
      if (!flag.optional && values[name] === undefined) throw new UsageError(`${name.toUpperCase()} is missing`)
      continue
    }
    const all = given[name] ?? []
    if (all.length > 1 && !('multiple' in flag))
      throw new UsageError(`--${name} is given ${all.length} times: give it once`)
    values[name] = flag.type === 'boolean' ? all[0] === true : all[0]
    lists[name] = all.filter((value) => typeof value === 'string')
    if (flag.type === 'enum' && all[0] !== undefined && !flag.options.includes(String(all[0])))
      throw new UsageError(`--${name} must be one of ${flag.options.join(', ')}, not "${all[0]}"`)
  }
  return { values, lists, more: positionals }
}

/** The values of flags, and the words between them. @throws UsageError for a flag that the command does not have. */
function parsed(words: string[], flags: Flags) {
  const options = Object.entries(flags).flatMap(([name, flag]) => {
    if (flag.type === 'positional') return []
    const type = flag.type === 'boolean' ? ('boolean' as const) : ('string' as const)
    const short = 'alias' in flag && flag.alias !== undefined ? { short: flag.alias } : {}
    return [[name, { type, multiple: true as const, ...short }] as const]
  })
  try {
    return parseArgs({ args: words, options: Object.fromEntries(options), strict: true, allowPositionals: true })
  } catch (error) {
    const [first = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(first)
  }
}

/** Parses a whole number. @throws UsageError. */
export function integer(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} must be a whole number, not "${text}"`)
  return Number(text)
}

/** The slug in an argument, which may also be a link. @throws UsageError for a link to another service. */
export function slugIn(text: string, server: string): string {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return text
  const { origin } = new URL(text)
  if (origin !== new URL(server).origin) {
    throw new UsageError(`this link leads to ${origin}, not to ${server}: add --server ${origin}`)
  }
  return launcherLinkIn(text, true)?.slug ?? text
}
