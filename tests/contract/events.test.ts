import { describe, expect, test } from 'bun:test'
import { OPERATIONS, type OperationName } from '../../src/operations/table.ts'
import { requestOf } from '../parity/transports.ts'
import { NOWHERE } from '../parity/world.ts'
import {
  actFor,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  signIn,
  signUp,
  URL_A,
  URL_B,
  Visitor,
} from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// The log of what happened: that nothing which changes something can miss it, and who may read what of it.

interface Logged {
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
    put_bundle: [() => ({ externalId: 'of the event', urls: [URL_A] }), 'bundle.created'],
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
    rename_bundle: [({ slug }) => ({ slug, newSlug: `renamed-${slug}` }), 'bundle.updated'],
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
    rotate_key: [({ keyId: id }) => ({ id }), 'key.rotated'],
    replace_url: [() => ({ from: URL_A, to: 'https://c.example/' }), 'bundle.updated'],
    revoke_key: [({ keyId: id }) => ({ id }), 'key.revoked'],
    create_webhook: [() => ({ url: NOWHERE, events: ['bundle.created'] }), 'webhook.created'],
    update_webhook: [({ webhookId }) => ({ webhookId, events: ['bundle.created'] }), 'webhook.updated'],
    rotate_webhook_secret: [({ webhookId }) => ({ webhookId }), 'webhook.rotated'],
    delete_webhook: [({ webhookId }) => ({ webhookId }), 'webhook.deleted'],
    export_data: [() => ({}), 'data.exported'],
  }

  test('an export is told of as what it was of, by its name', async () => {
    const person = await newPerson(server())
    await (await person.fetch('/api/me/export')).text()
    const [own] = (await read(person)).events
    expect(own?.target).toEqual({ type: 'user', id: person.userId, name: person.email })
    const { id } = await newOrganization(person)
    await (await person.fetch(`/api/me/export?organizationId=${id}`)).text()
    const [theirs] = (await read(person, { type: 'data.exported' })).events
    expect(theirs?.target).toEqual({ type: 'organization', id, name: expect.any(String) })
  })

  /** Operations that change something by a method other than GET, and leave no event. */
  const UNLOGGED: { [Name in OperationName]?: string } = {
    pin_bundle: 'the order of one’s own lists',
    unpin_bundle: 'the order of one’s own lists',
    preview_policy: 'changes nothing',
    inspect_urls: 'changes nothing',
    record_event: 'what viewers do is only counted',
    report_bundle: 'the operator’s, and nothing of viewers',
    test_webhook: 'list_deliveries has it',
    redeliver: 'list_deliveries has it',
  }

  /** What is done within an organisation leaves events too: organization-operations.test.ts has them. */
  const OF_AN_ORGANIZATION = [
    'invite_member',
    'revoke_invitation',
    'update_member',
    'remove_member',
    'update_organization',
  ] as const satisfies OperationName[]

  test('every operation that writes leaves an event, or is listed with the reason', () => {
    const writing = Object.entries(OPERATIONS).filter(
      ([name, { route }]) => !route.startsWith('GET ') || name === 'export_data',
    )
    const listed = [...Object.keys(WRITING), ...Object.keys(UNLOGGED), ...OF_AN_ORGANIZATION].sort()
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
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
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
          expect(actor).toMatchObject(
            by === 'user' ? { type: by, userId } : { type: by, userId, keyId: apiKey.id, keyName: 'CI' },
          )
        }
      }
    })
  })

  describe('routes of signing in', () => {
    const auth = async (by: Visitor, path: string, body: object) => {
      const { status, body: told } = await by.api<{ id: string }>('POST', `/api/auth${path}`, body)
      if (status >= 300) throw new Error(`${path} gave ${status} ${JSON.stringify(told)}`)
      return told
    }
    /** An admin and an editor of an organisation, for which the admin acts. */
    async function team() {
      const [admin, editor] = [await newPerson(server()), await newPerson(server())]
      const { id, memberIds } = await newOrganization(admin, [[editor, 'editor']])
      await actFor(admin, id)
      return { admin, editor, id, editorId: memberIds.get(editor)! }
    }
    type Team = Awaited<ReturnType<typeof team>>
    const latest = async (by: Visitor) => (await read(by, { limit: '1' })).events[0]

    /** What is logged of each, for the organisation, by whom and about whom. */
    const OF_ORGANIZATIONS: Record<string, [(at: Team) => Promise<unknown>, type: string, actor: 'admin' | 'editor']> =
      {
        update: [
          ({ admin, id }) => auth(admin, '/organization/update', { organizationId: id, data: { name: 'Other' } }),
          'organization.updated',
          'admin',
        ],
        'invite-member': [
          ({ admin, id: organizationId }) =>
            auth(admin, '/organization/invite-member', { organizationId, email: newEmail(), role: 'viewer' }),
          'member.invited',
          'admin',
        ],
        'update-member-role': [
          ({ admin, id: organizationId, editorId: memberId }) =>
            auth(admin, '/organization/update-member-role', { organizationId, memberId, role: 'viewer' }),
          'member.role_changed',
          'admin',
        ],
        'remove-member': [
          ({ admin, id: organizationId, editorId: memberIdOrEmail }) =>
            auth(admin, '/organization/remove-member', { organizationId, memberIdOrEmail }),
          'member.removed',
          'admin',
        ],
        leave: [
          ({ editor, id: organizationId }) => auth(editor, '/organization/leave', { organizationId }),
          'member.removed',
          'editor',
        ],
      }
    test.each(Object.keys(OF_ORGANIZATIONS))('organization/%s is in the log of the organisation', async (name) => {
      const [call, type, by] = OF_ORGANIZATIONS[name]!
      const at = await team()
      await call(at)
      const { userId } = at[by]
      expect(await latest(at.admin)).toMatchObject({ type, actor: { type: 'user', userId } })
    })

    test('joining is in it, and who was made what', async () => {
      const { admin, editor, id, editorId } = await team()
      const { events } = await read(admin)
      expect(
        events.map(({ type, actor, target }) => [type, actor.userId, target.type === 'user' && target.id]),
      ).toEqual([
        ['member.joined', editor.userId, editor.userId],
        ['member.invited', admin.userId, false],
        ['member.joined', admin.userId, admin.userId],
        ['organization.created', admin.userId, false],
      ])
      expect(events[1]!.target).toMatchObject({ type: 'invitation', name: editor.email })
      await auth(admin, '/organization/update-member-role', { organizationId: id, memberId: editorId, role: 'admin' })
      expect((await latest(admin))?.changes).toEqual([{ field: 'role', from: 'editor', to: 'admin' }])
    })

    test('deleting an organisation is in the logs of its admins', async () => {
      const { admin, editor, id } = await team()
      await auth(admin, '/organization/delete', { organizationId: id })
      expect(await latest(admin)).toMatchObject({
        type: 'organization.deleted',
        actor: { userId: admin.userId },
        target: { id },
        changes: [{ field: 'name', from: expect.stringContaining('Organisation') as never }],
      })
      expect(types(await read(editor))).not.toContain('organization.deleted')
    })

    test('deleting an account is leaving for its organisations, and takes its own log along', async () => {
      const { admin, editor, id } = await team()
      await editor.makeBundle({ title: 'Soon gone' })
      await auth(editor, '/delete-user', {})
      const left = await latest(admin)
      expect([left?.type, left?.actor.userId, left?.actor.name, left?.target.name]).toEqual([
        'member.removed',
        undefined,
        undefined,
        undefined,
      ])
      expect(left?.subject).toEqual({ type: 'organization', organizationId: id })
      const rows = await server().sql(
        'SELECT count(*) AS n FROM events WHERE owner_id NOT IN (SELECT id FROM owners) AND owner_id NOT IN (SELECT id FROM gone_owners)',
      )
      expect(rows).toEqual([{ n: 0 }])
    })

    test('signing up, signing in and changing the password are in one’s own log, and in no organisation’s', async () => {
      const person = await signUp(server())
      expect(types(await read(person))).toEqual(['account.signed_in', 'account.password_changed'])
      await signIn(server(), person.email)
      expect(types(await read(person)).slice(0, 1)).toEqual(['account.signed_in'])
      await auth(person, '/change-password', { currentPassword: PASSWORD, newPassword: `${PASSWORD} two` })
      const { events } = await read(person, { type: 'account.password_changed' })
      expect([events.length, events[0]?.actor]).toEqual([
        2,
        expect.objectContaining({ type: 'user', userId: person.userId }) as never,
      ])
      await auth(new Visitor(server()), '/request-password-reset', { email: person.email })
      const link = linkIn(await mailTo(server(), person.email, 'Set a password'))
      expect((await new Visitor(server()).form(link, { password: `${PASSWORD} three` })).status).toBeLessThan(400)
      const again = await signIn(server(), person.email, `${PASSWORD} three`)
      expect((await read(again, { type: 'account.password_changed' })).events.length).toBeGreaterThanOrEqual(3)
    })
  })

  describe('who may read it', () => {
    test('whoever reads bundles reads their events; the rest takes keys:admin and the role of admin, and the answer says so', async () => {
      const [admin, editor] = [await newPerson(server()), await newPerson(server())]
      const { id } = await newOrganization(admin, [[editor, 'editor']])
      await actFor(admin, id)
      await actFor(editor, id)
      await admin.makeBundle()
      const program = await admin.program({ scopes: ['links:write'] })
      for (const by of [editor, program, await editor.program().catch(() => program)]) {
        const told = await read(by)
        expect([types(told), told.leftOut]).toEqual([['bundle.created'], expect.stringContaining('keys:admin')])
        for (const type of ['key', 'member.joined', 'organization']) {
          const asked = await read(by, { type })
          expect([asked.events, asked.leftOut]).toEqual([[], expect.stringContaining('keys:admin')])
        }
        expect((await read(by, { target: id })).events).toEqual([])
        expect((await read(by, { type: 'bundle' })).leftOut).toBeUndefined()
        const csv = await (await by.fetch('/api/me/events.csv')).text()
        expect(csv.split('\r\n')).toHaveLength(3)
      }
      const all = await read(await admin.program({ scopes: ['keys:admin'] }))
      expect([all.leftOut, types(all).includes('member.joined')]).toEqual([undefined, true])
    })

    test('nobody reads another owner’s, by whatever id', async () => {
      const { person, slug, keyId, webhookId, proposalId } = await furnished()
      const other = await newPerson(server())
      for (const target of [slug, String(keyId), webhookId, proposalId, person.userId])
        expect((await read(other, { target })).events).toEqual([])
      expect((await read(other, { actor: person.userId })).events).toEqual([])
      expect((await read(other, { actor: String(keyId) })).events).toEqual([])
    })

    test('a bundle that has moved on is known by its link alone, and not by what it is called there', async () => {
      const person = await newPerson(server())
      const { slug } = await person.makeBundle({ title: 'Mine' })
      const { id } = await newOrganization(person)
      const to = { type: 'organization', organizationId: id }
      await person.api('POST', `/api/links/${slug}/transfer`, { to })
      await person.api('PATCH', `/api/links/${slug}`, { title: 'Ours' })
      await actFor(person, null)
      const [moved, made] = (await read(person, { target: slug })).events
      expect([moved?.type, moved?.target, made?.type, made?.target]).toEqual([
        'bundle.transferred',
        { type: 'bundle', id: slug, slug },
        'bundle.created',
        { type: 'bundle', id: slug, slug },
      ])
      await actFor(person, id)
      expect((await read(person, { type: 'bundle' })).events.map(({ target }) => target.name)).toEqual(['Ours', 'Ours'])
    })
  })

  describe('what it has', () => {
    test('the fields that changed, with what they were if that is short, and no secrets', async () => {
      const person = await newPerson(server())
      const { slug } = await person.makeBundle({ title: 'Launch' })
      const edit = async (fields: object) => {
        const { status } = await person.api('PATCH', `/api/links/${slug}`, fields)
        expect(status).toBe(200)
        return (await read(person, { limit: '1', target: slug })).events[0]
      }
      const first = await edit({ title: 'Launch day', urls: [URL_B], copyable: true })
      expect([first?.versionNumber, first?.changes]).toEqual([
        2,
        [
          { field: 'urls' },
          { field: 'urlMetadata' },
          { field: 'title', from: 'Launch', to: 'Launch day' },
          { field: 'copyable', from: false, to: true },
        ],
      ])
      expect(first?.target).toEqual({ type: 'bundle', id: slug, slug, name: 'Launch day' })
      expect((await edit({ title: 'x'.repeat(200) }))?.changes).toEqual([{ field: 'title' }])
      const locked = await edit({ access: 'password', password: 'four stairs down' })
      expect(locked?.changes).toEqual([{ field: 'access', from: 'link', to: 'password' }, { field: 'password' }])
      expect((await edit({ access: 'password' }))?.changes).toEqual([])
      const named = await edit({ externalId: 'crm 4711', metadata: { team: 'sales' } })
      expect(named?.changes).toEqual([{ field: 'externalId', from: null, to: 'crm 4711' }, { field: 'metadata' }])
      const secret = 'https://127.0.0.1:65500/a-secret-path'
      await person.api('POST', '/api/me/webhooks', { url: secret, events: ['bundle.created'] })
      const all = JSON.stringify(await read(person))
      expect(all).not.toMatch(/four stairs down|a-secret-path/)
      expect(all).toContain('127.0.0.1:65500')
    })

    test('a change that fails leaves nothing', async () => {
      const person = await newPerson(server())
      const { slug } = await person.makeBundle()
      const before = types(await read(person))
      await person.api('PATCH', `/api/links/${slug}`, { title: 'x' }, { 'if-match': '"v9"' })
      await person.api('POST', '/api/links', { urls: [URL_A], slug })
      await person.api('DELETE', '/api/me/keys?id=1')
      expect(types(await read(person))).toEqual(before)
    })

    test('pages, filters and CSV agree', async () => {
      const person = await newPerson(server())
      for (const title of ['one', 'two', 'three', '=four']) await person.makeBundle({ title })
      const program = await person.program({ name: 'CI', scopes: ['links:write'] })
      await program.makeBundle({ title: 'five' })
      const whole = (await read(person)).events
      const paged: Logged[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page: Told = await read(person, { limit: '2', ...(cursor === '' ? {} : { cursor }) })
        expect(page.events.length).toBeLessThanOrEqual(2)
        paged.push(...page.events)
        cursor = page.nextCursor
      }
      expect(paged).toEqual(whole)
      expect(types(await read(person, { type: 'bundle.created', limit: '3' }))).toHaveLength(3)
      const keyId = whole[0]?.actor.keyId
      expect((await read(person, { actor: String(keyId) })).events).toEqual(whole.slice(0, 1))
      expect((await read(person, { actor: person.userId })).events).toEqual(whole)
      // The instant itself belongs to it, whatever else happened in the same one.
      const { createdAt } = whole[2]!
      const sinceThen = whole.filter((event) => event.createdAt >= createdAt)
      expect((await read(person, { since: createdAt })).events).toEqual(sinceThen)
      expect((await read(person, { since: '2999-01-01T00:00:00Z' })).events).toEqual([])
      const csv = await person.fetch('/api/me/events?format=csv')
      expect([csv.headers.get('content-type'), csv.headers.get('content-disposition')]).toEqual([
        'text/csv; charset=utf-8',
        'attachment; filename="activity.csv"',
      ])
      const [header = '', ...lines] = (await csv.text()).trimEnd().split('\r\n')
      expect([header.split(',')[0], lines.map((line) => line.split(',')[0])]).toEqual(['id', whole.map(({ id }) => id)])
      expect(lines.join('\n')).toContain(",'=four,")
      for (const [name, value] of Object.entries({
        type: 'bundle.opened',
        since: 'yesterday',
        cursor: '!',
        limit: '0',
      }))
        expect([name, (await person.api('GET', `/api/me/events?${name}=${value}`)).status]).toEqual([name, 400])
    })

    test('webhooks go out from the event', async () => {
      const { person } = await furnished()
      await person.api('POST', '/api/me/webhooks', { url: `${NOWHERE}all`, events: ['bundle.created'] })
      await person.makeBundle()
      const [event] = (await read(person, { type: 'bundle' })).events
      const rows = await server().sql(
        'SELECT outbox.event FROM outbox JOIN events ON events.id = outbox.event_id WHERE events.public_id = ?',
        [event?.id ?? ''],
      )
      expect(rows).toEqual([{ event: 'bundle.created' }])
    })
  })
})
