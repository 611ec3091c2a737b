import { describe, expect, test } from 'bun:test'
import { OPERATIONS, type OperationName } from '../../src/operations/table.ts'
import { requestOf } from '../parity/transports.ts'
import { NOWHERE } from '../parity/world.ts'
import {
  actFor,
  addMember,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  signIn,
  signUp,
  URL_A,
  URL_B,
  Visitor,
} from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// The log of what happened: that nothing which changes something can miss it, and who may read what of it.

export interface Logged {
  id: string
  type: string
  createdAt: string
  actor: { type: string; userId?: string; keyId?: number; name?: string; keyName?: string }
  subject: object
  target: { type: string; id: string | null; slug?: string; name?: string }
  versionNumber?: number
  changes?: { field: string; from?: unknown; to?: unknown }[]
}

interface Told {
  events: Logged[]
  nextCursor?: string
  leftOut?: string
  code?: string
}

const read = async (by: Visitor, query: Record<string, string> = {}) =>
  (await by.api<Told>('GET', `/api/me/events?${new URLSearchParams(query)}`)).body
const types = ({ events }: Told) => events.map(({ type }) => type)

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (server) => {
  /** Someone with a bundle, a proposal for it, a spare key and a webhook. */
  async function furnished() {
    const person = await newPerson(server())
    const { slug } = await person.makeBundle({ title: 'Launch' })
    const proposal = await person.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, { title: 'proposed' })
    const webhook = await person.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', {
      url: NOWHERE,
      events: ['bundle.claimed'],
    })
    return {
      person,
      slug,
      proposalId: proposal.body.id,
      keyId: (await person.mint()).apiKey.id,
      webhookId: webhook.body.webhook.id,
    }
  }
  type Furnished = Awaited<ReturnType<typeof furnished>>

  /** For each operation that writes: an input, and the types of the events that it leaves, newest first. */
  const WRITING: { [Name in OperationName]?: [(at: Furnished) => Promise<object> | object, ...types: string[]] } = {
    create_bundle: [() => ({ urls: [URL_A] }), 'bundle.created'],
    create_bundles: [() => ({ bundles: [{ urls: [URL_A] }, { urls: [URL_B] }] }), 'bundle.created', 'bundle.created'],
    update_bundle: [({ slug }) => ({ slug, title: 'Launch day' }), 'bundle.updated'],
    update_bundles: [({ slug }) => ({ edits: [{ slug, title: 'Launch day' }] }), 'bundle.updated'],
    delete_bundle: [({ slug }) => ({ slug }), 'bundle.deleted'],
    restore_bundle: [
      async ({ slug, person }) => {
        await person.api('DELETE', `/api/links/${slug}`)
        return { slug }
      },
      'bundle.restored',
    ],
    duplicate_bundle: [({ slug }) => ({ slug }), 'bundle.created'],
    transfer_bundle: [
      async ({ slug, person }) => {
        const { id } = await newOrganization(person)
        await actFor(person, null)
        return { slug, to: { type: 'organization', organizationId: id } }
      },
      'bundle.transferred',
    ],
    restore_version: [({ slug }) => ({ slug, versionNumber: 1 }), 'bundle.updated'],
    propose_edit: [({ slug }) => ({ slug, title: 'other' }), 'proposal.opened'],
    accept_proposal: [({ slug, proposalId: id }) => ({ slug, id }), 'bundle.updated', 'proposal.accepted'],
    reject_proposal: [({ slug, proposalId: id }) => ({ slug, id }), 'proposal.rejected'],
    withdraw_proposal: [({ slug, proposalId: id }) => ({ slug, id }), 'proposal.withdrawn'],
    claim_bundle: [async () => ({ token: (await new Visitor(server()).makeBundle()).claimToken }), 'bundle.claimed'],
    create_key: [() => ({ name: 'CI', scopes: ['links:read'] }), 'key.created'],
    revoke_key: [({ keyId: id }) => ({ id }), 'key.revoked'],
    create_webhook: [() => ({ url: NOWHERE, events: ['bundle.created'] }), 'webhook.created'],
    update_webhook: [({ webhookId }) => ({ webhookId, events: ['bundle.created'] }), 'webhook.updated'],
    delete_webhook: [({ webhookId }) => ({ webhookId }), 'webhook.deleted'],
    export_data: [() => ({}), 'data.exported'],
  }

  /** Operations that change something by a method other than GET, and leave no event. */
  const UNLOGGED: { [Name in OperationName]?: string } = {
    pin_bundle: 'the order of one’s own lists',
    unpin_bundle: 'the order of one’s own lists',
    preview_policy: 'changes nothing',
    record_event: 'what viewers do is only counted',
    report_bundle: 'the operator’s, and nothing of viewers',
    test_webhook: 'list_deliveries has it',
    redeliver: 'list_deliveries has it',
  }

  test('every operation that writes leaves an event, or is listed with the reason', () => {
    const writing = Object.entries(OPERATIONS).filter(([name, { route }]) => !route.startsWith('GET ') || name === 'export_data')
    const listed = [...Object.keys(WRITING), ...Object.keys(UNLOGGED)].sort()
    expect(listed).toEqual(writing.map(([name]) => name).sort())
  })

  describe.each(Object.keys(WRITING) as OperationName[])('%s', (name) => {
    test('is logged once, with who did it, by a session and by a key', async () => {
      const [input, ...expected] = WRITING[name] ?? []
      for (const by of ['user', 'key'] as const) {
        const at = await furnished()
        const { rawKey, apiKey } = await at.person.mint({ scopes: ['keys:admin'], name: 'CI' })
        // A key withdraws only what it proposed.
        const key = new Visitor(server(), { authorization: `Bearer ${rawKey}` })
        if (by === 'key') {
          const { body } = await key.api<{ id: string }>('POST', `/api/links/${at.slug}/proposals`, { title: 'by key' })
          at.proposalId = body.id
        }
        const sent = await input!(at)
        const [latest] = (await read(at.person, { limit: '1' })).events
        const { method, path, body } = requestOf(OPERATIONS[name], sent as Record<string, unknown>)
        const answer = await (by === 'user' ? at.person : key).fetch(path, {
          method,
          ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        })
        expect([name, answer.status < 300]).toEqual([name, true])
        await answer.text()
        const { events } = await read(at.person)
        const before = events.findIndex(({ id }) => id === latest?.id)
        expect(before).toBeGreaterThan(0)
        const made = events.slice(0, before)
        expect(made.map(({ type }) => type)).toEqual(expected)
        for (const { actor } of made) {
          const { userId } = at.person
          expect(actor).toMatchObject(by === 'user' ? { type: by, userId } : { type: by, userId, keyId: apiKey.id, keyName: 'CI' })
        }
      }
    })
  })
})
