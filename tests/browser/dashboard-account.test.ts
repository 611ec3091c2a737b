import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { arrive, linkIn, mailTo, newEmail, PASSWORD, type Person, signIn, signUp } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { openChromium } from './chromium.ts'
import { enter } from './people.ts'

setDefaultTimeout(120_000)

const KB = 1000
const RAW_KEY = /oa_[0-9A-Za-z]{12}\.[0-9A-Za-z]{38}/

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

/** A page of somebody's browser, and what its console complained of. */
async function open(person: Person, path: string, options: BrowserContextOptions = {}) {
  const context: BrowserContext = await browser.newContext({ baseURL: server.origin, ...options })
  await enter(context, person)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    // The browser notes an answer of 4xx, which a refused form is meant to get.
    const isRefusal = /status of 4\d\d/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  await page.goto(path)
  return { page, context, complaints }
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).click()
const told = (page: Page, text: string | RegExp) => page.locator('.flash').getByText(text).waitFor()

/** Presses Tab until what is named has the focus. */
async function reach(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    const isThere = await page.evaluate((name) => {
      const at = document.activeElement
      const labels = at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? [...(at.labels ?? [])] : []
      const texts = [at?.getAttribute('aria-label'), at?.textContent, ...labels.map((label) => label.textContent)]
      return texts.some((text) => text?.trim().startsWith(name))
    }, name)
    if (isThere) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${name}`)
}

async function answers(key: string): Promise<number> {
  return (await fetch(`${server.origin}/api/me`, { headers: { authorization: `Bearer ${key}` } })).status
}

test('a key is made, copied, used and revoked by keyboard alone, and shown but once', async () => {
  const person = await arrive(server)
  const { page, context, complaints } = await open(person, '/dashboard/keys')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('heading', { name: 'Your first key' }).waitFor()
  await reach(page, 'New key')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'New API key' }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('name')
  await page.keyboard.type('nightly import')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowUp')
  await reach(page, 'Requests an hour')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('10')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  const key = await page.inputValue('#key')
  expect(key).toMatch(RAW_KEY)
  await reach(page, 'Copy')
  await page.keyboard.press('Enter')
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
  expect(await answers(key)).toBe(200)

  await page.reload()
  await page.waitForLoadState()
  expect(await page.content()).not.toMatch(RAW_KEY)
  await page.goto('/dashboard/keys')
  await page.goBack()
  await page.waitForLoadState()
  expect(await page.content()).not.toMatch(RAW_KEY)
  await page.goto('/dashboard/keys')
  const row = page.getByRole('listitem').filter({ hasText: 'nightly import' })
  await row.getByText('1 of 10 this hour').waitFor()
  expect(await row.textContent()).toContain(`${key.split('.')[0]}… · Read`)

  await reach(page, 'Revoke nightly import')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Revoke nightly import?' }).waitFor()
  await reach(page, 'Revoke the key')
  await page.keyboard.press('Enter')
  await told(page, 'The key is revoked')
  await row.getByText('revoked just now').waitFor()
  expect(await row.getByRole('link').count()).toBe(0)
  expect(await answers(key)).toBe(401)
  expect(complaints).toEqual([])
  await context.close()
})

test('without JavaScript a reload sends the form again, and the key is not shown again', async () => {
  const person = await arrive(server)
  const { page, context } = await open(person, '/dashboard/keys/new', { javaScriptEnabled: false })
  await page.fill('#name', '   ')
  await press(page, 'Make the key')
  await page.getByText('This must be a name with text in it.').waitFor()
  await page.fill('#name', 'deploy')
  await page.getByLabel('Full access').check()
  await press(page, 'Make the key')
  const key = await page.inputValue('#key')
  expect(await answers(key)).toBe(200)
  expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false)
  await page.reload()
  await told(page, 'shown when the form was first sent')
  expect(await page.content()).not.toMatch(RAW_KEY)
  expect(await page.getByRole('listitem').filter({ hasText: 'deploy' }).count()).toBe(1)
  await follow(page, 'Revoke deploy')
  await press(page, 'Revoke the key')
  await told(page, 'The key is revoked')
  expect(await answers(key)).toBe(401)
  await context.close()
})

for (const javaScriptEnabled of [true, false]) {
  test(`an organisation, its invitation, a second person and each role, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const [ann, bob] = [await arrive(server), await arrive(server)]
    const anns = await open(ann, '/dashboard/organizations', { javaScriptEnabled })
    const { page } = anns
    await page.getByRole('heading', { name: 'Share the work' }).waitFor()
    await page.fill('#name', 'Acme & Söhne')
    await press(page, 'Create the organisation')
    await told(page, 'The organisation is made, and you act for it now')
    expect(await page.locator('.subjects summary').textContent()).toContain('Acme & Söhne')
    await page.fill('#email', 'nobody@nowhere')
    await page.selectOption('#role', 'viewer')
    await press(page, 'Send the invitation')
    await page.getByText('This must be an e-mail address.').waitFor()
    expect([await page.inputValue('#email'), await page.inputValue('#role')]).toEqual(['nobody@nowhere', 'viewer'])
    await page.fill('#email', bob.email)
    await press(page, 'Send the invitation')
    await told(page, 'The invitation is on its way')
    await page.getByRole('listitem').filter({ hasText: bob.email }).getByText('as viewer').waitFor()

    const bobs = await open(bob, '/dashboard/organizations', { javaScriptEnabled })
    await follow(bobs.page, 'Look and join Acme & Söhne')
    await press(bobs.page, 'Accept the invitation')
    await bobs.page.goto('/dashboard/organizations')
    await follow(bobs.page, 'Acme & Söhne')
    await bobs.page.getByText('You are viewer. You see its bundles').waitFor()
    for (const absent of ['Send the invitation', 'Save the name', /^Manage/]) {
      expect(await bobs.page.getByRole('button', { name: absent }).count()).toBe(0)
    }
    expect(await bobs.page.getByRole('link', { name: /Delete|Export/ }).count()).toBe(0)

    const member = page.getByRole('listitem').filter({ hasText: bob.email })
    await page.reload()
    const to = async (role: string) => {
      await member.locator('summary').click()
      await press(page, new RegExp(`^Make ${role}`))
      await told(page, 'The role is changed')
      await member.getByText(role, { exact: true }).waitFor()
    }
    await to('editor')
    await bobs.page.goto('/dashboard/keys')
    await bobs.page.getByText('only admins see, make and revoke them').waitFor()
    await to('admin')
    await bobs.page.reload()
    await bobs.page.getByRole('heading', { name: 'Your first key' }).waitFor()
    await to('viewer')

    await member.locator('summary').click()
    await follow(page, 'Remove…')
    await press(page, 'Remove the member')
    await told(page, 'They are no member any more')
    expect((await bob.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: bob.userId })

    await page.fill('#email', bob.email)
    await press(page, 'Send the invitation')
    await told(page, 'The invitation is on its way')
    await press(page, `Take back the invitation of ${bob.email}`)
    await told(page, 'The invitation is taken back')
    await page.fill('#name', 'Acme')
    await press(page, 'Save the name')
    await told(page, 'has its new name')
    expect(await page.getByRole('link', { name: 'Leave…' }).count()).toBe(0)
    await follow(page, 'Delete…')
    await page.getByRole('heading', { name: 'Delete Acme?' }).waitFor()
    await page.fill('#name', 'acme')
    await press(page, 'Delete the organisation')
    await page.getByText('This is not the name of the organisation.').waitFor()
    await page.fill('#name', 'Acme')
    await press(page, 'Delete the organisation')
    await told(page, 'The organisation is deleted')
    expect(await page.locator('.subjects summary').textContent()).toContain('Personal')
    expect([...anns.complaints, ...bobs.complaints]).toEqual([])
    await anns.context.close()
    await bobs.context.close()
  })
}

test('who is invited and who leaves, by keyboard alone', async () => {
  const [ann, bob] = [await arrive(server), await arrive(server)]
  const { page, context } = await open(ann, '/dashboard/organizations')
  await reach(page, 'Name')
  await page.keyboard.type('Keyboards')
  await page.keyboard.press('Enter')
  await told(page, 'The organisation is made')
  await reach(page, 'E-mail address')
  await page.keyboard.type(bob.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('adm')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await told(page, 'The invitation is on its way')
  await bob.form(new URL(linkIn(await mailTo(server, bob.email, ann.email))).pathname, {})
  await page.reload()
  await reach(page, `Manage ${bob.email}`)
  await page.keyboard.press('Enter')
  await reach(page, 'Make editor')
  await page.keyboard.press('Escape')
  expect(await page.locator('details[open]').count()).toBe(0)
  await reach(page, 'Leave…')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Leave Keyboards?' }).waitFor()
  await reach(page, 'Leave')
  await reach(page, 'Cancel')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await told(page, 'You have left the organisation')
  const roles = await server.sql('SELECT role FROM member WHERE user_id IN (?, ?)', [ann.userId, bob.userId])
  expect(roles).toEqual([{ role: 'admin' }])
  await context.close()
})

for (const javaScriptEnabled of [true, false]) {
  test(`name, password, browsers and data of an account, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const edith = await signUp(server, newEmail('edith'))
    const other = await signIn(server, edith.email)
    await edith.makeBundle({ title: 'Mine' })
    const { page, context, complaints } = await open(edith, '/dashboard/settings', { javaScriptEnabled })
    await page.fill('#name', 'Edith <b>Ødegård</b>')
    await press(page, 'Save the name')
    await told(page, 'Your name is saved')
    expect(await page.locator('.subjects summary').textContent()).toContain('Edith <b>Ødegård</b>')
    await press(page, 'Send the mail again')
    await told(page, 'A mail is on its way')
    await page.fill('#currentPassword', 'not the password')
    await page.fill('#newPassword', 'another horse')
    await press(page, 'Change the password')
    await page.getByText('This is not your password.').waitFor()
    await page.fill('#currentPassword', PASSWORD)
    await page.fill('#newPassword', 'another horse')
    await page.getByLabel('Sign out everywhere else').uncheck()
    await press(page, 'Change the password')
    await told(page, 'Your password is changed')
    expect((await other.api('GET', '/api/me')).status).toBe(200)
    await signIn(server, edith.email, 'another horse')

    expect(await page.getByText('this browser').count()).toBe(1)
    await page
      .getByRole('button', { name: /^Sign out An unknown/ })
      .first()
      .click()
    await told(page, 'That browser is signed out')
    await press(page, 'Sign out everywhere else')
    await told(page, 'Every other browser is signed out')
    expect((await other.api('GET', '/api/me')).status).toBe(401)
    expect(await page.getByRole('button', { name: /^Sign out An unknown/ }).count()).toBe(0)

    const [file] = await Promise.all([page.waitForEvent('download'), follow(page, 'Export all your data')])
    expect(file.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/)
    const data = JSON.parse(readFileSync(await file.path(), 'utf8')) as { bundles: { title: string }[] }
    expect(data.bundles.map(({ title }) => title)).toEqual(['Mine'])
    expect(complaints).toEqual([])
    await context.close()
  })
}

test('an account is deleted by keyboard alone, and nothing of it is left', async () => {
  const edith = await signUp(server, newEmail('edith'))
  const { slug } = await edith.makeBundle()
  const { page, context, complaints } = await open(edith, '/dashboard/settings')
  await reach(page, 'Delete your account…')
  await page.keyboard.press('Enter')
  await page.getByText('1 bundle of your own').waitFor()
  await reach(page, `Type ${edith.email}`)
  await page.keyboard.type(edith.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('wrong password')
  await page.keyboard.press('Enter')
  await page.getByText('This is not your password.').waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('password')
  await page.keyboard.type(PASSWORD)
  await page.fill('#email', edith.email)
  await reach(page, 'Delete my account')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
  expect(await context.cookies()).toEqual([])
  expect(await server.sql('SELECT 1 FROM user WHERE id = ?', [edith.userId])).toEqual([])
  expect(await server.sql('SELECT 1 FROM bundles WHERE slug = ?', [slug])).toEqual([])
  await page.goto('/dashboard/settings')
  expect(page.url()).toContain('/sign-in')
  expect(complaints).toEqual([])
  await context.close()
})

test('a browser is named by what it says it is', async () => {
  const person = await arrive(server)
  const context = await browser.newContext({ baseURL: server.origin })
  const page = await context.newPage()
  await page.goto('/sign-in')
  await page.fill('#email', person.email)
  await press(page, 'Mail me a link instead')
  await page.getByRole('heading', { name: 'Look in your mail' }).waitFor()
  await page.goto(linkIn(await mailTo(server, person.email, 'Your sign-in link')))
  await page.goto('/dashboard/settings')
  const mine = page.getByRole('listitem').filter({ hasText: 'this browser' })
  expect(await mine.textContent()).toMatch(/^(Chrome|Chromium) on Linuxdesktop, signed in just now/)
  await context.close()
})

test('pages of an account weigh at most 60 KB the first time and 15 KB after it', async () => {
  const person = await arrive(server)
  for (let n = 0; n < 60; n += 1) await person.api('POST', '/api/me/keys', { name: `a key of many ${n}` })
  for (const path of ['/dashboard/keys', '/dashboard/organizations', '/dashboard/settings']) {
    const context = await browser.newContext({ baseURL: server.origin })
    await enter(context, person)
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    let bytes = 0
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto(path, { waitUntil: 'networkidle' })
    expect(bytes).toBeGreaterThan(10 * KB)
    expect([path, bytes <= 60 * KB]).toEqual([path, true])
    bytes = 0
    await page.reload({ waitUntil: 'networkidle' })
    expect([path, bytes > 0, bytes <= 15 * KB]).toEqual([path, true, true])
    await context.close()
  }
})
