import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { leadHere } from '../name-server.ts'
import { newOrganization, newPerson, type Person } from '../people.ts'
import { type Receiver, startReceiver } from '../receiver.ts'

// What receivers say when they refuse an event, and what becomes of it.

setDefaultTimeout(180_000)

interface Delivery {
  event: string
  state: string
  attempts: number
  failure: string | null
  attemptedAt: string | null
  nextAttemptAt: string | null
}

interface Created {
  webhook: { id: string; enabled: boolean; disabledBy: string | null }
  secret: string
  warning: string
}

const CHATS = ['hooks.slack.com', 'discord.com', 'team.webhook.office.com', 'prod-1.westus.logic.azure.com', 'ntfy.sh']
const HOUR_MS = 3_600_000

let stopLeading: (() => void) | undefined
let server: InProcess
const receivers: Receiver[] = []

beforeAll(async () => {
  stopLeading = await leadHere(CHATS)
  server = await startInProcess({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' })
})
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop()
})
afterAll(async () => {
  await server?.stop()
  stopLeading?.()
})

/** A person’s webhook to a receiver, reached by a name if there is one. */
async function connected(person: Person, url: (own: string) => string = (own) => own) {
  const receiver = startReceiver()
  receivers.push(receiver)
  const wishes = { url: url(receiver.url), events: ['bundle.created', 'bundle.updated'] }
  const { status, body } = await person.api<Created>('POST', '/api/me/webhooks', wishes)
  expect([status, body.warning ?? body]).toEqual([201, expect.any(String)])
  receiver.secret = body.secret
  return { ...body, receiver, address: `/api/me/webhooks/${body.webhook.id}` }
}

const deliveriesOf = async (person: Person, address: string) =>
  (await person.api<{ deliveries: Delivery[] }>('GET', `${address}/deliveries`)).body.deliveries
const only = async (person: Person, address: string) => (await deliveriesOf(person, address))[0]
const shown = async (person: Person) =>
  (await person.api<{ webhooks: Created['webhook'][] }>('GET', '/api/me/webhooks')).body.webhooks[0]
const waitOf = ({ attemptedAt, nextAttemptAt }: Delivery) => Date.parse(nextAttemptAt!) - Date.parse(attemptedAt!)

const asks = (status: number, retryAfter: string): Response =>
  new Response(null, { status, headers: { 'retry-after': retryAfter } })

test('Retry-After of a receiver that is too busy is obeyed, up to six hours, by whatever waits for it', async () => {
  const inAnHour = new Date(Math.ceil(Date.now() / 1000) * 1000 + HOUR_MS)
  const cases: [status: number, retryAfter: string, from: number, to: number][] = [
    [429, '120', 120_000, 120_000],
    [429, '120.5', 120_500, 120_500],
    [503, '90', 90_000, 90_000],
    [429, inAnHour.toUTCString(), HOUR_MS - 60_000, HOUR_MS + 1_000],
    [429, '999999999999999999999', 6 * HOUR_MS, 6 * HOUR_MS],
    // Earlier than it would be sent again anyway, in the past, or nothing.
    [429, '1', 5_000, 5_000],
    [429, new Date(0).toUTCString(), 5_000, 5_000],
    [429, '-7', 5_000, 5_000],
    [429, 'soon', 5_000, 5_000],
    // No status of waiting.
    [500, '120', 5_000, 5_000],
  ]
  const attempt = async ([status, retryAfter, from, to]: (typeof cases)[number]) => {
    const person = await newPerson(server)
    const { receiver, address } = await connected(person)
    receiver.answer = () => asks(status, retryAfter)
    await person.makeBundle()
    await becomes(async () => (await only(person, address))?.attempts, 1)
    const wait = waitOf((await only(person, address))!)
    // What is read and when it is stored are moments apart.
    expect([retryAfter, wait >= from && wait <= to + 1]).toEqual([retryAfter, true])
  }
  await Promise.all(cases.map(attempt))
  const person = await newPerson(server)
  const { receiver, webhook, address } = await connected(person)
  receiver.answer = () => asks(503, '0')
  await person.makeBundle({ title: 'one' })
  await becomes(async () => (await only(person, address))?.attempts, 1)
  receiver.answer = () => asks(429, '3600')
  await person.makeBundle({ title: 'another' })
  await becomes(async () => (await only(person, address))?.attempts, 1)
  const waits = (await deliveriesOf(person, address)).map(
    ({ nextAttemptAt }) => Date.parse(nextAttemptAt!) - Date.now(),
  )
  expect(waits.every((wait) => wait > HOUR_MS - 60_000)).toBe(true)
  // Its owner may have it sent at once, all the same.
  receiver.answer = () => new Response(null, { status: 200 })
  await person.api('PATCH', `/api/me/webhooks/${webhook.id}`, { enabled: true })
  await becomes(async () => (await deliveriesOf(person, address)).map(({ state }) => state), ['delivered', 'delivered'])
})

test('a receiver that is gone gets nothing more, at once, and its owner is told; a test says so alone', async () => {
  const person = await newPerson(server)
  const { receiver, address } = await connected(person)
  receiver.answer = () => new Response(null, { status: 410 })
  await person.api('POST', `${address}/test`)
  const failure = 'it was answered with 410: the receiver wants no more events'
  await becomes(async () => (await only(person, address))?.failure, failure)
  expect(await shown(person)).toMatchObject({ enabled: true, disabledBy: null })
  const { slug } = await person.makeBundle()
  await becomes(async () => (await shown(person))?.enabled, false)
  expect(await shown(person)).toMatchObject({ disabledBy: 'gone' })
  const refused = { state: 'failed', attempts: 1, failure, nextAttemptAt: null }
  expect(await only(person, address)).toMatchObject(refused)
  await eventually(() => /A webhook on Openall was disabled[\s\S]*410 Gone/.test(server.output()), 'the mail')
  const page = await (await person.fetch(`/dashboard/webhooks/${address.split('/').at(-1)}`)).text()
  expect(page).toContain('Disabled: receiver gone')
  await person.api('PATCH', `/api/links/${slug}`, { title: 'missed' })
  receiver.answer = () => new Response(null, { status: 204 })
  await person.api('PATCH', address, { enabled: true })
  await becomes(async () => (await only(person, address))?.state, 'delivered')
  expect(receiver.received.map(({ type }) => type)).toEqual(['webhook.test', 'bundle.created', 'bundle.created'])
})

test('a webhook to a chat says that it wants a format of its own, when it is made, changed and refused', async () => {
  const cases: [at: string, name: string][] = [
    ['hooks.slack.com/services/T0/B0/x', 'Slack'],
    ['discord.com/api/webhooks/1/x', 'Discord'],
    ['team.webhook.office.com/webhookb2/x', 'Teams'],
    ['prod-1.westus.logic.azure.com/workflows/x', 'Teams'],
  ]
  for (const [at, name] of cases) {
    const person = await newPerson(server)
    const named = (own: string) => `http://${at.replace('/', `:${new URL(own).port}/`)}`
    const { receiver, webhook, warning, address } = await connected(person, named)
    expect(warning).toContain(`${name} takes messages in a format of its own`)
    const page = await (await person.fetch(`/dashboard/webhooks/${webhook.id}`)).text()
    expect(page).toContain(`${name} takes messages in a format of its own`)
    const changed = await person.api<{ warning?: string }>('PATCH', address, { url: named(receiver.url) })
    expect(changed.body.warning).toContain(`${name} takes messages in a format of its own`)
    const said = {
      400: `it was answered with 400: ${name} takes messages in a format of its own, which an event is not`,
      404: `it was answered with 404: ${name} has no webhook at this URL, or has none any more`,
      403: 'it was answered with 403',
    }
    for (const [status, failure] of Object.entries(said).slice(0, name === 'Slack' ? 3 : 1)) {
      receiver.answer = () => new Response('{"message":"Cannot send an empty message"}', { status: Number(status) })
      await person.api('POST', `${address}/test`)
      await becomes(async () => (await only(person, address))?.failure, failure)
    }
  }
  const person = await newPerson(server)
  const { warning } = await connected(person, (own) => `http://ntfy.sh:${new URL(own).port}/topic`)
  expect(warning).toContain('ntfy shows what it is sent as it is')
  // Of nobody else's, and of no other page of theirs.
  for (const elsewhere of [(own: string) => own, (own: string) => `http://discord.com:${new URL(own).port}/hook`]) {
    const { warning, webhook } = await connected(await newPerson(server), elsewhere)
    expect([webhook.enabled, warning]).toEqual([true, expect.stringMatching(/signatures with it\.$/)])
  }
})

test('a delivery says whose webhook it is for in its body, and which in a header', async () => {
  const person = await newPerson(server)
  const mine = await connected(person)
  const { id: organizationId } = await newOrganization(person, [])
  const theirs = await connected(person)
  for (const { address } of [mine, theirs]) await person.api('POST', `${address}/test`)
  const subjects = [
    [mine, { type: 'user', userId: person.userId }],
    [theirs, { type: 'organization', organizationId }],
  ] as const
  await person.makeBundle()
  await becomes(() => theirs.receiver.received.map(({ type }) => type), ['webhook.test', 'bundle.created'])
  for (const [{ receiver, webhook }, subject] of subjects) {
    for (const { text, headers } of receiver.received) {
      expect(JSON.parse(text)).toMatchObject({ subject })
      expect(headers.get('openall-webhook-id')).toBe(webhook.id)
    }
  }
})
