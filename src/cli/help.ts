import about from '../../package.json' with { type: 'json' }
import type { Command, Flag } from './command.ts'
import { isCommand, type Tree } from './completion.ts'
import { print, styled } from './output.ts'

/** The subjects of groups of commands. */
const GROUPS: Record<string, string> = {
  keys: 'API keys',
  policy: 'Rules',
  proposals: 'Suggestions',
  webhooks: 'Webhooks',
}

/** The subject of a group, with its commands. */
const summaryOf = (group: string, at: Tree) => `${GROUPS[group]}: ${Object.keys(at).join(', ')}`

const EXIT_CODES = `Exit codes: 0 done, 1 failure, 2 wrong usage or input, 3 no key or not allowed, 4 not found,
5 conflict with another edit, 6 limit reached, or no browser here to open tabs in.`

/**
 * Prints the help for a command, or for a group of commands.
 * @param path the words that name it.
 */
export function help(path: readonly string[], at: Command | Tree): void {
  const name = ['openall', ...path].join(' ')
  if (isCommand(at)) helpOf(name, at)
  else helpOfGroup(path, name, at)
}

function helpOfGroup(path: readonly string[], name: string, at: Tree): void {
  print(`${path.length === 0 ? about.description : summaryOf(path.at(-1) ?? '', at)} (${name})\n`)
  section('USAGE', [`${name} ${Object.keys(at).join('|')}`])
  const rows = Object.entries(at).map(([word, inner]) => [
    word,
    isCommand(inner) ? inner.summary : summaryOf(word, inner),
  ])
  section('COMMANDS', columns(rows))
  print(`Use ${name} <command> --help for more about a command.`)
  if (path.length > 0) return
  print()
  section('START', [
    'openall create https://example.com/plan https://example.com/status   # needs no account',
    'openall login --server https://openall.example                       # signs in with your browser',
  ])
  print(EXIT_CODES)
}

function helpOf(name: string, { summary, flags, examples }: Command): void {
  const all = Object.entries(flags)
  const places = all.filter(([, { type }]) => type === 'positional')
  const words = places.map(([word, flag]) => ('optional' in flag ? `[${word}]` : `<${word}>`))
  print(`${summary} (${name})\n`)
  section('USAGE', [[name, ...words, '[options]'].join(' ')])
  if (places.length > 0) section('ARGUMENTS', columns(places.map(([word, { description }]) => [word, description])))
  const options = all.filter(([, { type }]) => type !== 'positional')
  section('OPTIONS', columns(options.map(([word, flag]) => [written(word, flag), flag.description])))
  section('EXAMPLES', examples)
}

/** A flag in the form in which it is typed. */
function written(name: string, flag: Flag): string {
  const short = 'alias' in flag && flag.alias !== undefined ? `-${flag.alias}, ` : ''
  if (flag.type === 'enum') return `--${name}=<${flag.options.join('|')}>`
  if (flag.type === 'boolean' || flag.type === 'positional') return `${short}--${name}`
  return `${short}--${name}=<${flag.valueHint ?? (flag.number ? 'number' : name)}>`
}

function section(title: string, lines: readonly string[]): void {
  print(`${styled(['bold', 'underline'], title)}\n`)
  for (const line of lines) print(`  ${line}`)
  print()
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([first = '']) => first.length))
  return rows.map(
    ([first = '', second = '']) => `${styled('cyan', first)}${' '.repeat(width - first.length)}  ${second}`,
  )
}
