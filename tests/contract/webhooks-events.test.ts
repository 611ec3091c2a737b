import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { EVENT_TYPES, WEBHOOK_EVENTS } from '../../db/schema.ts'
import { becomes, eventually } from '../eventually.ts'
import { NOWHERE } from '../parity/world.ts'
import { newPerson, Visitor } from '../people.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { onEveryTarget } from '../targets.ts'

setDefaultTimeout(180_000)

interface Shown {
  id: string
  events: string[]
  droppedAt: string | null
  oldSecretEndsAt: string | null
}

type Event = { id: string; type: string; actor: { type: string; userId?: string; keyId?: number }; changes?: unknown }

const receivers: Receiver[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop()
})

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  const connected = async (person: Visitor, events: string[]) => {
    const receiver = startReceiver()
    receivers.push(receiver)
    const { status, body } = await person.api<{ webhook: Shown; secret: string }>('POST', '/api/me/webhooks', {
      url: receiver.url,
      events,
    })
    expect(status).toBe(201)
    receiver.secret = body.secret
    return { receiver, ...body, address: `/api/me/webhooks/${body.webhook.id}` }
  }
  const shown = async (person: Visitor) =>
    (await person.api<{ webhooks: Shown[] }>('GET', '/api/me/webhooks')).body.webhooks

  test('a delivery has the id, actor and changes of its event, as list_events has them, without names; a test has none', async () => {
    const person = await newPerson(at())
    const { receiver, address } = await connected(person, ['bundle.created', 'bundle.updated'])
    const { rawKey, apiKey } = await person.mint({ scopes: ['links:write'], name: 'nightly' })
    const { slug } = await person.makeBundle({ title: 'one' })
    await new Visitor(at(), { authorization: `Bearer ${rawKey}` }).api('PATCH', `/api/links/${slug}`, { title: 'two' })
    await becomes(() => receiver.received.map(({ type }) => type), ['bundle.created', 'bundle.updated'])
    const { body } = await person.api<{ events: Event[] }>('GET', `/api/me/events?type=bundle&target=${slug}`)
    const told = receiver.received.map(({ text }) => JSON.parse(text) as Event)
    const logged = body.events.toReversed().map(({ id, actor: { type, userId, keyId }, changes }) => ({
      id,
      actor: { type, ...(userId === undefined ? {} : { userId }), ...(keyId === undefined ? {} : { keyId }) },
      ...(changes === undefined ? {} : { changes }),
    }))
    expect(
      told.map(({ id, actor, changes }) => ({ id, actor, ...(changes === undefined ? {} : { changes }) })),
    ).toEqual(logged as never)
    expect(told[1]).toMatchObject({
      actor: { type: 'key', userId: person.userId, keyId: apiKey.id },
      changes: [{ field: 'title', from: 'one', to: 'two' }],
    })
    await person.api('POST', `${address}/test`)
    await becomes(() => receiver.received.at(-1)?.type, 'webhook.test')
    expect(Object.keys(JSON.parse(receiver.received.at(-1)?.text ?? '')).sort()).toEqual([
      'data',
      'subject',
      'timestamp',
      'type',
    ])
  })

  test('a star stands for every event that webhooks are told of, and is kept alone', async () => {
    const person = await newPerson(at())
    const { receiver, webhook, address } = await connected(person, ['bundle.created', '*'])
    expect(webhook.events).toEqual(['*'])
    const { slug } = await person.makeBundle({ title: 'one' })
    const proposals = `/api/links/${slug}/proposals`
    const { body } = await person.api<{ id: string }>('POST', proposals, { title: 'two', reason: 'Because.' })
    await person.api('POST', `${proposals}/${body.id}/withdraw`)
    await person.api('DELETE', `/api/links/${slug}`)
    await becomes(
      () => receiver.received.map(({ type }) => type),
      ['bundle.created', 'proposal.opened', 'bundle.deleted'],
    )
    const changed = await person.api<{ webhook: Shown }>('PATCH', address, { events: ['bundle.deleted'] })
    expect(changed.body.webhook.events).toEqual(['bundle.deleted'])
    expect((await person.api('PATCH', address, { events: ['**'] })).status).toBe(400)
  })

  test('whatever happens, a star brings nothing that webhooks are not told of', async () => {
    const person = await newPerson(at())
    await person.api('POST', '/api/me/webhooks', { url: NOWHERE, events: ['*'] })
    const { slug } = await person.makeBundle()
    for (const type of EVENT_TYPES) {
      await at().sql(
        `INSERT INTO happened (owner_id, type, bundle_id, version_number)
         SELECT owner_id, ?1, id, version_number FROM bundles WHERE slug = ?2`,
        [type, slug],
      )
    }
    const logged = await at().sql(
      'SELECT DISTINCT type FROM events JOIN bundles ON bundles.id = events.bundle_id WHERE slug = ?1',
      [slug],
    )
    expect(logged.map(({ type }) => type).sort()).toEqual([...EVENT_TYPES].sort())
    const sent = await at().sql(
      'SELECT DISTINCT event FROM outbox JOIN bundles ON bundles.id = outbox.bundle_id WHERE slug = ?1',
      [slug],
    )
    expect(sent.map(({ event }) => event).sort()).toEqual([...WEBHOOK_EVENTS].sort())
  })

  test('after a rotation both secrets verify for a day, then the new one alone; a second rotation ends the first secret', async () => {
    const person = await newPerson(at())
    const { receiver, secret: first, address, webhook } = await connected(person, ['bundle.created'])
    receiver.secret = null
    const rotate = () => person.api<{ webhook: Shown; secret: string }>('POST', `${address}/rotate`)
    const verifying = async (...secrets: string[]) => {
      const before = receiver.received.length
      await person.makeBundle()
      await eventually(() => receiver.received.length > before, 'the next event')
      const { text, headers } = receiver.received.at(-1)!
      const signatures = headers.get('webhook-signature')?.split(' ').length
      const verifies = (secret: string) => {
        try {
          new Webhook(secret).verify(text, Object.fromEntries(headers))
          return true
        } catch {
          return false
        }
      }
      return [signatures, ...secrets.map(verifies)]
    }
    expect(await verifying(first)).toEqual([1, true])
    const { status, body } = await rotate()
    expect([status, Object.keys(body).sort()]).toEqual([200, ['secret', 'webhook']])
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const until = Date.parse(body.webhook.oldSecretEndsAt ?? '') - Date.now()
    expect([until > 23 * 3_600_000, until <= 24 * 3_600_000]).toEqual([true, true])
    expect(await verifying(first, body.secret)).toEqual([2, true, true])
    const { secret: third } = (await rotate()).body
    expect(await verifying(first, body.secret, third)).toEqual([2, false, true, true])
    await at().sql('UPDATE webhooks SET old_secret_until = 1 WHERE id = ?', [webhook.id])
    expect(await verifying(body.secret, third)).toEqual([1, false, true])
    expect((await shown(person))[0]?.oldSecretEndsAt).toBeNull()
    const answers = [await (await person.fetch('/api/me/webhooks')).text(), at().output()]
    for (const secret of [first, body.secret, third])
      for (const text of answers) expect(text).not.toContain(secret.slice('whsec_'.length))
  })

  test('a rotation is its subject’s alone, and the page shows the new secret once', async () => {
    const [person, stranger] = [await newPerson(at()), await newPerson(at())]
    const { address, webhook } = await connected(person, ['bundle.created'])
    expect((await stranger.api('POST', `${address}/rotate`)).status).toBe(404)
    const page = `/dashboard/webhooks/${webhook.id}`
    expect(await (await person.fetch(`${page}/rotate`)).text()).toContain('signed with both secrets')
    expect((await shown(person))[0]?.oldSecretEndsAt).toBeNull()
    const html = await (await person.form(`${page}/rotate`, {})).text()
    expect(html).toMatch(/whsec_[A-Za-z0-9+/]{43}=/)
    const after = await (await person.fetch(page)).text()
    expect(after).toContain('also signed with the secret before this one')
    expect(after).not.toContain('whsec_')
  })

  test('the list and the pages say when waiting events were dropped', async () => {
    const person = await newPerson(at())
    const { receiver, webhook } = await connected(person, ['bundle.created'])
    expect((await shown(person))[0]?.droppedAt).toBeNull()
    receiver.answer = () => new Response(null, { status: 503 })
    // As if for long nothing had been accepted.
    await at().sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
       INSERT INTO outbox (webhook_id, message_id, event, at) SELECT ?, 'msg_' || i, 'bundle.created', 1 FROM n`,
      [webhook.id],
    )
    const { droppedAt } = (await shown(person))[0]!
    expect(Date.parse(droppedAt ?? '')).toBeGreaterThan(Date.now() - 180_000)
    for (const page of ['/dashboard/webhooks', `/dashboard/webhooks/${webhook.id}`])
      expect(await (await person.fetch(page)).text()).toContain('Events dropped')
  })
})
