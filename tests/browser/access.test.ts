import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { BrowserContextOptions } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { setStage } from './stage.ts'

const PASSWORD = 'four stairs down'
const URLS = ['http://localhost:1/one', 'http://localhost:1/two']

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})
const makeLocked = () => owner.makeBundle({ title: 'Launch day', urls: URLS, access: 'password', password: PASSWORD })

const CASES: [string, BrowserContextOptions][] = [
  ['with JavaScript', { permissions: ['clipboard-read', 'clipboard-write'] }],
  ['without JavaScript', { javaScriptEnabled: false }],
]
test.each(CASES)('a password is asked for, and its page has all that a launcher has, %s', async (_, options) => {
  const { slug } = await makeLocked()
  const { page, complaints } = await stage.open(`/l/${slug}`, null, options)
  expect(await page.title()).not.toContain('Launch day')
  const field = page.getByLabel('Password', { exact: true })
  // The keyboard alone does: the field has the focus, which browsers give it a moment after they show it.
  await page.locator('#password:focus').waitFor()
  await page.keyboard.type('five stairs up')
  await page.keyboard.press('Enter')
  await page.locator('#password-error').waitFor()
  expect(await field.getAttribute('aria-describedby')).toBe('password-error')
  expect(await field.inputValue()).toBe('')
  await field.fill(PASSWORD)
  await field.press('Enter')
  await page.locator('#bookmarks').waitFor()
  expect(await page.textContent('h1')).toBe('Launch day')
  expect(await page.context().cookies()).toEqual([])
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('#bookmarks')])
  expect(file.suggestedFilename()).toBe(`${slug}.html`)
  const saved = readFileSync(await file.path(), 'utf8')
  for (const url of URLS) expect(saved).toContain(url)
  await page.click('.qr summary')
  expect(await page.getByRole('img', { name: 'QR code' }).isVisible()).toBe(true)
  if (options.javaScriptEnabled === false) return
  await page.keyboard.press('Escape')
  await page.click('#copy')
  await becomes(() => page.evaluate(() => navigator.clipboard.readText()), URLS.join('\n'))
  await page.click('#open')
  const clicks = async () => {
    const { body } = await owner.api<{ totals: { openAllClicks: number } }>('GET', `/api/links/${slug}/insights`)
    return body.totals.openAllClicks
  }
  await becomes(clicks, 1)
  expect(complaints).toEqual([])
})

test('a choice to ask for a password is shown whole, and nothing is wrong until one is typed', async () => {
  const { slug } = await owner.makeBundle({ title: 'Launch day', urls: URLS })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width: 1280, height: 860 } })
  const checks = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.selectOption('#access', 'password')
  await checks
  const [text, room] = await page.locator('#access').evaluate((select) => {
    const drawing = document.createElement('canvas').getContext('2d')!
    const { font, paddingLeft, paddingRight } = getComputedStyle(select)
    drawing.font = font
    const words = (select as HTMLSelectElement).selectedOptions[0]?.textContent ?? ''
    const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    return [drawing.measureText(words).width, room] as const
  })
  expect(text).toBeLessThanOrEqual(room)
  const again = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.fill('#title', 'Launch night')
  await again
  expect(await page.locator('#password-error').count()).toBe(0)
  await page.fill('#password', 'short')
  await page.locator('#password-error').waitFor()
  await page.fill('#password', '')
  await page.locator('#password-error').waitFor({ state: 'detached' })
  await page.locator('#save').click()
  await page.getByText('Choose a password.').waitFor()
})

test('someone who is not a member is told who is signed in, and can switch', async () => {
  const { slug } = await owner.makeBundle({ title: 'Launch day', access: 'members' })
  const foreign = await newPerson(stage.server)
  const { page } = await stage.open(`/l/${slug}`, foreign)
  expect(await page.textContent('main')).toContain(foreign.email)
  expect(await page.textContent('main')).not.toContain('Launch day')
  await page.getByRole('link', { name: 'Switch accounts' }).click()
  await page.getByLabel('Email').waitFor()
  expect(await page.locator('[name=next]').first().getAttribute('value')).toBe(`/l/${slug}`)
})

test('the editor shows the password’s field when it is of use', async () => {
  const { slug } = await owner.makeBundle()
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  const password = page.locator('.sharing #password')
  expect(await password.isVisible()).toBe(false)
  await page.getByLabel('Who can see it').selectOption('Anyone with the password')
  await password.waitFor()
  await password.fill(PASSWORD)
  await page.keyboard.press('Control+s')
  const access = async () => (await owner.api<{ access: string }>('GET', `/api/links/${slug}`)).body.access
  await becomes(access, 'password')
})
