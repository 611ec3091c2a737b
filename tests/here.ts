import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@libsql/client'
import type { PasswordCost } from '../src/identity/passwords.ts'
import { type Server, TEST_ENV } from './server.ts'

// better-auth forgives much where it finds itself tested; what is tested is what is shipped.
delete process.env.NODE_ENV

const MOST_TRIES = 200

/** What a password hash costs here: next to nothing. As it is shipped, it takes a sixth of a second of a core. */
const QUICK: PasswordCost = { N: 16, r: 1, p: 1 }
/** A fifth of what is shipped: others come in while a password is hashed. */
export const SLOW_PASSWORDS: PasswordCost = { N: 2 ** 14, r: 8, p: 1 }

/**
 * The whole service inside the tests' own process, over a file: nothing to start but a listener, nothing to load
 * twice. It cannot be killed; what needs that starts a process (server.ts).
 */
export async function startHere(env: Record<string, string> = {}, passwordCost = QUICK): Promise<Server> {
  const [{ createApp }, { readConfig }, { openLog }, { startService }] = await Promise.all([
    import('../src/app.ts'),
    import('../src/config.ts'),
    import('../src/log.ts'),
    import('../src/service.ts'),
  ])
  const file = join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
  let output = ''
  // The port is known before the service that answers there, which wants to know its own address.
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
  const cannot = async () => {
    throw new Error('a service inside the tests cannot be killed: use onEveryProcess')
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
    kill: cannot,
    restart: cannot,
  }
}

/**
 * The tests' own SQL, through the library that the service uses: two copies of SQLite in one process would end each
 * other's locks. A busy file is waited for without holding the event loop, for it is the service that has it.
 */
function sqlOf(file: string): Server['sql'] {
  return async (query, args = []) => {
    const client = createClient({ url: `file:${file}` })
    try {
      await client.execute('PRAGMA foreign_keys = ON')
      for (let tries = 1; ; tries += 1) {
        const done = await client.execute({ sql: query, args: args as never[] }).catch((error: Error) => {
          if (tries === MOST_TRIES || !error.message.includes('SQLITE_BUSY')) throw error
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
