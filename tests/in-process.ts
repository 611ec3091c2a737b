import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@libsql/client'
import type { PasswordCost } from '../src/identity/passwords.ts'
import { type Server, TEST_ENV } from './server.ts'

// better-auth relaxes checks under NODE_ENV=test, but tests should see what is shipped.
delete process.env.NODE_ENV

const MAX_TRIES = 200

/** Makes a password hash almost free; the shipped cost is a sixth of a second of a core. */
const FAST_PASSWORDS: PasswordCost = { N: 16, r: 1, p: 1 }
/** A fifth of the shipped cost: long enough for other requests to arrive while a password is hashed. */
export const SLOW_PASSWORDS: PasswordCost = { N: 2 ** 14, r: 8, p: 1 }

/**
 * Starts the whole service in the tests' process, with a file: faster, because only a listener has to be started. It
 * cannot be killed; tests that need that start a process (server.ts).
 */
export async function startInProcess(env: Record<string, string> = {}, passwordCost = FAST_PASSWORDS): Promise<Server> {
  const [{ createApp }, { readConfig }, { openLog }, { startService }] = await Promise.all([
    import('../src/app.ts'),
    import('../src/config.ts'),
    import('../src/log.ts'),
    import('../src/service.ts'),
  ])
  const file = join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
  let output = ''
  // The listener comes first, because the service needs to know its own address.
  let handle: ReturnType<typeof createApp> | undefined
  const listener = Bun.serve({
    port: 0,
    hostname: 'localhost',
    idleTimeout: 30,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, bun) => handle!(request, () => bun.requestIP(request)?.address ?? ''),
  })
  const config = readConfig({ ...TEST_ENV, PORT: String(listener.port), DATABASE_URL: `file:${file}`, ...env })
  const service = await startService(
    config,
    openLog(config.logLevel, {
      write(line) {
        output += line
      },
    }),
    passwordCost,
  )
  handle = createApp(service)
  const unsupported = async () => {
    throw new Error('a service in the tests’ process cannot be killed: use onEveryProcess')
  }
  return {
    origin: `http://localhost:${listener.port}`,
    database: file,
    token: undefined,
    sql: sqlOf(file),
    files: () => ['', '-wal'].map((end) => file + end).filter((path) => existsSync(path)),
    output: () => output,
    peakMemory: () => process.memoryUsage.rss() / 1024 / 1024,
    async stop() {
      service.announceStop()
      await listener.stop(true)
      await service.stop()
      rmSync(dirname(file), { recursive: true, force: true })
      return 0
    },
    kill: unsupported,
    restart: unsupported,
  }
}

/**
 * Runs the tests' SQL through the service's own library: two copies of SQLite in one process would release each other's
 * locks. Waits for a busy file without blocking the event loop, which the service needs to release it.
 */
function sqlOf(file: string): Server['sql'] {
  return async (query, args = []) => {
    const client = createClient({ url: `file:${file}` })
    try {
      await client.execute('PRAGMA foreign_keys = ON')
      for (let tries = 1; ; tries += 1) {
        const done = await client.execute({ sql: query, args: args as never[] }).catch((error: Error) => {
          if (tries === MAX_TRIES || !error.message.includes('SQLITE_BUSY')) throw error
        })
        if (done !== undefined)
          return done.rows.map((row) => Object.fromEntries(done.columns.map((column, at) => [column, row[at]])))
        await Bun.sleep(25)
      }
    } finally {
      client.close()
    }
  }
}
