import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { reach, refresh, type SignedInApp, signInApp } from '../oauth.ts'
import {
  actFor,
  arriveByMail,
  follow,
  invitationLink,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  press,
  signIn,
  signUp,
  Visitor,
} from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { newEventId, newSecret, sendIdentityEvent } from '../webhooks.ts'

// Proof before rights. Each test is an attack that once worked, or a promise that it broke.

setDefaultTimeout(180_000)

const SECRET = newSecret()
const REFUSED = { status: 403, body: { code: 'EMAIL_UNVERIFIED', error: expect.stringContaining('Confirm your') } }

interface Invitation {
  id: string
  email: string
}

/** A key from before addresses had to be proven; no route creates such a key any more. */
async function plantKey(server: Server, squatter: Person): Promise<string> {
  const donor = await newPerson(server)
  const { body } = await donor.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'k', scopes: ['keys:admin'] })
  await squatter.makeBundle()
  await server.sql(
    `UPDATE api_keys SET minted_by = ?1, owner_id = (SELECT id FROM owners WHERE user_id = ?1) WHERE key_prefix = ?2 RETURNING 1`,
    [squatter.userId, body.rawKey.split('.')[0] ?? ''],
  )
  return body.rawKey
}

/** The same for an app. */
async function plantApp(server: Server, squatter: Person): Promise<SignedInApp> {
  const app = await signInApp(server, await newPerson(server), { ask: { resource: `${server.origin}/api` } })
  await server.sql(
    `UPDATE api_keys SET minted_by = ?1, owner_id = (SELECT id FROM owners WHERE user_id = ?1) WHERE key_prefix = ?2 RETURNING 1`,
    [squatter.userId, app.accessToken.split('.')[0] ?? ''],
  )
  return app
}

/** The same for a webhook: one of the squatter’s own, and one in another’s organisation. */
async function plantWebhooks(server: Server, squatter: Person): Promise<void> {
  for (const donor of [await newPerson(server), await newPerson(server)]) {
    const wishes = { url: 'https://93.184.216.34/', events: ['bundle.created'] }
    expect((await donor.api('POST', '/api/me/webhooks', wishes)).status).toBe(201)
    await server.sql('UPDATE webhooks SET created_by = ?1 WHERE created_by = ?2', [squatter.userId, donor.userId])
  }
  await server.sql(
    `UPDATE webhooks SET owner_id = (SELECT id FROM owners WHERE user_id = ?1) WHERE id = (SELECT min(id) FROM webhooks WHERE created_by = ?1)`,
    [squatter.userId],
  )
}

async function statusOfKey(server: Server, key: string): Promise<number> {
  return (await new Visitor(server).api('GET', '/api/me', undefined, { authorization: `Bearer ${key}` })).status
}

onEveryTarget({ SERVICE_IDENTITY_WEBHOOK_SECRET: SECRET }, (at) => {
  const invite = (admin: Visitor, organizationId: string, email: string, role = 'admin') =>
    admin.api<Invitation>('POST', '/api/auth/organization/invite-member', { email, role, organizationId })
  const accept = (person: Visitor, invitationId: string) =>
    person.api('POST', '/api/auth/organization/accept-invitation', { invitationId })
  const tell = (type: string, data: Record<string, unknown>) => sendIdentityEvent(at(), SECRET, type, data)
  const sessionStatus = async (person: Visitor) => (await person.api('GET', '/api/me')).status
  const passwordStatus = async (email: string) =>
    (await new Visitor(at()).api('POST', '/api/auth/sign-in/email', { email, password: PASSWORD })).status
  const isVerified = async (email: string) =>
    (await at().sql('SELECT email_verified FROM user WHERE email = ?', [email]))[0]?.email_verified === 1

  describe('an unverified address', () => {
    test('accepts, reads and declines no invitation, on the page either', async () => {
      const admin = await newPerson(at())
      const { id } = await newOrganization(admin)
      const thief = await signUp(at())
      const { body } = await invite(admin, id, thief.email)
      expect(await accept(thief, body.id)).toMatchObject(REFUSED)
      expect(
        await thief.api('POST', '/api/auth/organization/reject-invitation', { invitationId: body.id }),
      ).toMatchObject(REFUSED)
      expect(await thief.api('GET', `/api/auth/organization/get-invitation?id=${body.id}`)).toMatchObject(REFUSED)
      expect(await thief.api('GET', '/api/auth/organization/list-user-invitations')).toMatchObject(REFUSED)
      const page = await thief.fetch(`/invitations/${body.id}`)
      expect([page.status, await page.text()]).toEqual([403, expect.stringContaining('Confirm your address first')])
      await thief.form(`/invitations/${body.id}`, {})
      expect(await at().sql('SELECT 1 FROM member WHERE user_id = ?', [thief.userId])).toEqual([])
      // After confirmation it works.
      await press(thief, linkIn(await mailTo(at(), thief.email, 'Confirm your address')))
      expect((await accept(thief, body.id)).status).toBe(200)
    })

    test('sends no invitation', async () => {
      const stranger = await signUp(at())
      const { id } = await newOrganization(stranger)
      expect(await invite(stranger, id, newEmail())).toMatchObject(REFUSED)
      expect(await at().sql('SELECT 1 FROM invitation WHERE organization_id = ?', [id])).toEqual([])
    })

    test('mints no API key, not even with a key, and the dashboard says why', async () => {
      const stranger = await signUp(at())
      expect(await stranger.api('POST', '/api/me/keys', { name: 'a key' })).toMatchObject(REFUSED)
      const page = await stranger.fetch('/dashboard/keys/new')
      expect(await page.text()).toContain('Confirm your address first')
      const key = await plantKey(at(), stranger)
      expect(
        await new Visitor(at()).api('POST', '/api/me/keys', { name: 'x' }, { authorization: `Bearer ${key}` }),
      ).toMatchObject(REFUSED)
      const [row] = await at().sql('SELECT count(*) AS keys FROM api_keys WHERE minted_by = ?', [stranger.userId])
      expect(row).toEqual({ keys: 1 })
    })

    test('still signs in and owns bundles', async () => {
      const ann = await signUp(at())
      const { slug } = await ann.makeBundle()
      expect((await (await signIn(at(), ann.email)).api('GET', `/api/links/${slug}`)).status).toBe(200)
    })
  })

  describe('invitations', () => {
    test('are visible only to admins', async () => {
      const [admin, editor, viewer] = await Promise.all([newPerson(at()), newPerson(at()), newPerson(at())])
      const { id } = await newOrganization(admin, [
        [editor, 'editor'],
        [viewer, 'viewer'],
      ])
      const invited = await invite(admin, id, newEmail())
      const list = `/api/auth/organization/list-invitations?organizationId=${id}`
      const full = `/api/auth/organization/get-full-organization?organizationId=${id}`
      type Full = { invitations: Invitation[]; members: unknown[] }
      for (const member of [editor, viewer]) {
        expect(await member.api('GET', list)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
        const { body } = await member.api<Full>('GET', full)
        expect([body.invitations, body.members.length]).toEqual([[], 3])
        const active = await member.api('POST', '/api/auth/organization/set-active', { organizationId: id })
        expect(JSON.stringify(active.body)).not.toContain(invited.body.email)
      }
      expect((await admin.api<Invitation[]>('GET', list)).body.map(({ email }) => email)).toContain(invited.body.email)
      expect((await admin.api<Full>('GET', full)).body.invitations.map(({ id }) => id)).toContain(invited.body.id)
      expect((await (await newPerson(at())).api('GET', list)).status).toBe(403)
    })

    test.each(['removed', 'demoted', 'left'] as const)('by an admin who is %s are void', async (how) => {
      const [admin, other, guest] = await Promise.all([newPerson(at()), newPerson(at()), newPerson(at())])
      const { id, memberIds } = await newOrganization(admin, [[other, 'admin']])
      const { body } = await invite(other, id, guest.email)
      const memberId = memberIds.get(other)
      if (how === 'removed')
        await admin.api('POST', '/api/auth/organization/remove-member', {
          memberIdOrEmail: memberId,
          organizationId: id,
        })
      else if (how === 'demoted')
        await admin.api('POST', '/api/auth/organization/update-member-role', {
          memberId,
          role: 'viewer',
          organizationId: id,
        })
      else await other.api('POST', '/api/auth/organization/leave', { organizationId: id })
      expect((await accept(guest, body.id)).status).toBe(404)
      expect((await guest.fetch(`/invitations/${body.id}`)).status).toBe(404)
      expect(await at().sql('SELECT 1 FROM member WHERE user_id = ?', [guest.userId])).toEqual([])
    })
  })

  describe('when the owner of an address arrives, everything a squatter holds ends:', () => {
    /** A person who signed up with another's address, with everything they can hold. */
    async function squat() {
      const squatter = await signUp(at())
      const key = await plantKey(at(), squatter)
      const { slug } = await squatter.makeBundle()
      const app = await plantApp(at(), squatter)
      await plantWebhooks(at(), squatter)
      expect([await sessionStatus(squatter), await statusOfKey(at(), key)]).toEqual([200, 200])
      expect(await reach(at(), app.accessToken)).toEqual({ mcp: 200, api: 200 })
      return { squatter, key, app, slug }
    }
    async function expectEnded({ squatter, key, app }: Awaited<ReturnType<typeof squat>>, password = 401) {
      expect([await sessionStatus(squatter), await statusOfKey(at(), key)]).toEqual([401, 401])
      expect(await reach(at(), app.accessToken)).toEqual({ mcp: 401, api: 401 })
      expect((await refresh(at(), app)).body.error).toBe('invalid_grant')
      expect(await at().sql('SELECT 1 FROM webhooks WHERE created_by = ?', [squatter.userId])).toEqual([])
      expect(await passwordStatus(squatter.email)).toBe(password)
      expect(await isVerified(squatter.email)).toBe(true)
      expect(await at().sql('SELECT 1 FROM provider_entities WHERE user_id = ?', [squatter.userId])).toEqual([])
    }

    test('through a sign-in link', async () => {
      const held = await squat()
      const owner = await arriveByMail(at(), held.squatter.email)
      await expectEnded(held)
      expect([await sessionStatus(owner), owner.userId]).toEqual([200, held.squatter.userId])
    })

    test('through a link to set a password', async () => {
      const held = await squat()
      const { email } = held.squatter
      await new Visitor(at()).api('POST', '/api/auth/request-password-reset', { email })
      const owner = new Visitor(at())
      const set = await press(owner, linkIn(await mailTo(at(), email, 'Set a password')), {
        password: 'the owner’s own horse',
      })
      expect(set.status).toBe(200)
      await expectEnded(held)
      expect(await sessionStatus(await signIn(at(), email, 'the owner’s own horse'))).toBe(200)
    })

    test('through an invitation', async () => {
      const held = await squat()
      const { email, userId } = held.squatter
      const admin = await newPerson(at())
      const { id } = await newOrganization(admin)
      await invite(admin, id, email, 'viewer')
      const owner = new Visitor(at())
      const joined = await press(owner, await invitationLink(at(), email), { password: 'the owner’s own horse' })
      expect(joined.headers.get('location')).toBe('/dashboard?notice=joined')
      await expectEnded(held)
      expect([await sessionStatus(owner), await sessionStatus(held.squatter)]).toEqual([200, 401])
      expect(await sessionStatus(await signIn(at(), email, 'the owner’s own horse'))).toBe(200)
      const members = await at().sql('SELECT role FROM member WHERE user_id = ? AND organization_id = ?', [userId, id])
      expect(members).toEqual([{ role: 'viewer' }])
    })

    test('through the webhook of a provider that vouches for the address', async () => {
      const held = await squat()
      const userId = newEventId()
      const { email } = held.squatter
      await tell('user.created', { id: userId, email, email_verified: true })
      expect([await sessionStatus(held.squatter), await statusOfKey(at(), held.key)]).toEqual([401, 401])
      expect([await passwordStatus(email), await isVerified(email)]).toEqual([401, true])
      const organization = { id: newEventId(), name: 'Corp' }
      const membership = { organization, public_user_data: { user_id: userId }, role: 'org:admin' }
      expect(await tell('organizationMembership.created', membership)).toMatchObject({ status: 200 })
      expect(await sessionStatus(held.squatter)).toBe(401)
    })

    test('but not if the person who signed up confirms it', async () => {
      const ann = await signUp(at())
      await press(ann, linkIn(await mailTo(at(), ann.email, 'Confirm your address')))
      expect([await sessionStatus(ann), await passwordStatus(ann.email), await isVerified(ann.email)]).toEqual([
        200,
        200,
        true,
      ])
    })

    test('a provider that has not vouched for the address has no control over the account afterwards', async () => {
      const [email, id] = [newEmail(), newEventId()]
      await tell('user.created', { id, email })
      const owner = await arriveByMail(at(), email)
      await tell('user.updated', { id, email: newEmail('thief'), email_verified: true })
      await tell('user.deleted', { id, deleted: true })
      expect([await sessionStatus(owner), await isVerified(email)]).toEqual([200, true])
    })
  })

  describe('a mailed link does nothing until a person presses its button:', () => {
    const scanners: Record<string, string>[] = [{}, { 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }]

    test('a scanner confirms no address, whatever it fetches', async () => {
      const squatter = await signUp(at())
      const link = linkIn(await mailTo(at(), squatter.email, 'Confirm your address'))
      const token = new URL(link).pathname.split('/').at(-1)
      for (const headers of scanners) {
        for (const method of ['GET', 'HEAD']) {
          expect((await fetch(link, { method, headers })).status).toBe(200)
          await fetch(`${at().origin}/api/auth/verify-email?token=${token}`, { method, headers })
        }
      }
      expect(await isVerified(squatter.email)).toBe(false)
    })

    test('a prefetch uses up no sign-in link and no link to set a password', async () => {
      const ann = await newPerson(at())
      const visitor = new Visitor(at())
      await visitor.api('POST', '/api/auth/sign-in/magic-link', { email: ann.email, callbackURL: '/' })
      await visitor.api('POST', '/api/auth/request-password-reset', { email: ann.email })
      const signInLink = linkIn(await mailTo(at(), ann.email, 'Your sign-in link'))
      const passwordLink = linkIn(await mailTo(at(), ann.email, 'Set a password'))
      for (const link of [signInLink, passwordLink]) {
        for (const headers of scanners) {
          const answer = await fetch(link, { headers })
          expect([answer.status, answer.headers.getSetCookie(), answer.headers.get('cache-control')]).toEqual([
            200,
            [],
            'no-store, no-transform',
          ])
          expect(await answer.text()).toContain(ann.email)
        }
      }
      const token = new URL(signInLink).pathname.split('/').at(-1)
      expect((await fetch(`${at().origin}/api/auth/magic-link/verify?token=${token}`)).status).toBe(404)
      const browser = new Visitor(at())
      await press(browser, signInLink)
      expect(await sessionStatus(browser)).toBe(200)
      expect((await press(browser, passwordLink, { password: 'another horse' })).status).toBe(200)
    })

    test('signed-in people are asked before their browser switches accounts', async () => {
      const [victim, attacker] = await Promise.all([newPerson(at()), newPerson(at())])
      await new Visitor(at()).api('POST', '/api/auth/sign-in/magic-link', { email: attacker.email, callbackURL: '/' })
      const link = linkIn(await mailTo(at(), attacker.email, 'Your sign-in link'))
      const page = await (await victim.fetch(link)).text()
      expect(page).toContain('Switch accounts?')
      for (const { email } of [victim, attacker]) expect(page).toContain(`<strong>${email}</strong>`)
      const who = async () => (await victim.api('GET', '/api/me')).body.subject
      expect(await who()).toEqual({ type: 'user', userId: victim.userId })
      // Nor can another site press the button for them.
      const { pathname } = new URL(link)
      expect((await victim.form(pathname, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
      expect(await who()).toEqual({ type: 'user', userId: victim.userId })
      await press(victim, link)
      expect(await who()).toEqual({ type: 'user', userId: attacker.userId })
    })

    test('a confirmation link is for the account that it was mailed about, not for a later one of its address', async () => {
      const email = newEmail()
      const former = await signUp(at(), email)
      const link = linkIn(await mailTo(at(), email, 'Confirm your address'))
      expect((await former.api('POST', '/api/auth/delete-user', { password: PASSWORD })).status).toBe(200)
      const squatter = await signUp(at(), email)
      expect((await squatter.fetch(link)).status).toBe(410)
      expect((await press(squatter, link)).status).toBe(410)
      expect(await isVerified(email)).toBe(false)
    })

    test('an address is confirmed by its account’s session or password, not by the mail alone', async () => {
      const ann = await signUp(at())
      const link = linkIn(await mailTo(at(), ann.email, 'Confirm your address'))
      const somebody = await newPerson(at())
      for (const reader of [new Visitor(at()), somebody]) {
        expect(await (await reader.fetch(link)).text()).toContain('Someone signed up with')
        const wrong = await press(reader, link, { password: 'not the password' })
        expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining('role="alert"')])
      }
      expect((await press(somebody, link)).status).toBeGreaterThanOrEqual(400)
      expect(await isVerified(ann.email)).toBe(false)
      const other = new Visitor(at())
      const done = await follow(other, await press(other, link, { password: PASSWORD }))
      expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Address confirmed')])
      expect((await other.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: ann.userId })
      // Opened again it says so, and does nothing.
      expect(await (await new Visitor(at()).fetch(link)).text()).toContain('Address confirmed')
    })

    test('an invalid or old token leads to a page that says what to do', async () => {
      for (const path of ['/sign-in/link/x', '/confirm/x', '/confirm/a.b.c', '/password/x']) {
        const answer = await fetch(at().origin + path)
        expect([path, answer.status]).toEqual([path, 410])
        expect(await answer.text()).toMatch(/This link has expired[\s\S]*class="button primary"/)
      }
    })
  })

  describe('a provider’s webhook', () => {
    test.each([
      ['without email_verified', {}],
      ['with email_verified: false', { email_verified: false }],
      ['with email_verified: "false"', { email_verified: 'false' }],
      ['with email_verified: "1"', { email_verified: '1' }],
    ])('%s never reaches an existing account', async (_, claim) => {
      const victim = await newPerson(at())
      const { slug } = await victim.makeBundle()
      const id = newEventId()
      await tell('user.created', { id, email: victim.email, name: 'Mallory', ...claim })
      await tell('user.updated', { id, email: newEmail('mallory'), name: 'Mallory', email_verified: true })
      await tell('user.updated', { id, email: victim.email, name: 'Mallory', ...claim })
      const organization = { id: newEventId(), name: 'Corp' }
      await tell('organizationMembership.created', {
        organization,
        user: { email: victim.email, ...claim },
        role: 'org:admin',
      })
      await tell('organizationMembership.created', { organization, public_user_data: { identifier: victim.email } })
      await tell('user.deleted', { id, email: victim.email, ...claim })
      expect(await at().sql('SELECT email, name FROM user WHERE id = ?', [victim.userId])).toEqual([
        { email: victim.email, name: expect.not.stringContaining('Mallory') },
      ])
      expect(await at().sql('SELECT 1 FROM member WHERE user_id = ?', [victim.userId])).toEqual([])
      expect((await victim.api('GET', `/api/links/${slug}`)).status).toBe(200)
    })

    test('vouches for an address with true and with "true"', async () => {
      for (const email_verified of [true, 'true']) {
        const person = await newPerson(at())
        await tell('user.created', { id: newEventId(), email: person.email, name: 'Grace', email_verified })
        expect(await at().sql('SELECT name FROM user WHERE id = ?', [person.userId])).toEqual([{ name: 'Grace' }])
      }
    })

    test('that changes an address notifies the former one, which can no longer sign in', async () => {
      const [id, person, next] = [newEventId(), await newPerson(at()), newEmail()]
      await tell('user.created', { id, email: person.email, email_verified: true })
      await tell('user.updated', { id, email: next, email_verified: true })
      const { text } = await mailTo(at(), person.email, 'The email address of your')
      expect(text).toContain('Your identity provider changed')
      expect((await arriveByMail(at(), next)).userId).toBe(person.userId)
    })

    test('makes nobody a member whose address is not proven; the sender is asked to retry', async () => {
      const [id, email] = [newEventId(), newEmail()]
      await tell('user.created', { id, email })
      const data = {
        organization: { id: newEventId(), name: 'Corp' },
        public_user_data: { user_id: id },
        role: 'org:admin',
      }
      expect(await tell('organizationMembership.created', data)).toMatchObject({ status: 404 })
      await tell('user.updated', { id, email, email_verified: true })
      expect(await tell('organizationMembership.created', data)).toMatchObject({ status: 200 })
    })
  })

  describe('a sign-in of more than a day ago', () => {
    const age = (person: Person) =>
      at().sql('UPDATE session SET created_at = ? WHERE user_id = ? RETURNING 1', [
        Date.now() - 86_400_001,
        person.userId,
      ])

    test('deletes no organisation, by its route or by its page; a new sign-in does', async () => {
      const ann = await newPerson(at())
      const { id } = await newOrganization(ann)
      const [{ name } = {}] = await at().sql('SELECT name FROM organization WHERE id = ?', [id])
      const page = `/dashboard/organizations/${id}/delete`
      const remove = () => ann.api('POST', '/api/auth/organization/delete', { organizationId: id })
      await age(ann)
      expect(await remove()).toMatchObject({ status: 403, body: { code: 'RECENT_SIGN_IN_REQUIRED' } })
      const link = `href="/sign-in?as=again&#38;next=${encodeURIComponent(page)}"`
      const shown = await (await ann.fetch(page)).text()
      const refused = await ann.form(page, { name: String(name) })
      const texts = [shown, await refused.text()].map((text) => text.replaceAll('&amp;', '&#38;'))
      expect([refused.status, ...texts.map((text) => text.includes(link))]).toEqual([403, true, true])
      expect(shown).not.toContain('<button type="submit" class="primary danger"')
      expect(await at().sql('SELECT count(*) AS n FROM organization WHERE id = ?', [id])).toEqual([{ n: 1 }])
      await at().sql('UPDATE session SET created_at = ? WHERE user_id = ? RETURNING 1', [Date.now(), ann.userId])
      expect((await ann.form(page, { name: String(name) })).status).toBe(303)
      expect((await remove()).status).toBeGreaterThanOrEqual(400)
      expect(await at().sql('SELECT count(*) AS n FROM organization WHERE id = ?', [id])).toEqual([{ n: 0 }])
    })

    test('mints no key, changes no password and exports nothing; a new sign-in does', async () => {
      const ann = await newPerson(at())
      await age(ann)
      const again = {
        status: 403,
        body: { code: 'RECENT_SIGN_IN_REQUIRED', error: expect.stringContaining('Sign in again') },
      }
      expect(await ann.api('POST', '/api/me/keys', { name: 'a key' })).toMatchObject(again)
      expect(await ann.api('GET', '/api/me/export')).toMatchObject(again)
      const change = { currentPassword: PASSWORD, newPassword: 'another horse' }
      expect(await ann.api('POST', '/api/auth/change-password', change)).toMatchObject(again)
      expect(await (await ann.fetch('/dashboard/keys/new')).text()).toContain('Sign in again')
      expect(await (await ann.fetch('/dashboard/settings')).text()).toContain('Sign in again to export your data')
      // Everything else still works.
      expect((await ann.api('POST', '/api/links', { urls: ['https://a.example/'] })).status).toBe(201)
      const fresh = await arriveByMail(at(), ann.email)
      expect((await fresh.api('POST', '/api/me/keys', { name: 'a key' })).status).toBe(201)
      expect((await fresh.api('GET', '/api/me/export')).status).toBe(200)
    })

    test('does not restrict a key, which is a separate credential', async () => {
      const ann = await newPerson(at())
      const scopes = ['keys:admin']
      const { body } = await ann.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'a key', scopes })
      await age(ann)
      const key = { authorization: `Bearer ${body.rawKey}` }
      expect((await new Visitor(at()).api('POST', '/api/me/keys', { name: 'another' }, key)).status).toBe(201)
      expect((await new Visitor(at()).api('GET', '/api/me/export', undefined, key)).status).toBe(200)
    })
  })

  describe('a sign-up with an address that has an account', () => {
    test('behaves like any other sign-up, and reaches nothing of that account', async () => {
      const ann = await newPerson(at())
      const { slug } = await ann.makeBundle()
      const seen = async (email: string) => {
        const person = await signUp(at(), email)
        const { body: session } = await person.api<{ user: { id: string; email: string } }>(
          'GET',
          '/api/auth/get-session',
        )
        const made = await person.api<{ slug: string }>('POST', '/api/links', { urls: ['https://a.example/'] })
        const settings = await (await person.fetch('/dashboard/settings')).text()
        const back = new Visitor(at())
        for (const [name, value] of person.cookies) if (name === 'device') back.cookies.set(name, value)
        await back.api('POST', '/api/auth/sign-in/email', { email, password: PASSWORD })
        const sent = await person.api('POST', '/api/auth/send-verification-email', { email })
        const { id } = await newOrganization(person)
        const full = await person.api<{ members: { user: { email: string } }[] }>(
          'GET',
          `/api/auth/organization/get-full-organization?organizationId=${id}`,
        )
        return {
          me: await sessionStatus(person),
          email: session.user.email === email,
          isOwn: session.user.id === person.userId,
          made: made.status,
          told: settings.includes(email),
          back: (await back.api('GET', `/api/links/${made.body.slug}`)).status,
          sent: [sent.status, sent.body],
          member: full.body.members[0]?.user.email === email,
          theirs: (await person.api('GET', `/api/links/${slug}`)).status,
          invitation: (await person.api('GET', '/api/auth/organization/list-user-invitations')).status,
          key: (await person.api('POST', '/api/me/keys', { name: 'k' })).status,
          exported: JSON.stringify(
            (await person.api<{ profile: { email: string } }>('GET', '/api/me/export')).body.profile,
          ).replaceAll(/[\w-]{20,}|\d{4}-\S+Z|person-\d+/g, '…'),
        }
      }
      const taken = await seen(ann.email)
      expect(taken).toEqual(await seen(newEmail()))
      expect(taken).toMatchObject({ me: 200, email: true, isOwn: true, theirs: 403, key: 403 })
      expect(await isVerified(ann.email)).toBe(true)
      expect(await sessionStatus(ann)).toBe(200)
    })

    test('cannot be distinguished by signing up several times, or by signing in again', async () => {
      const several = async (email: string) => {
        const passwords = ['the first horse', 'the second horse', 'the first horse', 'the third horse']
        const ids: string[] = []
        // One browser, which knows what it signed up.
        const browser = new Visitor(at())
        for (const password of passwords) {
          const { body } = await browser.api<{ user: { id: string } }>('POST', '/api/auth/sign-up/email', {
            email,
            password,
            name: '',
          })
          ids.push(body.user.id)
        }
        const back = []
        for (const password of [...new Set(passwords), 'no horse of theirs']) {
          const { status, body } = await browser.api<{ user?: { id: string } }>('POST', '/api/auth/sign-in/email', {
            email,
            password,
          })
          back.push([status, ids.indexOf(body.user?.id ?? '')])
        }
        return { same: ids.map((id) => ids.indexOf(id)), back }
      }
      const taken = await several((await newPerson(at())).email)
      expect(taken).toEqual(await several(newEmail()))
      expect(taken.same).toEqual([0, 1, 0, 3])
      expect(taken.back).toEqual([
        [200, 0],
        [200, 1],
        [200, 3],
        [401, -1],
      ])
    })

    test('ends when the owner of the address arrives or changes the password', async () => {
      const ann = await newPerson(at())
      const thief = await signUp(at(), ann.email)
      await arriveByMail(at(), ann.email)
      expect([await sessionStatus(thief), await passwordStatus(ann.email)]).toEqual([401, 401])
    })

    test('gives its owner no access with an old password, from a browser that never signed up there', async () => {
      const ann = await newPerson(at())
      await signUp(at(), ann.email)
      expect(await passwordStatus(ann.email)).toBe(401)
    })

    test('mails only the owner, and nothing to the placeholder’s address', async () => {
      const ann = await newPerson(at())
      await signUp(at(), ann.email)
      expect((await mailTo(at(), ann.email, 'You already have an account')).text).toContain('/sign-in')
      expect(at().output()).not.toContain('taken.invalid')
    })

    test('signs in if the password is right, however often the form is sent', async () => {
      const ann = await signUp(at())
      const again = await signUp(at(), ann.email)
      expect(again.userId).toBe(ann.userId)
    })

    test('keeps a member’s acting subject separate from the organisation', async () => {
      const [admin, ann] = await Promise.all([newPerson(at()), newPerson(at())])
      const { id } = await newOrganization(admin, [[ann, 'editor']])
      const thief = await signUp(at(), ann.email)
      await expect(actFor(thief, id)).rejects.toThrow()
    })
  })
})
