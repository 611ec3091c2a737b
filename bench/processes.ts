import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../tests/ports.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const POLL_MS = 1
const PATIENCE_MS = 60_000

/** A server in a process of its own that has answered once. */
export interface Server {
  origin: string
  /** From the start of the process to its first answer. */
  firstAnswerMs: number
  /** What the process holds of the machine's memory, in MB of 1024 * 1024 bytes. */
  residentMb(): number
  /** Time on a processor so far, of all its threads, in ms. */
  processorMs(): number
  /** SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>
}

/** Where a service keeps its data, and whom it shares its limits with. */
export interface Place {
  DATABASE_URL: string
  DATABASE_AUTH_TOKEN?: string
  SERVICE_SECRET?: string
  REDIS_URL?: string
}

/** A file of this machine. */
export function onFile(path: string): Place {
  return { DATABASE_URL: `file:${path}` }
}

/**
 * Starts the service as shipped, with the package's own `start`; `path` is what it answers first.
 * @param checkout whose code it is; this one's where nothing is said.
 */
export async function startService(place: Place, path: string, checkout = ROOT): Promise<Server> {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const port = freePort()
  const env = { PORT: String(port), ...place, ...WITHOUT_LIMITS }
  return start(scripts.start.split(' ').slice(1), new Request(`http://localhost:${port}${path}`), env, checkout)
}

/** As high as they go: one machine plays every client. */
export const WITHOUT_LIMITS = {
  SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000000',
  SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '1000000000',
  SERVICE_PLAN_FREE_MAX_BUNDLES: '1000000000',
  SERVICE_WRITES_PER_MINUTE: '0',
  SERVICE_WRITES_PER_HOUR: '0',
}

/** Starts Elysia and the client over a file, with the SQL that was recorded (`recorded.ts`). */
export async function startBareStore(store: string, recorded: string): Promise<Server> {
  const port = freePort()
  return start(['bench/bare-store.ts', String(port), store, recorded], new Request(`http://localhost:${port}/`))
}

/** Starts the bare runtime on one of the two works. */
export async function startBare(...work: ['launchers', string] | ['events']): Promise<Server> {
  const port = freePort()
  const ask = work[0] === 'events' ? { method: 'POST', body: '{}' } : {}
  return start(['bench/bare.ts', String(port), ...work], new Request(`http://localhost:${port}/`, ask))
}

async function start(
  args: string[],
  first: Request,
  env: Record<string, string> = {},
  checkout = ROOT,
): Promise<Server> {
  const from = performance.now()
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: checkout,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  // A bench that fails half-way leaves nothing running.
  process.on('exit', () => child.kill())
  await firstAnswer(first, child)
  return {
    origin: new URL(first.url).origin,
    firstAnswerMs: performance.now() - from,
    residentMb: () => residentMb(child.pid),
    processorMs: () => processorMs(child.pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error('the server had ended by itself')
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function firstAnswer(request: Request, child: Bun.Subprocess): Promise<void> {
  for (const from = performance.now(); performance.now() - from < PATIENCE_MS; await Bun.sleep(POLL_MS)) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const answer = await fetch(request.clone()).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.ok) return
  }
  throw new Error(`the server does not answer at ${request.url}`)
}

function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/** Time on a processor so far of a process, of all its threads, in ms. */
export function processorMs(pid: number): number {
  // proc(5): after the command's closing bracket, fields 12 and 13 are user and system time in ticks of 10 ms.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
