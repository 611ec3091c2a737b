import { fileURLToPath } from 'node:url'

/** Enough, with one thread of wrk, to saturate a server on one core, and leaves it the other core. */
export const CONNECTIONS = 32
/** How long wrk runs past the end of the load, for requests in progress; longer where they wait for a disk. */
export const GRACE_SECONDS = 1
const STORE_GRACE_SECONDS = 3

/** What `closed-loop.lua` prints. */
interface Load {
  sent: number
  answered: number
  /** Answers with a status of 400 or above. */
  errors: number
  seconds: number
  p99Ms: number
}

export type Workload = 'launchers' | 'events' | 'start-pages'

/** A Lua script, the file it reads requests from, and its other arguments. */
interface Script {
  script: Workload | 'calls'
  file: string
  args?: string[]
  connections?: number
}

/** Requests bundles at random for some seconds. */
export function loadForSeconds(
  workload: Workload,
  origin: string,
  slugFile: string,
  seconds: number,
  connections = CONNECTIONS,
): Promise<Load> {
  return load(origin, { script: workload, file: slugFile, connections }, 'seconds', seconds, seconds + GRACE_SECONDS)
}

/**
 * Calls the API with a key for some seconds: lines of a file at random (see `calls.lua`).
 * @param graceSeconds past that, for requests in progress.
 */
export function callForSeconds(
  origin: string,
  { file, key, connections }: { file: string; key: string; connections: number },
  seconds: number,
  graceSeconds = STORE_GRACE_SECONDS,
): Promise<Load> {
  const script: Script = { script: 'calls', file, args: [key], connections }
  return load(origin, script, 'seconds', seconds, seconds + graceSeconds)
}

/** Sends a number of requests, for each bundle in turn. */
export function loadRequests(workload: Workload, origin: string, slugFile: string, requests: number): Promise<Load> {
  // Low enough for a slow machine, where a launcher's first view takes a millisecond.
  const minPerSecond = 5_000
  return load(origin, { script: workload, file: slugFile }, 'requests', requests, Math.ceil(requests / minPerSecond))
}

/** The path of wrk, or null if it is not installed. */
export function findWrk(): string | null {
  return Bun.which('wrk')
}

async function load(
  origin: string,
  { script, file, args = [], connections = CONNECTIONS }: Script,
  until: 'seconds' | 'requests',
  amount: number,
  seconds: number,
): Promise<Load> {
  const lua = fileURLToPath(new URL(`./${script}.lua`, import.meta.url))
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', lua]
  const scriptArgs = [file, until, String(amount), ...args]
  const child = Bun.spawn(['wrk', ...options, origin, '--', ...scriptArgs], { stderr: 'inherit' })
  const printed = await new Response(child.stdout).text()
  const line = printed.split('\n').find((text) => text.startsWith('{'))
  if ((await child.exited) !== 0 || line === undefined) throw new Error(`wrk failed: ${printed}`)
  const result = JSON.parse(line) as Load
  if (result.errors > 0 || result.answered !== result.sent) {
    throw new Error(`not every request succeeded: ${line}`)
  }
  return result
}
