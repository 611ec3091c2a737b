import { type Client, createClient } from '../sdk/openall.ts'
import { type Command, command, type Flag } from './command.ts'
import { credentialFor } from './credentials.ts'
import { UsageError } from './exit.ts'
import { oneLine, print } from './output.ts'
import { serverFor } from './settings.ts'

/** Commands and groups of commands, by name. */
export type Tree = { readonly [name: string]: Command | Tree }

/** Each script calls `openall complete`, so that completions are never out of date. */
const SCRIPTS: Record<string, string> = {
  bash: `_openall() {
  local word IFS=$'\\n'
  COMPREPLY=()
  while read -r word; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <(openall complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ "\${COMPREPLY[0]}" != *= ]] || compopt -o nospace 2>/dev/null
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _openall openall`,
  zsh: `#compdef openall
_openall() {
  local -a found open whole
  found=(\${(f)"$(openall complete -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)"})
  (( \${#found} )) || { _files; return }
  open=(\${(M)found:#*=})
  whole=(\${found:#*=})
  compadd -S '' -a open
  compadd -a whole
}
compdef _openall openall`,
  fish: `complete -c openall -a '(openall complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
}

export const completion = command({
  summary: 'Print a script that completes commands and flags in your shell',
  examples: ['source <(openall completion bash)', 'openall completion fish > ~/.config/fish/completions/openall.fish'],
  args: { shell: { type: 'positional', description: Object.keys(SCRIPTS).join(', ') } },
  async run({ args }) {
    const script = SCRIPTS[args.shell]
    if (script === undefined) throw new UsageError(`the shell must be one of ${Object.keys(SCRIPTS).join(', ')}`)
    print(script)
  },
})

/** Prints the completions of the last of `words`, one per line. */
export async function complete(typed: readonly string[], tree: Tree): Promise<void> {
  const words = joined(typed)
  let at: Command | Tree = tree
  let depth = 0
  for (const word of words.slice(0, -1)) {
    const next: Command | Tree | undefined = isCommand(at) ? undefined : at[word]
    if (next === undefined) break
    at = next
    depth += 1
  }
  const last = words.at(-1) ?? ''
  const names = isCommand(at) ? await wordsOf(at, words.slice(depth)) : Object.keys(at)
  // A shell that splits the word completes only the part after the `=`.
  const from = words.length < typed.length && last.includes('=') ? last.indexOf('=') + 1 : 0
  for (const name of names) if (name.startsWith(last)) print(oneLine(name.slice(from)))
}

/** The words as typed: bash splits `region=eu` into three. */
function joined(words: readonly string[]): string[] {
  const whole: string[] = []
  for (const [index, word] of words.entries()) {
    const isPart = whole.length > 0 && (word === '=' || words[index - 1] === '=')
    if (isPart) whole.push(whole.pop() + word)
    else whole.push(word)
  }
  return whole
}

async function wordsOf({ flags, completeRest }: Command, words: readonly string[]): Promise<string[]> {
  const [before = '', last = ''] = [words.at(-2), words.at(-1)]
  const flag = flags[before.replace(/^--/, '')]
  if (before.startsWith('--') && flag !== undefined && flag.type !== 'boolean') return valuesOf(flag)
  if (last.startsWith('-')) {
    const named = Object.entries(flags).filter(([, { type }]) => type !== 'positional')
    return [...named.map(([name]) => `--${name}`), '--help']
  }
  if (flags.slug?.type !== 'positional') return []
  const [slug] = words.slice(0, -1).filter((word) => !word.startsWith('-'))
  if (slug === undefined) return atOnce(newestSlugs)
  return completeRest === undefined
    ? []
    : atOnce((client, server) => completeRest({ slug, typed: last ?? '', server, client }))
}

/** The values that a flag accepts, if there are few. */
function valuesOf(flag: Flag): string[] {
  return flag.type === 'enum' ? [...flag.options] : []
}

/** The server's answer; empty if it does not answer at once. */
async function atOnce(read: (client: Client, server: string) => Promise<string[]>): Promise<string[]> {
  try {
    const server = serverFor(undefined)
    const key = await credentialFor(server)
    return await read(createClient({ server, key, timeoutMs: 1500, retries: 0 }), server)
  } catch {
    return []
  }
}

/** Slugs of the caller's newest bundles. */
async function newestSlugs(client: Client): Promise<string[]> {
  const { bundles } = await client.listBundles({ limit: 100 })
  return bundles.map(({ slug }) => slug)
}

/** Whether a node of the tree is a command, not a group. */
export function isCommand(at: Command | Tree): at is Command {
  return Array.isArray((at as Partial<Command>).examples)
}
