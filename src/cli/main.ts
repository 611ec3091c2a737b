import { stripVTControlCharacters } from 'node:util'
import about from '../../package.json' with { type: 'json' }
import { isNear } from '../core/distance.ts'
import { OpenallError } from '../sdk/openall.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'
import { complete, isCommand, type Tree } from './completion.ts'
import { EXIT, exitCodeOf, UsageError } from './exit.ts'
import { help } from './help.ts'
import { note, oneLine, plain, print } from './output.ts'
import { chosenServer } from './settings.ts'

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
  await at.run(rest)
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
  const near = Object.keys(at).find((name) => isNear(word, name))
  const advice = near === undefined ? `it must be one of ${names}` : `did you mean ${[...path, near].join(' ')}?`
  return new UsageError(`there is no command ${[...path, word].join(' ')}: ${advice}`)
}

function fail(error: unknown, argv: string[]): void {
  const isJson = argv.includes('--json')
  const message = error instanceof Error ? error.message : String(error)
  if (isJson && error instanceof OpenallError) note(JSON.stringify(error))
  else note(`openall: ${plain(stripVTControlCharacters(message))}`)
  if (error instanceof UsageError && !isJson) note(`See: openall ${[...find(argv).path, '--help'].join(' ')}`)
  if (error instanceof OpenallError && !isJson) {
    for (const { message } of error.errors.slice(1)) note(`  ${oneLine(stripVTControlCharacters(message))}`)
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
