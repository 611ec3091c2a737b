import { newPerson, type Person, Visitor } from '../people.ts'
import type { Server } from '../server.ts'

export const POLICY = {
  version: 1,
  rules: [
    {
      name: 'Acme staff',
      showBadge: true,
      when: {
        op: 'or',
        of: [
          { op: 'equals', field: 'emailDomain', value: 'acme.com' },
          { op: 'in', field: 'query.ref', values: ['a', 'b'] },
        ],
      },
      tabs: [{ url: 'https://rule.example/', note: 'only for them' }],
    },
  ],
}

/** Where no test listens: above the ports that they take. */
export const NOWHERE = 'http://127.0.0.1:65500/'

export const EXTERNAL_ID = 'crm 4711/ä'

/** The data that the calls of a case work on, created anew for each transport. */
export interface World {
  server: Server
  person: Person
  /** A key with every scope, and one that may only read. */
  key: string
  readKey: string
  /** A bundle at version 2, with a policy and one view, whose external id is `EXTERNAL_ID`. */
  slug: string
  ruleId: string
  /** A bundle with the variables `id` and `range`. */
  filled: string
  /** A deleted bundle. */
  deleted: string
  /** A bundle without an owner, and its claim token. */
  unclaimed: string
  claimToken: string
  /** A bundle of another person. */
  foreign: string
  /** A proposal for the bundle. */
  proposalId: string
  /** The id of a key to revoke. */
  spareKeyId: number
  /** A webhook that nothing listens at, and an event that it got nevertheless. */
  webhookId: string
  deliveryId: number
}

/** Creates a world with a new person; `foreign` is a bundle of another person. */
export async function newWorld(server: Server, foreign: string): Promise<World> {
  const person = await newPerson(server)
  const mint = (scopes: string[]) => person.mint({ scopes, rateLimitPerHour: 0 })
  const { slug } = await person.makeBundle({
    title: 'Launch day',
    resolutionPolicy: POLICY,
    externalId: EXTERNAL_ID,
  })
  const edited = await person.api<{ resolutionPolicy: { rules: { id: string }[] } }>('PATCH', `/api/links/${slug}`, {
    title: 'Launch day, moved',
    urlMetadata: [{ note: 'first', tags: ['live'] }, { openPolicy: 'manual' }],
  })
  const { slug: filled } = await person.makeBundle({
    title: 'Customer {id}',
    urls: ['https://a.example/{id}?since={range}'],
    variables: [{ name: 'id' }, { name: 'range', default: '7d', options: ['7d', '30d'] }],
  })
  const { slug: deleted } = await person.makeBundle()
  await person.api('DELETE', `/api/links/${deleted}`)
  const { slug: unclaimed, claimToken } = await new Visitor(server).makeBundle()
  const { body: hooked } = await person.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', {
    url: NOWHERE,
    events: ['bundle.restored'],
  })
  const webhookId = hooked.webhook.id
  await server.sql(
    `INSERT INTO outbox (webhook_id, message_id, event, at, attempts, attempted_at, status, sent_at)
       VALUES (?, 'msg_' || ?, 'webhook.test', 1, 1, 2, 204, 2)`,
    [webhookId, webhookId],
  )
  const [delivery] = await server.sql('SELECT id FROM outbox WHERE webhook_id = ?', [webhookId])
  await person.fetch(`/l/${slug}`)
  const key = (await mint(['keys:admin'])).rawKey
  const agent = new Visitor(server, { authorization: `Bearer ${key}` })
  const proposal = await agent.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, { title: 'Launch week' })
  return {
    server,
    person,
    key,
    readKey: (await mint(['links:read'])).rawKey,
    slug,
    ruleId: edited.body.resolutionPolicy.rules[0]?.id ?? '',
    filled,
    deleted,
    unclaimed,
    claimToken,
    foreign,
    proposalId: proposal.body.id,
    spareKeyId: (await mint(['links:read'])).apiKey.id,
    webhookId,
    deliveryId: Number(delivery?.id),
  }
}
