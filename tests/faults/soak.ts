import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, URL_OK } from '../contract/support.ts'
import { type Person, signUp } from '../people.ts'
import { type Runtime, startServer } from '../server.ts'
import { ADDRESS_HEADER, mixedLoad } from './load.ts'

// `bun run soak`: mixed load for SOAK_MINUTES (10) on SOAK_RUNTIME (bun). Fails if memory grows, an answer is wrong, or a
// count is not exact.

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10)
const RUNTIME = (process.env.SOAK_RUNTIME ?? 'bun') as Runtime
const TOKEN = 'a token for metrics in the soak'
const SAMPLE_MS = 1_000
const MB = 1024 * 1024
/** Memory of the last third relative to the second. */
const MAX_GROWTH = 1.1

const folder = mkdtempSync(join(tmpdir(), 'openall-soak-'))
const server = await startServer({
  runtime: RUNTIME,
  database: join(folder, 'test.db'),
  env: { SERVICE_CLIENT_IP_HEADER: ADDRESS_HEADER, LOG_LEVEL: 'error', SERVICE_METRICS_TOKEN: TOKEN },
})
const owner = await signUp(server)
const slugs = await Promise.all(Array.from({ length: 50 }, async () => (await owner.makeBundle()).slug))

const memory: number[] = []
const failed: string[] = []
let [creates, edits, reads] = [0, 0, 0]
let isOver = false
const over = Bun.sleep(MINUTES * 60_000).then(() => {
  isOver = true
})
const sampling = (async () => {
  for (; !isOver; await Bun.sleep(SAMPLE_MS)) memory.push(await sample('process_resident_memory_bytes'))
})()
const [sent] = await Promise.all([
  mixedLoad([server], slugs, () => over),
  ...[0, 1].map(keepCreating),
  keepEditing(owner),
  keepReading(owner),
])
await sampling
const serverErrors = await sumOf(/^openall_requests_total\{.*status="5\d\d"\} (\S+)$/gm)
const code = await server.stop()

const counted = await server.sql(`SELECT (SELECT sum(views) FROM daily_counters) AS views,
  (SELECT sum(open_all_clicks) FROM daily_counters) AS clicks, (SELECT count(*) FROM bundles) AS bundles,
  (SELECT max(version_number) FROM bundle_versions) AS versions`)
const expected = { views: sent.views, clicks: sent.clicks, bundles: slugs.length + creates, versions: edits + 1 }
const third = (n: number) =>
  mean(memory.slice(Math.floor((n * memory.length) / 3), Math.floor(((n + 1) * memory.length) / 3)))
const growth = third(2) / third(1)
const checks = {
  'memory is flat': growth <= MAX_GROWTH,
  'no 5xx': serverErrors === 0,
  'every answer is correct': sent.wrong.length + failed.length === 0,
  'counts are exact': JSON.stringify(counted[0]) === JSON.stringify(expected),
  'the stop is clean': code === 0,
}
console.log({
  minutes: MINUTES,
  runtime: RUNTIME,
  requests: sent.views + sent.clicks + creates + edits + reads,
  memoryMb: [third(0), third(1), third(2)].map((bytes) => Math.round(bytes / MB)),
  growth: Math.round(growth * 1000) / 1000,
  serverErrors,
  wrong: [...sent.wrong, ...failed].slice(0, 5),
  counted: counted[0],
  expected,
  checks,
})
rmSync(folder, { recursive: true, force: true })
process.exit(Object.values(checks).every(Boolean) ? 0 : 1)

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

async function metrics(): Promise<string> {
  return await (await fetch(`${server.origin}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()
}

async function sample(name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics())?.[1])
}

async function sumOf(pattern: RegExp): Promise<number> {
  return [...(await metrics()).matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0)
}

/** Anonymous creates, a few per second. */
async function keepCreating(worker: number): Promise<void> {
  for (; !isOver; await Bun.sleep(100)) {
    const { status } = await create(server, { urls: [URL_OK] }, { [ADDRESS_HEADER]: `192.0.2.${worker}` })
    if (status === 201) creates += 1
    else failed.push(`a create: ${status}`)
  }
}

/** Edits of one bundle. */
async function keepEditing(person: Person): Promise<void> {
  for (; !isOver; await Bun.sleep(200)) {
    const { status } = await person.api('PATCH', `/api/links/${slugs[0]}`, { title: `edit ${edits}` })
    if (status === 200) edits += 1
    else failed.push(`an edit: ${status}`)
  }
}

/** Reads of an owner, pages and API. */
async function keepReading(person: Person): Promise<void> {
  const paths = [
    '/',
    '/dashboard',
    '/api/me',
    '/api/me/links',
    `/api/links/${slugs[1]}/insights`,
    '/healthz',
    '/readyz',
  ]
  for (; !isOver; await Bun.sleep(50)) {
    const path = paths[reads % paths.length]!
    const answer = await person.fetch(path)
    await answer.arrayBuffer()
    reads += 1
    if (answer.status !== 200) failed.push(`${path}: ${answer.status}`)
  }
}
