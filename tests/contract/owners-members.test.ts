import { beforeEach, describe, expect, test } from 'bun:test'
import { actFor, addMember, newOrganization, newPerson, type Person, signUp } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'

type Api = 'POST'
const POST: Api = 'POST'
const ORGANIZATION = '/api/auth/organization'

onEveryTarget({}, (at) => {
  let admin: Person
  let member: Person
  let outsider: Person
  // New people for each test, because an address gets at most five invitations per hour.
  beforeEach(async () => {
    ;[admin, member, outsider] = (await Promise.all([0, 1, 2].map(() => newPerson(at())))) as [Person, Person, Person]
  })

  test('an organisation’s creator is its admin, and acts for it at once', async () => {
    const { id } = await newOrganization(admin)
    expect((await admin.api('GET', '/api/me')).body).toMatchObject({
      subject: { type: 'organization', organizationId: id },
      role: 'admin',
    })
    const { slug } = await admin.makeBundle()
    expect((await admin.api('GET', `/api/links/${slug}`)).body.owner).toEqual({
      type: 'organization',
      organizationId: id,
    })
  })

  test('a member gets the role of the invitation', async () => {
    for (const role of ['viewer', 'editor', 'admin']) {
      const { id } = await newOrganization(admin, [[member, role]])
      await actFor(member, id)
      expect((await member.api('GET', '/api/me')).body.role).toBe(role)
    }
    await actFor(member, null)
  })

  test('a demoted member loses the right on the very next request', async () => {
    const { id, memberIds } = await newOrganization(admin, [[member, 'editor']])
    const { slug } = await admin.makeBundle()
    await actFor(member, id)
    expect((await member.api('PATCH', `/api/links/${slug}`, { title: 'x' })).status).toBe(200)
    const words = { memberId: memberIds.get(member), role: 'viewer', organizationId: id }
    expect((await admin.api(POST, `${ORGANIZATION}/update-member-role`, words)).status).toBe(200)
    expect(await member.api('PATCH', `/api/links/${slug}`, { title: 'y' })).toMatchObject({
      status: 403,
      body: { error: 'needs role editor (you are viewer)' },
    })
    expect((await member.api(POST, '/api/links', { urls: ['https://a.example/'] })).status).toBe(403)
    expect((await member.api('GET', '/api/me')).body.role).toBe('viewer')
  })

  test('a removed member loses the organisation on the very next request, and acts for themselves', async () => {
    const { id, memberIds } = await newOrganization(admin, [[member, 'admin']])
    const { slug } = await admin.makeBundle()
    await actFor(member, id)
    expect((await member.api('GET', `/api/links/${slug}`)).status).toBe(200)
    const words = { memberIdOrEmail: memberIds.get(member), organizationId: id }
    expect((await admin.api(POST, `${ORGANIZATION}/remove-member`, words)).status).toBe(200)
    expect((await member.api('GET', `/api/links/${slug}`)).status).toBe(403)
    expect((await member.api('GET', '/api/me')).body).toMatchObject({
      subject: { type: 'user', userId: member.userId },
      role: 'admin',
    })
    const mine = await member.makeBundle()
    expect((await member.api('GET', `/api/links/${mine.slug}`)).body.owner).toMatchObject({ type: 'user' })
    expect((await member.api(POST, `${ORGANIZATION}/set-active`, { organizationId: id })).status).toBe(403)
  })

  test('the list shows only the acting subject', async () => {
    const { id } = await newOrganization(admin, [[member, 'viewer']])
    const { slug } = await admin.makeBundle()
    const slugs = async () =>
      (await member.api<{ bundles: { slug: string }[] }>('GET', '/api/me/links')).body.bundles.map((one) => one.slug)
    expect(await slugs()).not.toContain(slug)
    await actFor(member, id)
    expect(await slugs()).toEqual([slug])
    await actFor(member, null)
  })

  describe('nobody gets more rights than they were given:', () => {
    let own: { id: string; memberIds: Map<Person, string> }
    let other: { id: string; memberIds: Map<Person, string> }
    let adminId: unknown
    beforeEach(async () => {
      own = await newOrganization(admin, [[member, 'editor']])
      other = await newOrganization(outsider)
      const { body } = await admin.api('GET', `${ORGANIZATION}/get-active-member`)
      adminId = body.id
    })

    /** Makes an attempt, and checks that every role is unchanged afterwards. */
    const attempts: readonly (readonly [string, () => [Person, string, Record<string, unknown>]])[] = [
      ['an editor invites somebody', () => [member, 'invite-member', { email: 'x@x.example', role: 'viewer' }]],
      [
        'an editor makes themselves admin',
        () => [member, 'update-member-role', { memberId: own.memberIds.get(member), role: 'admin' }],
      ],
      ['an editor demotes the admin', () => [member, 'update-member-role', { memberId: adminId, role: 'viewer' }]],
      ['an editor removes the admin', () => [member, 'remove-member', { memberIdOrEmail: adminId }]],
      ['an editor removes a member', () => [member, 'remove-member', { memberIdOrEmail: own.memberIds.get(member) }]],
      ['an editor renames the organisation', () => [member, 'update', { data: { name: 'Mine now' } }]],
      ['an editor deletes the organisation', () => [member, 'delete', {}]],
      ['an outsider invites themselves', () => [outsider, 'invite-member', { email: outsider.email, role: 'admin' }]],
      [
        'an outsider promotes a member',
        () => [outsider, 'update-member-role', { memberId: own.memberIds.get(member), role: 'admin' }],
      ],
      [
        'an outsider removes a member',
        () => [outsider, 'remove-member', { memberIdOrEmail: own.memberIds.get(member) }],
      ],
      ['an outsider adds themselves', () => [outsider, 'add-member', { userId: outsider.userId, role: 'admin' }]],
      ['an outsider deletes the organisation', () => [outsider, 'delete', {}]],
      [
        "an admin of another organisation promotes this one's member",
        () => [
          outsider,
          'update-member-role',
          { memberId: own.memberIds.get(member), role: 'admin', organizationId: other.id },
        ],
      ],
      [
        "an admin of another organisation removes this one's member",
        () => [outsider, 'remove-member', { memberIdOrEmail: own.memberIds.get(member), organizationId: other.id }],
      ],
      ['the last admin demotes themselves', () => [admin, 'update-member-role', { memberId: adminId, role: 'viewer' }]],
      ['the last admin leaves', () => [admin, 'leave', {}]],
      ['the last admin is removed', () => [admin, 'remove-member', { memberIdOrEmail: adminId }]],
    ]
    test.each(attempts)('refused: %s', async (_, attempt) => {
      const [person, action, words] = attempt()
      const { status, body } = await person.api(POST, `${ORGANIZATION}/${action}`, { organizationId: own.id, ...words })
      expect([400, 403, 404]).toContain(status)
      expect(body).toEqual({ error: expect.any(String), code: expect.stringMatching(/^[A-Z_]+$/), ...told })
      const members = await at().sql('SELECT user_id, role FROM member WHERE organization_id = ? ORDER BY role', [
        own.id,
      ])
      expect(members).toEqual([
        { user_id: admin.userId, role: 'admin' },
        { user_id: member.userId, role: 'editor' },
      ])
    })

    test.each([['owner'], ['member'], ['emperor'], [['viewer', 'admin']], ['viewer,admin'], ['']])(
      'there is no role %p, in an invitation or a promotion',
      async (role) => {
        const invite = { email: 'new@x.example', role, organizationId: own.id }
        const promote = { memberId: own.memberIds.get(member), role, organizationId: own.id }
        for (const [action, words] of [
          ['invite-member', invite],
          ['update-member-role', promote],
        ] as const) {
          const { status, body } = await admin.api(POST, `${ORGANIZATION}/${action}`, words)
          expect([action, status]).toEqual([action, 400])
          expect(body).toEqual({ error: expect.any(String), code: expect.any(String), ...told })
        }
      },
    )
  })

  test('an invitation belongs to its address: nobody else can read or accept it', async () => {
    const { id } = await newOrganization(admin)
    const { body } = await admin.api(POST, `${ORGANIZATION}/invite-member`, {
      email: member.email,
      role: 'viewer',
      organizationId: id,
    })
    expect((await outsider.api('GET', `${ORGANIZATION}/get-invitation?id=${body.id}`)).status).toBe(403)
    const accepted = await outsider.api(POST, `${ORGANIZATION}/accept-invitation`, { invitationId: body.id })
    expect(accepted.status).toBe(403)
    expect((await outsider.fetch(`/invitations/${body.id}`)).status).toBe(404)
  })

  test('an invitation is accepted once, and not after it was revoked', async () => {
    const { id } = await newOrganization(admin)
    const invite = async () => {
      const words = { email: member.email, role: 'editor', organizationId: id }
      return String((await admin.api(POST, `${ORGANIZATION}/invite-member`, words)).body.id)
    }
    const accept = async (invitationId: string) =>
      (await member.api(POST, `${ORGANIZATION}/accept-invitation`, { invitationId })).status
    const canceled = await invite()
    await admin.api(POST, `${ORGANIZATION}/cancel-invitation`, { invitationId: canceled })
    expect(await accept(canceled)).toBe(404)
    const invitationId = await invite()
    const both = await Promise.all([accept(invitationId), accept(invitationId)])
    expect(both.toSorted()).toEqual([200, 404])
    expect(await accept(invitationId)).toBe(404)
    const members = await at().sql('SELECT role FROM member WHERE organization_id = ? AND user_id = ?', [
      id,
      member.userId,
    ])
    expect(members).toEqual([{ role: 'editor' }])
    await actFor(member, null)
  })

  test('people with an unconfirmed address see no invitation to it', async () => {
    const { id } = await newOrganization(admin)
    const squatter = await signUp(at())
    await admin.api(POST, `${ORGANIZATION}/invite-member`, { email: squatter.email, role: 'admin', organizationId: id })
    const listed = await squatter.api('GET', `${ORGANIZATION}/list-user-invitations`)
    expect(listed).toMatchObject({ status: 403, body: { error: expect.any(String), code: expect.any(String) } })
  })

  test('members of one organisation cannot reach another’s bundle', async () => {
    await newOrganization(admin)
    const { slug } = await admin.makeBundle()
    await newOrganization(outsider)
    expect((await outsider.api('PATCH', `/api/links/${slug}`, { title: 'x' })).status).toBe(403)
    expect((await outsider.api('DELETE', `/api/links/${slug}`)).status).toBe(403)
    expect((await outsider.api('GET', `/api/links/${slug}/versions`)).status).toBe(403)
    await actFor(outsider, null)
  })

  test('two admins who demote each other simultaneously leave an admin', async () => {
    const { id } = await newOrganization(admin)
    const memberId = await addMember(admin, id, member, 'admin')
    await actFor(admin, id)
    const { body } = await admin.api('GET', `${ORGANIZATION}/get-active-member`)
    const demote = (person: Person, memberId: unknown) =>
      person.api(POST, `${ORGANIZATION}/update-member-role`, { memberId, role: 'viewer', organizationId: id })
    await Promise.all([demote(admin, memberId), demote(member, body.id)])
    const admins = await at().sql(`SELECT 1 FROM member WHERE organization_id = ? AND role = 'admin'`, [id])
    expect(admins.length).toBeGreaterThan(0)
  })

  test('a member who leaves acts for themselves in every browser, and the last admin cannot leave', async () => {
    const { id } = await newOrganization(admin, [[member, 'editor']])
    await actFor(member, id)
    expect((await member.api(POST, `${ORGANIZATION}/leave`, { organizationId: id })).status).toBe(200)
    expect((await member.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: member.userId })
    expect(
      await at().sql('SELECT 1 FROM session WHERE active_organization_id = ? AND user_id = ?', [id, member.userId]),
    ).toEqual([])
    const again = await member.api(POST, `${ORGANIZATION}/leave`, { organizationId: id })
    expect(again).toMatchObject({ status: 404, body: { error: expect.any(String), code: 'NOT_FOUND' } })
    const last = await admin.api(POST, `${ORGANIZATION}/leave`, { organizationId: id })
    expect(last).toMatchObject({ status: 400, body: { code: 'LAST_ADMIN' } })
  })

  test('two last admins who leave or delete their accounts simultaneously leave an admin', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [one, two, editor] = await Promise.all([newPerson(at()), newPerson(at()), newPerson(at())])
      const people = [one, two]
      const { id } = await newOrganization(one, [
        [two, 'admin'],
        [editor, 'editor'],
      ])
      const go = (person: Person) =>
        round % 2 === 0
          ? person.api(POST, `${ORGANIZATION}/leave`, { organizationId: id })
          : person.api(POST, '/api/auth/delete-user', {})
      const answers = await Promise.all(people.map(go))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
      const admins = await at().sql(`SELECT 1 FROM member WHERE organization_id = ? AND role = 'admin'`, [id])
      expect(admins).toHaveLength(1)
    }
  })
})
