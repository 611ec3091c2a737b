import { createClient } from '../sdk/openall.ts'
import { type Command, command, type Flag } from './command.ts'
import { credentialFor } from './credentials.ts'
import { UsageError } from './exit.ts'
import { print } from './output.ts'
import { serverFor } from './settings.ts'

/** Commands and groups of commands, by name. */
export type Tree = { readonly [name: string]: Command | Tree }

/** Each script calls `openall complete`, so that completions are never out of date. */
const SCRIPTS: Record<string, string> = {
  bash: `_openall() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(openall complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _openall openall`,
  zsh: `#compdef openall
_openall() {
  local -a found
  found=("\${(@f)$(openall complete -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
  compadd -a found || _files
}
compdef _openall openall`,
  fish: `complete -c openall -a '(openall complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
}

export const completion = command({
  name: 'completion',
  summary: 'Print a script that completes commands and flags in your shell',
  examples: ['source <(openall completion bash)', 'openall completion fish > ~/.config/fish/completions/openall.fish'],
  args: { shell: { type: 'positional', required: true, description: Object.keys(SCRIPTS).join(', ') } },
  async run({ args }) {
    const script = SCRIPTS[args.shell]
    if (script === undefined) throw new UsageError(`the shell must be one of ${Object.keys(SCRIPTS).join(', ')}`)
    print(script)
  },
})

/** Prints the completions of the last of `words`, one per line. */
export async function complete(words: readonly string[], tree: Tree): Promise<void> {
  let at: Command | Tree = tree
  for (const word of words.slice(0, -1)) {
    const next: Command | Tree | undefined = isCommand(at) ? undefined : at[word]
    if (next === undefined) break
    at = next
  }
  const last = words.at(-1) ?? ''
  const names = isCommand(at) ? await wordsOf(at, words) : Object.keys(at)
  for (const name of names) if (name.startsWith(last)) print(name)
}

async function wordsOf({ flags }: Command, words: readonly string[]): Promise<string[]> {
  const [before = '', last = ''] = [words.at(-2), words.at(-1)]
  const flag = flags[before.replace(/^--/, '')]
  if (before.startsWith('--') && flag !== undefined && flag.type !== 'boolean') return valuesOf(flag)
  if (last.startsWith('-')) {
    const named = Object.entries(flags).filter(([, { type }]) => type !== 'positional')
    return [...named.map(([name]) => `--${name}`), '--help']
  }
  return 'slug' in flags && flags.slug?.type === 'positional' ? newestSlugs() : []
}

/** The values that a flag accepts, if they are few. */
function valuesOf(flag: Flag): string[] {
  return flag.type === 'enum' ? [...flag.options] : []
}

/** Slugs of the caller's newest bundles; none if the server does not answer at once. */
async function newestSlugs(): Promise<string[]> {
  try {
    const server = serverFor(undefined)
    const key = await credentialFor(server)
    if (key === undefined) return []
    const { bundles } = await createClient({ server, key, timeoutMs: 1500, retries: 0 }).listBundles({ limit: 100 })
    return bundles.map(({ slug }) => slug)
  } catch {
    return []
  }
}

/** Whether a node of the tree is a command, not a group. */
export function isCommand(at: Command | Tree): at is Command {
  return Array.isArray((at as Partial<Command>).examples)
}
