import { expect, test } from 'bun:test'
import { OAuth2Server } from 'oauth2-mock-server'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { linkIn, mailTo, newEmail, newOrganization, newPerson, PASSWORD, URL_A, URL_B, Visitor } from '../people.ts'
import { axeViolations, overflowOf } from './flaws.ts'
import { setStage } from './stage.ts'
import { settled } from './waiting.ts'

/** A folder for screenshots, if set. */
const PICTURES = process.env.PICTURES
/** Every form must also work without JavaScript. */
const WITHOUT_SCRIPT = { javaScriptEnabled: false }

const stage = setStage()

/** Where pages are inspected: one window for all pages of a test, because a new one takes a quarter of a second of a core. */
let copy: Page | undefined

/** Expects no axe violations of a page in light and dark; takes screenshots if requested. */
async function inspect(page: Page, name: string): Promise<void> {
  const html = (await page.content()).replaceAll(/<script\b[^>]*>.*?<\/script>/gs, '')
  if (copy === undefined || copy.isClosed()) {
    // During the transition between schemes a colour can have too little contrast.
    copy = await stage.browser.newPage({ baseURL: stage.server.origin, bypassCSP: true, reducedMotion: 'reduce' })
  }
  await copy.unrouteAll()
  await copy.route('**/copy', (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await copy.goto('/copy')
  // Screenshots use all four combinations; checks use each scheme and each width once.
  const all = PICTURES !== undefined
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of all ? [390, 1280] : [colorScheme === 'light' ? 390 : 1280]) {
      await copy.emulateMedia({ colorScheme })
      await copy.setViewportSize({ width, height: 800 })
      const found = await axeViolations(copy)
      expect({ name, colorScheme, width, found }).toEqual({ name, colorScheme, width, found: [] })
      const overflow = await overflowOf(copy)
      expect({ name, width, overflow }).toEqual({ name, width, overflow: 0 })
      if (PICTURES !== undefined) {
        await copy.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true })
      }
    }
  }
}

/** Presses a button or follows a link, and waits for the result. */
async function press(page: Page, text: string): Promise<void> {
  await page.click(text)
  await settled(page)
}

const pathOf = (page: Page) => new URL(page.url()).pathname

test('a bundle made on the home page is claimed through a new account, and by nobody else after that', async () => {
  const { page } = await stage.open('/', null, WITHOUT_SCRIPT)
  await page.fill('textarea[name=urls]', `${URL_A}\n${URL_B}`)
  await page.fill('input[name=title]', 'Our reading list')
  await press(page, 'button[type=submit]')
  const claimUrl = await page.inputValue('#claim')
  await page.goto(claimUrl)
  await inspect(page, 'claim-signed-out')

  await press(page, 'text=Create account and claim')
  await inspect(page, 'sign-up')
  await page.fill('#email', newEmail())
  await page.fill('#password', PASSWORD)
  await press(page, 'button[type=submit]')
  await becomes(() => pathOf(page), new URL(claimUrl, stage.server.origin).pathname)
  await inspect(page, 'claim-signed-in')

  // Another person has the page open too.
  const { page: late } = await stage.open(claimUrl, null, WITHOUT_SCRIPT)
  await press(late, 'text=Sign in and claim')
  await inspect(late, 'sign-in')
  const email = newEmail()
  await late.fill('#email', email)
  await press(late, 'text=Email me a sign-in link')
  await inspect(late, 'link-sent')
  await late.goto(linkIn(await mailTo(stage.server, email, 'Your sign-in link')))
  await inspect(late, 'sign-in-link')
  await press(late, 'main button.primary')
  expect(late.url()).toBe(new URL(claimUrl, stage.server.origin).href)

  await press(page, 'text=Claim bundle')
  await inspect(page, 'claimed')
  await press(page, 'text=Open launcher')
  expect(await page.textContent('h1')).toBe('Our reading list')

  await press(late, 'text=Claim bundle')
  expect(await late.textContent('main')).toContain('This claim link no longer works')
  await late.goto(claimUrl)
  expect(await late.textContent('main')).toContain('This claim link no longer works')
  await inspect(late, 'claim-gone')
})

test('an invitation is accepted by the person it was sent to, through the link in the mailbox', async () => {
  const admin = await newPerson(stage.server)
  const { id } = await newOrganization(admin)
  const email = newEmail('guest')
  const words = { email, role: 'editor', organizationId: id }
  await admin.api('POST', '/api/auth/organization/invite-member', words)
  const { page, context } = await stage.open('/dev/mailbox', null, WITHOUT_SCRIPT)
  await inspect(page, 'mailbox')
  await page
    .locator('article', { hasText: `to ${email}` })
    .getByRole('link')
    .click()
  await becomes(() => pathOf(page), '/sign-in')
  await press(page, 'text=Create account')
  await page.fill('#email', email)
  await page.fill('#password', PASSWORD)
  await press(page, 'button[type=submit]')
  // Opening the mailed link proves that the address is theirs.
  await inspect(page, 'invitation-unconfirmed')
  await page.goto(linkIn(await mailTo(stage.server, email, 'Confirm your address')))
  await inspect(page, 'confirm')
  await press(page, 'text=Yes, confirm it')
  await inspect(page, 'confirmed')
  await press(page, 'text=See your invitation')
  await inspect(page, 'invitation')
  await press(page, 'text=Accept invitation')
  const me = await context.request.get('/api/me')
  expect(await me.json()).toMatchObject({ subject: { type: 'organization', organizationId: id }, role: 'editor' })
})

test('without JavaScript a wrong sign-up and sign-in come back with the error where it belongs', async () => {
  const { page } = await stage.open('/sign-up?next=/claims', null, WITHOUT_SCRIPT)
  // Simulates a browser without client-side validation.
  const form = { name: 'Ann', email: 'nobody', password: PASSWORD, next: '/claims' }
  const wrong = await page.request.post('/sign-up', { form })
  await page.setContent(await wrong.text())
  expect(await page.locator('#email').getAttribute('aria-describedby')).toBe('email-error')
  expect(await page.textContent('#email-error')).toBe('Enter a valid email address.')
  await inspect(page, 'sign-up-wrong')
  await page.goto('/sign-in')
  await page.fill('#email', newEmail())
  await page.fill('#password', 'not the password')
  await press(page, 'button.primary')
  expect(await page.textContent('[role=alert]')).toBe('Wrong email or password.')
  await inspect(page, 'sign-in-wrong')
})

test('bundles made with a confirmed address are listed on a page of their own', async () => {
  const email = newEmail()
  const person = await newPerson(stage.server, email)
  await new Visitor(stage.server).makeBundle({ email, title: 'Waiting for you' })
  const { page } = await stage.open('/claims', person, WITHOUT_SCRIPT)
  await inspect(page, 'claims')
  await press(page, 'text=Claim bundle')
  expect(await page.textContent('h1')).toBe('This bundle is now yours')
  await page.goto('/claims')
  await inspect(page, 'claims-none')
})

test('single sign-on leads to the provider and back, despite the page’s form-action policy', async () => {
  const provider = new OAuth2Server()
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  const email = newEmail()
  const claims = { sub: email, email, email_verified: true, name: 'Olga' }
  provider.service.on('beforeTokenSigning', (token) => Object.assign(token.payload, claims))
  const env = { OIDC_ISSUER: String(provider.issuer.url), OIDC_CLIENT_ID: 'openall' }
  const withOidc = await startInProcess(env)
  const { page } = await stage.open(`${withOidc.origin}/sign-in?next=/claims`, null, WITHOUT_SCRIPT)
  await inspect(page, 'sign-in-oidc')
  await press(page, 'text=Continue with single sign-on')
  await page.waitForURL(`${withOidc.origin}/claims`)
  expect(await page.textContent('h1')).toBe('Bundles to claim')
  await withOidc.stop()
  await provider.stop()
})
