import { fileURLToPath } from 'node:url'

/** One thread is enough to keep a server on one core busy, and leaves the other core to it. */
const CONNECTIONS = 32
/** Past the load's own end, for the answers that are under way. */
const GRACE_SECONDS = 1

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

/** Asks a server for bundles at random for some seconds. */
export async function forSeconds(work: Work, origin: string, slugFile: string, seconds: number): Promise<Load> {
  return await load(work, origin, slugFile, 'seconds', seconds, seconds + GRACE_SECONDS)
}

/** Asks a server for every bundle in turn, over and over, until there have been so many requests. */
export async function inTurn(work: Work, origin: string, slugFile: string, requests: number): Promise<Load> {
  const rate = 10_000
  return await load(work, origin, slugFile, 'requests', requests, Math.ceil(requests / rate))
}

/** The command, or null where it is not installed. */
export function findWrk(): string | null {
  return Bun.which('wrk')
}

async function load(
  work: Work,
  origin: string,
  slugFile: string,
  until: 'seconds' | 'requests',
  amount: number,
  seconds: number,
): Promise<Load> {
  const script = fileURLToPath(new URL(`./${work}.lua`, import.meta.url))
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '10s', '-s', script]
  const child = Bun.spawn(['wrk', ...options, origin, '--', slugFile, until, String(amount)], { stderr: 'inherit' })
  const printed = await new Response(child.stdout).text()
  const line = printed.split('\n').find((text) => text.startsWith('{'))
  if ((await child.exited) !== 0 || line === undefined) throw new Error(`wrk failed: ${printed}`)
  const result = JSON.parse(line) as Load
  if (result.refused > 0 || result.answered !== result.asked) {
    throw new Error(`not every request was answered with success: ${line}`)
  }
  return result
}
