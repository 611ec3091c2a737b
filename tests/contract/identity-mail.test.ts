import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { type ParsedMail, startMailSink } from '../mail-sink.ts'
import {
  arriveByMail,
  follow,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  press,
  signUp,
  Visitor,
} from '../people.ts'
import { freePort } from '../ports.ts'
import { RUNTIMES, type Server, startTarget, TARGETS } from '../server.ts'
import { startOn } from '../targets.ts'

setDefaultTimeout(180_000)

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('with SMTP_URL, on $runtime', ({ runtime }) => {
  let sink: Awaited<ReturnType<typeof startMailSink>>
  let server: Server
  beforeAll(async () => {
    sink = await startMailSink(freePort())
    server = await startOn(
      { name: runtime, runtime, store: 'file' },
      { SMTP_URL: sink.url, SERVICE_MAIL_FROM: 'Openall <hello@openall.example>' },
    )
  })
  afterAll(async () => {
    await server?.stop()
    await sink?.stop()
  })

  test('a refused address to return to is logged as a warning, and nothing of it', async () => {
    const callbackURL = `https://elsewhere.example/${'x'.repeat(5000)}`
    const words = { email: newEmail(), callbackURL }
    const { status } = await new Visitor(server).api('POST', '/api/auth/sign-in/magic-link', words)
    expect(status).toBe(403)
    const lines = () =>
      server
        .output()
        .split('\n')
        .filter((line) => line.includes('Invalid callbackURL'))
    await becomes(() => lines().length, 1)
    expect(JSON.parse(lines()[0]!)).toMatchObject({ level: 40, msg: 'Invalid callbackURL' })
    expect(server.output()).not.toContain('elsewhere.example')
  })

  test('mail is sent over SMTP, from the set address to one person, and its links work', async () => {
    const email = newEmail()
    const visitor = new Visitor(server)
    await visitor.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
    const mail: ParsedMail = await sink.mailTo(email)
    expect(mail.from).toBe('hello@openall.example')
    expect(mail.recipients).toEqual([email])
    expect(mail.subject).toBe('Your sign-in link for Openall')
    await press(visitor, linkIn(mail))
    expect((await visitor.api('GET', '/api/me')).status).toBe(200)
  })

  test('the log has no token, address, password or cookie, and there is no mailbox', async () => {
    const visitor = new Visitor(server)
    const [email, claimer] = [newEmail(), newEmail()]
    const signedUp = await visitor.api('POST', '/api/auth/sign-up/email', { email, password: PASSWORD, name: 'x' })
    await visitor.api('POST', '/api/auth/sign-in/email', { email, password: 'not the password' })
    const { claimToken } = await new Visitor(server).makeBundle({ email: claimer })
    await visitor.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
    await visitor.fetch('/sign-in/link/made-up-token')
    await visitor.form('/sign-in/link/made-up-token', {})
    await visitor.fetch(`/claim/${claimToken}`)
    const token = new URL(linkIn(await sink.mailTo(email, 'Your sign-in link'))).pathname.split('/').at(-1) ?? ''
    const cookie = [...visitor.cookies.values()][0] ?? ''
    for (const secret of [
      email,
      claimer,
      PASSWORD,
      claimToken,
      token,
      cookie,
      String(signedUp.body.token),
      'made-up-token',
    ]) {
      expect(secret.length).toBeGreaterThan(8)
      expect(server.output()).not.toContain(secret)
    }
    expect((await visitor.fetch('/dev/mailbox')).status).toBe(404)
  })

  test('a mail server that is down blocks nobody, and the log says so without the mail', async () => {
    const email = newEmail()
    await sink.stop()
    const { status } = await new Visitor(server).api('POST', '/api/auth/sign-in/magic-link', { email })
    expect(status).toBe(200)
    await becomes(() => server.output(), expect.stringContaining('could not be sent'))
    expect(server.output()).not.toContain(email)
  })
})

describe('without SMTP_URL', () => {
  let server: Server
  beforeAll(async () => {
    server = await startInProcess()
  })
  afterAll(async () => {
    await server?.stop()
  })

  test("the development mailbox shows the mails, newest first, and a stranger's text as text", async () => {
    const admin = await arriveByMail(server)
    const { id } = await newOrganization(admin)
    await admin.api('POST', '/api/auth/organization/update', { data: { name: '<b>bold</b>' }, organizationId: id })
    for (const email of ['first@people.example', 'guest@people.example']) {
      await admin.api('POST', '/api/auth/organization/invite-member', { email, role: 'editor', organizationId: id })
    }
    const html = await (await fetch(`${server.origin}/dev/mailbox`)).text()
    expect(html.indexOf('guest@people.example')).toBeGreaterThan(0)
    expect(html.indexOf('to guest@people.example')).toBeLessThan(html.indexOf('to first@people.example'))
    expect(html).toMatch(/href="http:\/\/localhost:\d+\/invitations\/\w+\/[\w-]+"/)
    expect(html).not.toContain('<b>bold</b>')
  })
})

test.each([
  ['in production', { NODE_ENV: 'production' }],
  ['when it listens to everybody', { HOST: '0.0.0.0' }],
])('the mailbox is not available %s', async (_, env) => {
  const server = await startInProcess(env)
  const { status } = await fetch(`${server.origin}/dev/mailbox`)
  await server.stop()
  expect(status).toBe(404)
})

describe.each(TARGETS.map((target) => ({ target })))(
  'with SERVICE_REQUIRE_VERIFIED_EMAIL, $target.name',
  ({ target }) => {
    let server: Server
    beforeAll(async () => {
      server = await startOn(target, { SERVICE_REQUIRE_VERIFIED_EMAIL: 'true' })
    })
    afterAll(async () => {
      await server?.stop()
    })

    test('a sign-up signs nobody in until the address is confirmed, and sign-ins are refused until then', async () => {
      const email = newEmail()
      const visitor = new Visitor(server)
      const words = { email, password: PASSWORD, name: '' }
      const signedUp = await visitor.api('POST', '/api/auth/sign-up/email', words)
      expect([signedUp.status, signedUp.body.token, visitor.cookies.size]).toEqual([200, null, 0])
      const refused = await visitor.api('POST', '/api/auth/sign-in/email', words)
      expect([refused.status, refused.body.code]).toEqual([403, 'EMAIL_NOT_VERIFIED'])
      expect(await (await visitor.form('/sign-in', words)).text()).toContain('Confirm your address first')
      // Nobody is signed in yet: the password proves that it is the person who signed up.
      const confirmed = await press(visitor, linkIn(await mailTo(server, email, 'Confirm your address')), {
        password: PASSWORD,
      })
      expect(await (await follow(visitor, confirmed)).text()).toContain('Address confirmed')
      expect((await visitor.api('POST', '/api/auth/sign-in/email', words)).status).toBe(200)
      expect((await visitor.api('GET', '/api/me')).status).toBe(200)
    })

    test('a sign-up for an existing address answers like any other, on the page too', async () => {
      const known = await newPerson(server)
      const answers = await Promise.all(
        [known.email, newEmail()].map(async (email) => {
          const words = { email, password: 'another password', name: '' }
          const { status, body } = await new Visitor(server).api('POST', '/api/auth/sign-up/email', words)
          const page = await new Visitor(server).form('/sign-up', words)
          const user = body.user as Record<string, unknown>
          return [
            status,
            Object.keys(body),
            Object.keys(user),
            user.createdAt === user.updatedAt,
            page.status,
            (await page.text()).replaceAll(email, '…'),
          ]
        }),
      )
      expect(answers[0]).toEqual(answers[1])
    })

    test('a sign-in after a sign-up tells no more than the sign-up', async () => {
      const [known, free] = [newEmail(), newEmail()]
      await new Visitor(server).api('POST', '/api/auth/sign-up/email', { email: known, password: PASSWORD, name: '' })
      const link = linkIn(await mailTo(server, known, 'Confirm your address'))
      await press(new Visitor(server), link, { password: PASSWORD })
      const chosen = 'a password of my own'
      const answersTo = async (email: string) => {
        const asked = new Visitor(server)
        await asked.api('POST', '/api/auth/sign-up/email', { email, password: chosen, name: '' })
        const signIn = async (visitor: Visitor, password: string) => {
          const { status, body } = await visitor.api('POST', '/api/auth/sign-in/email', { email, password })
          const page = await (await visitor.form('/sign-in', { email, password })).text()
          return [status, { ...body, requestId: '' }, page.replaceAll(email, '…'), visitor.cookies.size]
        }
        const elsewhere = new Visitor(server)
        return [await signIn(asked, chosen), await signIn(elsewhere, chosen), await signIn(elsewhere, 'no password')]
      }
      const [ofKnown, ofFree] = [await answersTo(known), await answersTo(free)]
      expect(ofKnown).toEqual(ofFree)
      expect(ofFree.map(([status]) => status)).toEqual([403, 403, 401])
    })

    test('a sign-up with the owner’s own password keeps no owner out', async () => {
      const words = { email: newEmail(), password: PASSWORD, name: '' }
      await new Visitor(server).api('POST', '/api/auth/sign-up/email', words)
      await press(new Visitor(server), linkIn(await mailTo(server, words.email, 'Confirm your address')), words)
      await new Visitor(server).api('POST', '/api/auth/sign-up/email', words)
      expect((await new Visitor(server).api('POST', '/api/auth/sign-in/email', words)).status).toBe(200)
    })

    test('the password of a second sign-up does not confirm the account of the first', async () => {
      const email = newEmail()
      const [first, second] = [PASSWORD, 'a password of my own']
      await new Visitor(server).api('POST', '/api/auth/sign-up/email', { email, password: first, name: '' })
      const link = linkIn(await mailTo(server, email, 'Confirm your address'))
      const visitor = new Visitor(server)
      await visitor.api('POST', '/api/auth/sign-up/email', { email, password: second, name: '' })
      const refused = await press(visitor, link, { password: second })
      expect(await refused.text()).toContain('That’s not the password of this account.')
      const signIn = { email, password: first }
      expect((await visitor.api('POST', '/api/auth/sign-in/email', signIn)).body.code).toBe('EMAIL_NOT_VERIFIED')
    })
  },
)

test.each(TARGETS.filter(({ store }) => store !== 'file').map((target) => [target.name, target] as const))(
  'a failing database is logged without the addresses that were looked up, %s',
  async (_, target) => {
    const server = await startTarget(target)
    await signUp(server)
    const email = newEmail()
    await server.sql('ALTER TABLE user RENAME TO elsewhere')
    const failed = await new Visitor(server).api('POST', '/api/auth/sign-in/email', { email, password: PASSWORD })
    expect(failed).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } })
    await becomes(() => server.output(), expect.stringContaining('a request failed'))
    expect(server.output()).not.toContain(email)
    await server.stop()
  },
)
