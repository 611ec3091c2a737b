import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { actFor, newEmail, newOrganization, newPerson, PASSWORD, type Person, URL_A, Visitor } from '../people.ts'
import { newAddress, WITHOUT_LIMITS } from '../security/callers.ts'
import { BOTH_RUNTIMES, type Server, startServer } from '../server.ts'

// Races between two processes, one on each runtime, on one database, which a lock or cache in memory would not prevent.
// The tests of each feature cover most of them within one process too.

const START_MS = 180_000
const CAP = 5
const ROUNDS = 4
const folder = mkdtempSync(pathOf(tmpdir(), 'openall-races-'))
let servers: Server[]
let ann: Person

beforeAll(async () => {
  const env = {
    ...WITHOUT_LIMITS,
    SERVICE_SECRET: 'the same secret in both processes',
    SERVICE_PLAN_FREE_MAX_BUNDLES: String(CAP),
    SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: String(CAP),
  }
  const database = pathOf(folder, 'test.db')
  servers = await Promise.all(BOTH_RUNTIMES.map((runtime) => startServer({ runtime, database, env })))
  ann = await newPerson(servers[0]!)
  await ann.makeBundle()
  await servers[0]!.sql(`UPDATE owners SET plan = 'pro' WHERE user_id = ? RETURNING 1`, [ann.userId])
}, START_MS)
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  rmSync(folder, { recursive: true, force: true })
})

/** The same browser, connected to the other process. */
function at(server: Server, person: Visitor): Visitor {
  const visitor = new Visitor(server)
  for (const [name, value] of person.cookies) visitor.cookies.set(name, value)
  return visitor
}

/** Sends `count` calls at once, alternating between the processes. Returns the statuses in order. */
async function race(
  count: number,
  send: (server: Server, index: number) => Promise<{ status: number }>,
): Promise<number[]> {
  const calls = Array.from({ length: count }, (_, index) => send(servers[index % servers.length]!, index))
  return (await Promise.all(calls)).map(({ status }) => status).toSorted()
}

const oneAnd = (status: number, others: number, count: number) => [status, ...Array<number>(count - 1).fill(others)]

async function numberOf(query: string, ...args: string[]): Promise<number> {
  const [row] = await servers[0]!.sql(`SELECT count(*) AS n FROM ${query}`, args)
  return Number(row?.n)
}

/** Repeated, because a bug may lose a race only sometimes. */
async function rounds(once: () => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await once()
}

test('of ten simultaneous claims one wins, and the others find nothing', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => newPerson(servers[0]!)))
  await rounds(async () => {
    const { slug, claimToken } = await new Visitor(servers[0]!, { 'x-client': newAddress() }).makeBundle()
    const claim = (server: Server, index: number) =>
      at(server, people[index]!).api('POST', '/api/claims', { token: claimToken })
    expect(await race(10, claim)).toEqual(oneAnd(200, 404, 10))
    expect(await numberOf('bundles WHERE slug = ? AND owner_id IS NOT NULL', slug)).toBe(1)
    expect(await numberOf('claims JOIN bundles ON bundles.id = bundle_id WHERE slug = ?', slug)).toBe(0)
  })
})

test('two last admins who demote, remove or leave simultaneously leave one admin', async () => {
  const ORGANIZATION = '/api/auth/organization'
  for (const how of ['demote', 'remove', 'leave'] as const) {
    await rounds(async () => {
      const [one, other] = (await Promise.all([newPerson(servers[0]!), newPerson(servers[0]!)])) as [Person, Person]
      const { id: organizationId } = await newOrganization(one, [[other, 'admin']])
      const rows = await servers[0]!.sql('SELECT id, user_id FROM member WHERE organization_id = ?', [organizationId])
      const memberId = ({ userId }: Person) => rows.find((row) => row.user_id === userId)?.id
      const calls = {
        demote: ['update-member-role', (target: Person) => ({ memberId: memberId(target), role: 'viewer' })],
        remove: ['remove-member', (target: Person) => ({ memberIdOrEmail: memberId(target) })],
        leave: ['leave', () => ({})],
      } as const
      const [action, words] = calls[how]
      await race(2, (server, index) => {
        const [by, target] = index === 0 ? [one, other] : [other, one]
        return at(server, by).api('POST', `${ORGANIZATION}/${action}`, { ...words(target), organizationId })
      })
      expect(await numberOf(`member WHERE organization_id = ? AND role = 'admin'`, organizationId)).toBe(1)
    })
  }
})

test('of ten edits of one version one succeeds, and there is one more version', async () => {
  await rounds(async () => {
    const { slug } = await ann.makeBundle()
    const edit = (server: Server, index: number) =>
      at(server, ann).api('PATCH', `/api/links/${slug}`, { title: `edit ${index}` }, { 'if-match': '"v1"' })
    expect(await race(10, edit)).toEqual(oneAnd(200, 412, 10))
    expect(await numberOf('bundle_versions JOIN bundles ON bundles.id = bundle_id WHERE slug = ?', slug)).toBe(2)
  })
})

test('of thirty bundles made at once at a cap of five, five succeed, with an account and without', async () => {
  const create = (visitor: Visitor) => visitor.api('POST', '/api/links', { urls: [URL_A] })
  const expected = [...Array<number>(CAP).fill(201), ...Array<number>(30 - CAP).fill(403)]
  await rounds(async () => {
    const person = await newPerson(servers[0]!)
    expect(await race(30, (server) => create(at(server, person)))).toEqual(expected)
    expect(await numberOf('bundles JOIN owners ON owners.id = owner_id WHERE user_id = ?', person.userId)).toBe(CAP)
    const address = { 'x-client': newAddress() }
    expect(await race(30, (server) => create(new Visitor(server, address)))).toEqual(expected)
  })
})

test('ten calls with one idempotency key have one effect and one answer: a bundle, and an API key', async () => {
  await rounds(async () => {
    const key = { 'idempotency-key': newEmail('once') }
    for (const [path, body, table, answers] of [
      ['/api/links', { urls: [URL_A] }, 'bundles', 'slug'],
      ['/api/me/keys', { name: 'once' }, 'api_keys', 'rawKey'],
    ] as const) {
      const before = await numberOf(table)
      const told = new Set<unknown>()
      const send = async (server: Server) => {
        const answer = await at(server, ann).api('POST', path, body, key)
        told.add(answer.body[answers])
        return answer
      }
      expect(await race(10, send)).toEqual(Array<number>(10).fill(201))
      expect([path, told.size, (await numberOf(table)) - before]).toEqual([path, 1, 1])
    }
  })
})

test('an invitation accepted six times at once makes one member', async () => {
  await rounds(async () => {
    const member = await newPerson(servers[0]!)
    const { id: organizationId } = await newOrganization(ann)
    const invite = { email: member.email, role: 'editor', organizationId }
    const { body } = await ann.api('POST', '/api/auth/organization/invite-member', invite)
    const accept = (server: Server) =>
      at(server, member).api('POST', '/api/auth/organization/accept-invitation', { invitationId: body.id })
    expect(await race(6, accept)).toEqual(oneAnd(200, 404, 6))
    expect(await numberOf('member WHERE organization_id = ? AND user_id = ?', organizationId, member.userId)).toBe(1)
    await actFor(ann, null)
  })
})

test('a bundle is deleted once, restored completely by anybody, and never counted twice', async () => {
  const person = await newPerson(servers[0]!)
  const { slug } = await person.makeBundle()
  await person.api('PATCH', `/api/links/${slug}`, { title: 'kept' })
  const remove = (server: Server) => at(server, person).api('DELETE', `/api/links/${slug}`)
  const restore = (server: Server) => at(server, person).api('POST', `/api/links/${slug}/restore`)
  const versions = () => numberOf('bundle_versions JOIN bundles ON bundles.id = bundle_id WHERE slug = ?', slug)
  await rounds(async () => {
    expect(await race(10, remove)).toEqual(oneAnd(200, 404, 10))
    expect(await race(10, restore)).toEqual(Array<number>(10).fill(200))
    expect(await versions()).toBe(2)
    const mixed = await race(10, (server, index) => (index % 4 < 2 ? remove(server) : restore(server)))
    expect(mixed.filter((status) => status !== 200 && status !== 404)).toEqual([])
    expect((await restore(servers[0]!)).status).toBe(200)
    expect(await versions()).toBe(2)
  })
  // Room for exactly four more.
  const create = (server: Server) => at(server, person).api('POST', '/api/links', { urls: [URL_A] })
  expect(await race(10, create)).toEqual([...Array<number>(CAP - 1).fill(201), ...Array<number>(11 - CAP).fill(403)])
})

test('a slug that ten people choose at once goes to one', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => newPerson(servers[0]!)))
  for (let round = 0; round < ROUNDS; round += 1) {
    const slug = `chosen-at-once-${round}`
    const choose = (server: Server, index: number) =>
      at(server, people[index]!).api('POST', '/api/links', { urls: [URL_A], slug })
    expect(await race(10, choose)).toEqual(oneAnd(201, 409, 10))
    expect(await numberOf('bundles WHERE slug = ?', slug)).toBe(1)
  }
})

test('sign-ups for one address in both processes make one account, and all get the same answer', async () => {
  const words = { email: newEmail(), password: PASSWORD, name: '' }
  const sign = (server: Server) => new Visitor(server).api('POST', '/api/auth/sign-up/email', words)
  expect(await race(4, sign)).toEqual([200, 200, 200, 200])
  expect(await numberOf('user WHERE email = ?', words.email)).toBe(1)
})
