import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { OAuth2Server } from 'oauth2-mock-server'
import { startInProcess } from '../in-process.ts'
import { challengeOf } from '../oauth.ts'
import { runOperator } from '../operator.ts'
import {
  type Answer,
  actFor,
  arriveByMail,
  invitationLink,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  press,
  URL_A,
  Visitor,
} from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'
import { newSecret, sendIdentityEvent } from '../webhooks.ts'

// Instances that are not open to everybody: each test is something that somebody would try.

const MAGIC = '/api/auth/sign-in/magic-link'
const webhookSecret = newSecret()

/** Creates an account through the operator and signs in, as docs/self-hosting.md describes. */
async function letIn(server: Server, email = newEmail()): Promise<Person> {
  expect(await runOperator(server, ['add-account', email])).toEqual({ email, userId: expect.any(String) })
  return arriveByMail(server, email)
}

async function accounts(server: Server, email: string): Promise<number> {
  return (await server.sql('SELECT id FROM user WHERE lower(email) = ?', [email.toLowerCase()])).length
}

/** Requests a sign-in link. Resolves to the answer; a mail may follow. */
function askForLink(server: Server, email: string): Promise<Answer<Record<string, unknown>>> {
  return new Visitor(server).api('POST', MAGIC, { email, callbackURL: '/' })
}

/** Whether a sign-in link was sent to an address; a later mail to another address shows that the log is complete. */
async function wasMailed(server: Server, email: string, admin: Person, organizationId: string): Promise<boolean> {
  const last = newEmail('last')
  await invite(admin, organizationId, last)
  await invitationLink(server, last)
  return server.output().includes(`"to":"${email}","subject":"Your sign-in link`)
}

async function invite(admin: Person, organizationId: string, email: string): Promise<string> {
  const body = { email, role: 'viewer', organizationId }
  const invited = await admin.api<{ id: string }>('POST', '/api/auth/organization/invite-member', body)
  expect(invited.status).toBe(200)
  return invited.body.id
}

function signUpWith(server: Server, email: string): Promise<Answer<Record<string, unknown>>> {
  return new Visitor(server).api('POST', '/api/auth/sign-up/email', { email, password: PASSWORD, name: 'Mallory' })
}

function refusal(code: string) {
  return { status: 403, body: { code, error: expect.any(String) } }
}

describe('SERVICE_SIGN_UP=closed', () => {
  const env = { SERVICE_SIGN_UP: 'closed', SERVICE_IDENTITY_WEBHOOK_SECRET: webhookSecret }
  onEveryTarget(env, (at) => {
    let member: Person
    let team: string
    beforeAll(async () => {
      member = await letIn(at())
      team = (await newOrganization(member)).id
    })

    test('a sign-up with a password is refused, the same for an address with and without an account', async () => {
      const stranger = newEmail()
      const answers = [await signUpWith(at(), stranger), await signUpWith(at(), member.email)]
      expect(answers[0]?.body).toEqual({ ...answers[1]?.body, ...told })
      for (const answer of answers) expect(answer).toMatchObject(refusal('SIGN_UP_CLOSED'))
      expect(await accounts(at(), stranger)).toBe(0)
    })

    test('a mailed link is promised to every address, and not sent to one without an account', async () => {
      const stranger = newEmail('stranger')
      const [theirs, ours] = [await askForLink(at(), stranger), await askForLink(at(), member.email)]
      expect([theirs.status, theirs.body]).toEqual([ours.status, ours.body])
      expect(await wasMailed(at(), stranger, member, team)).toBe(false)
      const page = (email: string) => new Visitor(at()).form('/sign-in/link', { email, next: '/' })
      const said = async (email: string) => (await (await page(email)).text()).replaceAll(email, 'ADDRESS')
      expect(await said(stranger)).toBe(await said(member.email))
    })

    test('members sign in, and an invitation lets nobody else in', async () => {
      const guest = newEmail('guest')
      await invite(member, team, guest)
      expect((await member.api('GET', '/api/me')).status).toBe(200)
      await askForLink(at(), guest)
      expect(await wasMailed(at(), guest, member, team)).toBe(false)
      expect(await signUpWith(at(), guest)).toMatchObject(refusal('SIGN_UP_CLOSED'))
      const { pathname } = new URL(await invitationLink(at(), guest))
      const page = await (await new Visitor(at()).fetch(pathname)).text()
      expect(page).toContain('sign-ups are closed')
      expect(page).not.toContain('type="password"')
      const sent = await new Visitor(at()).form(pathname, { password: PASSWORD })
      expect([sent.status, await accounts(at(), guest)]).toEqual([403, 0])
      // Once the administrator has made the account, the same link works.
      await runOperator(at(), ['add-account', guest])
      const joined = await new Visitor(at()).form(pathname, { password: PASSWORD })
      expect(joined.headers.get('location')).toBe('/dashboard?notice=joined')
    })

    test('the pages offer no sign-up, and a form from an older page is refused', async () => {
      const visitor = new Visitor(at())
      const away = await visitor.fetch('/sign-up?next=/claims')
      expect([away.status, away.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fclaims'])
      const page = await (await visitor.fetch('/sign-in')).text()
      expect(page).not.toContain('/sign-up')
      expect(page).toContain('Ask your administrator')
      const sent = await visitor.form('/sign-up', { email: newEmail(), password: PASSWORD, name: '' })
      expect([sent.status, await sent.text()]).toEqual([403, expect.stringContaining('Sign-ups are closed')])
    })

    test('a claim link still claims, by signing in', async () => {
      const { claimUrl } = await new Visitor(at()).makeBundle()
      const path = claimUrl.replace(at().origin, '')
      const page = await (await new Visitor(at()).fetch(path)).text()
      expect(page).not.toContain('/sign-up')
      expect(page).toContain('Sign in and keep it')
      const claimed = await member.form(path, {})
      expect([claimed.status, claimed.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/claims\?/)])
    })

    test('the operator’s identity provider still makes accounts', async () => {
      const email = newEmail('provided')
      const data = {
        id: crypto.randomUUID(),
        email_addresses: [{ id: 'a', email_address: email, verification: { status: 'verified' } }],
      }
      expect((await sendIdentityEvent(at(), webhookSecret, 'user.created', data)).status).toBe(200)
      expect((await (await arriveByMail(at(), email)).api('GET', '/api/me')).status).toBe(200)
    })

    test('the operator makes no second account for an address, and none for an invalid address', async () => {
      const upper = member.email.toUpperCase()
      expect(await runOperator(at(), ['add-account', upper])).toEqual({ error: expect.stringContaining('already') })
      expect(await runOperator(at(), ['add-account', 'nobody'])).toEqual({
        error: expect.stringContaining('not an email address'),
      })
    })
  })
})

describe('SERVICE_SIGN_UP=invited', () => {
  onEveryTarget({ SERVICE_SIGN_UP: 'invited' }, (at) => {
    let admin: Person
    let team: string
    beforeAll(async () => {
      admin = await letIn(at())
      team = (await newOrganization(admin)).id
    })

    test('an invited person signs up by a mailed link, whatever the case of the address, and accepts', async () => {
      const email = newEmail('guest')
      const invitationId = await invite(admin, team, email.toUpperCase())
      const guest = await arriveByMail(at(), email)
      const accept = { invitationId }
      expect((await guest.api('POST', '/api/auth/organization/accept-invitation', accept)).status).toBe(200)
      expect((await new Visitor(at()).api('POST', MAGIC, { email: email.toUpperCase() })).status).toBe(200)
      expect(await accounts(at(), email)).toBe(1)
    })

    test('the mailed invitation makes the account, with a password, in one step', async () => {
      const email = newEmail('guest')
      await invite(admin, team, email)
      const guest = new Visitor(at())
      const { pathname } = new URL(await invitationLink(at(), email))
      expect(await (await guest.fetch(pathname)).text()).toContain('Choose a password')
      const joined = await guest.form(pathname, { name: 'Guest', password: PASSWORD })
      expect(joined.headers.get('location')).toBe('/dashboard?notice=joined')
      expect(await accounts(at(), email)).toBe(1)
    })

    test('a mailed invitation that was revoked makes no account', async () => {
      const email = newEmail('guest')
      const invitationId = await invite(admin, team, email)
      const { pathname } = new URL(await invitationLink(at(), email))
      await admin.api('POST', '/api/auth/organization/cancel-invitation', { invitationId })
      expect((await new Visitor(at()).form(pathname, { password: PASSWORD })).status).toBe(404)
      expect(await accounts(at(), email)).toBe(0)
    })

    test('the link of an invitation that an admin copies leads to a page that sends a sign-in link', async () => {
      const email = newEmail('guest')
      const invitationId = await invite(admin, team, email)
      const visitor = new Visitor(at())
      const to = (await visitor.fetch(`/invitations/${invitationId}`)).headers.get('location') ?? ''
      expect(to).toStartWith('/sign-in?next=/invitations/')
      expect(await (await visitor.fetch(to)).text()).toContain('You need an invitation')
      const next = new URL(to, at().origin).searchParams.get('next') ?? ''
      const sent = await visitor.form('/sign-in/link', { email, next })
      expect(await sent.text()).toContain('an account or an invitation')
      const back = await press(visitor, linkIn(await mailTo(at(), email, 'Your sign-in link')))
      expect(back.headers.get('location')).toBe(next)
      expect(await (await visitor.fetch(next)).text()).toMatch(/Join Organisation \d+\s*<\/button>/)
    })

    test('nobody takes an invited address with a password, or learns that it is invited', async () => {
      const email = newEmail('guest')
      await invite(admin, team, email)
      const answers = [await signUpWith(at(), email), await signUpWith(at(), newEmail())]
      expect(answers[0]?.body).toEqual({ ...answers[1]?.body, ...told })
      for (const answer of answers) expect(answer).toMatchObject(refusal('INVITATION_REQUIRED'))
      expect(await accounts(at(), email)).toBe(0)
      const asked = [await askForLink(at(), email), await askForLink(at(), newEmail())]
      expect(asked[0]?.body).toEqual(asked[1]?.body)
    })

    test('an uninvited address gets no link, even if it resembles the invited one', async () => {
      const email = newEmail('guest')
      await invite(admin, team, email)
      const others = [
        newEmail('stranger'),
        email.replace('@', '+x@'),
        `x${email}`,
        email.replace('example', 'example.org'),
      ]
      for (const other of others) {
        expect((await askForLink(at(), other)).status).toBe(200)
        expect([other, await wasMailed(at(), other, admin, team)]).toEqual([other, false])
      }
    })

    test('an invitation to one address is not accepted by another', async () => {
      const invitationId = await invite(admin, team, newEmail('guest'))
      const other = await letIn(at())
      const stolen = await other.api('POST', '/api/auth/organization/accept-invitation', { invitationId })
      expect(stolen.status).toBe(403)
      expect((await other.fetch(`/invitations/${invitationId}`)).status).toBe(404)
    })

    test('two simultaneous uses of two links of one invitation share one account', async () => {
      const email = newEmail('guest')
      await invite(admin, team, email)
      const links: string[] = []
      for (let number = 0; number < 2; number += 1) {
        const before = at().output().length
        await askForLink(at(), email)
        links.push(linkIn(await mailTo({ output: () => at().output().slice(before) }, email, 'Your sign-in link')))
      }
      await Promise.all(links.map((link) => press(new Visitor(at()), link)))
      expect(await accounts(at(), email)).toBe(1)
    })

    test('a link from before the invitation was revoked makes no account, and says why', async () => {
      for (const end of [
        (id: string) => admin.api('POST', '/api/auth/organization/cancel-invitation', { invitationId: id }),
        (id: string) => at().sql('UPDATE invitation SET expires_at = 1 WHERE id = ?', [id]),
      ]) {
        const email = newEmail('guest')
        const id = await invite(admin, team, email)
        await askForLink(at(), email)
        const link = linkIn(await mailTo(at(), email, 'Your sign-in link'))
        await end(id)
        const visitor = new Visitor(at())
        const refused = await press(visitor, link)
        expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('You need an invitation')])
        expect([await accounts(at(), email), (await visitor.api('GET', '/api/me')).status]).toEqual([0, 401])
      }
    })

    test('an invitation ends with the inviter’s right to send it', async () => {
      const second = await letIn(at())
      const body = { email: second.email, role: 'admin', organizationId: team }
      const invited = await admin.api<{ id: string }>('POST', '/api/auth/organization/invite-member', body)
      const accept = { invitationId: invited.body.id }
      const { body: accepted } = await second.api<{ member: { id: string } }>(
        'POST',
        '/api/auth/organization/accept-invitation',
        accept,
      )
      const email = newEmail('guest')
      await invite(second, team, email)
      const remove = { memberIdOrEmail: accepted.member.id, organizationId: team }
      expect((await admin.api('POST', '/api/auth/organization/remove-member', remove)).status).toBe(200)
      await askForLink(at(), email)
      expect(await wasMailed(at(), email, admin, team)).toBe(false)
    })

    test('a sign-up page is not offered', async () => {
      expect((await new Visitor(at()).fetch('/sign-up')).headers.get('location')).toStartWith('/sign-in')
      const sent = await new Visitor(at()).form('/sign-up', { email: newEmail(), password: PASSWORD, name: '' })
      expect(sent.status).toBe(403)
    })
  })
})

for (const [policy, code] of [
  ['closed', 'SIGN_UP_CLOSED'],
  ['invited', 'INVITATION_REQUIRED'],
] as const) {
  describe(`SERVICE_SIGN_UP=${policy}, at an OIDC provider`, () => {
    const provider = new OAuth2Server()
    let server: Server
    let admin: Person
    let claims: { sub: string; email: string; email_verified: boolean; name: string }
    beforeAll(async () => {
      await provider.issuer.keys.generate('RS256')
      await provider.start(0, '127.0.0.1')
      provider.service.on('beforeTokenSigning', (token) => Object.assign(token.payload, claims))
      provider.service.on('beforeUserinfo', (response) => Object.assign(response, { body: claims }))
      const oidc = { OIDC_ISSUER: String(provider.issuer.url), OIDC_CLIENT_ID: 'openall', OIDC_CLIENT_SECRET: 'secret' }
      server = await startInProcess({ ...oidc, SERVICE_SIGN_UP: policy, SERVICE_PASSWORD_SIGN_IN: 'off' })
      admin = await letIn(server)
    })
    afterAll(async () => {
      await server?.stop()
      await provider.stop()
    })

    /** Signs on with a verified or unverified address. Resolves to the final URL. */
    async function signOn(email: string, isVouchedFor: boolean, browser = new Visitor(server), next = '/claims') {
      claims = { sub: crypto.randomUUID(), email, email_verified: isVouchedFor, name: 'Olga' }
      const onward = await browser.form('/sign-in/oidc', { next })
      const [, toProvider = ''] = (onward.headers.get('refresh') ?? '').split('0;url=')
      const back = (await fetch(toProvider, { redirect: 'manual' })).headers.get('location') ?? ''
      return ((await browser.fetch(back)).headers.get('location') ?? '').replace(server.origin, '')
    }

    test('a stranger gets no account, and is told why', async () => {
      const email = newEmail('stranger')
      const browser = new Visitor(server)
      const end = await signOn(email, true, browser)
      expect(end).toContain(`error=${code}`)
      expect(await (await browser.fetch(end)).text()).toMatch(
        /You don’t have an account here|You need an invitation to create an account here/,
      )
      expect([await accounts(server, email), (await browser.api('GET', '/api/me')).status]).toEqual([0, 401])
    })

    test('existing accounts sign on', async () => {
      expect(await signOn(admin.email, true)).toBe('/claims')
    })

    test(`an invited person ${policy === 'invited' ? 'gets an account if the provider vouches for the address' : 'gets none'}`, async () => {
      const email = newEmail('guest')
      await invite(admin, (await newOrganization(admin)).id, email)
      expect(await signOn(email, false)).toContain(`error=${code}`)
      expect(await signOn(email, true)).toContain(policy === 'invited' ? '/claims' : `error=${code}`)
      expect(await accounts(server, email)).toBe(policy === 'invited' ? 1 : 0)
    })

    test('the page of a mailed invitation offers the provider, and comes back', async () => {
      const other = await letIn(server)
      await invite(admin, (await newOrganization(admin)).id, other.email)
      const { pathname } = new URL(await invitationLink(server, other.email))
      const browser = new Visitor(server)
      const page = await (await browser.fetch(pathname)).text()
      expect(page).toContain('Continue with single sign-on')
      expect(page).not.toContain('type="password"')
      expect(await signOn(other.email, true, browser, pathname)).toBe(pathname)
      expect((await browser.form(pathname, {})).headers.get('location')).toBe('/dashboard?notice=joined')
    })
  })
}

describe('SERVICE_PASSWORD_SIGN_IN=off', () => {
  onEveryTarget({ SERVICE_PASSWORD_SIGN_IN: 'off' }, (at) => {
    const routes = {
      '/sign-up/email': { email: 'a@people.example', password: PASSWORD, name: 'A' },
      '/sign-in/email': { email: 'a@people.example', password: PASSWORD },
      '/request-password-reset': { email: 'a@people.example' },
      '/reset-password': { newPassword: PASSWORD, token: 'a'.repeat(24) },
      '/change-password': { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` },
      '/verify-password': { password: PASSWORD },
    }

    test('a mailed invitation makes an account by one press, and sets no password', async () => {
      const admin = await newPerson(at())
      const [email, known] = [newEmail('guest'), (await newPerson(at())).email]
      const team = (await newOrganization(admin)).id
      for (const one of [email, known]) await invite(admin, team, one)
      const { pathname } = new URL(await invitationLink(at(), email))
      const guest = new Visitor(at())
      expect(await (await guest.fetch(pathname)).text()).not.toContain('type="password"')
      const joined = await guest.form(pathname, { password: PASSWORD })
      expect(joined.headers.get('location')).toBe('/dashboard?notice=joined')
      const stored = 'SELECT 1 FROM account JOIN user ON user.id = user_id WHERE email = ?'
      expect(await at().sql(stored, [email])).toEqual([])
      // An account that exists is signed in to by a link of its own.
      const { pathname: theirs } = new URL(await invitationLink(at(), known))
      const page = await (await new Visitor(at()).fetch(theirs)).text()
      expect(page).toContain('action="/sign-in/link"')
      expect((await new Visitor(at()).form(theirs, { password: PASSWORD })).status).toBe(403)
    })

    test('no route accepts or sets a password, signed in or not', async () => {
      for (const caller of [new Visitor(at()), await newPerson(at())]) {
        for (const [route, body] of Object.entries(routes)) {
          const answer = await caller.api('POST', `/api/auth${route}`, body)
          expect([route, answer]).toMatchObject([route, refusal('PASSWORD_SIGN_IN_OFF')])
        }
      }
    })

    test('an account without a password gets none by a reset link, not even by an earlier one', async () => {
      const person = await newPerson(at())
      const token = 'b'.repeat(24)
      await at().sql(
        'INSERT INTO verification (id, identifier, value, expires_at, created_at, updated_at) VALUES (?, ?, ?, ?, 1, 1)',
        [crypto.randomUUID(), `reset-password:${token}`, person.userId, Date.now() + 3_600_000],
      )
      expect((await new Visitor(at()).fetch(`/password/${token}`)).status).toBe(403)
      expect((await new Visitor(at()).form(`/password/${token}`, { password: PASSWORD })).status).toBe(403)
      expect(await at().sql('SELECT id FROM account WHERE user_id = ?', [person.userId])).toEqual([])
    })

    test('the pages have no password field, and a link makes an account', async () => {
      const person = await newPerson(at())
      const pages = ['/sign-in', '/dashboard/settings', '/dashboard/settings/delete']
      for (const path of pages) {
        const page = await (await person.fetch(path)).text()
        expect([path, page.includes('type="password"'), page.includes('one to set')]).toEqual([path, false, false])
      }
      expect((await new Visitor(at()).fetch('/sign-up')).headers.get('location')).toStartWith('/sign-in')
      expect(await (await new Visitor(at()).fetch('/sign-in')).text()).toContain('that creates your account')
    })

    test('an earlier password opens nothing, and is not needed to delete the account', async () => {
      const person = await newPerson(at())
      const now = Date.now()
      await at().sql(
        "INSERT INTO account (id, account_id, provider_id, user_id, password, created_at, updated_at) VALUES (?1, ?1, 'credential', ?2, 'x:y', ?3, ?3)",
        [crypto.randomUUID(), person.userId, now],
      )
      expect(await (await person.fetch('/dashboard/settings/delete')).text()).not.toContain('type="password"')
      await at().sql('UPDATE session SET created_at = ? WHERE user_id = ?', [now - 2 * 86_400_000, person.userId])
      const stale = await person.api('POST', '/api/auth/delete-user', { password: PASSWORD })
      expect([stale.status, stale.body, await accounts(at(), person.email)]).toMatchObject([
        403,
        { code: 'RECENT_SIGN_IN_REQUIRED' },
        1,
      ])
      await at().sql('UPDATE session SET created_at = ? WHERE user_id = ?', [now, person.userId])
      expect((await person.form('/dashboard/settings/delete', { email: person.email })).status).toBe(200)
      expect(await accounts(at(), person.email)).toBe(0)
    })
  })
})

describe('SERVICE_ANONYMOUS_BUNDLES=off', () => {
  onEveryTarget({ SERVICE_ANONYMOUS_BUNDLES: 'off' }, (at) => {
    test('a bundle is made only with a credential, through every transport', async () => {
      const visitor = new Visitor(at())
      const refused = await visitor.api('POST', '/api/links', { urls: [URL_A] })
      expect(refused).toMatchObject({
        status: 401,
        body: { code: 'UNAUTHORIZED', error: expect.stringContaining('Sign in') },
      })
      expect(refused.headers.get('www-authenticate')).toBe(challengeOf(at()))
      // Before any input is examined, dry runs included.
      expect((await visitor.api('POST', '/api/links', { urls: [], dryRun: true })).status).toBe(401)
      expect((await visitor.api('POST', '/api/links', { urls: [URL_A] }, { cookie: 'session=forged' })).status).toBe(
        401,
      )
      const form = await visitor.publish({ urls: URL_A, title: 'Typed with care' })
      const shown = await form.text()
      expect([form.status, shown]).toEqual([401, expect.stringContaining('Typed with care')])
      expect(shown).toContain('Sign in in another tab')
      const [{ bundles } = {}] = await at().sql('SELECT count(*) AS bundles FROM bundles')
      expect(bundles).toBe(0)
    })

    test('people with an account make bundles, and everybody opens and reports them', async () => {
      const person = await newPerson(at())
      const { slug } = await person.makeBundle()
      const viewer = new Visitor(at())
      expect((await viewer.fetch(`/l/${slug}`)).status).toBe(200)
      expect((await viewer.api('POST', `/api/links/${slug}/events`, { kind: 'open_all' })).status).toBe(204)
      expect((await viewer.form(`/l/${slug}/report`, { reason: 'spam' })).status).toBe(200)
      const key = await person.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'k', scopes: ['links:write'] })
      const sent = { authorization: `Bearer ${key.body.rawKey}` }
      expect((await viewer.api('POST', '/api/links', { urls: [URL_A] }, sent)).status).toBe(201)
    })

    test('the home page offers signing in instead of the form, and the form once signed in', async () => {
      const page = async (who: Visitor, path = '/') => (await who.fetch(path)).text()
      const theirs = await page(new Visitor(at()))
      expect(theirs).not.toContain('<textarea')
      expect(theirs).toContain('/sign-in?next=%2F"')
      // What somebody shares waits for them behind the door.
      const text = 'https://a.example/?b=1&c=2'
      const led = /"(\/sign-in\?[^"]*)"/.exec(await page(new Visitor(at()), `/?${new URLSearchParams({ text })}`))?.[1]
      const next = new URL(led?.replaceAll('&amp;', '&') ?? '', at().origin).searchParams.get('next')
      expect(new URL(next ?? '', at().origin).searchParams.get('text')).toBe(text)
      expect(await page(await newPerson(at()))).toContain('<textarea')
    })

    test('the documents say so', async () => {
      const { body } = await new Visitor(at()).api<{
        paths: Record<string, { post: { security: object[]; 'x-scope': string } }>
      }>('GET', '/api/openapi.json')
      expect(body.paths['/api/links']?.post).toMatchObject({
        security: [{ key: [] }, { oauth: ['links:write'] }, { session: [] }],
        'x-scope': 'links:write',
      })
      for (const path of ['/llms.txt', '/docs'])
        expect(await (await new Visitor(at()).fetch(path)).text()).not.toContain('bundle without an account')
    })
  })
})

test('the recipe in docs/self-hosting.md makes a private instance for a team', async () => {
  const text = readFileSync(new URL('../../docs/self-hosting.md', import.meta.url), 'utf8')
  const recipe = /## A private instance for a team\n(.*?)\n## /s.exec(text)?.[1] ?? ''
  const settings = Object.fromEntries(
    [...recipe.matchAll(/^(SERVICE_\w+)=(\w+)$/gm)].map(([, name, value]) => [name, value]),
  )
  expect(Object.keys(settings)).toHaveLength(3)
  const [, command = ''] = /^openall-admin (\S+) you@example\.com$/m.exec(recipe) ?? []
  const server = await startInProcess(settings)
  try {
    const email = newEmail('founder')
    expect(await runOperator(server, [command, email])).toMatchObject({ email })
    const founder = await arriveByMail(server, email)
    const { id } = await newOrganization(founder)
    const guestEmail = newEmail('guest')
    const invitationId = await invite(founder, id, guestEmail)
    const guest = await arriveByMail(server, guestEmail)
    expect((await guest.form(`/invitations/${invitationId}`, {})).headers.get('location')).toBe(
      '/dashboard?notice=joined',
    )
    await actFor(guest, null)
    const { slug } = await guest.makeBundle()
    const stranger = new Visitor(server)
    expect((await stranger.fetch(`/l/${slug}`)).status).toBe(200)
    expect((await stranger.api('POST', '/api/links', { urls: [URL_A] })).status).toBe(401)
    expect((await signUpWith(server, newEmail())).status).toBe(403)
    const strange = newEmail('stranger')
    expect((await askForLink(server, strange)).status).toBe(200)
    expect(await wasMailed(server, strange, founder, id)).toBe(false)
  } finally {
    await server.stop()
  }
})
