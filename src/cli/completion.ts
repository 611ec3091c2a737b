import type { Command } from './command.ts'
import { command } from './command.ts'
import { UsageError } from './exit.ts'
import { print } from './output.ts'

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
export function complete(words: readonly string[], tree: Tree): void {
  let at: Command | Tree = tree
  for (const word of words.slice(0, -1)) {
    const next: Command | Tree | undefined = isCommand(at) ? undefined : at[word]
    if (next === undefined) break
    at = next
  }
  const last = words.at(-1) ?? ''
  for (const name of namesAt(at, last)) if (name.startsWith(last)) print(name)
}

function namesAt(at: Command | Tree, last: string): string[] {
  if (!isCommand(at)) return Object.keys(at)
  if (!last.startsWith('-')) return []
  const flags = Object.entries(at.flags).filter(([, { type }]) => type !== 'positional')
  return [...flags.map(([name]) => `--${name}`), '--help']
}

/** Whether a node of the tree is a command, not a group. */
export function isCommand(at: Command | Tree): at is Command {
  return Array.isArray((at as Partial<Command>).examples)
}
