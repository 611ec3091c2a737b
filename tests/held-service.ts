import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { sql } from 'drizzle-orm'
import { readConfig } from '../src/config/config.ts'
import { createApp } from '../src/runtime/app.ts'
import { openLog } from '../src/runtime/log.ts'
import { startService } from '../src/runtime/service.ts'
import { longestPiece } from './longest-piece.ts'

// What programs share that contract/held.test.ts runs, each in its own process: a service without limits of writes, a person
// who has signed up, and measuring.

const file = join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
const config = readConfig({
  DATABASE_URL: `file:${file}`,
  LOG_LEVEL: 'silent',
  SERVICE_WRITES_PER_MINUTE: '0',
  SERVICE_WRITES_PER_HOUR: '0',
})
const service = await startService(config, openLog(config.logLevel), { N: 16, r: 1, p: 1 })
const handle = createApp(service)
export const run = (query: string) => service.store.write([sql.raw(query)])

const cookies: string[] = []

export async function send(
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Response> {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { host: config.authority, origin: config.origin, 'accept-encoding': 'br', ...json, ...more }
  const isWritten = typeof body === 'string' || body instanceof Uint8Array
  const text = isWritten ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body)
  const init = body === undefined ? { method, headers } : { method, headers, body: text }
  return handle(new Request(`${config.origin}${path}`, init), () => '127.0.0.1')
}

/** The same by the person. */
export const sendAs = (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
  send(method, path, body, { cookie: cookies.join('; '), ...more })

export async function must<T>(path: string, body: unknown): Promise<T> {
  const answer = await sendAs('POST', path, body)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  cookies.push(...answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? ''))
  return (await answer.json()) as T
}

await must('/api/auth/sign-up/email', { email: 'ann@people.example', password: 'correct horse battery', name: 'Ann' })
await run('UPDATE user SET email_verified = 1')
const { rawKey } = await must<{ rawKey: string }>('/api/me/keys', {
  name: 'all',
  scopes: ['keys:admin'],
  rateLimitPerHour: 0,
})

/** A call by the person’s agent. */
export const agent = (method: string, params: unknown) => () => {
  const headers = { authorization: `Bearer ${rawKey}`, accept: 'application/json, text/event-stream' }
  return send('POST', '/api/mcp', { jsonrpc: '2.0', id: 1, method, params }, headers)
}

/** Reads an answer to its end. */
async function readAll(read: () => Promise<Response>, isExpected: (status: number) => boolean): Promise<void> {
  const answer = await read()
  if (!isExpected(answer.status)) throw new Error(`${answer.status} ${await answer.text()}`)
  const parts = answer.body?.getReader()
  // A connection takes each part in a round of its own.
  while (parts && !(await parts.read()).done) await new Promise((resolve) => setImmediate(resolve))
}

/** Prints the longest piece of each request on the event loop’s thread, in ms of processor time, and ends the process. */
export async function printPieces(
  requests: Record<string, () => Promise<Response>>,
  isExpected: (status: number) => boolean,
): Promise<never> {
  const pieces: Record<string, number> = {}
  for (const [name, request] of Object.entries(requests)) {
    // The first may compile code, and any may collect garbage.
    const piece = () => longestPiece(() => readAll(request, isExpected))
    const rounds = [await piece(), await piece(), await piece()]
    pieces[name] = Math.round(Math.min(...rounds))
  }
  console.log(JSON.stringify(pieces))
  await service.stop()
  rmSync(dirname(file), { recursive: true })
  process.exit(0)
}
