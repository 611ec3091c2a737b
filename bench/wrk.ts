import { fileURLToPath } from 'node:url'

/** One thread is enough to keep a server on one core busy, and leaves the other core to it. */
export const CONNECTIONS = 32
/** Past the load's own end, for the answers that are under way; a store on a server may be at its disk just then. */
export const GRACE_SECONDS = 1
const STORE_GRACE_SECONDS = 3

/** What `closed-loop.lua` prints. */
interface Load {
  asked: number
  answered: number
  /** Answers of 400 and above. */
  refused: number
  seconds: number
  p99Ms: number
}

export type Work = 'launchers' | 'events'

/** What is asked: the script, the file of what it asks for, and what else it is told. */
interface Asked {
  script: Work | 'calls'
  file: string
  words?: string[]
  connections?: number
}

/** Asks a server for bundles at random for some seconds. */
export function forSeconds(
  work: Work,
  origin: string,
  slugFile: string,
  seconds: number,
  connections = CONNECTIONS,
): Promise<Load> {
  return load(origin, { script: work, file: slugFile, connections }, 'seconds', seconds, seconds + GRACE_SECONDS)
}

/**
 * Calls a server with a key for some seconds, as the lines of a file say (see `calls.lua`), at random.
 * @param graceSeconds past that, for the answers that are under way.
 */
export function calling(
  origin: string,
  { file, key, connections }: { file: string; key: string; connections: number },
  seconds: number,
  graceSeconds = STORE_GRACE_SECONDS,
): Promise<Load> {
  const asked: Asked = { script: 'calls', file, words: [key], connections }
  return load(origin, asked, 'seconds', seconds, seconds + graceSeconds)
}

/** Asks a server for every bundle in turn, over and over, until there have been so many requests. */
export function inTurn(work: Work, origin: string, slugFile: string, requests: number): Promise<Load> {
  // Low enough for a slow machine: a launcher's first view takes a millisecond there.
  const rate = 5_000
  return load(origin, { script: work, file: slugFile }, 'requests', requests, Math.ceil(requests / rate))
}

/** The command, or null where it is not installed. */
export function findWrk(): string | null {
  return Bun.which('wrk')
}

async function load(
  origin: string,
  { script, file, words = [], connections = CONNECTIONS }: Asked,
  until: 'seconds' | 'requests',
  amount: number,
  seconds: number,
): Promise<Load> {
  const lua = fileURLToPath(new URL(`./${script}.lua`, import.meta.url))
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', lua]
  const told = [file, until, String(amount), ...words]
  const child = Bun.spawn(['wrk', ...options, origin, '--', ...told], { stderr: 'inherit' })
  const printed = await new Response(child.stdout).text()
  const line = printed.split('\n').find((text) => text.startsWith('{'))
  if ((await child.exited) !== 0 || line === undefined) throw new Error(`wrk failed: ${printed}`)
  const result = JSON.parse(line) as Load
  if (result.refused > 0 || result.answered !== result.asked) {
    throw new Error(`not every request was answered with success: ${line}`)
  }
  return result
}
