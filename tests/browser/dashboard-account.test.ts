import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { SECTIONS } from '../../views/dashboard/parts/shell.tsx'
import { becomes } from '../eventually.ts'
import {
  invitationLink,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  signIn,
  signUp,
} from '../people.ts'
import { focusedId, reach } from './keyboard.ts'
import { setStage } from './stage.ts'
import { follow, press, shows } from './waiting.ts'
import { weigh } from './weight.ts'

const KB = 1000
const RAW_KEY = /oa_[0-9A-Za-z]{12}\.[0-9A-Za-z]{38}/

const stage = setStage()
const open = (person: Person, path: string, options: BrowserContextOptions = {}) => stage.open(path, person, options)

const told = (page: Page, text: string | RegExp) => shows(page, '.flash', text)

async function answers(key: string): Promise<number> {
  return (await fetch(`${stage.server.origin}/api/me`, { headers: { authorization: `Bearer ${key}` } })).status
}

test('a key is made, copied, used and revoked by keyboard alone, and shown only once', async () => {
  const person = await newPerson(stage.server)
  const { page, context, complaints } = await open(person, '/dashboard/keys')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('heading', { name: 'Automate with API keys' }).waitFor()
  await reach(page, 'Create API key')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Create API key' }).waitFor()
  await becomes(() => focusedId(page), 'name')
  await page.keyboard.type('nightly import')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowUp')
  await reach(page, 'Requests per hour')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('10')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'API key created' }).waitFor()
  const key = await page.inputValue('#key')
  expect(key).toMatch(RAW_KEY)
  await reach(page, 'Copy')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
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
  await reach(page, 'Revoke API key')
  await page.keyboard.press('Enter')
  await told(page, 'API key revoked')
  await row.getByText('Revoked just now').waitFor()
  expect(await row.getByRole('link').count()).toBe(0)
  expect(await answers(key)).toBe(401)
  expect(complaints).toEqual([])
})

test('without JavaScript a reload sends the form again, and the key is not shown again', async () => {
  const person = await newPerson(stage.server)
  const { page } = await open(person, '/dashboard/keys/new', { javaScriptEnabled: false })
  await page.fill('#name', '   ')
  await press(page, 'Create API key')
  await page.getByText('Fill in this field.').waitFor()
  await page.fill('#name', 'deploy')
  await page.getByLabel('Full access').check()
  await press(page, 'Create API key')
  const key = await page.inputValue('#key')
  expect(await answers(key)).toBe(200)
  expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false)
  await page.reload()
  await told(page, 'You already created this key')
  expect(await page.content()).not.toMatch(RAW_KEY)
  expect(await page.getByRole('listitem').filter({ hasText: 'deploy' }).count()).toBe(1)
  await follow(page, 'Revoke deploy')
  await press(page, 'Revoke API key')
  await told(page, 'API key revoked')
  expect(await answers(key)).toBe(401)
})

test('an organisation, its invitation, a second person and each role', async () => {
  const [ann, bob] = [await newPerson(stage.server), await newPerson(stage.server)]
  const anns = await open(ann, '/dashboard/organizations')
  const { page } = anns
  await page.getByRole('heading', { name: 'Work on bundles together' }).waitFor()
  await page.fill('#name', 'Acme & Söhne')
  await press(page, 'Create organisation')
  await told(page, 'Organisation created')
  expect(await page.locator('.subjects summary').textContent()).toContain('Acme & Söhne')
  await page.fill('#email', 'nobody@nowhere')
  await page.selectOption('#role', 'viewer')
  await press(page, 'Send invitation')
  await page.getByText('Enter a valid email address.').waitFor()
  expect([await page.inputValue('#email'), await page.inputValue('#role')]).toEqual(['nobody@nowhere', 'viewer'])
  await page.fill('#email', bob.email)
  await press(page, 'Send invitation')
  await told(page, 'Invitation on its way')
  await page.getByRole('listitem').filter({ hasText: bob.email }).getByText('Invited as a viewer').waitFor()

  const bobs = await open(bob, '/dashboard/organizations')
  await follow(bobs.page, 'View invitation to Acme & Söhne')
  await press(bobs.page, 'Join Acme & Söhne')
  await bobs.page.goto('/dashboard/organizations')
  await follow(bobs.page, 'Acme & Söhne')
  await bobs.page.getByText('You’re a viewer. You can see its bundles').waitFor()
  for (const absent of ['Send invitation', 'Save', /^Manage/]) {
    expect(await bobs.page.getByRole('button', { name: absent }).count()).toBe(0)
  }
  expect(await bobs.page.getByRole('link', { name: /Delete|Export/ }).count()).toBe(0)

  const member = page.getByRole('listitem').filter({ hasText: bob.email })
  await page.reload()
  const to = async (role: string) => {
    await member.locator('summary').click()
    await press(page, new RegExp(`^Make an? ${role}`))
    await told(page, 'Role changed')
    await member.locator('.tag').getByText(role).waitFor()
  }
  await to('editor')
  await bobs.page.goto('/dashboard/keys')
  await bobs.page.getByText('can manage API keys').waitFor()
  await to('admin')
  await bobs.page.reload()
  await bobs.page.getByRole('heading', { name: 'Automate with API keys' }).waitFor()
  await to('viewer')

  await member.locator('summary').click()
  await follow(page, 'Remove…')
  await press(page, 'Remove member')
  await told(page, 'Member removed')
  expect((await bob.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: bob.userId })

  await page.fill('#email', bob.email)
  await press(page, 'Send invitation')
  await told(page, 'Invitation on its way')
  await press(page, `Revoke the invitation of ${bob.email}`)
  await told(page, 'Invitation revoked')
  await page.fill('#name', 'Acme')
  await press(page, 'Save')
  await told(page, 'Settings saved')
  expect(await page.getByRole('link', { name: 'Leave…' }).count()).toBe(0)
  await follow(page, 'Delete…')
  await page.getByRole('heading', { name: 'Delete Acme?' }).waitFor()
  await page.fill('#name', 'acme')
  await press(page, 'Delete organisation')
  await page.getByText('This doesn’t match the organisation’s name.').waitFor()
  await page.fill('#name', 'Acme')
  await press(page, 'Delete organisation')
  await told(page, 'Organisation deleted')
  expect(await page.locator('.subjects summary').textContent()).toContain('Personal')
  expect([...anns.complaints, ...bobs.complaints]).toEqual([])
})

test('a member is invited and another leaves, by keyboard alone', async () => {
  const [ann, bob] = [await newPerson(stage.server), await newPerson(stage.server)]
  const { page } = await open(ann, '/dashboard/organizations')
  await reach(page, 'Name')
  await page.keyboard.type('Keyboards')
  await page.keyboard.press('Enter')
  await told(page, 'Organisation created')
  await reach(page, 'Email address')
  await page.keyboard.type(bob.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('adm')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await told(page, 'Invitation on its way')
  await bob.form(new URL(await invitationLink(stage.server, bob.email)).pathname, {})
  await page.reload()
  await reach(page, `Manage ${bob.email}`)
  await page.keyboard.press('Enter')
  await reach(page, 'Make an editor')
  await page.keyboard.press('Escape')
  expect(await page.locator('details[open]').count()).toBe(0)
  await reach(page, 'Leave…')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Leave Keyboards?' }).waitFor()
  await reach(page, 'Leave')
  await reach(page, 'Cancel')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await told(page, 'You’ve left the organisation')
  const roles = await stage.server.sql('SELECT role FROM member WHERE user_id IN (?, ?)', [ann.userId, bob.userId])
  expect(roles).toEqual([{ role: 'admin' }])
})

test('name, password, browsers and data of an account', async () => {
  const edith = await signUp(stage.server, newEmail('edith'))
  const other = await signIn(stage.server, edith.email)
  await edith.makeBundle({ title: 'Mine' })
  const { page, complaints } = await open(edith, '/dashboard/settings')
  await page.fill('#name', 'Edith <b>Ødegård</b>')
  await press(page, 'Save')
  await told(page, 'Settings saved')
  expect(await page.locator('.subjects summary').textContent()).toContain('Edith <b>Ødegård</b>')
  // A page shows one notice: the result of the last action stood in the place of this one.
  await page.goto('/dashboard/settings')
  await press(page, 'Resend confirmation email')
  await told(page, 'Email on its way')
  await page.fill('#currentPassword', 'not the password')
  await page.fill('#newPassword', 'another horse')
  await press(page, 'Change password')
  await page.getByText('Wrong password.').waitFor()
  await page.fill('#currentPassword', PASSWORD)
  await page.fill('#newPassword', 'another horse')
  await press(page, 'Change password')
  await told(page, 'Password changed')
  expect((await other.api('GET', '/api/me')).status).toBe(401)
  const others = [0, 1].map(() => signIn(stage.server, edith.email, 'another horse'))
  const [another] = await Promise.all(others)
  await page.reload()

  expect(await page.getByText('This browser').count()).toBe(1)
  await page
    .getByRole('button', { name: /^Sign out Unknown/ })
    .first()
    .click()
  await told(page, 'Browser signed out')
  await press(page, 'Sign out everywhere else')
  await told(page, 'All other browsers are signed out')
  expect((await another?.api('GET', '/api/me'))?.status).toBe(401)
  expect(await page.getByRole('button', { name: /^Sign out Unknown/ }).count()).toBe(0)

  const [file] = await Promise.all([page.waitForEvent('download'), follow(page, 'Export your data')])
  expect(file.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/)
  const data = JSON.parse(readFileSync(await file.path(), 'utf8')) as { bundles: { title: string }[] }
  expect(data.bundles.map(({ title }) => title)).toEqual(['Mine'])
  expect(complaints).toEqual([])
})

test('a form that is refused comes back where it is: what others have stays, and the focus goes to the error', async () => {
  const edith = await signUp(stage.server, newEmail('edith'))
  const { page } = await open(edith, '/dashboard/settings', { viewport: { width: 390, height: 700 } })
  await page.fill('#name', 'Not saved yet')
  await page.evaluate(() => Object.assign(document.querySelector('main h1') ?? {}, { isKept: true }))
  await page.fill('#currentPassword', 'not the password')
  await page.fill('#newPassword', 'another horse')
  await press(page, 'Change password')
  await shows(page, '#currentPassword-error', 'Wrong password.')
  await becomes(() => focusedId(page), 'currentPassword')
  expect(await page.inputValue('#name')).toBe('Not saved yet')
  expect(await page.inputValue('#newPassword')).toBe('another horse')
  expect(await page.evaluate(() => 'isKept' in (document.querySelector('main h1') ?? {}))).toBe(true)
  await page.fill('#currentPassword', PASSWORD)
  await press(page, 'Change password')
  await told(page, 'Password changed')
  expect(await page.inputValue('#newPassword')).toBe('')
})

test('an invitation leaves what is typed into the name beside it, and its message is in view', async () => {
  const edith = await newPerson(stage.server)
  const { id } = await newOrganization(edith)
  const { page } = await open(edith, `/dashboard/organizations/${id}`, { viewport: { width: 390, height: 500 } })
  await page.fill('#name', 'Half a na')
  await page.fill('#email', 'someone@people.example')
  await page.locator('#email').press('Enter')
  await told(page, 'Invitation on its way')
  expect(await page.locator('.flash').evaluate((flash) => flash.getBoundingClientRect().top)).toBeGreaterThan(0)
  await page.getByText('someone@people.example').first().waitFor()
  expect(await page.inputValue('#name')).toBe('Half a na')
  expect(await page.inputValue('#email')).toBe('')
})

test('an account is deleted by keyboard alone, and nothing of it remains', async () => {
  const edith = await signUp(stage.server, newEmail('edith'))
  const { slug } = await edith.makeBundle()
  const { page, context, complaints } = await open(edith, '/dashboard/settings')
  await reach(page, 'Delete account…')
  await page.keyboard.press('Enter')
  await page.getByText('1 bundle of your own').waitFor()
  await reach(page, `Type ${edith.email}`)
  await page.keyboard.type(edith.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('wrong password')
  await page.keyboard.press('Enter')
  await page.getByText('Wrong password.').waitFor()
  await becomes(() => focusedId(page), 'password')
  await page.keyboard.type(PASSWORD)
  await page.fill('#email', edith.email)
  await reach(page, 'Delete account')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Account deleted' }).waitFor()
  expect(await context.cookies()).toEqual([])
  expect(await stage.server.sql('SELECT 1 FROM user WHERE id = ?', [edith.userId])).toEqual([])
  expect(await stage.server.sql('SELECT 1 FROM bundles WHERE slug = ?', [slug])).toEqual([])
  await page.goto('/dashboard/settings')
  expect(page.url()).toContain('/sign-in')
  expect(complaints).toEqual([])
})

test('a session is named after its browser', async () => {
  const person = await newPerson(stage.server)
  const { page } = await stage.open('/sign-in', null)
  await page.fill('#email', person.email)
  await press(page, 'Email me a link')
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.goto(linkIn(await mailTo(stage.server, person.email, 'Your sign-in link')))
  await page.locator('main').getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/dashboard')
  await page.goto('/dashboard/settings')
  const mine = page.getByRole('listitem').filter({ hasText: 'This browser' })
  expect(await mine.textContent()).toMatch(/^(Chrome|Chromium) on LinuxDesktop, signed in just now/)
})

test('account pages weigh at most 60 KB on first load and 15 KB after that', async () => {
  const person = await newPerson(stage.server)
  for (let n = 0; n < 60; n += 1) await person.api('POST', '/api/me/keys', { name: `a key of many ${n}` })
  const { bundles: _, ...account } = SECTIONS
  for (const { href: path } of Object.values(account)) {
    const { page } = await open(person, 'about:blank')
    const weight = await weigh(page)
    await page.goto(path, { waitUntil: 'networkidle' })
    const first = await weight.bytes()
    expect(first).toBeGreaterThan(10 * KB)
    expect([path, first <= 60 * KB]).toEqual([path, true])
    weight.reset()
    await page.reload({ waitUntil: 'networkidle' })
    const later = await weight.bytes()
    expect([path, later > 0, later <= 15 * KB]).toEqual([path, true, true])
  }
})
