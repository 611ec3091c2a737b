import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { command } from './command.ts'
import { EXIT } from './exit.ts'

/** The service itself, where this command stands beside it; the package from the registry has no server. */
const SERVICE = fileURLToPath(new URL('../main.ts', import.meta.url))

export const admin = command({
  name: 'admin',
  summary: 'Run the service: reports, blocks, plans, backups; on its own machine, with its settings',
  examples: [
    'openall admin reports',
    'openall admin block 4k2mz7qy9p "phishing"',
    'openall admin block-host evil.example',
    'openall admin plan ada@example.com pro',
    'openall admin backup openall-backup.db',
  ],
  args: {},
  rest: 'any',
  async run({ more }) {
    if (!existsSync(SERVICE)) {
      throw new Error(
        'admin works where the service is installed: run it in its folder, or give its executable these words',
      )
    }
    process.exitCode = await serviceWith(more.length === 0 ? ['help'] : more)
  },
})

/** Hands the words to the service's own command, which works on the store that its settings name. @returns its exit code. */
function serviceWith(words: string[]): Promise<number> {
  // Deno needs its subcommand and permissions before the script; Bun and Node take it as it is.
  const runtime = 'deno' in process.versions ? ['run', '-A'] : []
  const child = spawn(process.execPath, [...runtime, SERVICE, ...words], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? EXIT.failure))
  })
}
