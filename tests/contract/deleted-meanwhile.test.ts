import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { openFileConnection } from '../../db/file.ts'
import { OPERATIONS, type OperationName } from '../../src/operations/table.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { CASES } from '../parity/cases.ts'
import { requestOf } from '../parity/transports.ts'
import { newWorld, type World } from '../parity/world.ts'
import { newPerson, URL_A } from '../people.ts'
import { newAddress, WITHOUT_LIMITS } from '../security/callers.ts'

setDefaultTimeout(180_000)

// What a write is about may be deleted between its check and its write. It is then refused in words, or happened before.

type Input = Record<string, unknown>
type Row = { route: string; effect?: string }

let server: InProcess
let foreign: string
beforeAll(async () => {
  server = await startInProcess(WITHOUT_LIMITS)
  foreign = (await (await newPerson(server)).makeBundle()).slug
})
afterAll(async () => {
  await server?.stop()
})

/** Operations that may write, by the table. */
const WRITES = (Object.entries(OPERATIONS) as [OperationName, Row][])
  .filter(([, { route, effect }]) => !route.startsWith('GET ') && effect !== 'none')
  .map(([name]) => name)

/** Inputs of those that need no credential, or are no tool; the others have theirs in the cases of all transports. */
const ALONE: Partial<Record<OperationName, (world: World) => Input>> = {
  record_event: ({ slug }) => ({ slug, kind: 'open_all' }),
  rename_bundle: ({ slug }) => ({ slug, newSlug: `renamed-${slug}` }),
  report_bundle: ({ slug }) => ({ slug, reason: 'spam' }),
  rotate_webhook_secret: ({ webhookId }) => ({ webhookId }),
  // Of an organisation of nobody: tests/contract/organization-operations.test.ts has what becomes of one.
  invite_member: () => ({ organizationId: 'none', email: 'nobody@example.com', role: 'viewer' }),
  revoke_invitation: () => ({ organizationId: 'none', invitationId: 'none' }),
  update_member: ({ person }) => ({ organizationId: 'none', userId: person.userId, role: 'viewer' }),
  remove_member: ({ person }) => ({ organizationId: 'none', userId: person.userId }),
  update_organization: () => ({ organizationId: 'none', name: 'Renamed' }),
  replace_url: () => ({ from: URL_A, to: 'https://elsewhere.example/' }),
}

function inputOf(name: OperationName, world: World): Input | undefined {
  const found = CASES.find(({ operation, refused, title }) => operation === name && !refused && !title.includes('dry'))
  return (found?.input ?? ALONE[name])?.(world)
}

type Call = readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>]

/** What may be deleted beside a write: the writes that are about such a thing, by their routes, and the deletion. */
const DELETIONS: readonly { of: RegExp; call: (world: World) => Call }[] = [
  { of: /^[A-Z]+ \/links\/:slug/, call: ({ slug }) => ['DELETE', `/api/links/${slug}`] },
  { of: /\/webhooks\//, call: ({ webhookId }) => ['DELETE', `/api/me/webhooks/${webhookId}`] },
  {
    of: /\/proposals\//,
    call: ({ slug, proposalId }) => ['POST', `/api/links/${slug}/proposals/${proposalId}/withdraw`],
  },
  { of: /./, call: () => ['POST', '/api/auth/delete-user', {}] },
]

/** How many turns of the event loop the deletion follows the write by. */
const TURNS = [0, 1, 2, 4]

async function after(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function send({ person, key }: World, ...[method, path, body, headers]: Call): Promise<Response> {
  const isAuth = path.startsWith('/api/auth/')
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return server.ask(path, {
    method,
    headers: {
      'x-client': newAddress(),
      ...headers,
      ...(isAuth ? { cookie } : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

test('every operation that writes has an input here', async () => {
  const world = await newWorld(server, foreign)
  expect(WRITES.filter((name) => inputOf(name, world) === undefined)).toEqual([])
})

test.each(WRITES)('%s beside a deletion of what it is about is never an error of the service', async (name) => {
  const seen = await Promise.all(
    DELETIONS.filter(({ of }) => of.test(OPERATIONS[name].route)).flatMap(({ call }) =>
      TURNS.map(async (turns) => {
        const world = await newWorld(server, foreign)
        const { method, path, body } = requestOf(OPERATIONS[name], inputOf(name, world) ?? {})
        const write = () => send(world, method, path, body)
        const remove = after(turns).then(() => send(world, ...call(world)))
        const answers = await Promise.all([write(), write(), remove, after(turns).then(write)])
        return answers.map(({ status }) => [call(world)[1], turns, status] as const)
      }),
    ),
  )
  expect(seen.flat().filter(([, , status]) => status >= 500)).toEqual([])
  // No event is written for a webhook that is gone already, which nothing would erase with it.
  const orphans =
    'SELECT count(*) AS n FROM outbox WHERE webhook_id NOT IN (SELECT id FROM webhooks UNION SELECT id FROM gone_webhooks)'
  expect(await server.sql(orphans)).toEqual([{ n: 0 }])
})

test('a deletion that names a version (If-Match) never deletes a later one', async () => {
  const world = await newWorld(server, foreign)
  const both: number[][] = []
  for (let round = 0; round < 24; round += 1) {
    const { slug } = await world.person.makeBundle()
    const stale = { 'if-match': '"v1"' }
    const edit = send(world, 'PATCH', `/api/links/${slug}`, { title: 'later' }, stale)
    const remove = after(round % 4).then(() => send(world, 'DELETE', `/api/links/${slug}`, undefined, stale))
    const statuses = (await Promise.all([edit, remove])).map(({ status }) => status)
    const [row] = await server.sql('SELECT version_number AS n, deleted_at FROM bundles WHERE slug = ?', [slug])
    both.push(statuses)
    expect([statuses, row?.n === 2 && row.deleted_at !== null]).toEqual([statuses, false])
  }
  // The race was run: an edit was first at least once.
  expect(both).toContainEqual([200, 412])
})

test('a test event for a webhook that goes between its check and its write is not written', async () => {
  const world = await newWorld(server, foreign)
  // Earlier ones, of which one may be under way, keep a new one from being written anyway.
  await server.sql('DELETE FROM outbox WHERE webhook_id = ? RETURNING 1', [world.webhookId])
  const other = openFileConnection(server.database)
  other.execNow('BEGIN IMMEDIATE')
  const tested = send(world, 'POST', `/api/me/webhooks/${world.webhookId}/test`)
  // It has read the webhook by then, and waits for the file.
  await after(200)
  await other.batch([{ sql: 'DELETE FROM webhooks WHERE id = ?', args: [world.webhookId] }])
  other.execNow('COMMIT')
  other.close()
  expect((await tested).status).toBe(404)
  const left = await server.sql('SELECT count(*) AS n FROM outbox WHERE webhook_id = ?', [world.webhookId])
  expect(left).toEqual([{ n: 0 }])
})
