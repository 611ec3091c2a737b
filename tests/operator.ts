import { fileURLToPath } from 'node:url'
import { command, type Runtime, type Server } from './server.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs an operator command and returns what it prints with `--json`, or `{ error }`. In its own process, because two copies of SQLite
 * that open the same database file must not share one.
 */
export async function runOperator<T>(
  { database, token = '' }: { database: string; token?: Server['token'] },
  args: string[],
  { env = {}, runtime = 'bun' }: { env?: Record<string, string>; runtime?: Runtime } = {},
): Promise<T> {
  const url = database.startsWith('http:') ? database : `file:${database}`
  const child = Bun.spawn([...command(runtime), 'src/main.ts', ...args, '--json'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: url, DATABASE_AUTH_TOKEN: token, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [text, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return ((await child.exited) === 0 ? JSON.parse(text) : { error: error.trim() }) as T
}
