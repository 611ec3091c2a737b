import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { newPerson, Visitor } from '../people.ts'
import type { Server } from '../server.ts'

setDefaultTimeout(180_000)

const TOKEN = 'a metrics token of the tests'
/** Lines that name nothing, the slowest of ordinary input, and input that once took seconds. */
const LINES = 'ab\n'.repeat(40_000)
const SLOW = '![](<'.repeat(15_000)

let server: Server
let open: Server
beforeAll(async () => {
  open = await startInProcess()
  server = await startInProcess({ SERVICE_METRICS_TOKEN: TOKEN, SERVICE_RATE_LIMIT_MAX_REQUESTS: '3' })
})
afterAll(async () => {
  await server?.stop()
  await open?.stop()
})

/** The service's processor time so far, in seconds. */
async function processorSeconds(): Promise<number> {
  const answer = await fetch(`${server.origin}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(await answer.text())?.[1])
}

test('a form refused for too many requests is not read for links, and nothing typed is lost', async () => {
  const visitor = new Visitor(server)
  while ((await visitor.form('/', { urls: 'https://a.example/' })).status !== 429);
  /** The processor time of ten refused forms: the lowest of three rounds. */
  const taken = async (fields: Record<string, string>) => {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3; round += 1) {
      const before = await processorSeconds()
      for (let sent = 0; sent < 10; sent += 1) {
        const answer = await visitor.form('/', fields)
        const page = await answer.text()
        expect([answer.status, page.includes(Object.values(fields)[0]!.slice(0, 4))]).toEqual([429, true])
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      least = Math.min(least, (await processorSeconds()) - before)
    }
    return least
  }
  // Outside its own field a text is only decoded and shown again.
  for (const text of [LINES, SLOW]) {
    const alone = await taken({ description: text })
    expect((await taken({ urls: text })) / alone).toBeLessThan(2)
  }
})

test('long texts of one person are charged before they are read, short ones never', async () => {
  const ann = await newPerson(open)
  const statuses = new Set<number>()
  const long = { text: '- \n'.repeat(6_000) }
  let last = await ann.form('/dashboard/links/import', long)
  for (let sent = 0; sent < 150 && last.status !== 429; sent += 1) {
    statuses.add(last.status)
    last = await ann.form('/dashboard/links/import', long)
  }
  expect([last.status, [...statuses]]).toEqual([429, [400]])
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await last.text()).toContain('Too many requests with this much text')
  const more = { more: long.text, do: 'paste' }
  expect((await ann.form('/dashboard/links/new', more)).status).toBe(429)
  const { slug } = await ann.makeBundle()
  for (const button of ['paste', 'check']) {
    const form = { ...more, do: button, version: '1' }
    expect([button, (await ann.form(`/dashboard/links/${slug}`, form)).status]).toEqual([button, 429])
  }
  expect((await ann.form('/dashboard/links/import', { text: 'https://a.example/' })).status).toBe(200)
  const bo = await newPerson(open)
  expect((await bo.form('/dashboard/links/import', long)).status).toBe(400)
})
