import { resolve } from 'node:path'
import { startRedis } from '../tests/redis.ts'
import { startSqld } from '../tests/sqld.ts'
import { CALLS, type Call, mintKey } from './api.ts'
import { makeBundles } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { processorMs, type Server, startService } from './processes.ts'
import { CONNECTIONS } from './wrk.ts'

// `bun run bench:sqld <checkout>`: creates by one, two and four processes on one sqld, and what a list costs sqld, against
// one process of the code in another checkout. Sides take turns, each time over an empty sqld. A refusal ends it.

const BUNDLES = 300
const ROUNDS = 3
const ROUND_SECONDS = 4
const WARM_UP_SECONDS = 1
const GOALS = { 1: 0.9, 2: 1.2, 4: 1.5 } as const
const LIST_GOAL = 0.4

interface Side {
  name: string
  processes: number
  checkout?: string
}

interface Measured {
  perSecond: number
  /** Processor time of sqld for one, in µs. */
  ofSqld: number
}

async function measure({ processes, checkout }: Side): Promise<Record<'create' | 'list', Measured>> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    const sqld = await startSqld()
    ends.unshift(sqld.stop)
    const redis = processes > 1 ? await startRedis() : null
    if (redis !== null) ends.unshift(redis.kill)
    const place = {
      DATABASE_URL: sqld.url,
      DATABASE_AUTH_TOKEN: sqld.token,
      SERVICE_SECRET: 'a secret of the bench, forty characters long',
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
    }
    const servers: Server[] = []
    for (let number = 0; number < processes; number += 1) {
      const server = await startService(place, '/', checkout)
      servers.push(server)
      ends.unshift(server.stop)
    }
    const key = await mintKey(servers[0] as Server)
    const slugs = await makeBundles(servers[0] as Server, BUNDLES, key)
    const of = async (call: Call): Promise<Measured> => {
      const lines = CALLS[call](slugs)
      await callAll(servers, lines, key, WARM_UP_SECONDS)
      const before = processorMs(sqld.pid)
      const answered = await callAll(servers, lines, key, ROUND_SECONDS)
      return { perSecond: answered / ROUND_SECONDS, ofSqld: ((processorMs(sqld.pid) - before) * 1000) / answered }
    }
    return { list: await of('list'), create: await of('create') }
  } finally {
    for (const end of ends) await end()
  }
}

/**
 * Calls all servers for some seconds, each with its share of the connections, and waits for what is under way; wrk waits
 * for a time of its own, which is too long or too short. @returns how many answers there were.
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
  const old: Side = { name: 'one process of the other code', processes: 1, checkout: other }
  const sides: Side[] = [1, 2, 4].map((processes) => ({ name: `${processes} of this`, processes }))
  const rounds: Awaited<ReturnType<typeof measure>>[][] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured = []
    for (const side of [old, ...sides]) {
      const one = await measure(side)
      console.error(side.name, one)
      measured.push(one)
    }
    rounds.push(measured)
  }
  const compare = (call: 'create' | 'list', what: keyof Measured, side: number) => {
    const pairs = rounds.map((all) => ({ ours: all[side]?.[call][what] ?? 0, theirs: all[0]?.[call][what] ?? 0 }))
    const [ours, theirs] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.theirs))]
    const ratio = median(pairs.map((pair) => pair.ours / pair.theirs))
    return { ratio, figure: `${ratio.toFixed(2)} (${ours.toFixed(0)} to ${theirs.toFixed(0)})` }
  }
  const rows: Row[] = sides.map(({ name, processes }, index) => {
    const { ratio, figure } = compare('create', 'perSecond', index + 1)
    const goal = GOALS[processes as keyof typeof GOALS]
    return { what: `creates per second, ${name}`, figure, goal: `at least ${goal}`, isMet: ratio >= goal }
  })
  const list = compare('list', 'ofSqld', 1)
  rows.push(
    {
      what: 'µs of sqld per list, 1 of this',
      figure: list.figure,
      goal: `at most ${LIST_GOAL}`,
      isMet: list.ratio <= LIST_GOAL,
    },
    { what: 'µs of sqld per create, 1 of this', figure: compare('create', 'ofSqld', 1).figure },
    ...sides.map(({ name }, index) => ({
      what: `lists per second, ${name}`,
      figure: compare('list', 'perSecond', index + 1).figure,
    })),
  )
  return rows
}

const [other] = process.argv.slice(2)
if (other === undefined) throw new Error('which checkout is it compared with?')
const rows = await bench(resolve(other))
console.log(table(rows))
process.exit(rows.some(({ isMet }) => isMet === false) ? 1 : 0)
