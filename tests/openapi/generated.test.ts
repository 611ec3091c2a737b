import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { NOWHERE, newWorld } from '../parity/world.ts'
import { actFor, newEmail, newOrganization, newPerson, Visitor } from '../people.ts'
import { prng } from '../prng.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { Documented } from './document.ts'
import { Requests } from './requests.ts'

setDefaultTimeout(900_000)

/** How many requests. On Deno fewer: the operations are the same code, and what carries requests to them needs no luck. */
const COUNT = { bun: 10_000, deno: 2_000 }
const AT_ONCE = 8

describe.each(RUNTIMES)('requests generated from the document, on %s', (runtime) => {
  let server: Server
  beforeAll(async () => {
    server = await startOn(
      { name: runtime, runtime, store: 'file' },
      {
        SERVICE_PLAN_FREE_MAX_BUNDLES: '60',
        SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true',
        SERVICE_CLIENT_IP_HEADER: 'x-real-ip',
      },
    )
  })
  afterAll(async () => {
    await server.stop()
  })

  const count = COUNT[runtime]
  test(`none of ${count} gets a 5xx, or a status, type, body or header that the document does not have`, async () => {
    const documented = await Documented.of(server)
    const stranger = await newPerson(server)
    const world = await newWorld(server, (await stranger.makeBundle()).slug)
    const more = await Promise.all(Array.from({ length: 20 }, () => new Visitor(server).makeBundle()))
    const agent = new Visitor(server, { authorization: `Bearer ${world.key}` })
    const propose = (slug: string) =>
      Promise.all(
        Array.from({ length: 16 }, async (_, at) => {
          const path = `/api/links/${slug}/proposals`
          return (await agent.api<{ id: string }>('POST', path, { description: `Proposal ${at}` })).body.id
        }),
      )
    const proposals = await propose(world.slug)
    // One that no request knows at first: proposals can be accepted until an edit has changed the same.
    const calm = (await world.person.makeBundle()).slug
    const calmProposals = await propose(calm)
    // The same of webhooks: the known one is soon deleted.
    const hook = { url: NOWHERE, events: ['bundle.claimed'] }
    const calmHook = (await agent.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', hook)).body.webhook.id
    const tested = await agent.api<{ delivery: { id: number } }>('POST', `/api/me/webhooks/${calmHook}/test`)
    const webhookIds = [world.webhookId, world.webhookId, 'wh_none']
    const deliveryIds = [world.deliveryId, 1.5, 999_999]
    const slugs = [world.slug, world.slug, world.slug, world.deleted, world.unclaimed, world.foreign, 'none', 'api']
    const ids = [...Array(8).fill(world.spareKeyId), ...proposals, 999_999, -1, 1.5, 'x', '', null]
    // Keys and proposals have the same field. Each key can be rotated once, and is soon revoked.
    const calmKeys = await Promise.all(Array.from({ length: 32 }, () => mintSpare(world.person)))
    const limited = await mintLimited(world.person)
    // And of members and invitations, which are soon removed and revoked.
    const members = await Promise.all(Array.from({ length: 6 }, () => newPerson(server)))
    const { id: team } = await newOrganization(
      world.person,
      members.map((member) => [member, 'viewer']),
    )
    const inTeam = await world.person.program({ scopes: ['keys:admin'], rateLimitPerHour: 0 })
    const invite = async () => {
      const invited = { email: newEmail('invited'), role: 'viewer' }
      const path = `/api/organizations/${team}/invitations`
      return (await inTeam.api<{ invitation: { invitationId: string } }>('POST', path, invited)).body.invitation
    }
    const [known, calmInvitation] = [await invite(), await invite()]
    // And of a start page, whose organisation no other request names.
    const startPage = 'calm-team'
    const { id: calmTeam } = await newOrganization(world.person)
    await actFor(world.person, calmTeam)
    await world.person.api('PATCH', `/api/organizations/${calmTeam}`, { handle: startPage })
    await world.person.makeBundle({ listed: true })
    await actFor(world.person, null)
    const userIds = [...members.slice(0, 2).map(({ userId }) => userId), 'none']
    const invitationIds = [known.invitationId, 'none']
    const seed = Number(process.env.SEED ?? 1)
    const requests = new Requests(prng(seed), documented.document, {
      slug: slugs,
      versionNumber: [1, 1, 2, 99],
      id: ids,
      to: [
        { type: 'user', userId: world.person.userId },
        { type: 'organization', organizationId: 'none' },
      ],
      token: [world.claimToken, ...more.map(({ claimToken }) => claimToken), 'x'],
      matchedRuleId: [world.ruleId, 'r_0000000000', null],
      webhookId: webhookIds,
      deliveryId: deliveryIds,
      url: [NOWHERE, NOWHERE, 'http://10.0.0.1:25/', 'x'],
      // Not looked at, so that nobody waits for an answer.
      'inspect_urls.urls': [['http://localhost:22/']],
      organizationId: [team, team, team, startPage, 'none', 'x'.repeat(65)],
      userId: userIds,
      invitationId: invitationIds,
      // The example may be another's by now.
      'rename_bundle.newSlug': [...Array.from({ length: 8 }, (_, at) => `renamed-${at}`), 'launch-day', 'a b'],
      'invite_member.email': [newEmail('invited'), newEmail('invited'), 'nobody'],
      'If-Match': ['"v1"', '"v2"', '*', 'v1'],
      'Idempotency-Key': ['one', 'two', 'three'],
    })
    const cookie = [...world.person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const credentials: Record<string, string>[] = [
      {},
      { authorization: 'Bearer nonsense' },
      { authorization: `Bearer ${world.readKey}` },
      { authorization: `Bearer ${limited}` },
      { cookie },
      { cookie, 'sec-fetch-site': 'cross-site' },
      ...Array<Record<string, string>>(6).fill({ authorization: `Bearer ${world.key}` }),
      inTeam.always,
    ]
    const operations = documented.operations()
    const statuses = new Map<string, Set<number>>()
    const wrong: string[] = []
    let address = '127.0.0.1'
    const send = async (places: typeof operations) => {
      const place = requests.pick(places)
      const { method, target, headers, body } = requests.of(place)
      const sent = { ...headers, ...requests.pick(credentials), 'x-real-ip': address }
      const response = await fetch(server.origin + target, {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body }),
      })
      const { operationId } = place.operation
      statuses.set(operationId, (statuses.get(operationId) ?? new Set()).add(response.status))
      const found = await documented.wrongWith(place, response)
      if (found !== null || response.status >= 500)
        wrong.push(`${method} ${target} ${body?.slice(0, 300)}: ${response.status} ${found}`)
    }
    const sendSome = (places = operations) => Promise.all(Array.from({ length: AT_ONCE }, () => send(places)))
    for (let sent = 0; sent < count; sent += AT_ONCE) await sendSome()
    // What succeeds only by luck gets more of it, and what an address may do a few times an hour another address.
    address = '127.0.0.2'
    slugs.push(...Array<string>(8).fill(calm))
    ids.push(...calmProposals, ...calmKeys)
    webhookIds.push(...Array<string>(8).fill(calmHook))
    userIds.push(...members.slice(2).map(({ userId }) => userId))
    invitationIds.push(...Array<string>(8).fill(calmInvitation.invitationId))
    deliveryIds.push(...Array<number>(8).fill(tested.body.delivery.id))
    const seenOf = ({ operation }: (typeof operations)[number]) => [...(statuses.get(operation.operationId) ?? [])]
    // They take no input, or any values, and ignore unknown fields.
    const takesAll = ({ operation, path }: (typeof operations)[number]) =>
      ['who_am_i', 'get_tabs'].includes(operation.operationId) || path.startsWith('/l/')
    const hasSucceeded = (one: (typeof operations)[number]) => seenOf(one).some((status) => status < 300)
    const hasRefused = (one: (typeof operations)[number]) =>
      takesAll(one) || seenOf(one).some((status) => status === 400 || status === 415)
    const isUnseen = (one: (typeof operations)[number]) => !hasSucceeded(one) || !hasRefused(one)
    for (let rounds = 0; rounds < 400 && operations.some(isUnseen); rounds += 1) {
      const unseen = operations.filter(isUnseen)
      // Deletions come last: they take away what the others need.
      const others = unseen.filter(({ method }) => method !== 'delete')
      await sendSome(others.length > 0 ? others : unseen)
    }
    expect(wrong.slice(0, 10), `SEED=${seed}`).toEqual([])
    expect(server.output()).not.toContain('a request failed')
    // If every request were refused at the start, the test would find nothing.
    for (const one of operations) {
      const { operationId } = one.operation
      expect([operationId, hasSucceeded(one), hasRefused(one)]).toEqual([operationId, true, true])
    }
    const all = new Set([...statuses.values()].flatMap((seen) => [...seen]))
    // Whether a bundle that is read has been given a past end is luck.
    expect([...all].filter((status) => status !== 410).sort()).toEqual([
      200, 201, 204, 400, 401, 403, 404, 409, 412, 415, 429,
    ])
  })
})

/** A key that nothing uses. @returns its id. */
async function mintSpare(person: Awaited<ReturnType<typeof newPerson>>): Promise<number> {
  const { body } = await person.api<{ apiKey: { id: number } }>('POST', '/api/me/keys', { name: 'spare' })
  return body.apiKey.id
}

/** A key with a small limit. */
async function mintLimited(person: Awaited<ReturnType<typeof newPerson>>): Promise<string> {
  const wishes = { name: 'limited', scopes: ['links:write'], rateLimitPerHour: 20 }
  return (await person.api<{ rawKey: string }>('POST', '/api/me/keys', wishes)).body.rawKey
}
