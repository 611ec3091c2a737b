import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Declaration, OPERATIONS, type OperationName } from '../../src/operations/table.ts'
import { requestOf } from '../parity/transports.ts'
import { EXTERNAL_ID, NOWHERE, newWorld, type World } from '../parity/world.ts'
import { actFor, newOrganization, newPerson, type Person, URL_A, URL_B, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'

// What a flag of the table of operations promises, for each operation that has it: an operation that gets the flag is
// tested by having it. What only one operation promises beyond that is tested with its feature.

setDefaultTimeout(180_000)

const all = Object.entries(OPERATIONS) as [OperationName, Declaration][]
const having = (flag: 'idempotent' | 'dryRun' | 'versioned') =>
  all.filter(([, declared]) => declared[flag] === true).map(([name]) => name)

type Input = Record<string, unknown>
type Flagged = World & { spareWebhookId?: string }

/** An input that each operation accepts, and fields that make another one of it. An operation with a flag needs a line. */
const INPUTS: {
  [Name in OperationName]?: [input: (world: Flagged) => Input, other: Input | ((world: Flagged) => Input)]
} = {
  create_bundle: [() => ({ urls: [URL_A], title: 'one' }), { title: 'another' }],
  update_bundle: [({ slug }) => ({ slug, title: 'one' }), { title: 'another' }],
  put_bundle: [() => ({ externalId: EXTERNAL_ID, urls: [URL_A], title: 'one' }), { title: 'another' }],
  delete_bundle: [({ slug }) => ({ slug }), {}],
  rename_bundle: [({ slug }) => ({ slug, newSlug: `renamed-${slug}` }), {}],
  create_bundles: [() => ({ bundles: [{ urls: [URL_A] }, { urls: [URL_B] }] }), { bundles: [{ urls: [URL_B] }] }],
  update_bundles: [
    ({ slug }) => ({ edits: [{ slug, title: 'one' }] }),
    ({ slug }) => ({ edits: [{ slug, title: 'another' }] }),
  ],
  duplicate_bundle: [({ slug }) => ({ slug, title: 'one' }), { title: 'another' }],
  restore_version: [({ slug }) => ({ slug, versionNumber: 1 }), { versionNumber: 2 }],
  propose_edit: [({ slug }) => ({ slug, title: 'one' }), { title: 'another' }],
  accept_proposal: [({ slug, proposalId }) => ({ slug, id: proposalId }), {}],
  create_key: [() => ({ name: 'one' }), { name: 'another' }],
  create_webhook: [() => ({ url: NOWHERE, events: ['bundle.claimed'] }), { url: `${NOWHERE}other` }],
  rotate_webhook_secret: [({ webhookId }) => ({ webhookId }), ({ spareWebhookId }) => ({ webhookId: spareWebhookId })],
}

/** What they answer that do not create one thing. */
const DONE: { [Name in OperationName]?: number } = {
  create_bundles: 200,
  update_bundles: 200,
  update_bundle: 200,
  put_bundle: 200,
  restore_version: 200,
  rotate_webhook_secret: 200,
}
/** What has the same answer whenever it is sent again, with or without a key, as long as nobody edits meanwhile. */
const STEADY: readonly OperationName[] = ['put_bundle']

interface Told extends Record<string, unknown> {
  code?: string
  bundle: Record<string, unknown>
}

function call(name: OperationName, by: Visitor, input: Input, headers: Record<string, string> = {}) {
  const { method, path, body } = requestOf(OPERATIONS[name], input)
  return by.api<Told>(method, path, body, headers)
}

const inputOf = (name: OperationName, world: Flagged) => {
  const [input, other] = INPUTS[name] ?? []
  if (input === undefined || other === undefined) throw new Error(`${name} has a flag: say in INPUTS what it accepts`)
  return { input: input(world), other: { ...input(world), ...(typeof other === 'function' ? other(world) : other) } }
}

const ROWS = 'bundles bundle_versions version_parts policy_rules proposals claims api_keys webhooks owners'.split(' ')

/** What calls would change: how much there is of everything, and what one's bundles and their proposals are like. */
async function stateOf({ sql }: Server, { slug }: World) {
  return [
    await sql(`SELECT ${ROWS.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(', ')}`),
    await sql(
      `SELECT title, description, version_number, deleted_at, (SELECT group_concat(state) FROM proposals
        WHERE bundle_id = bundles.id) AS proposals FROM bundles WHERE slug = ?`,
      [slug],
    ),
  ]
}

const times = <T>(count: number, run: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => run(at)))
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed')
const key = (name: string) => ({ 'idempotency-key': name })

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  let foreign: string
  beforeAll(async () => {
    foreign = (await (await newPerson(at())).makeBundle()).slug
  })

  describe.each(having('idempotent'))('%s takes effect once per idempotency key:', (name) => {
    const done = DONE[name] ?? 201
    let world: Flagged
    beforeAll(async () => {
      world = await newWorld(at(), foreign)
      if (name !== 'rotate_webhook_secret') return
      const hook = { url: NOWHERE, events: ['bundle.claimed'] }
      const { body } = await world.person.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', hook)
      world.spareWebhookId = body.webhook.id
    })
    const send = (headers: Record<string, string>, which: 'input' | 'other' = 'input', by: Visitor = world.person) =>
      call(name, by, inputOf(name, world)[which], headers)

    test('the same input in other words gets the first answer again, and nothing is made', async () => {
      const first = await send(key('again'))
      const before = await stateOf(at(), world)
      const backwards = Object.fromEntries(Object.entries(inputOf(name, world).input).reverse())
      const again = await call(name, world.person, backwards, key('again'))
      expect([first.status, replayed(first)]).toEqual([done, null])
      expect([again.status, replayed(again), again.headers.get('location')]).toEqual([
        done,
        'true',
        first.headers.get('location'),
      ])
      expect(again.body).toEqual(first.body)
      expect(await stateOf(at(), world)).toEqual(before)
    })

    test('another input is a conflict, and nothing is made', async () => {
      await send(key('conflict'))
      const before = await stateOf(at(), world)
      expect(await send(key('conflict'), 'other')).toMatchObject({
        status: 409,
        body: { code: 'IDEMPOTENCY_CONFLICT' },
      })
      expect(await stateOf(at(), world)).toEqual(before)
    })

    test('a refused call does not use up the key, and no key makes another each time', async () => {
      const refused = await call(name, world.person, { ...inputOf(name, world).input, nonsense: 1 }, key('refused'))
      expect(refused.status).toBe(400)
      const made = [await send(key('refused')), await send({}), await send({})]
      expect(made.map((one) => [one.status, replayed(one)])).toEqual(Array(3).fill([done, null]))
      expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(STEADY.includes(name) ? 1 : 3)
    })

    test('ten at once have one effect, and the other input of ten the conflict', async () => {
      const answers = await times(10, (n) => send(key('together'), n % 2 === 0 ? 'input' : 'other'))
      const [made, conflicts] = [done, 409].map((status) => answers.filter((answer) => answer.status === status))
      expect([made!.length, conflicts!.length]).toEqual([5, 5])
      expect(new Set(made!.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      expect(made!.filter((one) => replayed(one) === null)).toHaveLength(1)
    })

    test('it is another key for another caller, and 1 to 255 printable characters', async () => {
      const first = await send(key('shared'))
      const other = await send(key('shared'), 'input', new Visitor(at(), { authorization: `Bearer ${world.key}` }))
      expect([other.status, replayed(other)]).toEqual([done, null])
      if (!STEADY.includes(name)) expect(other.body).not.toEqual(first.body)
      expect((await send(key('a b~!'.padEnd(255, 'k')))).status).toBe(done)
      for (const bad of ['k'.repeat(256), 'é'])
        expect(await send(key(bad))).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
    })
  })

  describe.each(having('dryRun'))('%s has a dry run:', (name) => {
    let world: World
    beforeAll(async () => {
      world = await newWorld(at(), foreign)
    })

    test('it answers with what would be saved, writes nothing, and uses no key up', async () => {
      const before = await stateOf(at(), world)
      const { input } = inputOf(name, world)
      const dry = await call(name, world.person, { ...input, dryRun: true }, key('dry'))
      expect([dry.status, dry.headers.get('location'), dry.headers.get('etag')]).toEqual([200, null, null])
      expect(dry.body).toEqual({ dryRun: true, bundle: expect.any(Object), warnings: [] } as unknown as Told)
      const { method, path, body } = requestOf(OPERATIONS[name], input)
      const route = await world.person.api<Told>(method, `${path}/dry-run`, body)
      expect([route.status, route.body]).toEqual([200, dry.body])
      expect(await stateOf(at(), world)).toEqual(before)
      const real = await call(name, world.person, input, key('dry'))
      expect(real.status).toBeLessThan(300)
      expect(replayed(real)).toBeNull()
      const { body: saved } = await world.person.api<Told>('GET', `/api/links/${String(real.body.slug)}`)
      const fixed = ({ slug, url, resolutionPolicy, createdAt, updatedAt, ...rest }: Record<string, unknown>) =>
        JSON.parse(JSON.stringify([rest, resolutionPolicy], (field, value) => (field === 'id' ? undefined : value)))
      expect(fixed(saved)).toEqual(fixed(dry.body.bundle))
    })

    test('it is refused as the call itself would be', async () => {
      const { input } = inputOf(name, world)
      const [admin, viewer] = [await newPerson(at()), await newPerson(at())]
      const { id } = await newOrganization(admin, [[viewer, 'viewer']])
      const { slug } = await admin.makeBundle()
      await actFor(viewer, id)
      const taken = { create_bundle: { slug: foreign }, duplicate_bundle: { newSlug: foreign } }[name as string]
      const wrong: [by: Visitor, fields: Input, headers?: Record<string, string>][] = [
        [world.person, { urls: ['ftp://a.example'] }],
        [world.person, { urls: [URL_B], urlMetadata: [{}, {}] }],
        [world.person, { nonsense: 1 }],
        [world.person, taken ?? { slug: foreign }],
        [world.person, {}, key('é')],
        [viewer, 'slug' in input ? { slug } : {}],
        [new Visitor(at(), { authorization: `Bearer ${world.readKey}` }), {}],
        [new Visitor(at(), { authorization: 'Bearer nonsense' }), {}],
      ]
      if ('slug' in input)
        wrong.push([world.person, { slug: world.deleted }], [world.person, { slug: 'there-is-none' }])
      if ('versioned' in OPERATIONS[name]) wrong.push([world.person, {}, { 'if-match': '"v1"' }])
      for (const [by, fields, headers] of wrong) {
        const [dry, real] = [
          await call(name, by, { ...input, ...fields, dryRun: true }, headers),
          await call(name, by, { ...input, ...fields }, headers),
        ]
        expect([fields, dry.status, dry.body]).toEqual([fields, real.status, { ...real.body, ...told }])
        expect([fields, dry.status < 400]).toEqual([fields, false])
      }
      expect((await call(name, world.person, { ...input, dryRun: 1 })).status).toBe(400)
    })
  })

  test('an operation without a dry run does not know the field, and does nothing', async () => {
    const world = await newWorld(at(), foreign)
    for (const [name, { route, dryRun }] of all) {
      if (dryRun || !/^(POST|PATCH)/.test(route)) continue
      const { slug, proposalId: id, webhookId, deliveryId } = world
      const sent = await call(name, world.person, { slug, id, webhookId, deliveryId, versionNumber: 1, dryRun: true })
      expect([name, sent.status]).toEqual([name, 400])
    }
    expect(await stateOf(at(), world)).toMatchObject([{}, [{ version_number: 2, deleted_at: null, proposals: 'open' }]])
  })

  describe.each(having('versioned'))('%s with If-Match', (name) => {
    const send = (world: World, match: string) =>
      call(name, world.person, inputOf(name, world).input, { 'if-match': match })

    test('succeeds only for the latest version, and otherwise changes nothing', async () => {
      const world = await newWorld(at(), foreign)
      const before = await stateOf(at(), world)
      for (const stale of ['"v1"', '"v3"', 'W/"v1"'])
        expect(await send(world, stale)).toMatchObject({ status: 412, body: { code: 'VERSION_CONFLICT' } })
      for (const bad of ['v1', '"1"', 'W/v1', '"v1", "v2"', '"v"'])
        expect(await send(world, bad)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
      expect(await stateOf(at(), world)).toEqual(before)
      const statuses = (await times(6, () => send(world, '"v2"'))).map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    })

    test.each(['*', 'W/"v2"'])('takes %s', async (match) => {
      expect((await send(await newWorld(at(), foreign), match)).status).toBe(200)
    })
  })
})

const CAP = 3
const CAPS = {
  SERVICE_PLAN_FREE_MAX_BUNDLES: String(CAP),
  SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: String(CAP),
  SERVICE_CLIENT_IP_HEADER: 'x-client',
  SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true',
}

/** Somebody before a cap: what to call, and how often it succeeds. */
interface Capped {
  room: number
  name: OperationName
  input(at: number): Input
  by: Visitor
}

const anonymous = (server: Server) => new Visitor(server, { 'x-client': '192.0.2.1' })
const bundleOf = (person: Person, wishes = {}) => person.makeBundle(wishes)

/** Each cap, by a way to reach it. */
const REACHED: Record<string, (server: Server, person: Person) => Promise<Capped>> = {
  'bundles of an account': async (_, by) => ({
    room: CAP,
    name: 'create_bundle',
    input: () => ({ urls: [URL_A] }),
    by,
  }),
  'bundles of an address': async (server) => ({
    room: CAP,
    name: 'create_bundle',
    input: () => ({ urls: [URL_A] }),
    by: anonymous(server),
  }),
  'copies of one’s own bundle': async (_, by) => {
    const { slug } = await bundleOf(by)
    return { room: CAP - 1, name: 'duplicate_bundle', input: () => ({ slug }), by }
  },
  'copies of another’s bundle': async (server, by) => {
    const { slug } = await bundleOf(await newPerson(server), { copyable: true })
    return { room: CAP, name: 'duplicate_bundle', input: () => ({ slug }), by }
  },
  'copies without an account': async (server, owner) => {
    const { slug } = await bundleOf(owner, { copyable: true })
    const by = new Visitor(server, { 'x-client': '192.0.2.2' })
    return { room: CAP, name: 'duplicate_bundle', input: () => ({ slug }), by }
  },
  claims: async (server, by) => {
    const made = await times(6, (n) => new Visitor(server, { 'x-client': `192.0.2.${n + 10}` }).makeBundle())
    return { room: CAP, name: 'claim_bundle', input: (n) => ({ token: made[n % 6]!.claimToken }), by }
  },
  'bundles restored': async (_, by) => {
    const made = await times(CAP, () => bundleOf(by))
    for (const { slug } of made) await by.api('DELETE', `/api/links/${slug}`)
    await bundleOf(by)
    return { room: CAP - 1, name: 'restore_bundle', input: (n) => ({ slug: made[n % CAP]!.slug }), by }
  },
  'open proposals of a bundle': async (_, by) => {
    const { slug } = await bundleOf(by)
    return { room: 20, name: 'propose_edit', input: (n) => ({ slug, title: `${n}` }), by }
  },
  webhooks: async (_, by) => ({
    room: 10,
    name: 'create_webhook',
    input: () => ({ url: NOWHERE, events: ['bundle.claimed'] }),
    by,
  }),
  keys: async (_, by) => ({ room: 100, name: 'create_key', input: () => ({ name: 'one' }), by }),
}

onEveryTarget(CAPS, (at) => {
  test.each(Object.entries(REACHED))(
    'of more at once than a cap has room for, exactly as many succeed as fit: %s',
    async (_, reach) => {
      const { room, name, input, by } = await reach(at(), await newPerson(at()))
      const most = Math.max(room + 2, 6)
      const distinct = new Set((await times(most, async (n) => JSON.stringify(input(n)))).values())
      const answers = await times(name === 'restore_bundle' ? distinct.size : most, (n) => call(name, by, input(n)))
      const [passed, refused] = [true, false].map((ok) => answers.filter(({ status }) => status < 300 === ok))
      expect(passed).toHaveLength(room)
      expect(new Set(refused!.map(({ status, body }) => `${status} ${body.code}`))).toEqual(new Set(['403 PLAN_LIMIT']))
      if (OPERATIONS[name] !== undefined && 'dryRun' in OPERATIONS[name]) {
        const dry = await call(name, by, { ...input(0), dryRun: true })
        expect(dry).toMatchObject({ status: 403, body: { code: 'PLAN_LIMIT' } })
      }
      // The counts that caps go by are stored: they equal the real ones.
      const counted = 'SELECT count(*) FROM bundles WHERE owner_id = owners.id AND deleted_at IS NULL'
      expect(await at().sql(`SELECT id FROM owners WHERE bundle_count <> (${counted})`)).toEqual([])
    },
  )
})
