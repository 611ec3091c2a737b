import { parseArgs } from 'node:util'
import { type ArgDef, type CommandDef, defineCommand, type ParsedArgs } from 'citty'
import about from '../../package.json' with { type: 'json' }
import { type Client, createClient } from '../sdk/openall.ts'
import { credentialFor } from './credentials.ts'
import { UsageError } from './exit.ts'
import { serverFor } from './settings.ts'

/** A flag or argument. The values of a flag with `multiple` are in `lists`. */
export type Flag = ArgDef & { multiple?: true }
type Flags = Record<string, Flag>

const COMMON = {
  server: {
    type: 'string',
    valueHint: 'address',
    description: 'The service; default: OPENALL_URL, then the one you last logged in to',
  },
  json: { type: 'boolean', description: 'Print the answer as JSON' },
} as const satisfies Flags

/** What a command's `run` gets. */
interface Run<F extends Flags> {
  args: ParsedArgs<F & typeof COMMON>
  /** Arguments after the named ones. */
  more: string[]
  /** The values of flags that may be given several times. */
  lists: Record<string, string[]>
  /** The service's address. */
  server: string
  /** A client with the saved key of the server. */
  client: Client
}

interface Declared<F extends Flags> {
  name: string
  summary: string
  /** Lines that can be run as they are, except for their slugs. */
  examples: readonly string[]
  args: F
  /** `none` if it uses no credential. */
  credential?: 'none'
  /** Whether more arguments may follow the named ones. */
  rest?: 'any'
  run(run: Run<F>): Promise<void>
}

/** A command with what citty has no field for. */
export interface Command extends CommandDef {
  examples: readonly string[]
  flags: Flags
  rest: 'any' | 'none'
}

/** Defines a command with strictly checked and typed flags, and a client. */
export function command<const F extends Flags>(declared: Declared<F>): Command {
  const { name, summary, examples, args, rest = 'none', run } = declared
  const flags = { ...args, ...COMMON }
  const citty = defineCommand({
    meta: { name, description: summary },
    args: flags,
    async run({ args, rawArgs }) {
      const { positionals, lists } = read(rawArgs, flags)
      const named = Object.values(flags).filter(({ type }) => type === 'positional').length
      const server = serverFor(args.server as string | undefined)
      // A command about credentials works whatever the saved one is worth.
      const key = declared.credential === 'none' ? undefined : await credentialFor(server)
      const client = createClient({ server, key, label: `cli/${about.version}`, source: 'cli' })
      await run({ args: args as unknown as Run<F>['args'], more: positionals.slice(named), lists, server, client })
    },
  })
  return { ...(citty as CommandDef), examples, flags, rest }
}

/**
 * Parses arguments strictly, because citty ignores unknown flags.
 * @throws UsageError.
 */
export function read(rawArgs: string[], flags: Flags, rest: Command['rest'] = 'any') {
  const named = Object.entries(flags).filter(([, { type }]) => type !== 'positional')
  const options = named.map(([name, { type, ...flag }]) => {
    const short = 'alias' in flag ? [flag.alias ?? []].flat().find((text) => text.length === 1) : undefined
    const kind = type === 'boolean' ? ('boolean' as const) : ('string' as const)
    return [name, { type: kind, multiple: true as const, ...(short === undefined ? {} : { short }) }] as const
  })
  const { values, positionals } = strictly(rawArgs, Object.fromEntries(options))
  const lists: Record<string, string[]> = {}
  for (const [name, { multiple }] of named) {
    const given = (values[name] ?? []) as string[]
    if (multiple === undefined && given.length > 1)
      throw new UsageError(`--${name} is given ${given.length} times: give it once`)
    lists[name] = given
  }
  const places = Object.keys(flags).length - named.length
  const surplus = positionals[places]
  if (rest === 'none' && surplus !== undefined) throw new UsageError(`unexpected argument "${surplus}"`)
  return { positionals, lists }
}

function strictly(args: string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options']) {
  try {
    return parseArgs({ args, options: options ?? {}, strict: true, allowPositionals: true })
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

/** The slug in an argument, which may be a link. @throws UsageError for a link to another service. */
export function slugIn(text: string, server: string): string {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return text
  const { origin, pathname } = new URL(text)
  if (origin !== new URL(server).origin) {
    throw new UsageError(`this link leads to ${origin}, not to ${server}: add --server ${origin}`)
  }
  return /^\/l\/([^/]+)$/.exec(pathname)?.[1] ?? text
}
