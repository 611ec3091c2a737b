import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ResultSet } from '@libsql/client'
import pLimit from 'p-limit'
import { type FileConnection, isRead, openFileConnection, retryWhileBusy } from '../db/file.ts'
import { session, user } from '../db/schema.ts'
import { randomBase62 } from '../src/core/secrets.ts'
import { withDevice } from '../src/identity/devices.ts'
import type { PasswordCost } from '../src/identity/passwords.ts'
import { SESSION_SECONDS, sessionCookie } from '../src/identity/sessions.ts'
import type { startService } from '../src/runtime/service.ts'
import { type Arrived, type Server, TEST_ENV } from './server.ts'

// better-auth relaxes checks under NODE_ENV=test, but tests should see what is shipped.
delete process.env.NODE_ENV

/** Makes a password hash almost free; the shipped cost is a sixth of a second of a core. */
const FAST_PASSWORDS: PasswordCost = { N: 16, r: 1, p: 1 }
/** A fifth of the shipped cost: long enough for other requests to arrive while a password is hashed. */
export const SLOW_PASSWORDS: PasswordCost = { N: 2 ** 14, r: 8, p: 1 }

/** A service in the tests' process. */
export interface InProcess extends Server {
  /** Sends a request without a connection, for tests with very many. */
  ask(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response>
}

/**
 * Starts the whole service in the tests' process, with a file: faster, because only a listener has to be started. It
 * cannot be killed; tests that need that start a process (server.ts).
 */
export async function startInProcess(
  env: Record<string, string> = {},
  passwordCost = FAST_PASSWORDS,
  /** What people reach it through, if not itself: given its port, makes that, and says at which origin it is. */
  front?: (port: number) => Promise<{ origin: string; stop(): void }>,
): Promise<InProcess> {
  const [{ createApp }, { readConfig }, { openLog }, { startService }] = await Promise.all([
    import('../src/runtime/app.ts'),
    import('../src/config/config.ts'),
    import('../src/runtime/log.ts'),
    import('../src/runtime/service.ts'),
  ])
  const file = join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
  copyFileSync(await (migrated ??= migrateOnce()), file)
  let output = ''
  // The listener comes first, because the service needs to know its own address.
  let handle: ReturnType<typeof createApp> | undefined
  const listener = Bun.serve({
    port: Number(env.PORT ?? 0),
    hostname: 'localhost',
    idleTimeout: 30,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, bun) => handle!(request, () => bun.requestIP(request)?.address ?? ''),
  })
  const proxy = await front?.(listener.port ?? 0)
  const base: Record<string, string> = proxy === undefined ? {} : { SERVICE_BASE_URL: proxy.origin }
  const config = readConfig({ ...TEST_ENV, PORT: String(listener.port), DATABASE_URL: `file:${file}`, ...base, ...env })
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
  const tests = openSql(file)
  const authority = `localhost:${listener.port}`
  const origin = `http://${authority}`
  return {
    origin: proxy?.origin ?? origin,
    ask: async (path, init) =>
      handle(
        new Request(`${origin}${path}`, { ...init, headers: { ...init.headers, host: authority } }),
        () => '127.0.0.1',
      ),
    database: file,
    token: undefined,
    sql: tests.sql,
    arrive: (email) => arriveByRows(service, email),
    files: () => ['', '-wal'].map((end) => file + end).filter((path) => existsSync(path)),
    output: () => output,
    pid: () => process.pid,
    peakMemory: () => process.memoryUsage.rss() / 1024 / 1024,
    async stop() {
      service.announceStop()
      proxy?.stop()
      await listener.stop(true)
      await service.stop()
      tests.close()
      rmSync(dirname(file), { recursive: true, force: true })
      return 0
    },
    kill: unsupported,
    restart: unsupported,
  }
}

/** The rows and cookies that a mailed link leaves of somebody new; `unit/people.test.ts` compares them with the real ones. */
async function arriveByRows(
  { store, config }: Pick<Awaited<ReturnType<typeof startService>>, 'store' | 'config'>,
  email: string,
): Promise<Arrived> {
  const { db, write } = store
  const [userId, id, token] = [randomBase62(32), randomBase62(32), randomBase62(32)]
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + SESSION_SECONDS * 1000)]
  const times = { createdAt, updatedAt: createdAt }
  await write([
    db.insert(user).values({ id: userId, name: '', email, emailVerified: true, ...times }),
    db.insert(session).values({
      ...{ id, token, userId, expiresAt, ipAddress: '', userAgent: `Bun/${Bun.version}` },
      ...times,
    }),
  ])
  const cookies = [sessionCookie(token, config), withDevice(new Headers(), email, true, config)]
  return { userId, cookies: cookies.map(({ name, value }) => [name, value]) }
}

/** A file with the tables and nothing else, made once: each service begins with a copy, since to migrate takes longer. */
let migrated: Promise<string> | undefined

async function migrateOnce(): Promise<string> {
  const { openStore } = await import('../db/client.ts')
  const folder = mkdtempSync(join(tmpdir(), 'openall-migrated-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'empty.db')
  await (await openStore({ url: `file:${file}` })).close()
  return file
}

/** Runs SQL on a file, as `Server.sql` does. */
interface Sql {
  readonly sql: Server['sql']
  close(): void
}

/**
 * Runs the tests' SQL through the service's own library: two copies of SQLite in one process would release each other's
 * locks. Takes the write lock by itself first, without blocking the event loop, which the service needs to release it: a
 * statement that failed because the file was busy stays open, and whatever its connection writes afterwards is lost. One
 * call after another on one connection: a new one reads the whole schema before its first statement.
 */
export function openSql(file: string): Sql {
  let connection: FileConnection | undefined
  const close = () => {
    connection?.close()
    connection = undefined
  }
  const inTurn = pLimit(1)
  return {
    close,
    sql: (query, args = []) =>
      inTurn(async () => {
        connection ??= openForSql(file)
        try {
          await retryWhileBusy(async () => connection?.execNow(isRead(query) ? 'BEGIN' : 'BEGIN IMMEDIATE'))
          const [done] = await connection.batch([{ sql: query, args: args as never[] }])
          connection.execNow('COMMIT')
          const { columns, rows } = done as ResultSet
          return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))
        } catch (error) {
          // What failed may stay open, and the driver keeps a closed connection, and its lock, as long as that exists.
          if (connection.isInTransaction) connection.execNow('ROLLBACK')
          close()
          throw error
        }
      }),
  }
}

function openForSql(file: string): FileConnection {
  const connection = openFileConnection(file)
  connection.execNow('PRAGMA foreign_keys = ON')
  return connection
}
