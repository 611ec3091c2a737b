import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { bundles, dailyCounters } from '../db/schema.ts'
import { readConfig } from '../src/config/config.ts'
import { createApp } from '../src/runtime/app.ts'
import { openLog } from '../src/runtime/log.ts'
import { startService } from '../src/runtime/service.ts'
import { contentOf } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { WITHOUT_LIMITS } from './processes.ts'

// `bun run bench:start-page`: the processor time that a start page takes from the event loop, in an organisation with many
// bundles. In process, without sockets. Linux counts a thread's time in nanoseconds; the loop is the first thread.

const BUNDLES = 20_000
const LISTED = 500
const AT_ONCE = 50
const GOAL_MS = 10
const WARM_UP = 40
const ROUNDS = 15
const CALLS = 20

let calls = 0
const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
const config = readConfig({
  DATABASE_URL: `file:${join(folder, 'bench.db')}`,
  ...WITHOUT_LIMITS,
  LOG_LEVEL: 'silent',
})
const service = await startService(config, openLog(config.logLevel))
const handle = createApp(service)
const { cookie, handleOfPage } = await makeOrganization()
await makeBundles()

const member = { cookie }
const PAGES: { name: string; path: string; headers: Record<string, string> }[] = [
  { name: 'members’ page', path: '', headers: member },
  { name: 'members’ search', path: '?q=monday', headers: member },
  { name: 'members’ tag', path: '?tag=reading', headers: member },
  { name: 'members’ JSON', path: '.json', headers: member },
  { name: 'members’ feed', path: '/feed', headers: member },
  { name: 'strangers’ page, kept', path: '', headers: {} },
  { name: 'strangers’ tag', path: '?tag=reading', headers: {} },
]
const rows: Row[] = []
for (const { name, path, headers } of PAGES) {
  const address = `/o/${handleOfPage}${path}`
  for (let call = 0; call < WARM_UP; call += 1) await ask(address, headers)
  const loop: number[] = []
  const wall: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const [before, since] = [loopMs(), performance.now()]
    for (let call = 0; call < CALLS; call += 1) await ask(address, headers)
    loop.push((loopMs() - before) / CALLS)
    wall.push((performance.now() - since) / CALLS)
  }
  const ms = median(loop)
  const figure = `${ms.toFixed(2)} (${median(wall).toFixed(2)} until the answer)`
  rows.push({ label: `${name}, ms of the loop`, figure, goal: `at most ${GOAL_MS}`, isMet: ms <= GOAL_MS })
}
console.log(table(rows))
await service.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(rows.every(({ isMet }) => isMet) ? 0 : 1)

/** Processor time of this process's first thread so far. */
function loopMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

async function ask(path: string, headers: Record<string, string>): Promise<Response> {
  const browser = { host: config.authority, 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'Mozilla/5.0' }
  const request = new Request(`${config.origin}${path}`, { headers: { ...browser, ...headers } })
  // Each call from another network, because one network may read 120 a minute.
  calls += 1
  const answer = await handle(request, () => `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
  return answer
}

async function send(method: string, path: string, sent: unknown, by?: string): Promise<Response> {
  const headers = {
    host: config.authority,
    origin: config.origin,
    'content-type': 'application/json',
    ...(by === undefined ? {} : { cookie: by }),
  }
  const request = new Request(`${config.origin}${path}`, { method, headers, body: JSON.stringify(sent) })
  const answer = await handle(request, () => '127.0.0.1')
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

async function makeOrganization() {
  const person = { email: 'bench@people.example', password: 'correct horse battery', name: 'Bench' }
  const signedUp = await send('POST', '/api/auth/sign-up/email', person)
  const own = signedUp.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const made = await send('POST', '/api/auth/organization/create', { name: 'Bench', slug: 'bench' }, own)
  const { id } = (await made.json()) as { id: string }
  await send('POST', '/api/auth/organization/set-active', { organizationId: id }, own)
  await send('PATCH', `/api/organizations/${id}`, { handle: 'bench-team', color: 'teal' }, own)
  return { cookie: own, handleOfPage: 'bench-team' }
}

/** Creates the bundles, of which some are listed, half of these for members; each listed one was opened on every day of a month. */
async function makeBundles(): Promise<void> {
  for (let from = 0; from < BUNDLES; from += AT_ONCE) {
    const made = Array.from({ length: AT_ONCE }, (_, index) => {
      const number = from + index
      const content = contentOf(number)
      const urlMetadata = content.urlMetadata.map((metadata) => ({
        ...metadata,
        tags: ['reading', `team-${number % 9}`],
      }))
      const listed = number % (BUNDLES / LISTED) === 0
      return send(
        'POST',
        '/api/links',
        { ...content, urlMetadata, listed, access: number % 80 ? 'members' : 'link' },
        cookie,
      )
    })
    await Promise.all(made)
  }
  const { store } = service
  const listed = await store.db.select({ id: bundles.id }).from(bundles).where(eq(bundles.listed, true))
  if (listed.length !== LISTED) throw new Error(`${listed.length} bundles are listed`)
  for (let day = 0; day < 30; day += 1) {
    const counted = listed.map(({ id }) => ({
      bundleId: id,
      day: new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 10),
      views: 40 + (id % 7),
      openAllClicks: 20 + ((id * day) % 11),
    }))
    await store.write([store.db.insert(dailyCounters).values(counted)])
  }
}
