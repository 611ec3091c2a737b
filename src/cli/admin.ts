import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { command } from './command.ts'
import { EXIT } from './exit.ts'

/** The server of this checkout; the npm package has none. */
const SERVICE = fileURLToPath(new URL('../main.ts', import.meta.url))

export const admin = command({
  summary: 'Administer the service on its own machine: reports, blocks, plans, backups',
  examples: [
    'openall admin reports',
    'openall admin block 4k2mz7qy9p "phishing"',
    'openall admin block-host evil.example',
    'openall admin plan ada@example.com pro',
    'openall admin backup openall-backup.db',
  ],
  args: {
    email: { valueHint: 'address', description: 'Of create-key: whose key it is' },
    scopes: { valueHint: 'scope,scope', description: 'For create-key: its scopes' },
    name: { valueHint: 'name', description: 'Of create-key: its name' },
  },
  rest: 'any',
  async run({ args: { email, scopes, name, json }, more }) {
    if (!existsSync(SERVICE)) {
      throw new Error(
        'admin only works where the service is installed: run it in its folder, or pass these arguments to its executable',
      )
    }
    const given = Object.entries({ email, scopes, name }).flatMap(([flag, value]) =>
      value ? [`--${flag}`, value] : [],
    )
    process.exitCode = await runServer(more.length === 0 ? ['help'] : [...more, ...given, ...(json ? ['--json'] : [])])
  },
})

/** Runs the server's own command on the store in its settings. @returns its exit code. */
function runServer(words: string[]): Promise<number> {
  // Deno needs a subcommand and permissions; Bun and Node do not.
  const runtime = 'deno' in process.versions ? ['run', '-A'] : []
  const child = spawn(process.execPath, [...runtime, SERVICE, ...words], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? EXIT.failure))
  })
}
