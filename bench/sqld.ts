import { resolve } from 'node:path'
import { startRedis } from '../tests/redis.ts'
import { startSqld } from '../tests/sqld.ts'
import { CALLS, type Call, mintKey } from './api.ts'
import { makeBundles } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { processorMs, type Server, startService } from './processes.ts'
import { CONNECTIONS } from './wrk.ts'

// `bun run bench:sqld <checkout>`: creates by one, two and four processes on one sqld, and what a list costs sqld, relative
// to one process of the code in another checkout. Sides alternate, each time with an empty sqld. A refusal ends the run.

const BUNDLES = 300
const ROUNDS = 3
const ROUND_SECONDS = 4
const WARM_UP_SECONDS = 1
const SIDES = [
  { name: 'one process', processes: 1, goal: 0.9 },
  { name: 'two processes', processes: 2, goal: 1.2 },
  { name: 'four processes', processes: 4, goal: 1.5 },
] as const
const LIST_GOAL = 0.4

interface Side {
  name: string
  processes: number
  checkout?: string
}

interface Measured {
  perSecond: number
  /** Processor time of sqld per answer. */
  sqldMicros: number
}

async function measure({ processes, checkout }: Side): Promise<Record<'create' | 'list', Measured>> {
  const cleanups: (() => Promise<unknown>)[] = []
  try {
    const sqld = await startSqld()
    cleanups.unshift(sqld.stop)
    const redis = processes > 1 ? await startRedis() : null
    if (redis !== null) cleanups.unshift(redis.kill)
    const store = {
      DATABASE_URL: sqld.url,
      DATABASE_AUTH_TOKEN: sqld.token,
      SERVICE_SECRET: 'a secret of the bench, forty characters long',
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
    }
    const servers: Server[] = []
    for (let number = 0; number < processes; number += 1) {
      const server = await startService(store, '/', checkout)
      servers.push(server)
      cleanups.unshift(server.stop)
    }
    const key = await mintKey(servers[0] as Server)
    const slugs = await makeBundles(servers[0] as Server, BUNDLES, key)
    const measureCall = async (call: Call): Promise<Measured> => {
      const lines = CALLS[call](slugs)
      await callAll(servers, lines, key, WARM_UP_SECONDS)
      const before = processorMs(sqld.pid)
      const answered = await callAll(servers, lines, key, ROUND_SECONDS)
      return { perSecond: answered / ROUND_SECONDS, sqldMicros: ((processorMs(sqld.pid) - before) * 1000) / answered }
    }
    return { list: await measureCall('list'), create: await measureCall('create') }
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}

/**
 * Calls all servers for some seconds, each with its share of the connections, and waits for the requests in progress; wrk
 * cannot, it stops after a fixed time. @returns how many answers there were.
 */
async function callAll(servers: Server[], lines: readonly string[], key: string, seconds: number): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const until = performance.now() + seconds * 1000
  const connection = async (_: unknown, number: number) => {
    const { origin = '' } = servers[number % servers.length] ?? {}
    let answered = 0
    for (; performance.now() < until; answered += 1) {
      const [, method = '', path, body] = /^(\S+) (\S+) ?(.*)$/.exec(lines[answered % lines.length] ?? '') ?? []
      const answer = await fetch(`${origin}${path}`, { method, headers, ...(body === '' ? {} : { body }) })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`a ${method} was refused: ${answer.status} ${text}`)
    }
    return answered
  }
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function bench(other: string): Promise<Row[]> {
  const theirs: Side = { name: 'one process of the other code', processes: 1, checkout: other }
  const rounds: Awaited<ReturnType<typeof measure>>[][] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured = []
    for (const side of [theirs, ...SIDES]) {
      const one = await measure(side)
      console.error(side.name, one)
      measured.push(one)
    }
    rounds.push(measured)
  }
  const compare = (call: 'create' | 'list', figure: keyof Measured, side: number) => {
    const pairs = rounds.map((all) => ({ ours: all[side]?.[call][figure] ?? 0, theirs: all[0]?.[call][figure] ?? 0 }))
    const [ours, theirs] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.theirs))]
    const ratio = median(pairs.map((pair) => pair.ours / pair.theirs))
    return { ratio, figure: `${ratio.toFixed(2)} (${ours.toFixed(0)} to ${theirs.toFixed(0)})` }
  }
  const rows: Row[] = SIDES.map(({ name, goal }, index) => {
    const { ratio, figure } = compare('create', 'perSecond', index + 1)
    return { label: `creates per second, ${name}`, figure, goal: `at least ${goal}`, isMet: ratio >= goal }
  })
  const list = compare('list', 'sqldMicros', 1)
  rows.push(
    {
      label: 'µs of sqld per list',
      figure: list.figure,
      goal: `at most ${LIST_GOAL}`,
      isMet: list.ratio <= LIST_GOAL,
    },
    { label: 'µs of sqld per create', figure: compare('create', 'sqldMicros', 1).figure },
    ...SIDES.map(({ name }, index) => ({
      label: `lists per second, ${name}`,
      figure: compare('list', 'perSecond', index + 1).figure,
    })),
  )
  return rows
}

const [other] = process.argv.slice(2)
if (other === undefined) throw new Error('Name the checkout to compare with: `bun run bench:sqld ../old`.')
const rows = await bench(resolve(other))
console.log(table(rows))
process.exit(rows.some(({ isMet }) => isMet === false) ? 1 : 0)
