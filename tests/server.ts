import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@libsql/client'
import { freePort } from './ports.ts'
import { startSqld } from './sqld.ts'

/** The supported runtimes. */
export type Runtime = 'bun' | 'deno'

/** A runtime and a store: a file, or a libSQL server over http or ws. */
export interface Target {
  name: string
  runtime: Runtime
  store: 'file' | 'http' | 'ws'
}

const USUAL: Target = { name: 'Bun over a file', runtime: 'bun', store: 'file' }
const DENO: Target = { name: 'Deno over a file', runtime: 'deno', store: 'file' }
const SQLD: Target = { name: 'Bun over sqld', runtime: 'bun', store: 'http' }
const OTHERS: readonly Target[] = [
  { name: 'Deno over sqld', runtime: 'deno', store: 'http' },
  { name: 'Bun over sqld by ws', runtime: 'bun', store: 'ws' },
  { name: 'Deno over sqld by ws', runtime: 'deno', store: 'ws' },
]

const PARTS = {
  usual: { targets: [USUAL], runtimes: ['bun'], stores: ['file'] },
  rest: { targets: [DENO], runtimes: ['deno'], stores: ['http'] },
  all: { targets: [USUAL, DENO, SQLD], runtimes: ['bun', 'deno'], stores: ['file', 'http'] },
} satisfies Record<
  string,
  { targets: readonly Target[]; runtimes: readonly Runtime[]; stores: readonly Target['store'][] }
>

/** The part of the matrix to declare tests for (tests/README.md); default: Bun with a file. */
export const MATRIX = (process.env.MATRIX ?? 'usual') as keyof typeof PARTS
if (!(MATRIX in PARTS)) throw new Error(`MATRIX must be one of ${Object.keys(PARTS).join(', ')}`)
const part = PARTS[MATRIX]

/** Whether to run all that both other runs leave out (`bun run test:matrix`). */
export const IS_WHOLE_MATRIX = process.env.TARGETS === 'others'
/** The targets to run tests on. */
export const TARGETS: readonly Target[] = IS_WHOLE_MATRIX ? [DENO, SQLD, ...OTHERS] : part.targets
export const RUNTIMES: readonly Runtime[] = part.runtimes
/** The stores of tests that compare stores, on Bun. */
export const STORES: readonly Target['store'][] = part.stores
/** Both runtimes, for tests that need one of each. */
export const BOTH_RUNTIMES: readonly Runtime[] = ['bun', 'deno']

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Settings that lift limits and delays which tests would run into. */
export const TEST_ENV = {
  SERVICE_DRAIN_MS: '0',
  SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000',
  SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '1000000',
  SERVICE_PLAN_FREE_MAX_ORGANIZATIONS: '1000000',
  SERVICE_WRITES_PER_MINUTE: '0',
  SERVICE_WRITES_PER_HOUR: '0',
  SERVICE_READS_PER_MINUTE: '0',
  // Nothing is asked for of the sites in their bundles, save where that is tested.
  SERVICE_ICONS: 'off',
  // Nor is anything drawn that nobody asks for.
  SERVICE_PICTURES_AHEAD: 'off',
}

/** A person as a browser knows itself: an account whose address is confirmed, and the cookies of a session of it. */
export interface Arrived {
  userId: string
  cookies: readonly (readonly [name: string, value: string])[]
}

/** A running service. */
export interface Server {
  origin: string
  /** The database file, or the address of the libSQL server. */
  database: string
  /** The auth token of the libSQL server, if it is one. */
  token: string | undefined
  /** Runs SQL on the database, bypassing the service: to check rows, or to set up what no route can. */
  sql(query: string, args?: SQLQueryBindings[]): Promise<Row[]>
  /** Makes a person with this address by rows, as if they had come by a mailed link; only where the service is in this process. */
  arrive?(email: string): Promise<Arrived>
  /** The database's files. */
  files(): string[]
  /** Everything it has printed so far. */
  output(): string
  /** The process it runs in. */
  pid(): number
  /** Peak resident memory of the process, in MiB. */
  peakMemory(): number
  /** Sends a signal, by default SIGTERM; resolves to the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Starts a new process with the same data on the same port. */
  restart(): Promise<void>
}

type Row = Record<string, unknown>

/** Starts the service on a target with an empty database; stopping it also stops sqld. */
export async function startTarget({ runtime, store }: Target, env: Record<string, string> = {}): Promise<Server> {
  if (store === 'file') return startServer({ runtime, env })
  const sqld = await startSqld()
  const server = await startServer({
    runtime,
    env: {
      DATABASE_URL: store === 'ws' ? sqld.url.replace('http:', 'ws:') : sqld.url,
      DATABASE_AUTH_TOKEN: sqld.token,
      SERVICE_SECRET: 'a secret of the tests, forty characters long',
      ...env,
    },
    database: sqld.url,
    token: sqld.token,
  })
  return {
    ...server,
    files: sqld.files,
    async stop() {
      const code = await server.stop()
      await sqld.stop()
      return code
    },
  }
}

/** Starts the service in its own process on a free port, with `database` or an empty file. */
export async function startServer({
  runtime = 'bun',
  env = {},
  database,
  token,
  main = 'src/main.ts',
  cwd = ROOT,
}: {
  runtime?: Runtime
  env?: Record<string, string>
  database?: string
  /** The script to start. */
  main?: string
  cwd?: string
  /** Of a libSQL server, for the tests' SQL. */
  token?: string
} = {}): Promise<Server> {
  const port = freePort()
  const origin = `http://localhost:${port}`
  const file = database ?? join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
  let output = ''
  const start = async () => {
    const child = Bun.spawn([...command(runtime), main], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: String(port),
        DATABASE_URL: `file:${file}`,
        ...TEST_ENV,
        ...env,
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const reads = [child.stdout, child.stderr].map(async (stream) => {
      const decoder = new TextDecoder()
      const reader = stream.getReader()
      for (let read = await reader.read(); !read.done; read = await reader.read()) output += decoder.decode(read.value)
    })
    await firstAnswer(origin, child, () => output).catch(async (error) => {
      if (child.exitCode === null) throw error
      // What it said last may come after its end.
      await Promise.all(reads)
      throw new Error(`the server exited with ${child.exitCode}: ${output}`)
    })
    return child
  }
  let child = await start()
  return {
    origin,
    database: file,
    token,
    sql: file.startsWith('http:') ? remoteSql(file, token) : fileSql(file),
    files: () => ['', '-wal'].map((end) => file + end).filter((path) => existsSync(path)),
    output: () => output,
    pid: () => child.pid,
    peakMemory: () =>
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const code = await child.exited
      if (database === undefined) rmSync(dirname(file), { recursive: true, force: true })
      return code
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
    async restart() {
      child = await start()
    },
  }
}

function fileSql(file: string): Server['sql'] {
  return async (query, args = []) => {
    const database = new Database(file)
    try {
      database.run('PRAGMA busy_timeout = 5000')
      database.run('PRAGMA foreign_keys = ON')
      return database.query<Row, SQLQueryBindings[]>(query).all(...args)
    } finally {
      database.close()
    }
  }
}

function remoteSql(url: string, authToken: string | undefined): Server['sql'] {
  return async (query, args = []) => {
    const client = createClient({ url, ...(authToken === undefined ? {} : { authToken }) })
    try {
      const { columns, rows } = await client.execute({ sql: query, args: args as never[] })
      return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
    } finally {
      client.close()
    }
  }
}

/** Only guards against hanging: on a machine with thirty processes at work Deno has taken 37 seconds. */
const START_PATIENCE_MS = 120_000

async function firstAnswer(origin: string, child: Bun.Subprocess, output: () => string): Promise<void> {
  const deadline = performance.now() + START_PATIENCE_MS
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error('it has ended')
    const answer = await fetch(`${origin}/healthz`).catch(() => null)
    if (answer?.ok) return
    await Bun.sleep(25)
  }
  throw new Error(`the server does not answer: ${output()}`)
}

/** The command line that runs a script on a runtime, without the script. */
export function command(runtime: Runtime): string[] {
  if (runtime === 'bun') return [process.execPath]
  // The package's start script needs Node; its binary does not.
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  const binary = process.platform === 'win32' ? 'deno.exe' : 'deno'
  return [join(ROOT, 'node_modules', '@deno', platform, binary), 'run', '-A']
}
