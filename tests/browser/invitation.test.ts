import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { eventually } from '../eventually.ts'
import { startMailSink } from '../mail-sink.ts'
import { linkIn, newEmail, PASSWORD, Visitor } from '../people.ts'
import { freePort } from '../ports.ts'
import { listen, setStage } from './stage.ts'
import { press, shows } from './waiting.ts'

// From the mail to inside in two steps, with mails that went over SMTP.

const port = freePort()
let sink: Awaited<ReturnType<typeof startMailSink>>
beforeAll(async () => {
  sink = await startMailSink(port)
})
afterAll(() => sink.stop())
const stage = setStage({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })

/** The link in the mail that an action sends. */
async function mailedBy(action: () => Promise<unknown>, to: string, subject: string): Promise<string> {
  const before = sink.mails.length
  await action()
  const sent = () => sink.mails.slice(before).find((mail) => mail.recipients.includes(to) && mail.subject === subject)
  await eventually(() => sent() !== undefined, `“${subject}” to ${to}`)
  return linkIn(sent()!)
}

const SIGN_IN = 'Your sign-in link for Openall'

/** Signs in by a mailed link, which makes the account. */
async function newVisitor(email: string): Promise<Visitor> {
  const visitor = new Visitor(stage.server)
  const ask = () => visitor.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
  await visitor.form(new URL(await mailedBy(ask, email, SIGN_IN)).pathname, {})
  return visitor
}

/** An organisation with a bundle, whose admin is called Dana. */
async function acme() {
  const dana = await newVisitor(newEmail('dana'))
  await dana.api('POST', '/api/auth/update-user', { name: 'Dana' })
  const made = { name: 'Acme', slug: crypto.randomUUID() }
  const { body } = await dana.api<{ id: string }>('POST', '/api/auth/organization/create', made)
  await dana.makeBundle({ title: 'Of Acme' })
  return {
    invite(email: string) {
      const invitation = { email, role: 'viewer', organizationId: body.id }
      const send = () => dana.api('POST', '/api/auth/organization/invite-member', invitation)
      return mailedBy(send, email, 'Dana invited you to Acme as a viewer')
    },
  }
}

async function expectInside(page: Page) {
  expect(new URL(page.url()).pathname).toBe('/dashboard')
  await shows(page, '.flash', 'You joined Acme.')
  await page.getByText('Of Acme').waitFor()
  expect(await page.locator('.subjects summary').textContent()).toContain('Acme')
  expect(await page.getByRole('button', { name: 'Resend confirmation email' }).count()).toBe(0)
}

const BROWSERS: [string, BrowserContextOptions][] = [
  ['on a desktop', { viewport: { width: 1280, height: 860 } }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ['without JavaScript', { javaScriptEnabled: false }],
]

for (const [where, options] of BROWSERS) {
  test(`a new person opens the mail’s link, chooses a password and is in, ${where}`, async () => {
    const email = newEmail('bea')
    const link = await (await acme()).invite(email)
    const context = await stage.browser.newContext(options)
    const page = await context.newPage()
    const { complaints } = listen(page)
    await page.goto(link)
    await page.getByText('invited you to Acme as a viewer').waitFor()
    const address = page.getByLabel('Email address')
    expect([await address.inputValue(), await address.getAttribute('readonly')]).toEqual([email, ''])
    await page.getByLabel('Choose a password').fill(PASSWORD)
    await press(page, 'Join Acme')
    await expectInside(page)
    expect(complaints).toEqual([])
  })
}

test('somebody with an account enters its password and is in', async () => {
  const email = newEmail('bob')
  const team = await acme()
  await new Visitor(stage.server).form(new URL(await team.invite(email)).pathname, { password: PASSWORD })
  const link = await (await acme()).invite(email)
  const page = await (await stage.browser.newContext()).newPage()
  await page.goto(link)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(page, 'Sign in and join Acme')
  await expectInside(page)
})

test('somebody without a password asks for a sign-in link, and then joins by one press', async () => {
  const email = newEmail('eve')
  const link = await (await acme()).invite(email)
  await newVisitor(email)
  const page = await (await stage.browser.newContext()).newPage()
  await page.goto(link)
  await page.goto(await mailedBy(() => press(page, 'Email me a link'), email, SIGN_IN))
  await press(page, 'Sign in')
  await press(page, 'Join Acme')
  await expectInside(page)
})
