import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import {
  arriveByMail,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  signUp,
  Visitor,
} from '../people.ts'
import type { Server } from '../server.ts'

setDefaultTimeout(180_000)

describe('mail to strangers', () => {
  let server: Server
  beforeAll(async () => {
    server = await startInProcess()
  })
  afterAll(async () => {
    await server?.stop()
  })

  interface Refusal {
    code: string
    error: string
    retryAfterSeconds: number
  }
  const send = (path: string, body: unknown, who = new Visitor(server)) =>
    who.api<Refusal>('POST', `/api/auth${path}`, body)
  const link = (email: string, who?: Visitor) => send('/sign-in/magic-link', { email }, who)
  const mailsTo = (email: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"mail":') && line.includes(`"to":"${email}"`)).length

  test('one address gets five sign-in links per hour, whether it has an account or not', async () => {
    const known = await signUp(server)
    // The mail of the sign-up was the first.
    for (const [email, sent] of [
      [known.email, 4],
      [newEmail(), 5],
    ] as const) {
      for (let count = 0; count < sent; count += 1) expect((await link(email)).status).toBe(200)
      const refused = await link(email.toUpperCase())
      expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED'])
      expect(refused.body.retryAfterSeconds).toBeWithin(3_500, 3_610)
      expect(refused.headers.get('retry-after')).toBe(String(refused.body.retryAfterSeconds))
      expect(refused.body.error).toMatch(
        /^We’ve sent too many emails to this address lately. Try again in \d+ minutes.$/,
      )
    }
  })

  test('one address gets twenty mails per day, however they are spread over its hours', async () => {
    const email = newEmail()
    let later = 0
    const now = performance.now.bind(performance)
    const clock = spyOn(performance, 'now').mockImplementation(() => now() + later)
    const statuses: number[] = []
    try {
      // Two hours apart, so that those of the last hour never count.
      for (let round = 0; round < 5; round += 1) {
        later = round * 2 * 3_600_000
        for (let count = 0; count < 5; count += 1) statuses.push((await link(email)).status)
      }
    } finally {
      clock.mockRestore()
    }
    expect(statuses).toEqual([...Array<number>(20).fill(200), ...Array<number>(5).fill(429)])
  })

  test('every kind of mail counts, and is refused alike', async () => {
    const admin = await newPerson(server)
    const { id } = await newOrganization(admin)
    const email = newEmail()
    const invite = () => send('/organization/invite-member', { email, role: 'viewer', organizationId: id }, admin)
    expect((await invite()).status).toBe(200)
    expect((await link(email)).status).toBe(200)
    expect((await new Visitor(server).makeBundle({ email })).slug).toBeString()
    expect((await send('/request-password-reset', { email })).status).toBe(200)
    expect((await send('/sign-up/email', { email, password: PASSWORD, name: '' })).status).toBe(200)
    const mails = mailsTo(email)
    for (const asked of [
      invite(),
      link(email),
      send('/request-password-reset', { email }),
      send('/send-verification-email', { email }),
      send('/sign-up/email', { email, password: PASSWORD, name: '' }),
    ]) {
      expect((await asked).status).toBe(429)
    }
    expect(mailsTo(email)).toBe(mails)
    const page = await admin.form(`/dashboard/organizations/${id}`, { email, role: 'viewer' })
    expect(await page.text()).toContain('sent too many emails to this address')
  })

  test('a bundle is made even if its claim link may not be mailed, and the answer says so', async () => {
    const email = newEmail()
    const make = async () =>
      (
        await new Visitor(server).api<{ warning: string; claimUrl: string }>('POST', '/api/links', {
          urls: ['https://a.example/'],
          email,
        })
      ).body
    for (let count = 0; count < 5; count += 1) expect((await make()).warning).not.toContain('No email was sent')
    const made = await make()
    expect(made.warning).toContain('No email was sent: too many have gone to that address lately.')
    expect(made.claimUrl).toContain('/claim/')
    const box = await (await fetch(`${server.origin}/dev/mailbox`)).text()
    expect(box.split(`to ${email} at `)).toHaveLength(6)
    expect(box).not.toContain(made.claimUrl.split('/').at(-1))
  })

  test('refused mails are not sent, and do not count', async () => {
    const email = newEmail()
    for (let count = 0; count < 8; count += 1) {
      expect((await send('/sign-up/email', { email, password: 'short', name: '' })).status).toBe(400)
      expect((await send('/organization/invite-member', { email, role: 'viewer' })).status).toBe(401)
    }
    expect((await link(email)).status).toBe(200)
  })

  test('strangers cannot use up the mails of the owner’s own browser', async () => {
    const owner = await arriveByMail(server)
    for (let count = 0; count < 4; count += 1) await link(owner.email)
    expect((await link(owner.email)).status).toBe(429)
    owner.cookies.delete('session')
    expect((await link(owner.email, owner)).status).toBe(200)
    // An unconfirmed sign-up does not make its maker the owner of the address.
    const squatter = await signUp(server)
    for (let count = 0; count < 4; count += 1) await link(squatter.email)
    squatter.cookies.delete('session')
    expect((await link(squatter.email, squatter)).status).toBe(429)
  })

  test('names in an invitation are quoted or cut short, and never become links', async () => {
    const admin = await newPerson(server)
    await send('/update-user', { name: 'PayPal Security' }, admin)
    const { id } = await newOrganization(admin)
    const name = 'URGENT: your\u2029account at evil.example'
    const renamed = await send('/organization/update', { data: { name }, organizationId: id }, admin)
    expect(renamed.status).toBe(200)
    const email = newEmail()
    await send('/organization/invite-member', { email, role: 'viewer', organizationId: id }, admin)
    const { subject, text } = await mailTo(server, email, '')
    const where = 'URGENT: your account at evil.\u200bexample'
    expect(subject).toBe(`PayPal Security invited you to ${where} as a viewer`)
    expect(text).toContain(`“PayPal Security” (${admin.email}) invited you to “${where}” as a viewer.`)
    expect(linkIn({ text })).toContain('/invitations/')
    const data = { name: `${'long '.repeat(19)}”` }
    await send('/organization/update', { data, organizationId: id }, admin)
    await send('/update-user', { name: '\u{1f600}'.repeat(100) }, admin)
    await send('/organization/invite-member', { email, role: 'viewer', organizationId: id }, admin)
    const again = await mailTo(server, email, '\u{1f600}')
    expect(again.subject).toBe(`${'\u{1f600}'.repeat(40)}… invited you to ${'long '.repeat(8).trim()}… as a viewer`)
    // Nothing that a user wrote ends its quotation.
    expect(again.text.match(/[“”]/g)).toEqual(['“', '”', '“', '”'])
  })

  describe('names that look like links', () => {
    const bad = [
      'Click https://evil.example',
      'PayPal www.evil.example',
      'evil.com/login',
      'Reset: evil.example:8080',
      'ｈttps://evil.example',
      'evil.com?x',
    ]
    const fine = ['Booking.com', 'J.R.R. Tolkien', 'Node.js people', 'A/B testing', 'St. John', 'Dr.Smith: notes']

    test('are refused for people and organisations, over every route', async () => {
      const ann = await newPerson(server)
      const { id } = await newOrganization(ann)
      for (const name of bad) {
        for (const [path, body] of [
          ['/sign-up/email', { email: newEmail(), password: PASSWORD, name }],
          ['/sign-in/magic-link', { email: newEmail(), name }],
          ['/update-user', { name }],
          ['/organization/create', { name, slug: crypto.randomUUID() }],
          ['/organization/update', { data: { name }, organizationId: id }],
        ] as const) {
          const { status, body: answer } = await send(path, body, ann)
          expect([path, name, status, answer.error]).toEqual([path, name, 400, 'name must not contain a web address'])
        }
      }
      for (const name of fine) {
        expect([name, (await send('/update-user', { name }, ann)).status]).toEqual([name, 200])
      }
    })

    test('are refused next to their field', async () => {
      const ann = await newPerson(server)
      const name = 'evil.com/login'
      const words = { email: newEmail(), password: PASSWORD, name }
      const pages = [
        await new Visitor(server).form('/sign-up', words),
        await ann.form('/dashboard/settings', { change: 'name', name }),
        await ann.form('/dashboard/organizations', { name, slug: crypto.randomUUID() }),
      ]
      for (const page of pages) {
        const html = await page.text()
        expect([page.status, html]).toEqual([400, expect.stringContaining('This must not contain a web address.')])
        expect(html).toContain('id="name-error"')
        expect(html).toContain(`value="${name}"`)
      }
    })
  })

  test('an address of more than 254 characters is refused everywhere', async () => {
    const admin = await newPerson(server)
    const { id } = await newOrganization(admin)
    const domain = `${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.example`
    const sized = (length: number) => `${'a'.repeat(length - domain.length - 1)}@${domain}`
    const long = sized(255)
    for (const [path, body] of [
      ['/sign-up/email', { email: long, password: PASSWORD, name: '' }],
      ['/sign-in/email', { email: long, password: PASSWORD }],
      ['/sign-in/magic-link', { email: long }],
      ['/request-password-reset', { email: long }],
      ['/send-verification-email', { email: long }],
      ['/organization/invite-member', { email: long, role: 'viewer', organizationId: id }],
    ] as const) {
      const { status, body: answer } = await send(path, body, admin)
      expect([path, status, answer.error]).toEqual([path, 400, 'email must be at most 254 characters'])
    }
    const claim = await new Visitor(server).api('POST', '/api/links', { urls: ['https://a.example/'], email: long })
    expect(claim.status).toBe(400)
    for (const path of ['/sign-in', '/sign-in/link', '/sign-up']) {
      const page = await new Visitor(server).form(path, { email: long, password: PASSWORD, name: '' })
      expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('id="email-error"')])
    }
  })
})
