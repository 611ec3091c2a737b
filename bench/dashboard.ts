import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { bundles, dailyCounters } from '../db/schema.ts'
import { readConfig } from '../src/config/config.ts'
import { createApp } from '../src/runtime/app.ts'
import { openLog } from '../src/runtime/log.ts'
import { startService } from '../src/runtime/service.ts'
import { median, type Row, table } from './figures.ts'
import { WITHOUT_LIMITS } from './processes.ts'

// `bun run bench:dashboard`: what a dashboard page costs relative to the JSON route with the same data. In process,
// without sockets. Rounds alternate, so that other load on the machine affects both alike.

const GOAL = 3
const ROUNDS = 15
const CALLS = 40
/** Enough for the JIT to compile the hot functions, as in a running server. */
const WARM_UP = 12

const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
const config = readConfig({ DATABASE_URL: `file:${join(folder, 'bench.db')}`, ...WITHOUT_LIMITS, LOG_LEVEL: 'silent' })
const service = await startService(config, openLog(config.logLevel))
const handle = createApp(service)
const host = config.authority
const browser = { host, 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' }
const cookie = await signUp()
const slug = await makeBundles()
await makeHistory(slug)

const fragment = (target: string) => ({ 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-target': target })
const PAGES: { name: string; json: string; page: string; headers: Record<string, string> }[] = [
  { name: 'list', json: '/api/me/links', page: '/dashboard', headers: {} },
  { name: 'list, its fragment', json: '/api/me/links', page: '/dashboard', headers: fragment('div#list') },
  ...Object.entries({ 'a bundle': '', versions: '/versions', insights: '/insights' }).map(([name, path]) => ({
    name,
    json: `/api/links/${slug}${path}`,
    page: `/dashboard/links/${slug}${path}`,
    headers: fragment('div#page'),
  })),
  { name: 'keys', json: '/api/me/keys', page: '/dashboard/keys', headers: fragment('div#page') },
]

const rows: Row[] = []
for (const { name, json, page, headers } of PAGES) {
  const ratios: number[] = []
  const costs = { json: [] as number[], page: [] as number[] }
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const jsonMicros = await microsPerCall(json, {})
    const pageMicros = await microsPerCall(page, headers)
    if (round < 0) continue
    costs.json.push(jsonMicros)
    costs.page.push(pageMicros)
    ratios.push(pageMicros / jsonMicros)
  }
  const figure = `${median(ratios).toFixed(2)} (${median(costs.page).toFixed(0)} to ${median(costs.json).toFixed(0)} µs)`
  rows.push({ label: `${name}, relative to its JSON`, figure, goal: `at most ${GOAL}`, isMet: median(ratios) <= GOAL })
}
console.log(table(rows))
await service.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(rows.every(({ isMet }) => isMet) ? 0 : 1)

async function microsPerCall(path: string, headers: Record<string, string>): Promise<number> {
  const start = performance.now()
  for (let n = 0; n < CALLS; n += 1) {
    const response = await handle(
      new Request(`${config.origin}${path}`, { headers: { ...browser, cookie, ...headers } }),
      () => '127.0.0.1',
    )
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    await response.arrayBuffer()
  }
  return ((performance.now() - start) * 1000) / CALLS
}

async function post(path: string, sent: unknown): Promise<Response> {
  const headers = { host, 'content-type': 'application/json', ...(cookie === undefined ? {} : { cookie }) }
  const body = JSON.stringify(sent)
  return handle(new Request(`${config.origin}${path}`, { method: 'POST', headers, body }), () => '127.0.0.1')
}

async function signUp(): Promise<string> {
  const body = JSON.stringify({ email: 'bench@people.example', password: 'correct horse battery', name: 'Bench' })
  const headers = { host, 'content-type': 'application/json' }
  const request = new Request(`${config.origin}/api/auth/sign-up/email`, { method: 'POST', headers, body })
  return (await handle(request, () => '127.0.0.1')).headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** Creates enough bundles to fill a page of the list. @returns the slug of the latest. */
async function makeBundles(): Promise<string> {
  const urls = Array.from({ length: 7 }, (_, n) => `https://site-${n}.example/a/page/of/it?n=${n}`)
  const urlMetadata = urls.map((_, n) => ({ note: `What is on page ${n}`, tags: ['reading', 'later'] }))
  let latest = ''
  for (let n = 0; n < 40; n += 1) {
    const created = await post('/api/links', {
      title: `Reading list ${n}`,
      description: 'For the week',
      urls,
      urlMetadata,
    })
    latest = ((await created.json()) as { slug: string }).slug
  }
  return latest
}

/** Edits the bundle until its history fills a page, and inserts counts for every day of a month. */
async function makeHistory(slug: string): Promise<void> {
  const { store } = service
  const headers = { host, 'content-type': 'application/json', cookie }
  for (let n = 1; n <= 19; n += 1) {
    const body = JSON.stringify({ title: `Reading list, week ${n}` })
    await handle(
      new Request(`${config.origin}/api/links/${slug}`, { method: 'PATCH', headers, body }),
      () => '127.0.0.1',
    )
  }
  const [bundle] = await store.db.select({ id: bundles.id }).from(bundles).where(eq(bundles.slug, slug))
  const days = Array.from({ length: 30 }, (_, n) => ({
    bundleId: bundle?.id ?? 0,
    day: new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10),
    views: 40 + 7 * n,
    openAllClicks: 20 + 3 * n,
  }))
  await store.write([store.db.insert(dailyCounters).values(days)])
}
