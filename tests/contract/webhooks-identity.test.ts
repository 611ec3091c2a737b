import { expect, test } from 'bun:test'
import { actFor, arriveByMail, newEmail, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { newEventId, newSecret, type Receipt, sendIdentityEvent } from '../webhooks.ts'

const SECRET = newSecret()
const applied: Receipt = { status: 200, outcome: 'applied' }

/** A person in the form of a Clerk event. */
function clerkUser(id: string, email: string, more: Record<string, unknown> = {}) {
  const address = { id: 'idn_1', email_address: email, verification: { status: 'verified' } }
  return {
    id,
    primary_email_address_id: 'idn_1',
    email_addresses: [address],
    first_name: 'Ada',
    last_name: null,
    ...more,
  }
}

async function keyStatus(server: Server, key: string): Promise<number> {
  return (await new Visitor(server).api('GET', '/api/me', undefined, { authorization: `Bearer ${key}` })).status
}

onEveryTarget({ SERVICE_IDENTITY_WEBHOOK_SECRET: SECRET }, (at) => {
  const tell = (type: string, data: Record<string, unknown>, more = {}) =>
    sendIdentityEvent(at(), SECRET, type, data, more)
  const roleIn = async (person: Person, organizationId: string) => {
    await person.api('POST', '/api/auth/organization/set-active', { organizationId })
    const { body } = await person.api<{ subject: { type: string }; role: string }>('GET', '/api/me')
    return body.subject.type === 'organization' ? body.role : null
  }

  test('user.created makes an account that its owner signs in to; user.updated changes it, address included', async () => {
    const [id, first, second] = [newEventId(), newEmail(), newEmail()]
    expect(await tell('user.created', clerkUser(id, first.toUpperCase()))).toEqual(applied)
    const person = await arriveByMail(at(), first)
    const row = async () => (await at().sql('SELECT * FROM user WHERE id = ?', [person.userId]))[0]
    expect(await row()).toMatchObject({ name: 'Ada', email: first, email_verified: 1 })
    expect(await tell('user.updated', clerkUser(id, second, { last_name: 'Lovelace' }))).toEqual(applied)
    expect(await row()).toMatchObject({ name: 'Ada Lovelace', email: second })
    expect((await arriveByMail(at(), second)).userId).toBe(person.userId)
  })

  test('an existing account is found by its address, and the plain form of an event is understood', async () => {
    const person = await newPerson(at())
    expect(
      await tell('user.created', {
        id: newEventId(),
        email: person.email,
        email_verified: true,
        name: 'Grace\nHopper',
      }),
    ).toEqual(applied)
    const rows = await at().sql('SELECT id, name, email_verified FROM user WHERE email = ?', [person.email])
    expect(rows).toEqual([{ id: person.userId, name: 'Grace Hopper', email_verified: 1 }])
    expect(await tell('user.created', { id: newEventId() })).toEqual({ status: 200, outcome: 'ignored' })
  })

  test('an address that the provider has not verified leads to nobody else’s account', async () => {
    const victim = await newPerson(at())
    const slug = (await victim.makeBundle()).slug
    const id = newEventId()
    const address = { id: 'idn_1', email_address: victim.email, verification: { status: 'unverified' } }
    const squatter = clerkUser(id, victim.email, { email_addresses: [address], first_name: 'Mallory' })
    const ignored: Receipt = { status: 200, outcome: 'ignored' }
    expect(await tell('user.created', squatter)).toEqual(ignored)
    expect(await tell('user.deleted', { id, deleted: true })).toEqual(ignored)
    expect((await victim.api('GET', `/api/links/${slug}`)).status).toBe(200)
    expect(await at().sql('SELECT name FROM user WHERE id = ?', [victim.userId])).not.toEqual([{ name: 'Mallory' }])
  })

  test('what ends for somebody whom nobody here knows is ignored, and keeps out an older event about them', async () => {
    const id = newEventId()
    const organization = { id: newEventId(), name: 'Nobody’s' }
    const membership = { organization, public_user_data: { user_id: id }, role: 'org:editor' }
    const now = Date.now()
    const ago = (ms: number) => ({ timestamp: new Date(now - ms).toISOString() })
    for (const [type, data] of [
      ['user.deleted', { id, deleted: true }],
      ['organizationMembership.deleted', membership],
      ['organization.deleted', { id: organization.id, deleted: true }],
    ] as const)
      expect([type, await tell(type, data, ago(0))]).toEqual([type, { status: 200, outcome: 'ignored' }])
    const older = await tell('user.created', clerkUser(id, newEmail()), ago(60_000))
    expect(older).toEqual({ status: 200, outcome: 'outdated' })
  })

  test('user.deleted ends sessions, revokes keys, soft-deletes bundles and leaves organisations', async () => {
    const [id, person, other] = [newEventId(), await newPerson(at()), await newPerson(at())]
    await tell('user.created', clerkUser(id, person.email))
    const organization = await newOrganization(other, [[person, 'admin']])
    const own = (await person.mint()).rawKey
    await actFor(person, organization.id)
    const theirs = (await person.mint()).rawKey
    const shared = (await person.makeBundle()).slug
    await actFor(person, null)
    const { slug } = await person.makeBundle()
    const launcher = () => fetch(`${at().origin}/l/${slug}`).then(({ status }) => status)
    expect([await launcher(), await keyStatus(at(), own), await keyStatus(at(), theirs)]).toEqual([200, 200, 200])

    expect(await tell('user.deleted', { id, deleted: true, object: 'user' })).toEqual(applied)
    expect([await launcher(), await keyStatus(at(), own), await keyStatus(at(), theirs)]).toEqual([404, 401, 401])
    expect((await person.api('GET', '/api/me')).status).toBe(401)
    expect((await fetch(`${at().origin}/l/${shared}`)).status).toBe(200)
    // Older events that arrive late bring nothing back.
    const late = await tell('user.updated', clerkUser(id, person.email), { timestamp: Date.now() - 60_000 })
    expect(late).toEqual({ status: 200, outcome: 'outdated' })
    // The bundle can be restored by whoever still owns the address.
    const again = await arriveByMail(at(), person.email)
    expect(again.userId).toBe(person.userId)
    expect(await roleIn(again, organization.id)).toBeNull()
    expect((await again.api('POST', `/api/links/${slug}/restore`)).status).toBe(200)
  })

  test('organisations and memberships are created, changed and ended, with the roles that the provider names', async () => {
    const [person, orgId, userId] = [await newPerson(at()), newEventId(), newEventId()]
    await tell('user.created', clerkUser(userId, person.email))
    const organization = { id: orgId, name: 'Acme', slug: newEventId() }
    expect(await tell('organization.created', organization)).toEqual(applied)
    const row = async () => (await at().sql('SELECT name, slug FROM organization WHERE id = ?', [orgId]))[0]
    expect(await row()).toEqual({ name: 'Acme', slug: organization.slug })
    expect(await tell('organization.updated', { ...organization, name: 'Acme 2', slug: null })).toEqual(applied)
    expect(await row()).toEqual({ name: 'Acme 2', slug: organization.slug })

    const membership = (role: string) => ({ organization, public_user_data: { user_id: userId }, role })
    for (const [event, role, ours] of [
      ['created', 'org:viewer', 'viewer'],
      ['updated', 'org:editor', 'editor'],
      ['updated', 'org:admin', 'admin'],
      ['updated', 'org:owner', 'viewer'],
      ['updated', 'org:admin', 'admin'],
    ] as const) {
      expect(await tell(`organizationMembership.${event}`, membership(role))).toEqual(applied)
      expect([role, await roleIn(person, orgId)]).toEqual([role, ours])
    }
    const key = (await person.mint()).rawKey
    const { slug } = await person.makeBundle()
    expect(await keyStatus(at(), key)).toBe(200)
    expect(await tell('organizationMembership.deleted', membership('org:admin'))).toEqual(applied)
    expect([await roleIn(person, orgId), await keyStatus(at(), key)]).toEqual([null, 401])
    expect((await fetch(`${at().origin}/l/${slug}`)).status).toBe(200)

    // People who come back do not get their old keys back.
    await tell('organizationMembership.created', membership('org:admin'))
    expect([await roleIn(person, orgId), await keyStatus(at(), key)]).toEqual(['admin', 401])
    const second = (await person.mint()).rawKey
    expect(await keyStatus(at(), second)).toBe(200)
    expect(await tell('organization.deleted', { id: orgId, deleted: true })).toEqual(applied)
    expect([await roleIn(person, orgId), await keyStatus(at(), second)]).toEqual([null, 401])
    expect((await fetch(`${at().origin}/l/${slug}`)).status).toBe(404)
    const [last] = await at().sql('SELECT revoked_at FROM api_keys ORDER BY id DESC LIMIT 1')
    expect(last?.revoked_at).toBeNumber()
  })

  test('a membership may arrive before its organisation’s event, and before its person is retried', async () => {
    const [person, orgId, userId] = [await newPerson(at()), newEventId(), newEventId()]
    const data = {
      organization: { id: orgId, name: 'Early', slug: newEventId() },
      public_user_data: { user_id: userId },
      role: 'org:editor',
    }
    expect(await tell('organizationMembership.created', data)).toEqual({ status: 404, code: 'NOT_FOUND' })
    expect(await at().sql('SELECT 1 FROM organization WHERE id = ?', [orgId])).toEqual([])
    await tell('user.created', clerkUser(userId, person.email))
    expect(await tell('organizationMembership.created', data)).toEqual(applied)
    expect(await roleIn(person, orgId)).toBe('editor')
    const nowhere = { ...data, organization: { id: newEventId() } }
    expect(await tell('organizationMembership.created', nowhere)).toEqual({ status: 404, code: 'NOT_FOUND' })
  })

  test('an organisation whose slug is taken gets another, and no control over theirs', async () => {
    const admin = await newPerson(at())
    const { id } = await newOrganization(admin)
    const [taken] = await at().sql('SELECT slug FROM organization WHERE id = ?', [id])
    const orgId = newEventId()
    await tell('organization.created', { id: orgId, name: 'Impostor', slug: taken?.slug })
    const [made] = await at().sql('SELECT slug FROM organization WHERE id = ?', [orgId])
    expect(String(made?.slug)).toMatch(new RegExp(`^${taken?.slug}-\\w{6}$`))
    expect(await at().sql('SELECT slug FROM organization WHERE id = ?', [id])).toEqual([taken!])
  })
})
