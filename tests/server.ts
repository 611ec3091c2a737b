import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The runtimes that the service promises to run on. */
export type Runtime = 'bun' | 'deno'
export const RUNTIMES: readonly Runtime[] = ['bun', 'deno']

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The service as shipped, in a process of its own. */
export interface Server {
  origin: string
  /** The database file. */
  database: string
  /** Everything it has printed. */
  output(): string
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number>
  /** SIGKILL. */
  kill(): Promise<void>
  /** The same data served again by a new process, on the same port. */
  restart(): Promise<void>
}

/** Starts the service on a free port over an empty database, or over `database` where it is given. */
export async function startServer({
  runtime = 'bun',
  env = {},
  database,
}: {
  runtime?: Runtime
  env?: Record<string, string>
  database?: string
} = {}): Promise<Server> {
  const port = freePort()
  const origin = `http://localhost:${port}`
  const file = database ?? join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
  let output = ''
  const start = async () => {
    const child = Bun.spawn([...command(runtime), 'src/main.ts'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: String(port),
        DATABASE_URL: `file:${file}`,
        SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000',
        SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '1000000',
        ...env,
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    for (const stream of [child.stdout, child.stderr]) {
      void (async () => {
        const decoder = new TextDecoder()
        const reader = stream.getReader()
        for (let read = await reader.read(); !read.done; read = await reader.read())
          output += decoder.decode(read.value)
      })()
    }
    await answers(origin, child, () => output)
    return child
  }
  let child = await start()
  return {
    origin,
    database: file,
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
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

async function answers(origin: string, child: Bun.Subprocess, output: () => string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${output()}`)
    const answer = await fetch(`${origin}/healthz`).catch(() => null)
    if (answer?.ok) return
    await Bun.sleep(25)
  }
  throw new Error(`the server does not answer: ${output()}`)
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: 'localhost', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  return port
}

/** What starts a script on a runtime, as far as its own options. */
export function command(runtime: Runtime): string[] {
  if (runtime === 'bun') return [process.execPath]
  // The package's own start script needs Node; the binary beside it does not.
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  const binary = process.platform === 'win32' ? 'deno.exe' : 'deno'
  return [join(ROOT, 'node_modules', '@deno', platform, binary), 'run', '-A']
}
