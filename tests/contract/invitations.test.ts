import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  invitationLink,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  press,
  signUp,
  Visitor,
} from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'

// The timeout that `targets.ts` sets applies only to the first file that loads it.
setDefaultTimeout(180_000)

type Fields = Record<string, string>

const NEW_PASSWORD = 'the owner’s own horse'

/** The text of a page on one line. */
async function textOf(answer: Response): Promise<string> {
  const html = (await answer.text()).replace(/<(title|style|script)\b.*?<\/\1>/gs, '')
  return unescaped(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .replace(/ (?=[).,])|(?<=\() /g, '')
}

onEveryTarget({}, (at) => {
  interface Invited {
    admin: Person
    /** Of the organisation. */
    team: string
    id: string
    email: string
    /** The path of the mailed link. */
    path: string
  }

  const invite = async (email: string, admin?: Person, team?: string, role = 'viewer'): Promise<Invited> => {
    const by = admin ?? (await signUpAdmin())
    const organizationId = team ?? (await newOrganization(by)).id
    const body = { email, role, organizationId }
    const sent = await by.api<{ id: string }>('POST', '/api/auth/organization/invite-member', body)
    expect(sent.status).toBe(200)
    const { pathname } = new URL(await invitationLink(at(), email))
    return { admin: by, team: organizationId, id: sent.body.id, email, path: pathname }
  }

  /** An admin who has a name. */
  const signUpAdmin = async () => {
    const admin = await newPerson(at(), newEmail('dana'))
    await admin.api('POST', '/api/auth/update-user', { name: 'Dana' })
    return admin
  }

  /** Everything that joining may change. */
  const stateOf = async ({ team, email }: Invited) => ({
    members: await at().sql('SELECT user_id, role FROM member WHERE organization_id = ? ORDER BY user_id', [team]),
    accounts: await at().sql(
      'SELECT id, name, email_verified FROM user WHERE email = ?1 OR taken_email = ?1 ORDER BY id',
      [email],
    ),
    sessions: await at().sql(
      'SELECT session.id FROM session JOIN user ON user.id = user_id WHERE email = ? ORDER BY session.id',
      [email],
    ),
    passwords: await at().sql(
      'SELECT password FROM account JOIN user ON user.id = user_id WHERE email = ? ORDER BY account.id',
      [email],
    ),
    invitation: await at().sql('SELECT status FROM invitation WHERE organization_id = ? ORDER BY id', [team]),
  })

  const rolesIn = async ({ team, email }: Pick<Invited, 'team' | 'email'>) =>
    (
      await at().sql('SELECT role FROM member JOIN user ON user.id = user_id WHERE organization_id = ? AND email = ?', [
        team,
        email,
      ])
    ).map(({ role }) => role)
  const subjectOf = async (visitor: Visitor) =>
    (await visitor.api<{ subject?: unknown }>('GET', '/api/me')).body.subject ?? null
  const passwordWorks = async (email: string, password: string) =>
    (await new Visitor(at()).api('POST', '/api/auth/sign-in/email', { email, password })).status === 200
  const isVerified = async (email: string) =>
    (await at().sql('SELECT email_verified FROM user WHERE email = ?', [email]))[0]?.email_verified === 1
  const JOINED = '/dashboard?notice=joined'

  describe('the mail', () => {
    test('names who invites to what, as what and until when', async () => {
      const admin = await signUpAdmin()
      const { id } = await newOrganization(admin)
      await admin.api('POST', '/api/auth/organization/update', { organizationId: id, data: { name: 'Acme' } })
      const { email, path } = await invite(newEmail(), admin, id, 'editor')
      const { subject, text } = await mailTo(at(), email, '')
      expect(subject).toBe('Dana invited you to Acme as an editor')
      expect(text).toContain(`“Dana” (${admin.email}) invited you to “Acme” as an editor.`)
      expect(text).toContain('one link opens many tabs')
      expect(text).toMatch(/until \d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC\./)
      expect(text.match(/https?:\S+/g)).toEqual([at().origin + path])
    })

    test('names a person without a name by their address', async () => {
      const admin = await newPerson(at())
      const { email } = await invite(newEmail(), admin)
      const { subject, text } = await mailTo(at(), email, '')
      expect(subject).toStartWith(`${admin.email} invited you to Organisation `)
      expect(text).toStartWith(`${admin.email} invited you to “Organisation `)
    })

    test('has a secret that no answer to admins has', async () => {
      const { admin, team, id, path } = await invite(newEmail())
      const secret = path.split('/').at(-1) ?? ''
      expect(path).toBe(`/invitations/${id}/${secret}`)
      expect(secret).toMatch(/^[\w-]{22}$/)
      for (const page of [
        `/api/auth/organization/list-invitations?organizationId=${team}`,
        `/api/auth/organization/get-full-organization?organizationId=${team}`,
        `/dashboard/organizations/${team}`,
        `/api/me/export?organizationId=${team}`,
      ]) {
        const text = await (await admin.fetch(page)).text()
        expect([page, text.includes(id), text.includes(secret)]).toEqual([page, true, false])
      }
    })
  })

  describe('the page', () => {
    test('says who invites to what, what that allows and until when; looking at it changes nothing', async () => {
      const invited = await invite(newEmail())
      const before = await stateOf(invited)
      const scanners: Fields[] = [{}, { 'sec-purpose': 'prefetch;prerender' }, { 'user-agent': 'LinkScanner/1.0' }]
      for (const headers of scanners) {
        const answer = await new Visitor(at(), headers).fetch(invited.path)
        expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
        // Forms over plain http need their own origin; other sites get nothing.
        expect(answer.headers.get('referrer-policy')).toBe('same-origin')
        expect(answer.headers.get('cache-control')).toBe('no-store, no-transform')
        const text = await textOf(answer)
        expect(text).toMatch(/Dana \(dana-\d+@people\.example\) invited you to Organisation \d+ as a viewer\./)
        expect(text).toContain('You can see its bundles, versions and insights.')
        expect(text).toMatch(/open until \d+ \w+ \d{4}, \d\d:\d\d/)
      }
      expect((await new Visitor(at()).fetch(invited.path, { method: 'HEAD' })).status).toBe(200)
      expect(await stateOf(invited)).toEqual(before)
    })

    test('for a new address, has it filled in and locked, and one password to choose', async () => {
      const { email, path } = await invite(newEmail())
      const fields = elementsOf(await (await new Visitor(at()).fetch(path)).text()).filter(({ tag }) => tag === 'input')
      const locked = fields.find(({ attributes }) => attributes.name === 'email')?.attributes
      expect([locked?.value, locked?.readonly]).toEqual([email, expect.anything()])
      const passwords = fields.filter(({ attributes }) => attributes.type === 'password')
      expect(passwords.map(({ attributes }) => attributes.autocomplete)).toEqual(['new-password'])
    })
  })

  describe('one press', () => {
    test('makes the account of a new address, confirmed, and lands in the organisation’s bundles', async () => {
      const invited = await invite(newEmail())
      const guest = new Visitor(at())
      const answer = await guest.form(invited.path, { name: 'Bea', password: NEW_PASSWORD })
      expect([answer.status, answer.headers.get('location')]).toEqual([303, JOINED])
      expect(await subjectOf(guest)).toEqual({ type: 'organization', organizationId: invited.team })
      expect(await textOf(await guest.fetch(JOINED))).toMatch(/You joined Organisation \d+\./)
      expect([await rolesIn(invited), await isVerified(invited.email)]).toEqual([['viewer'], true])
      expect(await passwordWorks(invited.email, NEW_PASSWORD)).toBe(true)
      const [row] = await at().sql('SELECT name FROM user WHERE email = ?', [invited.email])
      expect(row).toEqual({ name: 'Bea' })
    })

    test('ignores the address in the form', async () => {
      const invited = await invite(newEmail())
      const victim = newEmail('victim')
      const answer = await new Visitor(at()).form(invited.path, { email: victim, password: NEW_PASSWORD })
      expect(answer.headers.get('location')).toBe(JOINED)
      expect(await at().sql('SELECT 1 FROM user WHERE email = ?', [victim])).toEqual([])
      expect(await rolesIn(invited)).toEqual(['viewer'])
    })

    test('shows beside its field what is wrong, and makes nothing', async () => {
      const invited = await invite(newEmail())
      const before = await stateOf(invited)
      for (const [fields, said] of [
        [{ name: 'Bea', password: 'short' }, 'Use at least 8 characters.'],
        [{ name: 'Bea', password: 'password1' }, 'too common'],
        [{ name: 'Bea', password: invited.email }, 'too easy to guess'],
        [{ name: 'Bea' }, 'Use at least 8 characters.'],
        [{ name: 'see evil.example/x', password: NEW_PASSWORD }, 'must not contain a web address'],
        [{ name: 'B'.repeat(101), password: NEW_PASSWORD }, '100'],
      ] as const) {
        const answer = await new Visitor(at()).form(invited.path, fields)
        expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
        const html = await answer.text()
        expect(html).toMatch(/id="(?:name|password)-error"/)
        expect(await textOf(new Response(html))).toContain(said)
        expect(elementsOf(html).find(({ attributes }) => attributes.name === 'name')?.attributes.value).toBe(
          fields.name,
        )
      }
      expect(await stateOf(invited)).toEqual(before)
    })

    test('joins the account that is signed in with the address', async () => {
      const bob = await newPerson(at())
      const invited = await invite(bob.email)
      const html = await (await bob.fetch(invited.path)).text()
      expect(html).not.toContain('type="password"')
      expect(html).toContain('Not now')
      expect((await bob.form(invited.path, {})).headers.get('location')).toBe(JOINED)
      expect(await subjectOf(bob)).toEqual({ type: 'organization', organizationId: invited.team })
      expect(await rolesIn(invited)).toEqual(['viewer'])
    })

    test('signs in to the account of the address, with its password, and joins', async () => {
      const { email } = await signUp(at())
      await at().sql('UPDATE user SET email_verified = 1 WHERE email = ? RETURNING 1', [email])
      const invited = await invite(email)
      const guest = new Visitor(at())
      expect(await textOf(await guest.fetch(invited.path))).toContain('You already have an account')
      const wrong = await guest.form(invited.path, { password: NEW_PASSWORD })
      expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([401, []])
      expect(await textOf(wrong)).toContain('Wrong email or password.')
      expect(await rolesIn(invited)).toEqual([])
      expect((await guest.form(invited.path, { password: PASSWORD })).headers.get('location')).toBe(JOINED)
      expect(await subjectOf(guest)).toEqual({ type: 'organization', organizationId: invited.team })
      expect([await passwordWorks(email, PASSWORD), await passwordWorks(email, NEW_PASSWORD)]).toEqual([true, false])
    })

    test('follows a sign-in link, for an account without a password', async () => {
      const { email } = await newPerson(at())
      const invited = await invite(email)
      const guest = new Visitor(at())
      const sent = await guest.form('/sign-in/link', { email, next: invited.path })
      expect(await textOf(sent)).toContain('Check your email')
      const pressed = await press(guest, linkIn(await mailTo(at(), email, 'Your sign-in link')))
      expect(pressed.headers.get('location')).toBe(invited.path)
      expect((await guest.form(invited.path, {})).headers.get('location')).toBe(JOINED)
    })

    test('confirms the address of whoever signed up with it and is signed in', async () => {
      const bob = await signUp(at())
      const invited = await invite(bob.email)
      expect((await bob.form(invited.path, {})).headers.get('location')).toBe(JOINED)
      expect([await rolesIn(invited), await isVerified(bob.email)]).toEqual([['viewer'], true])
      expect(await passwordWorks(bob.email, PASSWORD)).toBe(true)
      expect(await subjectOf(bob)).toEqual({ type: 'organization', organizationId: invited.team })
    })

    test('sent twice at once makes one account and one member', async () => {
      const invited = await invite(newEmail())
      const fields = { name: 'Bea', password: NEW_PASSWORD }
      const answers = await Promise.all([1, 2, 3].map(() => new Visitor(at()).form(invited.path, fields)))
      expect(answers.filter(({ headers }) => headers.get('location') === JOINED).length).toBeGreaterThan(0)
      for (const { status } of answers) expect(status).toBeLessThan(500)
      expect((await at().sql('SELECT 1 FROM user WHERE email = ?', [invited.email])).length).toBe(1)
      expect([await rolesIn(invited), await passwordWorks(invited.email, NEW_PASSWORD)]).toEqual([['viewer'], true])
    })
  })

  describe('in a browser of somebody else', () => {
    test('the page says so, and nobody joins with the wrong account', async () => {
      const eve = await newPerson(at())
      const invited = await invite(newEmail())
      const text = await textOf(await eve.fetch(invited.path))
      expect(text).toContain(`You’re signed in as ${eve.email}, but this invitation is for ${invited.email}`)
      const before = await stateOf(invited)
      // A page that was opened before somebody else signed in.
      const stale = await eve.form(invited.path, { name: '', password: NEW_PASSWORD })
      expect(await textOf(stale)).toContain(`You’re signed in as ${eve.email}`)
      expect(await stateOf(invited)).toEqual(before)
      expect(await subjectOf(eve)).toEqual({ type: 'user', userId: eve.userId })

      const switched = await eve.form(invited.path, { name: '', password: NEW_PASSWORD, as: 'other' })
      expect(switched.headers.get('location')).toBe(JOINED)
      expect(await rolesIn(invited)).toEqual(['viewer'])
      expect(await rolesIn({ team: invited.team, email: eve.email })).toEqual([])
      expect(await at().sql('SELECT 1 FROM session WHERE user_id = ?', [eve.userId])).toEqual([])
    })

    test('an existing account is signed in to by its own means only', async () => {
      const [eve, bob] = [await newPerson(at()), await newPerson(at())]
      const invited = await invite(bob.email)
      const before = await stateOf(invited)
      const answer = await eve.form(invited.path, { password: NEW_PASSWORD, as: 'other' })
      expect(answer.status).toBe(401)
      expect(await stateOf(invited)).toEqual(before)
    })
  })

  describe('somebody who signed up with the address before its owner', () => {
    test('gets nothing: their session and password end when the owner joins', async () => {
      const squatter = await signUp(at())
      const { email } = squatter
      const invited = await invite(email)
      // The id is all that they could know: it lets nobody in whose address is not confirmed.
      const page = await squatter.form(`/invitations/${invited.id}`, {})
      expect([page.status, await rolesIn(invited)]).toEqual([403, []])
      const owner = new Visitor(at())
      const html = await (await owner.fetch(invited.path)).text()
      expect(html).toContain('new-password')
      expect(html).not.toContain('already have an account')
      expect((await owner.form(invited.path, { password: NEW_PASSWORD })).headers.get('location')).toBe(JOINED)
      expect((await squatter.api('GET', '/api/me')).status).toBe(401)
      expect((await squatter.form(invited.path, {})).headers.get('location')).not.toBe(JOINED)
      expect([await passwordWorks(email, PASSWORD), await passwordWorks(email, NEW_PASSWORD)]).toEqual([false, true])
      expect([await rolesIn(invited), await isVerified(email)]).toEqual([['viewer'], true])
    })

    test('gets nothing by signing in again while the owner joins', async () => {
      const squatter = await signUp(at())
      const { email } = squatter
      const invited = await invite(email)
      const tries = Array.from({ length: 2 }, () => new Visitor(at()))
      const signIns = tries.map((one) => one.api('POST', '/api/auth/sign-in/email', { email, password: PASSWORD }))
      const owner = new Visitor(at())
      const [answer] = await Promise.all([owner.form(invited.path, { password: NEW_PASSWORD }), ...signIns])
      expect(answer.headers.get('location')).toBe(JOINED)
      for (const one of [squatter, ...tries]) expect((await one.api('GET', '/api/me')).status).toBe(401)
      expect([await passwordWorks(email, PASSWORD), await passwordWorks(email, NEW_PASSWORD)]).toEqual([false, true])
    })

    test('gets nothing with an account of a taken address', async () => {
      const { email } = await newPerson(at())
      // It looks like any other, and belongs to nobody’s mailbox.
      const squatter = await signUp(at(), email)
      const invited = await invite(email)
      const tries: Fields[] = [{}, { password: PASSWORD }, { password: PASSWORD, as: 'other' }]
      for (const fields of tries) {
        const answer = await squatter.form(invited.path, fields)
        expect([answer.status, answer.headers.get('location')]).toEqual([401, null])
      }
      expect(await rolesIn(invited)).toEqual([])
      expect(await at().sql('SELECT 1 FROM member WHERE user_id = ?', [squatter.userId])).toEqual([])
    })
  })

  describe('a link that does not work', () => {
    /** Expects that a visitor of the link sees nothing of the invitation, and changes nothing by it. */
    const expectGone = async (invited: Invited, path = invited.path) => {
      const before = await stateOf(invited)
      const visitor = new Visitor(at())
      for (const answer of [await visitor.fetch(path), await visitor.form(path, { password: NEW_PASSWORD })]) {
        expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 404, []])
        const text = await textOf(answer)
        expect(text).toContain('This invitation isn’t available')
        for (const secret of [invited.email, 'Organisation', 'Dana', 'account']) expect(text).not.toContain(secret)
      }
      expect(await stateOf(invited)).toEqual(before)
    }

    test('has no secret, a wrong one, or that of another invitation', async () => {
      const [invited, other] = [await invite(newEmail()), await invite((await newPerson(at())).email)]
      const [secret = '', others = ''] = [invited, other].map(({ path }) => path.split('/').at(-1))
      const paths = [others, secret.slice(0, -1), `${secret}A`, 'x', secret.toLowerCase(), '%00', '../..']
      const pages = new Set<string>()
      for (const one of paths) await expectGone(invited, `/invitations/${invited.id}/${encodeURIComponent(one)}`)
      // The same for an address with an account, one without, and no invitation at all.
      for (const id of [invited.id, other.id, 'made-up']) {
        const answer = await new Visitor(at()).fetch(`/invitations/${id}/${'x'.repeat(22)}`)
        pages.add(`${answer.status} ${await answer.text()}`)
      }
      expect(pages.size).toBe(1)
      const bare = await new Visitor(at()).fetch(`/invitations/${invited.id}`)
      expect(bare.headers.get('location')).toBe(`/sign-in?next=/invitations/${invited.id}`)
      expect((await new Visitor(at()).form(`/invitations/${invited.id}`, { password: NEW_PASSWORD })).status).toBe(404)
    })

    test('was revoked, declined, replaced, mailed again or has expired', async () => {
      const bob = await newPerson(at())
      const auth = '/api/auth/organization'
      const ends: [string, (invited: Invited) => Promise<unknown>][] = [
        ['revoked', ({ admin, id }) => admin.api('POST', `${auth}/cancel-invitation`, { invitationId: id })],
        ['expired', ({ id }) => at().sql('UPDATE invitation SET expires_at = 1 WHERE id = ? RETURNING 1', [id])],
        ['declined', ({ id }) => bob.api('POST', `${auth}/reject-invitation`, { invitationId: id })],
        [
          'replaced',
          ({ admin, team, email }) =>
            admin.api('POST', `${auth}/invite-member`, { email, role: 'editor', organizationId: team }),
        ],
        [
          'mailed again',
          ({ admin, team, email }) =>
            admin.api('POST', `${auth}/invite-member`, { email, role: 'viewer', organizationId: team, resend: true }),
        ],
        [
          'inviter demoted',
          ({ admin, team }) =>
            at().sql(`UPDATE member SET role = 'viewer' WHERE user_id = ? AND organization_id = ? RETURNING 1`, [
              admin.userId,
              team,
            ]),
        ],
        ['organisation deleted', ({ team }) => at().sql('DELETE FROM organization WHERE id = ? RETURNING 1', [team])],
      ]
      for (const [how, end] of ends) {
        const invited = await invite(how === 'declined' ? bob.email : newEmail())
        expect((await new Visitor(at()).fetch(invited.path)).status).toBe(200)
        await end(invited)
        await expectGone(invited)
      }
    })

    test('was replaced by one that works', async () => {
      const first = await invite(newEmail())
      const second = await invite(first.email, first.admin, first.team, 'editor')
      expect(second.path).not.toBe(first.path)
      const answer = await new Visitor(at()).form(second.path, { password: NEW_PASSWORD })
      expect([answer.headers.get('location'), await rolesIn(second)]).toEqual([JOINED, ['editor']])
    })

    test('was used: whoever has it learns that, and gets no session', async () => {
      const invited = await invite(newEmail())
      const guest = new Visitor(at())
      await guest.form(invited.path, { password: NEW_PASSWORD })
      const back = await guest.fetch(invited.path)
      expect(await textOf(back)).toContain('You’ve already accepted this invitation')
      const before = await stateOf(invited)
      const thief = new Visitor(at())
      for (const answer of [await thief.fetch(invited.path), await thief.form(invited.path, { password: PASSWORD })]) {
        expect(answer.headers.getSetCookie()).toEqual([])
        expect(await textOf(answer)).toContain(`accepted by ${invited.email}`)
      }
      expect(await stateOf(invited)).toEqual(before)
      expect(await passwordWorks(invited.email, NEW_PASSWORD)).toBe(true)
    })
  })

  test('a page of another site joins nobody', async () => {
    const bob = await newPerson(at())
    const [theirs, open] = [await invite(bob.email), await invite(newEmail())]
    const foreign: Fields[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]
    for (const headers of foreign) {
      const refused = [
        await bob.form(theirs.path, {}, headers),
        await new Visitor(at()).form(open.path, { password: NEW_PASSWORD }, headers),
      ]
      expect(refused.map(({ status }) => status)).toEqual([403, 403])
    }
    expect([await rolesIn(theirs), await rolesIn(open)]).toEqual([[], []])
    expect(await at().sql('SELECT 1 FROM user WHERE email = ?', [open.email])).toEqual([])
  })

  test('a disabled account is not joined', async () => {
    const bob = await signUp(at())
    const invited = await invite(bob.email)
    await at().sql('UPDATE user SET disabled_at = 1 WHERE id = ? RETURNING 1', [bob.userId])
    const answer = await new Visitor(at()).form(invited.path, { password: NEW_PASSWORD })
    expect([answer.status, answer.headers.getSetCookie(), await rolesIn(invited)]).toEqual([403, [], []])
  })

  test('the log has no secret', async () => {
    const invited = await invite(newEmail())
    const secret = invited.path.split('/').at(-1) ?? ''
    const mailed = at().output().split(secret).length
    const guest = new Visitor(at())
    await guest.fetch(invited.path)
    await guest.fetch(`/sign-in?next=${invited.path}`)
    await guest.form(invited.path, { password: NEW_PASSWORD })
    expect(at().output().split(secret)).toHaveLength(mailed)
  })
})
