import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, renderUsage, runCommand } from 'citty'
import about from '../../package.json' with { type: 'json' }
import { OpenallError } from '../sdk/openall.ts'
import { login, logout, whoami } from './account.ts'
import { admin } from './admin.ts'
import { claim, list, remove, restore, show } from './bundles.ts'
import { call } from './call.ts'
import { type Command, read } from './command.ts'
import { complete, completion, isCommand, type Tree } from './completion.ts'
import { create } from './create.ts'
import { duplicate } from './duplicate.ts'
import { edit } from './edit.ts'
import { EXIT, exitCodeOf, isUsage, UsageError } from './exit.ts'
import { importFile } from './import.ts'
import { insights } from './insights.ts'
import { keys } from './keys.ts'
import { mcp } from './mcp.ts'
import { open } from './open.ts'
import { note, oneLine, plain, print } from './output.ts'
import { policy } from './policy.ts'
import { proposals, propose } from './proposals.ts'
import { chosenServer } from './settings.ts'
import { diff, versions } from './versions.ts'

const COMMANDS: Tree = {
  login,
  logout,
  whoami,
  create,
  import: importFile,
  list,
  show,
  edit,
  propose,
  proposals,
  duplicate,
  delete: remove,
  restore,
  versions,
  diff,
  insights,
  policy,
  claim,
  open,
  keys,
  call,
  mcp,
  admin,
  completion,
}

/** Descriptions of groups of commands. */
const GROUPS: Record<string, string> = {
  keys: 'List, create and revoke API keys',
  policy: 'Test rules',
  proposals: 'List, show and decide proposed edits',
}

const EXIT_CODES = `Exit codes: 0 done, 1 failure, 2 wrong usage or input, 3 no key or not allowed, 4 not found,
5 conflict with another edit, 6 limit reached, or no browser here to open tabs in.`

const NO_SERVER =
  'No server is set, so this tried your own machine. To set one: openall login --server https://…, or OPENALL_URL=https://…'

async function main(argv: string[]): Promise<void> {
  if (argv[0] === 'complete') return complete(argv.slice(2), COMMANDS)
  if (argv.length === 1 && /^(-v|--version)$/.test(argv[0] ?? '')) return print(about.version)
  const { path, at, rest } = find(argv)
  if (rest.some((word) => word === '-h' || word === '--help') || (argv.length === 0 && !isCommand(at))) {
    return help(path, at)
  }
  if (!isCommand(at)) throw unknown(path, at, rest[0])
  read(rest, at.flags, at.rest)
  await runCommand(at, { rawArgs: rest })
}

interface Found {
  path: string[]
  at: Command | Tree
  rest: string[]
}

function find(argv: string[]): Found {
  let at: Command | Tree = COMMANDS
  const path: string[] = []
  while (!isCommand(at)) {
    const word = argv[path.length] ?? ''
    if (!Object.hasOwn(at, word)) break
    at = at[word]!
    path.push(word)
  }
  return { path, at, rest: argv.slice(path.length) }
}

function unknown(path: string[], at: Tree, word: string | undefined): UsageError {
  const names = Object.keys(at).join(', ')
  if (word === undefined) return new UsageError(`${path.join(' ')} needs one of: ${names}`)
  if (word.startsWith('-')) return new UsageError(`${word} must come after the command: openall list ${word}`)
  return new UsageError(`there is no command ${[...path, word].join(' ')}: it must be one of ${names}`)
}

async function help(path: string[], at: Command | Tree): Promise<void> {
  const name = ['openall', ...path.slice(0, -1)].join(' ')
  if (isCommand(at)) {
    print(await usage(at, { meta: { name } }))
    print('\nEXAMPLES\n')
    for (const example of at.examples) print(`  ${example}`)
    return
  }
  const subCommands = Object.fromEntries(
    Object.entries(at).map(([name, inner]) => [
      name,
      isCommand(inner) ? inner : { meta: { description: GROUPS[name] ?? '' } },
    ]),
  ) as Record<string, CommandDef>
  const description = GROUPS[path.at(-1) ?? ''] ?? about.description
  print(
    await usage(
      { meta: { name: path.at(-1) ?? 'openall', description }, subCommands },
      path.length === 0 ? undefined : { meta: { name } },
    ),
  )
  if (path.length > 0) return
  print('\nSTART\n')
  print('  openall create https://example.com/plan https://example.com/status   # needs no account')
  print('  openall login --server https://openall.example                       # signs in with your browser')
  print(`\n${EXIT_CODES}`)
}

/** citty's own text, without the colours that it also writes to pipes. */
async function usage(command: CommandDef, parent?: CommandDef): Promise<string> {
  const text = await renderUsage(command, parent)
  return process.stdout.isTTY && !process.env.NO_COLOR ? text : stripVTControlCharacters(text)
}

function fail(error: unknown, argv: string[]): void {
  const isJson = argv.includes('--json')
  const message = error instanceof Error ? error.message : String(error)
  if (isJson && error instanceof OpenallError) note(JSON.stringify(error))
  else note(`openall: ${plain(stripVTControlCharacters(message))}`)
  if (error instanceof OpenallError && !isJson) {
    for (const { message } of error.errors.slice(1)) note(`  ${oneLine(stripVTControlCharacters(message))}`)
  }
  if (isUsage(error) && !isJson) note(`See: openall ${[...find(argv).path, '--help'].join(' ')}`)
  if (error instanceof OpenallError && !isJson) {
    if (error.code === 'UNAUTHORIZED') note('To sign in: openall login')
    const hasFlag = argv.some((word) => /^--server(=|$)/.test(word))
    if (!error.status && !hasFlag && chosenServer(undefined) === undefined) note(NO_SERVER)
  }
  process.exitCode = exitCodeOf(error)
}

// The reader of the output may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failure)
})

const argv = process.argv.slice(2)
await main(argv).catch((error) => fail(error, argv))
