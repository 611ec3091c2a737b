import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '../tests/redis.ts'
import { startSqld } from '../tests/sqld.ts'
import { CALLS, type Call, mintKey, writeCalls } from './api.ts'
import { keepAnswer, keepLauncher, makeBundles } from './bundles.ts'
import { median } from './figures.ts'
import { onFile, type Place, type Server, startBare, startService } from './processes.ts'
import { CONNECTIONS, calling, findWrk, forSeconds } from './wrk.ts'

// `bun run bench:stores`: what is done a second, of the bare runtime on the same request: over a file, over sqld, and by
// two processes on one sqld and one Redis. The bare runtime answers the very bytes of a GET; of a POST it parses the
// body and answers 204. All of it, wrk and the stores too, shares the machine's processors.

const BUNDLES = 1_000
const ROUNDS = 3
const ROUND_SECONDS = 2

const WORKS = ['launchers', 'events', ...(Object.keys(CALLS) as Call[])] as const
type Work = (typeof WORKS)[number]

/** A store with the processes over it, and what they are asked. */
interface Side {
  servers: Server[]
  key: string
  slugs: string[]
}

async function bench(folder: string, ends: (() => Promise<unknown>)[]): Promise<void> {
  const sqld = await startSqld()
  ends.push(sqld.stop)
  const redis = await startRedis()
  ends.push(redis.kill)
  const remote = {
    DATABASE_URL: sqld.url,
    DATABASE_AUTH_TOKEN: sqld.token,
    SERVICE_SECRET: 'a secret of the bench, forty characters long',
  }
  const sides: [string, Side][] = [
    ['file', await side(onFile(join(folder, 'bench.db')), 1)],
    ['sqld', await side(remote, 1)],
    ['two on sqld', await side({ ...remote, REDIS_URL: redis.url }, 2)],
  ]
  console.log(`| of bare | bare, per second | ${sides.map(([name]) => name).join(' | ')} |`)
  console.log(`|---|---:|${sides.map(() => '---:|').join('')}`)
  for (const work of WORKS) console.log(await compare(work, sides, folder))
  for (const [, { servers }] of sides) for (const server of servers) await server.stop()
}

async function side(place: Place, processes: number): Promise<Side> {
  const servers: Server[] = []
  for (let number = 0; number < processes; number += 1) servers.push(await startService(place, '/'))
  const [first] = servers
  if (first === undefined) throw new Error('a side needs a process')
  const key = await mintKey(first)
  return { servers, key, slugs: await makeBundles(first, BUNDLES, key) }
}

/** A line of the table: all sides and the bare runtime in turns; the first round warms up. */
async function compare(work: Work, sides: [string, Side][], folder: string): Promise<string> {
  const [, pattern] = sides[0] ?? []
  if (pattern === undefined) throw new Error('nothing to compare')
  const bare = await bareFor(work, pattern, folder)
  const ratios = sides.map((): number[] => [])
  const rates: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const theirs = await perSecond(work, { ...pattern, servers: [bare] }, folder)
    for (const [index, [, ours]] of sides.entries()) {
      const rate = await perSecond(work, ours, folder)
      if (round > 0) ratios[index]?.push(rate / theirs)
    }
    if (round > 0) rates.push(theirs)
  }
  await bare.stop()
  const cells = ratios.map((all) => median(all).toFixed(3))
  return `| ${work} | ${median(rates).toLocaleString('en', { maximumFractionDigits: 0 })} | ${cells.join(' | ')} |`
}

async function bareFor(work: Work, { servers, key, slugs }: Side, folder: string): Promise<Server> {
  const [server] = servers
  const file = join(folder, 'answer.json')
  if (server === undefined || work === 'events') return startBare('events')
  if (work === 'launchers') await keepLauncher(server, slugs[0] ?? '', file)
  else {
    const [method, path] = (CALLS[work](slugs)[0] ?? '').split(' ')
    if (method === 'POST') return startBare('events')
    await keepAnswer(`${server.origin}${path}`, { authorization: `Bearer ${key}` }, file)
  }
  return startBare('launchers', file)
}

/** Of all processes of a side together, each with its share of the connections. */
async function perSecond(work: Work, { servers, key, slugs }: Side, folder: string): Promise<number> {
  const file = join(folder, 'calls')
  if (work === 'launchers' || work === 'events') writeFileSync(file, slugs.join('\n'))
  else writeCalls(work, slugs, file)
  const connections = CONNECTIONS / servers.length
  const loads = await Promise.all(
    servers.map(({ origin }) =>
      work === 'launchers' || work === 'events'
        ? forSeconds(work, origin, file, ROUND_SECONDS, connections)
        : calling(origin, { file, key, connections }, ROUND_SECONDS),
    ),
  )
  return loads.reduce((sum, { answered, seconds }) => sum + answered / seconds, 0)
}

if (findWrk() === null) throw new Error('wrk is not installed: apt install wrk')
const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
const ends: (() => Promise<unknown>)[] = []
try {
  await bench(folder, ends)
} finally {
  for (const end of ends) await end()
  rmSync(folder, { recursive: true, force: true })
}
