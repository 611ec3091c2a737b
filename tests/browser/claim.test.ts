import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createRequire } from 'node:module'
import { OAuth2Server } from 'oauth2-mock-server'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { arrive, linkIn, mailTo, newEmail, organize, PASSWORD, URL_A, URL_B, Visitor } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { openChromium } from './chromium.ts'

setDefaultTimeout(120_000)

/** Where the pages are kept as pictures, for people to look at. */
const PICTURES = process.env.PICTURES
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

let browser: Browser
let server: Server
beforeAll(async () => {
  server = await startServer()
  browser = await openChromium({ popups: 'blocked' })
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

/** A browser of somebody's own, without JavaScript: every form must do without. */
const somebody = (): Promise<BrowserContext> => browser.newContext({ javaScriptEnabled: false, baseURL: server.origin })

/** What axe finds wrong with a page as it stands, in light and in dark; and its pictures, where they are asked for. */
async function inspect(page: Page, name: string): Promise<void> {
  const html = (await page.content()).replaceAll(/<script\b[^>]*>.*?<\/script>/gs, '')
  const context = await browser.newContext({ bypassCSP: true, baseURL: server.origin })
  const copy = await context.newPage()
  await copy.route('**/copy', (route) => route.fulfill({ contentType: 'text/html', body: html }))
  // On pictures all four; what is only checked is checked in both schemes and at both widths, once.
  const all = PICTURES !== undefined
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of all ? [390, 1280] : [colorScheme === 'light' ? 390 : 1280]) {
      await copy.emulateMedia({ colorScheme })
      await copy.setViewportSize({ width, height: 800 })
      await copy.goto('/copy')
      await copy.addScriptTag({ path: AXE })
      const found = await copy.evaluate<{ id: string; html: string[] }[]>(`axe.run().then(({ violations }) =>
        violations.map(({ id, nodes }) => ({ id, html: nodes.map((node) => node.html) })))`)
      expect({ name, colorScheme, width, found }).toEqual({ name, colorScheme, width, found: [] })
      const overflow = await copy.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect({ name, width, overflow }).toEqual({ name, width, overflow: 0 })
      if (PICTURES !== undefined) {
        await copy.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true })
      }
    }
  }
  await context.close()
}

test('a bundle made on the home page is claimed through a new account, and by nobody after that', async () => {
  const maker = await somebody()
  const page = await maker.newPage()
  await page.goto('/')
  await page.fill('textarea[name=urls]', `${URL_A}\n${URL_B}`)
  await page.fill('input[name=title]', 'Our reading list')
  await page.click('button[type=submit]')
  const claimUrl = await page.inputValue('#claim')
  await page.goto(claimUrl)
  await inspect(page, 'claim-signed-out')

  await page.click('text=Make an account and claim')
  await inspect(page, 'sign-up')
  await page.fill('#email', newEmail())
  await page.fill('#password', PASSWORD)
  await page.click('button[type=submit]')
  expect(new URL(page.url()).pathname).toBe(new URL(claimUrl, server.origin).pathname)
  await inspect(page, 'claim-signed-in')

  // Somebody else has the page open as well.
  const second = await somebody()
  const late = await second.newPage()
  await late.goto(claimUrl)
  await late.click('text=Sign in and claim')
  await inspect(late, 'sign-in')
  const email = newEmail()
  await late.fill('#email', email)
  await late.click('text=Mail me a link instead')
  await inspect(late, 'link-sent')
  await late.goto(linkIn(await mailTo(server, email, 'Your sign-in link')))
  expect(late.url()).toBe(new URL(claimUrl, server.origin).href)

  await page.click('text=Claim it')
  await inspect(page, 'claimed')
  await page.click('text=Open the launcher')
  expect(await page.textContent('h1')).toBe('Our reading list')

  await late.click('text=Claim it')
  expect(await late.textContent('main')).toContain('was used')
  await late.goto(claimUrl)
  expect(await late.textContent('main')).toContain('was used')
  await inspect(late, 'claim-gone')
})

test('an invitation is accepted by who it was sent to, through the link in the mailbox', async () => {
  const admin = await arrive(server)
  const { id } = await organize(admin)
  const email = newEmail('guest')
  const words = { email, role: 'editor', organizationId: id }
  await admin.api('POST', '/api/auth/organization/invite-member', words)
  const guest = await somebody()
  const page = await guest.newPage()
  await page.goto('/dev/mailbox')
  await inspect(page, 'mailbox')
  await page
    .locator('article', { hasText: `to ${email}` })
    .getByRole('link')
    .click()
  expect(new URL(page.url()).pathname).toBe('/sign-in')
  await page.click('text=Make an account')
  await page.fill('#email', email)
  await page.fill('#password', PASSWORD)
  await page.click('button[type=submit]')
  await inspect(page, 'invitation')
  await page.click('text=Accept the invitation')
  const me = await guest.request.get('/api/me')
  expect(await me.json()).toMatchObject({ subject: { type: 'organization', organizationId: id }, role: 'editor' })
})

test('without JavaScript a wrong sign-up and sign-in come back with the error where it belongs', async () => {
  const page = await (await somebody()).newPage()
  await page.goto('/sign-up?next=/claims')
  // A browser that does not check forms by itself sends them as they are.
  const form = { name: 'Ann', email: 'nobody', password: PASSWORD, next: '/claims' }
  const wrong = await page.request.post('/sign-up', { form })
  await page.setContent(await wrong.text())
  expect(await page.locator('#email').getAttribute('aria-describedby')).toBe('email-error')
  expect(await page.textContent('#email-error')).toBe('This must be an e-mail address.')
  await inspect(page, 'sign-up-wrong')
  await page.goto('/sign-in')
  await page.fill('#email', newEmail())
  await page.fill('#password', 'not the password')
  await page.click('button.primary')
  expect(await page.textContent('[role=alert]')).toBe('This address and password do not go together.')
  await inspect(page, 'sign-in-wrong')
})

test('bundles made with a confirmed address wait on a page of their own', async () => {
  const email = newEmail()
  const person = await arrive(server, email)
  await new Visitor(server).makeBundle({ email, title: 'Waiting for you' })
  const context = await somebody()
  const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: server.origin }))
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.goto('/claims')
  await inspect(page, 'claims')
  await page.click('text=Claim it')
  expect(await page.textContent('h1')).toBe('It is yours')
  await page.goto('/claims')
  await inspect(page, 'claims-none')
})

test('single sign-on goes to the provider and comes back, whatever the page may send forms to', async () => {
  const provider = new OAuth2Server()
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  const email = newEmail()
  const claims = { sub: email, email, email_verified: true, name: 'Olga' }
  provider.service.on('beforeTokenSigning', (token) => Object.assign(token.payload, claims))
  const env = { OIDC_ISSUER: String(provider.issuer.url), OIDC_CLIENT_ID: 'openall' }
  const withOidc = await startServer({ env })
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await page.goto(`${withOidc.origin}/sign-in?next=/claims`)
  await inspect(page, 'sign-in-oidc')
  await page.click('text=Continue with single sign-on')
  await page.waitForURL(`${withOidc.origin}/claims`)
  expect(await page.textContent('h1')).toBe('Bundles to claim')
  await withOidc.stop()
  await provider.stop()
})
