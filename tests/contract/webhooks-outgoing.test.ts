import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { waitAfter } from '../../src/webhooks/due.ts'
import { becomes, eventually } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'

setDefaultTimeout(180_000)

interface Webhook {
  id: string
  url: string
  events: string[]
  enabled: boolean
  disabledAt: string | null
  disabledBy: string | null
}

interface Delivery {
  id: number
  messageId: string
  event: string
  slug: string | null
  state: string
  attempts: number
  responseStatus: number | null
  failure: string | null
  nextAttemptAt: string | null
}

type Created = { webhook: Webhook; secret: string; warning: string }
type Refused = { error: string; code: string }

const ALL = ['bundle.created', 'bundle.updated', 'bundle.deleted', 'bundle.restored', 'bundle.claimed']
const OF_PROPOSALS = ['proposal.opened', 'proposal.accepted', 'proposal.rejected']
/** The status, as a failed attempt shows it. */
const NOT_TAKEN = new Response(null, { status: 503 })

const receivers: Receiver[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop()
})

function newReceiver(): Receiver {
  const receiver = startReceiver()
  receivers.push(receiver)
  return receiver
}

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  /** A receiver that a person’s webhook leads to. */
  const connected = async (person: Visitor, events = ALL) => {
    const receiver = newReceiver()
    const { status, body } = await person.api<Created>('POST', '/api/me/webhooks', { url: receiver.url, events })
    if (status !== 201) throw new Error(`no webhook: ${status} ${JSON.stringify(body)}`)
    receiver.secret = body.secret
    return { receiver, webhook: body.webhook, address: `/api/me/webhooks/${body.webhook.id}` }
  }
  const deliveriesOf = async (person: Visitor, address: string) =>
    (await person.api<{ deliveries: Delivery[] }>('GET', `${address}/deliveries`)).body.deliveries
  /** Lets all waits be over. */
  const later = (server: Server, webhook: Webhook) =>
    server.sql('UPDATE outbox SET due_at = 1 WHERE webhook_id = ? AND due_at IS NOT NULL AND lease IS NULL', [
      webhook.id,
    ])
  const types = ({ received }: Receiver) => received.map(({ type, data }) => [type, data.versionNumber])
  const edit = (person: Visitor, slug: string, title: string) => person.api('PATCH', `/api/links/${slug}`, { title })

  test('a receiver gets every event of a bundle, in order, signed, with the bundle as the event left it', async () => {
    const person = await newPerson(at())
    const { receiver } = await connected(person)
    const { slug } = await person.makeBundle({ title: 'one' })
    await edit(person, slug, 'two')
    await edit(person, slug, 'three')
    await person.api('DELETE', `/api/links/${slug}`)
    await person.api('POST', `/api/links/${slug}/restore`)
    const unclaimed = await new Visitor(at()).makeBundle({ title: 'found' })
    await person.api('POST', '/api/claims', { token: unclaimed.claimToken })
    await becomes(
      () => receiver.received.filter(({ data }) => data.slug === slug).map(({ type }) => type),
      ['bundle.created', 'bundle.updated', 'bundle.updated', 'bundle.deleted', 'bundle.restored'],
    )
    await eventually(() => receiver.received.length === 6, 'the claim')
    const [created, second, third, deleted, restored] = receiver.received.filter(({ data }) => data.slug === slug)
    const titles = [created, second, third, deleted, restored].map((got) => [got?.data.versionNumber, got?.data.title])
    expect(titles).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
      [3, 'three'],
      [3, 'three'],
    ])
    const { body: bundle } = await person.api('GET', `/api/links/${slug}`)
    expect<unknown>(restored?.data).toEqual(bundle)
    expect(deleted?.data.deletedAt).toBe(deleted?.timestamp)
    const claimed = receiver.received.find(({ type }) => type === 'bundle.claimed')
    expect([claimed?.data.slug, claimed?.data.title]).toEqual([unclaimed.slug, 'found'])
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(6)
    for (const { id, headers, text } of receiver.received) {
      expect(id).toMatch(/^msg_[0-9a-f]{32}$/)
      expect(headers.get('content-type')).toBe('application/json')
      expect(headers.get('user-agent')).toContain('-webhooks/1 (+http://localhost')
      expect([headers.get('cookie'), headers.get('authorization')]).toEqual([null, null])
      expect(text).not.toContain(person.email)
    }
  })

  test('proposals are told of as they are made and decided, in order with the edits of their bundle, and survive their erasure', async () => {
    const person = await newPerson(at())
    const { receiver, webhook, address } = await connected(person, [...OF_PROPOSALS, 'bundle.updated'])
    // All is held back by the first event, so that everything has been decided and erased when it is sent.
    receiver.answer = () => NOT_TAKEN
    const { slug } = await person.makeBundle({ title: 'one' })
    const proposals = `/api/links/${slug}/proposals`
    const propose = async (title: string) =>
      (await person.api<{ id: string }>('POST', proposals, { title, reason: 'Because.' })).body
    const first = await propose('two')
    await becomes(async () => (await deliveriesOf(person, address)).map(({ attempts }) => attempts), [1])
    await person.api('POST', `${proposals}/${first.id}/accept`)
    const second = await propose('three')
    await person.api('POST', `${proposals}/${second.id}/reject`, { note: 'Not now.' })
    const third = await propose('four')
    await person.api('POST', `${proposals}/${third.id}/withdraw`)
    for (let more = 0; more < 20; more += 1) {
      const { id } = await propose(`more ${more}`)
      await person.api('POST', `${proposals}/${id}/withdraw`)
    }
    const shown = async (id: string) => (await person.api<object>('GET', `${proposals}/${id}`)).body
    const { difference: _, conflicts: __, ...rejected } = (await shown(second.id)) as Record<string, unknown>
    receiver.received.length = 0
    receiver.answer = () => new Response(null, { status: 204 })
    await later(at(), webhook)
    await becomes(
      () => receiver.received.slice(0, 6).map(({ type }) => type),
      [
        'proposal.opened',
        'proposal.accepted',
        'bundle.updated',
        'proposal.opened',
        'proposal.rejected',
        'proposal.opened',
      ],
    )
    const [opened, accepted, , , refused] = receiver.received.map(({ data }) => data as unknown)
    expect(opened).toEqual({
      id: first.id,
      slug,
      baseVersion: 1,
      state: 'open',
      changes: { title: 'two' },
      reason: 'Because.',
      proposedBy: person.userId,
      createdAt: expect.any(String),
    })
    expect(accepted).toMatchObject({ id: first.id, state: 'accepted', decidedBy: person.userId, versionNumber: 2 })
    expect(refused).toEqual(rejected)
    await becomes(
      async () => (await deliveriesOf(person, `${address}`)).every(({ state }) => state === 'delivered'),
      true,
    )
    // Once it is told, the next decision erases what is too old, and its deliveries.
    const last = await propose('last')
    await person.api('POST', `${proposals}/${last.id}/reject`)
    expect((await person.api('GET', `${proposals}/${first.id}`)).status).toBe(404)
    await becomes(() => receiver.received.at(-1)?.type, 'proposal.rejected')
  })

  test('receivers that do not answer hold up their owner’s events alone', async () => {
    const [slow, quick] = [await newPerson(at()), await newPerson(at())]
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const silent = [await connected(slow), await connected(slow), await connected(slow)]
    for (const { receiver } of silent) receiver.answer = () => released.then(() => new Response(null, { status: 204 }))
    for (let made = 0; made < 5; made += 1) await slow.makeBundle()
    const underWay = async () => {
      const ofOwner = 'webhook_id IN (SELECT id FROM webhooks WHERE created_by = ?)'
      const [row] = await at().sql(`SELECT count(*) AS events FROM outbox WHERE lease IS NOT NULL AND ${ofOwner}`, [
        slow.userId,
      ])
      return Number(row?.events)
    }
    await becomes(underWay, 8)
    const { receiver } = await connected(quick)
    await quick.makeBundle()
    await eventually(() => receiver.received.length === 1, 'another owner’s event')
    expect(await underWay()).toBeLessThanOrEqual(8)
    release()
    const got = () => new Set(silent.flatMap(({ receiver }) => receiver.received.map(({ id }) => id)))
    await eventually(() => got().size === 15, 'the rest')
  })

  test('nothing is sent of anonymous bundles, of others’ bundles, or of events that were not asked for', async () => {
    const [person, other] = [await newPerson(at()), await newPerson(at())]
    const { receiver } = await connected(person, ['bundle.updated'])
    await other.makeBundle()
    await new Visitor(at()).makeBundle()
    const { slug } = await person.makeBundle()
    await edit(person, slug, 'two')
    await becomes(() => types(receiver), [['bundle.updated', 2]])
    const [row] = await at().sql(
      'SELECT count(*) AS rows FROM outbox WHERE bundle_id IN (SELECT id FROM bundles WHERE slug <> ?)',
      [slug],
    )
    const mine = await at().sql(
      'SELECT event FROM outbox JOIN webhooks ON webhooks.id = webhook_id WHERE created_by = ?',
      [person.userId],
    )
    expect([typeof row?.rows, mine]).toEqual(['number', [{ event: 'bundle.updated' }]])
  })

  test('a failed event is sent again with the same id and body, and later ones of the bundle wait for it', async () => {
    const person = await newPerson(at())
    const { receiver, webhook, address } = await connected(person)
    receiver.answer = () => NOT_TAKEN
    const { slug } = await person.makeBundle({ title: 'one' })
    await eventually(() => receiver.received.length === 1, 'the first attempt')
    await edit(person, slug, 'two')
    const other = await person.makeBundle({ title: 'other' })
    await eventually(() => receiver.received.length === 2, 'the other bundle')
    expect(receiver.received.map(({ data }) => data.slug)).toEqual([slug, other.slug])
    await becomes(
      async () =>
        (await deliveriesOf(person, address)).map(({ event, state, attempts, responseStatus, failure }) => [
          event,
          state,
          attempts,
          responseStatus,
          failure,
        ]),
      [
        ['bundle.created', 'waiting', 1, 503, 'it was answered with 503'],
        ['bundle.updated', 'waiting', 0, null, null],
        ['bundle.created', 'waiting', 1, 503, 'it was answered with 503'],
      ],
    )
    receiver.answer = () => new Response('ok')
    await later(at(), webhook)
    await becomes(
      () => receiver.received.filter(({ data }) => data.slug === slug).map(({ type }) => type),
      ['bundle.created', 'bundle.created', 'bundle.updated'],
    )
    const [first, again] = receiver.received.filter(({ data }) => data.slug === slug)
    expect([again?.id, again?.text]).toEqual([first!.id, first!.text])
    await becomes(
      async () => new Set((await deliveriesOf(person, address)).map(({ state }) => state)),
      new Set(['delivered']),
    )
  })

  test('the waits between attempts are as promised; after the last one the webhook is disabled, and its owner told', async () => {
    const person = await newPerson(at())
    const { receiver, webhook, address } = await connected(person)
    receiver.answer = () => NOT_TAKEN
    await person.makeBundle()
    const attemptsAre = (number: number) =>
      becomes(async () => (await deliveriesOf(person, address))[0]?.attempts, number)
    await attemptsAre(1)
    const [row] = await at().sql('SELECT due_at - attempted_at AS wait FROM outbox WHERE webhook_id = ?', [webhook.id])
    expect(Number(row?.wait)).toBe(5_000)
    const waits = Array.from({ length: 7 }, (_, failed) => waitAfter(failed + 1))
    expect(waits.map((wait) => wait && wait / 1000)).toEqual([5, 60, 600, 3600, 21_600, 86_400, null])
    await at().sql('UPDATE outbox SET attempts = 5 WHERE webhook_id = ?', [webhook.id])
    await later(at(), webhook)
    await attemptsAre(6)
    await later(at(), webhook)
    const read = async () => (await person.api<{ webhooks: Webhook[] }>('GET', '/api/me/webhooks')).body.webhooks[0]
    await becomes(async () => (await read())?.enabled, false)
    expect(await read()).toMatchObject({ disabledBy: 'failures', disabledAt: expect.stringMatching(/Z$/) })
    expect((await deliveriesOf(person, address))[0]).toMatchObject({
      state: 'failed',
      attempts: 7,
      nextAttemptAt: null,
    })
    const told = () => at().output().includes('A webhook on Openall was disabled')
    await eventually(told, 'the mail')
    // What happens now is not kept for it; what it missed until then is sent once it works again.
    const { slug } = await person.makeBundle()
    receiver.answer = () => new Response(null, { status: 200 })
    const { body } = await person.api<{ webhook: Webhook }>('PATCH', address, { enabled: true })
    expect(body.webhook).toMatchObject({ enabled: true, disabledAt: null, disabledBy: null })
    await becomes(async () => (await deliveriesOf(person, address)).map(({ state }) => state), ['delivered'])
    await edit(person, slug, 'two')
    await eventually(() => receiver.received.at(-1)?.type === 'bundle.updated', 'an event after it was enabled')
  })

  test('an owner can disable a webhook, which keeps what was not sent, and have it lead elsewhere', async () => {
    const person = await newPerson(at())
    const { receiver, address } = await connected(person)
    await receiver.stop()
    const { slug } = await person.makeBundle()
    await becomes(
      async () => (await deliveriesOf(person, address))[0]?.failure,
      'no connection could be made, or it was lost',
    )
    const { body } = await person.api<{ webhook: Webhook }>('PATCH', address, { enabled: false })
    expect(body.webhook).toMatchObject({ enabled: false, disabledBy: 'owner' })
    expect((await deliveriesOf(person, address))[0]).toMatchObject({ state: 'waiting', nextAttemptAt: null })
    const elsewhere = newReceiver()
    elsewhere.secret = receiver.secret
    await person.api('PATCH', address, { enabled: true, url: elsewhere.url, events: ['bundle.deleted'] })
    await person.api('DELETE', `/api/links/${slug}`)
    await becomes(() => elsewhere.received.map(({ type }) => type), ['bundle.created', 'bundle.deleted'])
  })

  test('a webhook disabled while it is being told of one event is told of no later one', async () => {
    const person = await newPerson(at())
    const { receiver, webhook, address } = await connected(person)
    const { promise: answered, resolve: answer } = Promise.withResolvers<Response>()
    receiver.answer = () => answered
    const { slug } = await person.makeBundle()
    await eventually(() => receiver.received.length === 1, 'the first event')
    await edit(person, slug, 'later')
    await person.api('PATCH', address, { enabled: false })
    answer(new Response(null, { status: 200 }))
    const rows = () => at().sql('SELECT due_at, sent_at FROM outbox WHERE webhook_id = ? ORDER BY id', [webhook.id])
    await eventually(async () => (await rows())[0]?.sent_at !== null, 'the answer')
    expect((await rows())[1]).toEqual({ due_at: null, sent_at: null })
    receiver.answer = () => new Response(null, { status: 200 })
    await person.api('PATCH', address, { enabled: true })
    await becomes(
      () => types(receiver),
      [
        ['bundle.created', 1],
        ['bundle.updated', 2],
      ],
    )
  })

  test('a test event is sent once; an event can be sent again, with its id, and only once however often it is asked for', async () => {
    const person = await newPerson(at())
    const { receiver, address } = await connected(person)
    receiver.answer = () => NOT_TAKEN
    const tested = await person.api<{ delivery: Delivery }>('POST', `${address}/test`)
    expect([tested.status, tested.body.delivery.event]).toEqual([200, 'webhook.test'])
    await becomes(async () => (await deliveriesOf(person, address))[0]?.state, 'failed')
    receiver.answer = () => new Response(null, { status: 202 })
    const { slug } = await person.makeBundle()
    await becomes(async () => (await deliveriesOf(person, address))[0]?.state, 'delivered')
    const [delivered, failedTest] = await deliveriesOf(person, address)
    for (const { id } of [delivered!, failedTest!]) {
      // Slow enough that the second request finds the first one’s delivery.
      const asked = await Promise.all(
        [1, 2, 3].map(() => person.api<{ delivery: Delivery }>('POST', `${address}/deliveries/${id}/redeliver`)),
      )
      expect(asked.map(({ status }) => status)).toEqual([200, 200, 200])
    }
    await becomes(
      async () =>
        (await deliveriesOf(person, address)).every(
          ({ state, event }) => state === 'delivered' || event === 'webhook.test',
        ),
      true,
    )
    const ids = receiver.received.map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    expect(receiver.received.filter(({ data }) => data.slug === slug).length).toBeGreaterThanOrEqual(2)
  })

  test('an event that is to be sent again behind a later one of its bundle that waits says no time', async () => {
    const person = await newPerson(at())
    const { receiver, address } = await connected(person)
    const { slug } = await person.makeBundle()
    await becomes(async () => (await deliveriesOf(person, address))[0]?.state, 'delivered')
    receiver.answer = () => NOT_TAKEN
    await edit(person, slug, 'later')
    await becomes(async () => (await deliveriesOf(person, address))[0]?.responseStatus, 503)
    const created = (await deliveriesOf(person, address)).at(-1)
    const asked = await person.api<{ delivery: Delivery }>('POST', `${address}/deliveries/${created?.id}/redeliver`)
    expect(asked.body.delivery).toMatchObject({ event: 'bundle.created', state: 'waiting', nextAttemptAt: null })
    expect((await deliveriesOf(person, address))[0]).toEqual(asked.body.delivery)
  })

  test('deleting a webhook ends what waits, and makes room for another', async () => {
    const person = await newPerson(at())
    const make = () =>
      person.api<Created & Refused>('POST', '/api/me/webhooks', { url: 'http://127.0.0.1:9999/', events: ALL })
    const [first] = await Promise.all(Array.from({ length: 10 }, make))
    await person.makeBundle()
    const id = first!.body.webhook.id
    expect((await person.api('DELETE', `/api/me/webhooks/${id}`)).body).toEqual({
      webhookId: id,
      deletedAt: expect.any(String),
    })
    expect((await person.api('DELETE', `/api/me/webhooks/${id}`)).status).toBe(404)
    expect((await person.api('GET', `/api/me/webhooks/${id}/deliveries`)).status).toBe(404)
    expect((await make()).status).toBe(201)
  })

  test('the secret is in one answer only: not in lists, exports, the log or, in clear, the database', async () => {
    const person = await newPerson(at())
    const body = { url: 'http://127.0.0.1:9999/secret-path?token=secret-query', events: ['bundle.created'] }
    const made = await person.api<Created>('POST', '/api/me/webhooks', body)
    const { secret, webhook } = made.body
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await person.makeBundle()
    await becomes(async () => (await deliveriesOf(person, `/api/me/webhooks/${webhook.id}`))[0]?.attempts, 1)
    const shown = [
      await (await person.fetch('/api/me/webhooks')).text(),
      await (await person.fetch(`/api/me/webhooks/${webhook.id}/deliveries`)).text(),
      await (await person.fetch('/api/me/export')).text(),
      at().output(),
    ]
    const bare = secret.slice('whsec_'.length)
    expect(shown.map((text) => text.includes(bare))).toEqual([false, false, false, false])
    expect(shown[2]).toContain(webhook.id)
    expect(at().output()).not.toMatch(/secret-path|secret-query/)
    const rows = await at().sql('SELECT hex(secret) AS sealed FROM webhooks WHERE id = ?', [webhook.id])
    expect(String(rows[0]?.sealed)).not.toContain(Buffer.from(bare, 'base64').toString('hex').toUpperCase())
  })

  test('a webhook belongs to its subject: an organisation’s stays when its creator leaves, and others cannot reach it', async () => {
    const [admin, creator, stranger] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
    const { id, memberIds } = await newOrganization(admin, [[creator, 'admin']])
    await actFor(creator, id)
    const { receiver, webhook, address } = await connected(creator)
    const remove = { memberIdOrEmail: memberIds.get(creator), organizationId: id }
    expect((await admin.api('POST', '/api/auth/organization/remove-member', remove)).status).toBe(200)
    for (const visitor of [creator, stranger]) {
      const statuses = await Promise.all(
        (
          [
            ['GET', `${address}/deliveries`],
            ['PATCH', address, { url: 'http://127.0.0.1:9999/' }],
            ['POST', `${address}/test`],
            ['POST', `${address}/deliveries/1/redeliver`],
            ['DELETE', address],
          ] as [string, string, unknown?][]
        ).map(async ([method, path, body]) => (await visitor.api(method, path, body)).status),
      )
      expect(statuses).toEqual([404, 404, 404, 404, 404])
    }
    await actFor(admin, id)
    await admin.makeBundle()
    await eventually(() => receiver.received.length === 1, 'an event after the creator left')
    const { body } = await admin.api<{ webhooks: Webhook[] }>('GET', '/api/me/webhooks')
    expect(body.webhooks.map(({ id }) => id)).toEqual([webhook.id])
    const own = await connected(stranger)
    const [delivery] = await deliveriesOf(admin, address)
    expect((await stranger.api('POST', `${own.address}/deliveries/${delivery?.id}/redeliver`)).status).toBe(404)
  })

  test('webhooks end with their account', async () => {
    const person = await newPerson(at())
    await connected(person)
    await person.makeBundle()
    const held = () => at().sql('SELECT id FROM webhooks WHERE created_by = ?', [person.userId])
    expect(await held()).toHaveLength(1)
    const { status } = await person.api('POST', '/api/auth/delete-user', {})
    expect([status, await held()]).toEqual([200, []])
  })

  test('a URL that cannot be sent to is refused at once, and each bound of the fields is kept', async () => {
    const person = await newPerson(at())
    const url = 'http://127.0.0.1:9999/'
    const wrong: [body: unknown, named: RegExp][] = [
      [{}, /^(url|events) /],
      [{ url, events: [] }, /^events must have/],
      [{ url, events: ['bundle.viewed'] }, /^events\[0\] must be/],
      [{ url, events: ALL, secret: 'mine' }, /^secret is not a field/],
      [{ url: 'ftp://127.0.0.1/', events: ALL }, /^url must be an http: or https: URL/],
      [{ url: 'http://user:word@127.0.0.1:9999/', events: ALL }, /^url must have no user name/],
      [{ url: 'http://127.0.0.1:25/', events: ALL }, /^url must have a port that web servers use/],
      [{ url: 'http://127.0.0.1:6667/', events: ALL }, /^url must have a port that web servers use/],
      [{ url: 'http://169.254.169.254/latest/', events: ALL }, /^url must lead to a public address$/],
      [{ url: 'http://no-such-host.invalid/', events: ALL }, /^url must have a host that name servers know/],
    ]
    for (const [body, named] of wrong) {
      const { status, body: refused } = await person.api<Refused>('POST', '/api/me/webhooks', body)
      expect([JSON.stringify(body), status, refused.code]).toEqual([JSON.stringify(body), 400, 'BAD_REQUEST'])
      expect(refused.error).toMatch(named)
    }
    const { address } = await connected(person)
    for (const change of [{}, { url: 'http://[fe80::1]/' }, { enabled: 'yes' }, { id: 'x' }]) {
      expect([change, (await person.api('PATCH', address, change)).status]).toEqual([change, 400])
    }
  })
})

onEveryTarget({}, (at) => {
  test('by default a webhook must lead to a public address', async () => {
    const person: Person = await newPerson(at())
    for (const url of [
      'http://127.0.0.1:9999/',
      'http://10.0.0.1/',
      'http://localhost:9999/',
      'https://[::1]/',
      'http://no-such-host.invalid/',
    ]) {
      const { status, body } = await person.api<Refused>('POST', '/api/me/webhooks', { url, events: ALL })
      expect([url, status, body.error]).toEqual([url, 400, 'url must lead to a public address'])
    }
    // Also if it got into the database another way, or the name leads elsewhere by now.
    expect(
      (await person.api('POST', '/api/me/webhooks', { url: 'https://93.184.216.34/', events: ['bundle.deleted'] }))
        .status,
    ).toBe(201)
    const receiver = newReceiver()
    await at().sql('UPDATE webhooks SET url = ? WHERE created_by = ?', [receiver.url, person.userId])
    const { body } = await person.api<{ webhooks: Webhook[] }>('GET', '/api/me/webhooks')
    const address = `/api/me/webhooks/${body.webhooks[0]?.id}`
    await person.api('POST', `${address}/test`)
    const first = async () =>
      (await person.api<{ deliveries: Delivery[] }>('GET', `${address}/deliveries`)).body.deliveries[0]
    await becomes(async () => (await first())?.failure, 'its URL must lead to a public address')
    expect(receiver.received).toEqual([])
  })
})
