import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import {
  arriveByMail,
  linkIn,
  mailTo,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  press,
  signUp,
  Visitor,
} from '../people.ts'
import type { Server } from '../server.ts'

setDefaultTimeout(180_000)

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('people get a mail', () => {
  let server: Server
  let ann: Person
  beforeAll(async () => {
    server = await startInProcess()
    ann = await withPassword()
  })
  afterAll(async () => {
    await server?.stop()
  })

  /** A person with a confirmed address and a password, who signed up some time ago. */
  async function withPassword(): Promise<Person> {
    const person = await newPerson(server)
    await setByMail(person, PASSWORD)
    await server.sql('UPDATE user SET created_at = created_at - 86400000 WHERE id = ? RETURNING 1', [person.userId])
    return person
  }
  async function setByMail({ email }: Person, newPassword: string): Promise<void> {
    await new Visitor(server).api('POST', '/api/auth/request-password-reset', { email })
    const token = linkIn(await mailTo(server, email, 'Set a password'))
      .split('/')
      .at(-1)
    await new Visitor(server).api('POST', '/api/auth/reset-password', { newPassword, token })
  }
  const subjectsTo = (email: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"mail":') && line.includes(`"to":"${email}"`))
      .map((line) => (JSON.parse(line) as { mail: { subject: string } }).mail.subject)
  const count = (email: string, subject: string) => subjectsTo(email).filter((text) => text.startsWith(subject)).length
  const signIn = (visitor: Visitor, email: string, password = PASSWORD) =>
    visitor.api('POST', '/api/auth/sign-in/email', { email, password })

  test('about a sign-in from a browser that is new to the account, and about no other', async () => {
    const subject = 'New sign-in to your Openall account'
    expect(count(ann.email, subject)).toBe(0)
    const browser = new Visitor(server, { 'user-agent': FIREFOX })
    expect((await signIn(browser, ann.email)).status).toBe(200)
    const { text } = await mailTo(server, ann.email, subject)
    expect(text).toContain('Firefox on Linux')
    expect(text).toContain('/dashboard/settings')
    await signIn(browser, ann.email)
    browser.cookies.delete('session')
    await signIn(browser, ann.email)
    // Switching the subject renews the cookie but is no sign-in.
    await browser.api('POST', '/api/auth/organization/set-active', { organizationId: null })
    await browser.api('POST', '/api/auth/update-user', { name: 'Ann' })
    await signIn(new Visitor(server), ann.email)
    await becomes(() => count(ann.email, subject), 2)
  })

  test('about a sign-in by a mailed link in a new browser, but not in the one that made the account', async () => {
    const subject = 'New sign-in'
    const bob = await arriveByMail(server)
    const browser = new Visitor(server)
    await server.sql('UPDATE user SET created_at = created_at - 86400000 WHERE id = ? RETURNING 1', [bob.userId])
    await browser.api('POST', '/api/auth/sign-in/magic-link', { email: bob.email, callbackURL: '/' })
    await becomes(() => count(bob.email, 'Your sign-in link'), 2)
    await press(browser, linkIn(await mailTo(server, bob.email, 'Your sign-in link')))
    await becomes(() => count(bob.email, subject), 1)
    expect(browser.cookies.has('device')).toBe(true)
  })

  test('about a new key, with its name in quotes', async () => {
    await signIn(ann, ann.email)
    const minted = await ann.api('POST', '/api/me/keys', { name: 'visit evil.example now' }, { 'idempotency-key': 'k' })
    expect(minted.status).toBe(201)
    const subject = 'New API key'
    const mail = await mailTo(server, ann.email, subject)
    expect(mail.text.split('\n')).toContain('  “visit evil.\u200bexample now”')
    expect(mail.text).not.toContain(String(minted.body.rawKey))
    await ann.api('POST', '/api/me/keys', { name: 'visit evil.example now' }, { 'idempotency-key': 'k' })
    await ann.api('POST', '/api/me/keys', { name: 'another' })
    await becomes(() => count(ann.email, subject), 2)
  })

  test('about a changed or reset password', async () => {
    const subject = 'Your Openall password was changed'
    const bob = await withPassword()
    await becomes(() => count(bob.email, subject), 1)
    await signIn(bob, bob.email)
    const wrong = { currentPassword: 'not the password', newPassword: 'another horse' }
    expect((await bob.api('POST', '/api/auth/change-password', wrong)).status).toBe(400)
    const right = { currentPassword: PASSWORD, newPassword: 'another horse' }
    expect((await bob.api('POST', '/api/auth/change-password', right)).status).toBe(200)
    await becomes(() => count(bob.email, subject), 2)
  })

  test('about a changed role', async () => {
    const [admin, bob] = await Promise.all([newPerson(server), newPerson(server)])
    const { id, memberIds } = await newOrganization(admin, [[bob, 'viewer']])
    const change = (role: string) =>
      admin.api('POST', '/api/auth/organization/update-member-role', {
        memberId: memberIds.get(bob),
        role,
        organizationId: id,
      })
    expect((await change('editor')).status).toBe(200)
    const { text, subject } = await mailTo(server, bob.email, 'Your role in an organisation')
    expect(subject).toBe('Your role in an organisation on Openall was changed')
    expect(text).toContain('You’re now an editor of:\n\n  “Organisation')
    expect((await change('editor')).status).toBe(200)
    expect((await change('admin')).status).toBe(200)
    await becomes(() => count(bob.email, 'Your role'), 2)
  })

  test('only at confirmed addresses', async () => {
    const squatter = await signUp(server)
    await server.sql('UPDATE user SET created_at = created_at - 86400000 WHERE id = ? RETURNING 1', [squatter.userId])
    await signIn(new Visitor(server), squatter.email)
    const words = { currentPassword: PASSWORD, newPassword: 'another horse' }
    await squatter.api('POST', '/api/auth/change-password', words)
    // Mail is sent in order: once this one has arrived, so have those before it.
    await signIn(new Visitor(server), ann.email)
    await mailTo(server, ann.email, 'New sign-in')
    expect(subjectsTo(squatter.email)).toEqual(['Confirm your address for Openall'])
  })

  test('at most thirty times per day, however they are spread over its hours', async () => {
    const bob = await newPerson(server)
    let later = 0
    const now = performance.now.bind(performance)
    const clock = spyOn(performance, 'now').mockImplementation(() => now() + later)
    try {
      // Two hours apart, so that those of the last hour never count.
      for (const [round, sent] of [8, 16, 24, 30, 30].entries()) {
        later = round * 2 * 3_600_000
        for (let made = 0; made < 8; made += 1) await bob.mint({ name: `key ${round} ${made}` })
        await becomes(() => count(bob.email, 'New API key'), sent)
      }
      // Another kind is counted apart; mail is sent in order.
      await setByMail(bob, PASSWORD)
      await mailTo(server, bob.email, 'Your Openall password was')
      expect(count(bob.email, 'New API key')).toBe(30)
      later = 33 * 3_600_000
      await signIn(bob, bob.email)
      await bob.mint()
      await becomes(() => count(bob.email, 'New API key'), 31)
    } finally {
      clock.mockRestore()
    }
  })

  test('at most ten times per hour', async () => {
    const bob = await newPerson(server)
    for (let made = 0; made < 14; made += 1) {
      expect((await bob.api('POST', '/api/me/keys', { name: `key ${made}` })).status).toBe(201)
    }
    await becomes(() => count(bob.email, 'New API key'), 10)
    await bob.makeBundle()
    expect(count(bob.email, 'New API key')).toBe(10)
  })
})
