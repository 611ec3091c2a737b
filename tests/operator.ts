import { fileURLToPath } from 'node:url'
import { command, type Runtime, type Server } from './server.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Says something to the service as its operator does, and gives what is printed, or `{ error }`. In a process of its own:
 * what opens a database file must not share a process with another library that does.
 */
export async function operateOn<T>(
  { database, token = '' }: { database: string; token?: Server['token'] },
  words: string[],
  { env = {}, runtime = 'bun' }: { env?: Record<string, string>; runtime?: Runtime } = {},
): Promise<T> {
  const url = database.startsWith('http:') ? database : `file:${database}`
  const child = Bun.spawn([...command(runtime), 'src/main.ts', ...words], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: url, DATABASE_AUTH_TOKEN: token, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [text, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return ((await child.exited) === 0 ? JSON.parse(text) : { error: error.trim() }) as T
}
