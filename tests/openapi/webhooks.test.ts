import { expect, setDefaultTimeout, test } from 'bun:test'
import { WEBHOOK_EVENTS } from '../../db/schema.ts'
import { eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { actFor, newOrganization, newPerson, Visitor } from '../people.ts'
import { startReceiver } from '../receiver.ts'
import { Documented } from './document.ts'

setDefaultTimeout(180_000)

test('what a webhook gets for each event is as the document has it', async () => {
  const server = await startInProcess({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' })
  const documented = await Documented.of(server)
  const told = Object.keys(documented.document.webhooks)
  expect(told.sort()).toEqual([...WEBHOOK_EVENTS, 'webhook.test'].sort())
  const person = await newPerson(server)
  const { id: organizationId } = await newOrganization(person, [])
  await actFor(person, null)
  const receiver = startReceiver()
  const wished = { url: receiver.url, events: WEBHOOK_EVENTS }
  const { body: made } = await person.api<{ webhook: { id: string }; secret: string }>(
    'POST',
    '/api/me/webhooks',
    wished,
  )
  receiver.secret = made.secret
  const { slug } = await person.makeBundle({ title: 'one', urls: ['https://a.example/'] })
  const at = `/api/links/${slug}`
  await person.api('PATCH', at, { title: 'two', variables: [{ name: 'id' }] })
  const propose = async (title: string) =>
    (await person.api<{ id: string }>('POST', `${at}/proposals`, { title, reason: 'because' })).body.id
  const [accepted, rejected] = [await propose('three'), await propose('four')]
  await person.api('POST', `${at}/proposals/${accepted}/accept`)
  await person.api('POST', `${at}/proposals/${rejected}/reject`, { note: 'not now' })
  await eventually(async () => (await server.sql('SELECT 1 FROM checked_links')).length > 0, 'its link to be known')
  await server.sql("UPDATE checked_links SET state = 'broken', told_up_to = 0 RETURNING 1")
  const isTold = async () => (await server.sql("SELECT 1 FROM events WHERE type = 'bundle.links_broken'")).length > 0
  await eventually(isTold, 'the event of a broken link')
  await person.api('DELETE', at)
  await person.api('POST', `${at}/restore`)
  const { claimToken: token } = await new Visitor(server).makeBundle()
  await person.api('POST', '/api/claims', { token })
  await person.api('POST', `${at}/transfer`, { to: { type: 'organization', organizationId } })
  await person.api('POST', `/api/me/webhooks/${made.webhook.id}/test`)
  const missing = () => told.filter((event) => !receiver.received.some(({ type }) => type === event))
  await eventually(() => missing().length === 0, 'every event')
  for (const { type, text, headers } of receiver.received) {
    const place = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema']
    const told = JSON.parse(text) as Record<string, unknown>
    expect([type, documented.wrong(place, told)]).toEqual([type, null])
    const { schema } = documented.document.webhooks[type]!.post.requestBody?.content['application/json'] ?? {}
    expect(Object.keys(schema?.properties as object)).toEqual(expect.arrayContaining(Object.keys(told)))
    for (const { name, schema } of documented.document.webhooks[type]!.post.parameters) {
      expect([name, headers.get(name)]).toEqual([name, expect.stringMatching(new RegExp(String(schema.pattern)))])
    }
  }
  await receiver.stop()
  await server.stop()
})
