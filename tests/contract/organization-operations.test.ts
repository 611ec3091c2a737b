import { beforeEach, describe, expect, test } from 'bun:test'
import {
  actFor,
  arriveByMail,
  invitationLink,
  newEmail,
  newOrganization,
  newPerson,
  type Person,
  URL_A,
  Visitor,
} from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Told extends Record<string, unknown> {
  error: string
  code: string
  members: { userId: string; name: string; email: string; role: string }[]
  invitations: { invitationId: string; email: string; role: string; expiresAt: string }[]
  invitation: { invitationId: string; email: string; role: string }
  member: { userId: string; role: string }
  events: { type: string; actor: object; target: Record<string, unknown> }[]
}

/** How an organisation that has chosen nothing presents itself. */
const UNADORNED = { handle: null, color: null, pictureUrl: null }

onEveryTarget({}, (at) => {
  let admin: Person
  let member: Person
  let id: string
  /** A key of the organisation, made by its admin. */
  let key: Visitor
  beforeEach(async () => {
    ;[admin, member] = [await newPerson(at()), await newPerson(at())]
    ;({ id } = await newOrganization(admin, [[member, 'editor']]))
    await actFor(admin, id)
    key = await admin.program({ scopes: ['keys:admin'] })
  })
  const call = (by: Visitor, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', below = '', body?: object) =>
    by.api<Told>(method, `/api/organizations/${id}${below}`, body)
  const listed = async (by: Visitor = admin) => (await call(by, 'GET', '/members')).body

  test('a key lists the members, invites somebody, changes a role and removes them, and is named as who did it', async () => {
    const { members, invitations, organization } = await listed(key)
    expect(organization).toEqual({ ...UNADORNED, organizationId: id, name: expect.any(String) })
    expect(members.map(({ userId, role }) => [userId, role])).toEqual([
      [admin.userId, 'admin'],
      [member.userId, 'editor'],
    ])
    expect([members[0]?.email, invitations]).toEqual([admin.email, []])

    const email = newEmail('invited')
    const invited = await call(key, 'POST', '/invitations', { email, role: 'viewer' })
    expect([invited.status, invited.body.invitation]).toMatchObject([201, { email, role: 'viewer' }])
    expect((await listed(key)).invitations).toEqual([invited.body.invitation] as Told['invitations'])
    const newcomer = await arriveByMail(at(), email)
    const { pathname } = new URL(await invitationLink(at(), email))
    expect((await newcomer.form(pathname, { answer: 'accept' })).status).toBeLessThan(400)
    expect((await listed()).members).toHaveLength(3)

    const promoted = await call(key, 'PATCH', `/members/${newcomer.userId}`, { role: 'admin' })
    expect([promoted.status, promoted.body.member]).toMatchObject([200, { userId: newcomer.userId, role: 'admin' }])
    const removed = await call(key, 'DELETE', `/members/${newcomer.userId}`)
    expect([removed.status, removed.body]).toEqual([
      200,
      { organizationId: id, userId: newcomer.userId, removedAt: expect.any(String) } as unknown as Told,
    ])
    const renamed = await call(key, 'PATCH', '', { name: '  Acme Support ' })
    expect([renamed.status, renamed.body]).toEqual([
      200,
      { organization: { ...UNADORNED, organizationId: id, name: 'Acme Support' } } as unknown as Told,
    ])

    const { events } = (await admin.api<Told>('GET', '/api/me/events?limit=20')).body
    const ofKey = events.filter(({ actor }) => 'keyId' in actor).map(({ type }) => type)
    expect(ofKey.toReversed()).toEqual([
      'member.invited',
      'member.role_changed',
      'member.removed',
      'organization.updated',
    ])
  })

  test('members see each other, and only admins see invitations and change anything', async () => {
    await call(admin, 'POST', '/invitations', { email: newEmail('open'), role: 'viewer' })
    const [open] = (await listed()).invitations
    expect([(await listed(member)).members.length, (await listed(member)).invitations]).toEqual([2, undefined as never])
    const refused = [
      await call(member, 'POST', '/invitations', { email: newEmail('x'), role: 'viewer' }),
      await call(member, 'DELETE', `/invitations/${open?.invitationId}`),
      await call(member, 'PATCH', `/members/${member.userId}`, { role: 'admin' }),
      await call(member, 'DELETE', `/members/${admin.userId}`),
      await call(member, 'PATCH', '', { name: 'Mine' }),
    ]
    for (const { status, body } of refused)
      expect([status, body.error]).toEqual([403, 'needs role admin (you are editor)'])
    expect((await listed()).members.map(({ role }) => role)).toEqual(['admin', 'editor'])
  })

  test('who is no member finds no organisation, and a key none but the one that it acts for', async () => {
    const stranger = await newPerson(at())
    await actFor(admin, null)
    const own = await admin.program({ scopes: ['keys:admin'] })
    const { id: other } = await newOrganization(admin)
    const elsewhere = await admin.program({ scopes: ['keys:admin'] })
    expect(other).not.toBe(id)
    for (const by of [stranger, own, elsewhere]) {
      const answers = [
        await call(by, 'GET', '/members'),
        await call(by, 'POST', '/invitations', { email: newEmail('x'), role: 'viewer' }),
        await call(by, 'DELETE', '/invitations/none'),
        await call(by, 'PATCH', `/members/${member.userId}`, { role: 'admin' }),
        await call(by, 'DELETE', `/members/${member.userId}`),
        await call(by, 'DELETE', '/members/me'),
        await call(by, 'PATCH', '', { name: 'Mine' }),
      ]
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'NOT_FOUND']))
    }
    expect((await listed()).members).toHaveLength(2)
  })

  test('everybody may leave, their keys with them, and the last admin stays', async () => {
    expect(await call(key, 'DELETE', '/members/me')).toMatchObject({ status: 400, body: { code: 'LAST_ADMIN' } })
    expect(await call(key, 'PATCH', '/members/me', { role: 'viewer' })).toMatchObject({
      status: 400,
      body: { code: 'LAST_ADMIN' },
    })
    await call(admin, 'PATCH', `/members/${member.userId}`, { role: 'admin' })
    await actFor(member, id)
    const theirs = await member.program({ scopes: ['keys:admin'] })
    expect((await call(theirs, 'DELETE', '/members/me')).status).toBe(200)
    expect((await call(theirs, 'GET', '/members')).status).toBe(401)
    expect((await call(member, 'GET', '/members')).status).toBe(404)
    expect((await listed()).members.map(({ userId }) => userId)).toEqual([admin.userId])
  })

  test('a demoted admin’s key does less on its very next request', async () => {
    await call(admin, 'PATCH', `/members/${member.userId}`, { role: 'admin' })
    await actFor(member, id)
    const theirs = await member.program({ scopes: ['keys:admin'] })
    expect((await call(theirs, 'PATCH', '', { name: 'Theirs' })).status).toBe(200)
    await call(key, 'PATCH', `/members/${member.userId}`, { role: 'viewer' })
    expect((await call(theirs, 'PATCH', '', { name: 'Still theirs' })).status).toBe(403)
    expect((await call(theirs, 'GET', '/members')).body.invitations).toBeUndefined()
  })

  test('an invitation is revoked, by its own organisation alone, and its link ends', async () => {
    const email = newEmail('revoked')
    const { invitation } = (await call(key, 'POST', '/invitations', { email, role: 'viewer' })).body
    const { pathname } = new URL(await invitationLink(at(), email))
    const other = await newPerson(at())
    const { id: theirs } = await newOrganization(other)
    const path = `/invitations/${invitation.invitationId}`
    expect((await other.api('DELETE', `/api/organizations/${theirs}${path}`)).status).toBe(404)
    expect((await call(key, 'DELETE', path)).status).toBe(200)
    expect(await call(key, 'DELETE', path)).toMatchObject({
      status: 404,
      body: { error: 'This invitation was answered or revoked, has expired or never existed.' },
    })
    expect((await new Visitor(at()).fetch(pathname)).status).toBeGreaterThanOrEqual(400)
  })

  test('invitations by keys, JSON and pages count as mails to one address together: five an hour', async () => {
    const email = newEmail('popular')
    const invite = (by: Visitor) => call(by, 'POST', '/invitations', { email, role: 'viewer' })
    const page = () => admin.form(`/dashboard/organizations/${id}`, { email, role: 'viewer' })
    for (const sent of [() => invite(key), () => invite(admin), page, () => invite(key), page])
      expect((await sent()).status).toBeLessThan(400)
    const refused = await invite(key)
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED'])
    expect((await page()).status).toBe(429)
    expect((await listed()).invitations).toHaveLength(1)
  })

  test('what is sent is checked as everywhere, and by the rules of pages', async () => {
    const wrong = async (method: 'POST' | 'PATCH', below: string, body: object) =>
      (await call(key, method, below, body)).body
    expect(await wrong('POST', '/invitations', { email: 'nobody', role: 'owner', as: 1 })).toMatchObject({
      code: 'BAD_REQUEST',
      errors: [{ path: 'email' }, { path: 'role' }, { path: 'as' }],
    })
    expect(await wrong('PATCH', '', { name: 'See https://evil.example' })).toMatchObject({
      error: 'name must not contain a web address',
    })
    expect(await wrong('PATCH', '', { name: '  ' })).toMatchObject({ error: 'name must be a text that is not blank' })
    expect(await wrong('PATCH', '/members/nobody', { role: 'viewer' })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await wrong('POST', '/invitations', { email: member.email, role: 'viewer' })).toMatchObject({
      code: 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
      error: 'This person is already a member.',
    })
  })

  test('who has not confirmed their address invites nobody', async () => {
    const unproven = await newPerson(at(), newEmail('unproven'))
    await at().sql('UPDATE user SET email_verified = 0 WHERE id = ? RETURNING 1', [unproven.userId])
    const { id: own } = await newOrganization(unproven)
    const sent = { email: newEmail('x'), role: 'viewer' }
    expect(await unproven.api('POST', `/api/organizations/${own}/invitations`, sent)).toMatchObject({
      status: 403,
      body: { code: 'EMAIL_UNVERIFIED' },
    })
  })

  describe('better-auth’s own routes say the same in our words', () => {
    const auth = (by: Visitor, path: string, body: object) =>
      by.api<Told>('POST', `/api/auth/organization/${path}`, { organizationId: id, ...body })

    test('about people, invitations and roles', async () => {
      const cases: [Visitor, string, object, number, string, string][] = [
        [admin, 'invite-member', { email: newEmail('x'), role: 'boss' }, 400, 'BAD_REQUEST', 'Role must be viewer'],
        [admin, 'invite-member', { email: newEmail('x'), role: 'owner' }, 400, 'BAD_REQUEST', 'Role must be viewer'],
        [admin, 'remove-member', { memberIdOrEmail: 'none' }, 404, 'NOT_FOUND', 'This person isn’t a member'],
        [admin, 'update-member-role', { memberId: 'none', role: 'viewer' }, 404, 'NOT_FOUND', 'This person isn’t'],
        [admin, 'cancel-invitation', { invitationId: 'none' }, 404, 'NOT_FOUND', 'This invitation was answered'],
        [member, 'invite-member', { email: newEmail('x'), role: 'viewer' }, 403, 'FORBIDDEN', 'needs role admin'],
        [member, 'update', { data: { name: 'x' } }, 403, 'FORBIDDEN', 'needs role admin'],
      ]
      for (const [by, path, body, status, code, words] of cases) {
        const answer = await auth(by, path, body)
        expect([path, answer.status, answer.body.code, answer.body.error]).toEqual([
          path,
          status,
          code,
          expect.stringContaining(words),
        ])
      }
    })

    test('and a session is no key: nobody gets one by a header or a body', async () => {
      const stranger = new Visitor(at(), { authorization: 'Bearer x', 'x-user-id': admin.userId })
      const sent = await stranger.fetch('/api/auth/organization/update', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ organizationId: id, userId: admin.userId, data: { name: URL_A.slice(8, 9) } }),
      })
      expect(sent.status).toBe(401)
    })
  })
})
