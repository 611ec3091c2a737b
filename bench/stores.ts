import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '../tests/redis.ts'
import { startSqld } from '../tests/sqld.ts'
import { CALLS, type Call, mintKey, writeCalls } from './api.ts'
import { makeBundles, saveAnswer, saveLauncher } from './bundles.ts'
import { median } from './figures.ts'
import { fileStore, type Server, type StoreEnv, startBare, startService } from './processes.ts'
import { CONNECTIONS, callForSeconds, findWrk, loadForSeconds } from './wrk.ts'

// `bun run bench:stores`: requests per second relative to the bare runtime, with a file, with sqld, and with two processes
// on one sqld and one Redis. For a GET the bare runtime sends exactly the same bytes; for a POST it parses the body and
// answers 204. wrk, sqld and Redis run on the same machine.

const BUNDLES = 1_000
const ROUNDS = 3
const ROUND_SECONDS = 2

const WORKLOADS = ['launchers', 'events', ...(Object.keys(CALLS) as Call[])] as const
type Workload = (typeof WORKLOADS)[number]

/** The processes on one store, the key they are called with, and its bundles. */
interface Side {
  servers: Server[]
  key: string
  slugs: string[]
}

async function bench(folder: string, cleanups: (() => Promise<unknown>)[]): Promise<void> {
  const sqld = await startSqld()
  cleanups.push(sqld.stop)
  const redis = await startRedis()
  cleanups.push(redis.kill)
  const remote = {
    DATABASE_URL: sqld.url,
    DATABASE_AUTH_TOKEN: sqld.token,
    SERVICE_SECRET: 'a secret of the bench, forty characters long',
  }
  const sides: [string, Side][] = [
    ['file', await side(fileStore(join(folder, 'bench.db')), 1)],
    ['sqld', await side(remote, 1)],
    ['two processes on sqld', await side({ ...remote, REDIS_URL: redis.url }, 2)],
  ]
  console.log(`| of bare | bare, per second | ${sides.map(([name]) => name).join(' | ')} |`)
  console.log(`|---|---:|${sides.map(() => '---:|').join('')}`)
  for (const workload of WORKLOADS) console.log(await compare(workload, sides, folder))
  for (const [, { servers }] of sides) for (const server of servers) await server.stop()
}

async function side(store: StoreEnv, processes: number): Promise<Side> {
  const servers: Server[] = []
  for (let number = 0; number < processes; number += 1) servers.push(await startService(store, '/'))
  const [first] = servers
  if (first === undefined) throw new Error('a side needs a process')
  const key = await mintKey(first)
  return { servers, key, slugs: await makeBundles(first, BUNDLES, key) }
}

/** A row of the table: all sides and the bare runtime alternate; the first round warms up. */
async function compare(workload: Workload, sides: [string, Side][], folder: string): Promise<string> {
  const [, pattern] = sides[0] ?? []
  if (pattern === undefined) throw new Error('nothing to compare')
  const bare = await bareFor(workload, pattern, folder)
  const ratios = sides.map((): number[] => [])
  const rates: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const theirs = await perSecond(workload, { ...pattern, servers: [bare] }, folder)
    for (const [index, [, ours]] of sides.entries()) {
      const rate = await perSecond(workload, ours, folder)
      if (round > 0) ratios[index]?.push(rate / theirs)
    }
    if (round > 0) rates.push(theirs)
  }
  await bare.stop()
  const cells = ratios.map((all) => median(all).toFixed(3))
  return `| ${workload} | ${median(rates).toLocaleString('en', { maximumFractionDigits: 0 })} | ${cells.join(' | ')} |`
}

async function bareFor(workload: Workload, { servers, key, slugs }: Side, folder: string): Promise<Server> {
  const [server] = servers
  const file = join(folder, 'answer.json')
  if (server === undefined || workload === 'events') return startBare('events')
  if (workload === 'launchers') await saveLauncher(server, slugs[0] ?? '', file)
  else {
    const [method, path] = (CALLS[workload](slugs)[0] ?? '').split(' ')
    if (method === 'POST') return startBare('events')
    await saveAnswer(`${server.origin}${path}`, { authorization: `Bearer ${key}` }, file)
  }
  return startBare('launchers', file)
}

/** Requests per second of all processes of a side, each with its share of the connections. */
async function perSecond(workload: Workload, { servers, key, slugs }: Side, folder: string): Promise<number> {
  const file = join(folder, 'calls')
  if (workload === 'launchers' || workload === 'events') writeFileSync(file, slugs.join('\n'))
  else writeCalls(workload, slugs, file)
  const connections = CONNECTIONS / servers.length
  const loads = await Promise.all(
    servers.map(({ origin }) =>
      workload === 'launchers' || workload === 'events'
        ? loadForSeconds(workload, origin, file, ROUND_SECONDS, connections)
        : callForSeconds(origin, { file, key, connections }, ROUND_SECONDS),
    ),
  )
  return loads.reduce((sum, { answered, seconds }) => sum + answered / seconds, 0)
}

if (findWrk() === null) throw new Error('wrk is not installed: apt install wrk')
const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
const cleanups: (() => Promise<unknown>)[] = []
try {
  await bench(folder, cleanups)
} finally {
  for (const cleanup of cleanups) await cleanup()
  rmSync(folder, { recursive: true, force: true })
}
