import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ask,
  confirm,
  type Minted,
  mint,
  newOrganization,
  newPerson,
  type Person,
  revoke,
  signUp,
} from '../contract/people.ts'
import { create, START_MS, URL_OK } from '../contract/support.ts'
import { becomes } from '../eventually.ts'
import { newPerson as newOwner, Visitor } from '../people.ts'
import { type RedisServer, startRedis } from '../redis.ts'
import { BOTH_RUNTIMES, type Server, startServer } from '../server.ts'

/** Two processes of the service, one on each runtime, with one database and one Redis. */
const directory = mkdtempSync(join(tmpdir(), 'openall-'))
const database = join(directory, 'test.db')
let redis: RedisServer
let servers: Server[]
let person: Person

beforeAll(async () => {
  redis = await startRedis()
  const env = {
    REDIS_URL: redis.url,
    SERVICE_CLIENT_IP_HEADER: 'x-client',
    SERVICE_SECRET: 'the same secret in both processes',
    SERVICE_RATE_LIMIT_WINDOW_MS: '600000',
    SERVICE_RATE_LIMIT_MAX_REQUESTS: '20',
  }
  servers = await Promise.all(BOTH_RUNTIMES.map((runtime) => startServer({ runtime, database, env })))
  person = await signUp(servers[0]!, { 'x-client': '192.0.2.250' })
  await confirm(servers[0]!, person)
}, START_MS)
afterAll(async () => {
  await Promise.all([redis.kill(), ...servers.map((server) => server.stop())])
  rmSync(directory, { recursive: true })
})

const fifty = (send: (server: Server) => Promise<{ status: number }>) =>
  Promise.all(Array.from({ length: 50 }, (_, index) => send(servers[index % 2]!)))
const passed = (answers: { status: number }[]) => answers.filter(({ status }) => status < 300).length

test('of fifty simultaneous requests to two processes with a key of twenty per hour exactly twenty pass', async () => {
  const { rawKey: key } = await mint(servers[0]!, person, { rateLimitPerHour: 20 })
  expect(passed(await fifty((server) => ask(server, 'GET /api/me', { key })))).toBe(20)
})

test('of fifty simultaneous anonymous creates in two processes exactly the address’s twenty pass', async () => {
  const at = { 'x-client': '192.0.2.1' }
  expect(passed(await fifty((server) => create(server, { urls: [URL_OK] }, at)))).toBe(20)
})

test('wrong passwords and mails count for both processes', async () => {
  const email = 'tried@people.example'
  const send = (path: string, index: number) =>
    ask(servers[index % 2]!, `POST /api/auth${path}`, {
      headers: { 'x-client': '192.0.2.2' },
      body: { email, password: 'not the password' },
    })
  const statuses: number[] = []
  for (let index = 0; index < 6; index += 1) statuses.push((await send('/sign-in/email', index)).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  for (let index = 0; index < 5; index += 1) expect((await send('/sign-in/magic-link', index)).status).toBe(200)
  expect((await send('/sign-in/magic-link', 5)).status).toBe(429)
})

test('of wrong passwords for a bundle ten are heard by both processes together, however they are sent', async () => {
  const owner = await newOwner(servers[0]!)
  const { slug } = await owner.makeBundle({ access: 'password', password: 'four stairs down' })
  const send = (index: number, password: string, from: string) =>
    new Visitor(servers[index % 2]!, { 'x-client': from }).form(`/l/${slug}`, { password })
  const wrong = await Promise.all(Array.from({ length: 36 }, (_, index) => send(index, 'x'.repeat(300), '192.0.2.9')))
  expect(wrong.filter(({ status }) => status === 401)).toHaveLength(10)
  expect(wrong.filter(({ status }) => status === 429)).toHaveLength(26)
  const elsewhere = async (password: string) => (await send(1, password, '192.0.2.10')).status
  expect(await elsewhere('four stairs down')).toBe(200)
  expect((await owner.api('PATCH', `/api/links/${slug}`, { password: 'five stairs up' })).status).toBe(200)
  expect([await elsewhere('four stairs down'), await elsewhere('five stairs up')]).toEqual([401, 200])
})

test('a page that one process keeps is no longer shown once the other has closed the bundle to strangers', async () => {
  const owner = await newOwner(servers[0]!)
  const { slug } = await owner.makeBundle()
  const there = async () => (await new Visitor(servers[1]!).fetch(`/l/${slug}`)).status
  for (const protection of [{ access: 'members' }, { access: 'password', password: 'four stairs down' }]) {
    await becomes(there, 200)
    await owner.api('PATCH', `/api/links/${slug}`, protection)
    await becomes(there, 401)
    await owner.api('PATCH', `/api/links/${slug}`, { access: 'link' })
  }
})

test(
  'counts outlive a process: a restart lets no more through',
  async () => {
    const { rawKey: key } = await mint(servers[0]!, person, { rateLimitPerHour: 5 })
    const use = () => ask(servers[0]!, 'GET /api/me', { key })
    for (let sent = 0; sent < 5; sent += 1) expect((await use()).status).toBe(200)
    await servers[0]!.kill()
    await servers[0]!.restart()
    expect((await use()).status).toBe(429)
  },
  START_MS,
)

/** How long a process caches a key without a notice (docs/api-keys.md). */
const KEPT_MS = 1_000

/**
 * Changes something in one process that must end a key which the other has just read. Redis has published a notice before
 * the change is answered. Resolves to whether the key ended before the cache alone would have forgotten it; on a busy
 * machine the change itself may take that long: then once more, with another key.
 */
async function endsAtOnce(there: Server, make: () => Promise<{ key: Minted; end: () => Promise<unknown> }>) {
  for (let tries = 0; tries < 5; tries += 1) {
    const { key, end } = await make()
    const use = async () => (await ask(there, 'GET /api/me', { key: key.rawKey })).status
    const readAt = performance.now()
    expect(await use()).toBe(200)
    await end()
    await becomes(use, 401)
    if (performance.now() - readAt < KEPT_MS) return true
  }
  return false
}

test(
  'a revoked key, and one whose minter is removed, end at once in every process that Redis reaches',
  async () => {
    const founder = await newPerson(servers[0]!)
    const acme = await newOrganization(servers[0]!, founder)
    for (const [here, there] of [servers, [...servers].reverse()] as [Server, Server][]) {
      const revoked = async () => {
        const key = await mint(here, founder)
        return { key, end: () => revoke(here, founder, key.apiKey.id) }
      }
      const orphaned = async () => {
        const member = await newPerson(here)
        await acme.join(member, 'admin')
        return { key: await mint(here, member), end: () => acme.remove(member) }
      }
      expect([await endsAtOnce(there, revoked), await endsAtOnce(there, orphaned)]).toEqual([true, true])
    }
  },
  START_MS,
)

test(
  'while Redis is down each process limits on its own, warns once, and can start; then they share again',
  async () => {
    const warnings = (server: Server) => server.output().split('Redis is down').length - 1
    const { rawKey: key } = await mint(servers[0]!, person, { rateLimitPerHour: 20 })
    const use = (server: Server) => ask(server, 'GET /api/me', { key })
    await redis.kill()
    expect(passed(await fifty(use))).toBe(40)
    expect(servers.map(warnings)).toEqual([1, 1])
    const late = await startServer({ env: { REDIS_URL: redis.url } })
    expect(warnings(late)).toBe(1)
    await late.stop()
    await redis.restart()
    const areBack = () => servers.every((server) => server.output().includes('Redis is back'))
    while (!areBack()) {
      await Promise.all(servers.map((server) => ask(server, 'GET /api/me', { key })))
      await Bun.sleep(50)
    }
    const { rawKey: fresh } = await mint(servers[0]!, person, { rateLimitPerHour: 20 })
    expect(passed(await fifty((server) => ask(server, 'GET /api/me', { key: fresh })))).toBe(20)
    expect(servers.map(warnings)).toEqual([1, 1])
  },
  START_MS,
)

test(
  'while Redis is down a revoked key ends in the other process within a second, and at once after it is back',
  async () => {
    const [here, there] = servers as [Server, Server]
    const make = async () => {
      const key = await mint(here, person)
      return { key, end: () => revoke(here, person, key.apiKey.id) }
    }
    await redis.kill()
    const { key, end } = await make()
    const use = async () => (await ask(there, 'GET /api/me', { key: key.rawKey })).status
    expect(await use()).toBe(200)
    await end()
    await Bun.sleep(KEPT_MS)
    expect(await use()).toBe(401)
    await redis.restart()
    await becomes(() => endsAtOnce(there, make), true)
  },
  START_MS,
)
