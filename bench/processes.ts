import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../tests/ports.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const POLL_MS = 1
const TIMEOUT_MS = 60_000

/** A server in its own process that has answered its first request. */
export interface Server {
  origin: string
  /** From the start of the process to its first answer. */
  firstAnswerMs: number
  /** Resident memory of the process, in MiB. */
  residentMb(): number
  /** Processor time so far, all threads, in ms. */
  processorMs(): number
  /** SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>
}

/** Settings that say where a service keeps its data and limits. */
export interface StoreEnv {
  DATABASE_URL: string
  DATABASE_AUTH_TOKEN?: string
  SERVICE_SECRET?: string
  REDIS_URL?: string
  SERVICE_CLIENT_IP_HEADER?: string
}

/** A local database file. */
export function fileStore(path: string): StoreEnv {
  return { DATABASE_URL: `file:${path}` }
}

/**
 * Starts the service as shipped, with the package's `start` script.
 * @param path of its first request.
 * @param checkout whose code to run; default: this one.
 */
export async function startService(store: StoreEnv, path: string, checkout = ROOT): Promise<Server> {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const port = freePort()
  const env = { PORT: String(port), ...store, ...WITHOUT_LIMITS }
  return start(scripts.start.split(' ').slice(1), new Request(`http://localhost:${port}${path}`), env, checkout)
}

/** One machine plays every client, so limits are set as high as they go. */
export const WITHOUT_LIMITS = {
  SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000000',
  SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '1000000000',
  SERVICE_PLAN_FREE_MAX_BUNDLES: '1000000000',
  SERVICE_WRITES_PER_MINUTE: '0',
  SERVICE_WRITES_PER_HOUR: '0',
  SERVICE_READS_PER_MINUTE: '0',
  SERVICE_PLAN_FREE_MAX_HISTORY_MB: '1000000',
}

/** Starts Elysia and `@libsql/client` on a file, to run the recorded SQL (`recorded.ts`). */
export async function startBareStore(store: string, recorded: string): Promise<Server> {
  const port = freePort()
  return start(['bench/bare-store.ts', String(port), store, recorded], new Request(`http://localhost:${port}/`))
}

/** Starts the bare runtime with a workload; launchers need the file of a saved one. */
export async function startBare(...workload: ['launchers', string] | ['events']): Promise<Server> {
  const port = freePort()
  const init = workload[0] === 'events' ? { method: 'POST', body: '{}' } : {}
  return start(['bench/bare.ts', String(port), ...workload], new Request(`http://localhost:${port}/`, init))
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
  // A bench that fails halfway leaves nothing running.
  process.on('exit', () => child.kill())
  await firstAnswer(first, child)
  return {
    origin: new URL(first.url).origin,
    firstAnswerMs: performance.now() - from,
    residentMb: () => residentMb(child.pid),
    processorMs: () => processorMs(child.pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error('the server has already exited')
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function firstAnswer(request: Request, child: Bun.Subprocess): Promise<void> {
  for (const from = performance.now(); performance.now() - from < TIMEOUT_MS; await Bun.sleep(POLL_MS)) {
    if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}`)
    const answer = await fetch(request.clone()).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.ok) return
  }
  throw new Error(`no answer from ${request.url}`)
}

function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/** Processor time of a process so far, all threads, in ms. */
export function processorMs(pid: number): number {
  // proc(5): after the command's closing bracket, fields 12 and 13 are user and system time, in ticks of 10 ms.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
