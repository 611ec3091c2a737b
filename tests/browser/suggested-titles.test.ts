import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { startSites } from '../contract/sites.ts'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { axeViolations, overflowOf } from './flaws.ts'
import { setStage } from './stage.ts'
import { press, shows } from './waiting.ts'

// Links without titles get those of their pages, as suggestions.

const stage = setStage({ env: { SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' } })
const sites = startSites()
afterAll(() => sites.stop())
const at = (path: string) => `http://localhost:${sites.port}${path}`

/** Pastes like a person: the text arrives in the field that has the focus, all at once. */
async function paste(page: Page, field: string, text: string): Promise<void> {
  await page.focus(field)
  await page.evaluate((pasted) => document.execCommand('insertText', false, pasted), text)
}
/** The same where only a paste makes rows. */
const PASTING = { permissions: ['clipboard-read', 'clipboard-write'] }
async function pasteMany(page: Page, text: string): Promise<void> {
  await page.focus('#urls')
  await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text)
  await page.keyboard.press('Control+V')
}
const notes = (page: Page) =>
  page.locator('[name=note]').evaluateAll((all) => (all as HTMLInputElement[]).map(({ value }) => value))
const saved = async (page: Page, owner: Awaited<ReturnType<typeof newPerson>>) => {
  const slug = new URL(page.url()).pathname.split('/').at(-1)
  const { body } = await owner.api<{ urlMetadata: { note?: string }[] }>('GET', `/api/links/${slug}`)
  return body.urlMetadata.map(({ note }) => note ?? '')
}

test('under New bundle, pasted links get the titles of their pages as each is known; words of the text win', async () => {
  const owner = await newPerson(stage.server)
  const { page } = await stage.open('/dashboard/links/new', owner, { ...PASTING, bypassCSP: true })
  // Nobody waits for the one that never answers.
  await pasteMany(page, `${at('/silent/1')}\nMine: ${at('/who')}\n${at('/plan')}\n${at('/gone')}`)
  await becomes(() => notes(page), ['', 'Mine', 'The plan', ''])
  await shows(page, '#suggested-titles', '1 title is from its page.')
  await becomes(() => page.locator('.found-row.suggested [name=note]').inputValue(), 'The plan')
  expect(await axeViolations(page)).toEqual([])
  await press(page, 'Get the link')
  await page.getByText('Bundle created').first().waitFor()
  expect(await saved(page, owner)).toEqual(['', 'Mine', 'The plan', ''])
  expect(await page.locator('#suggested-titles').isVisible()).toBe(false)
})

test('one press takes none of them, and what was changed by hand is no suggestion', async () => {
  const owner = await newPerson(stage.server)
  const { page } = await stage.open('/dashboard/links/new', owner, PASTING)
  await pasteMany(page, `${at('/plan')}\n${at('/who')}\n${at('/bom')}`)
  await becomes(() => notes(page), ['The plan', 'Who', 'Grüße'])
  await page.locator('.found-row [name=note]').first().fill('Our plan')
  await shows(page, '#suggested-titles', '2 titles are from their pages.')
  await page.getByRole('button', { name: 'Take none' }).click()
  expect(await notes(page)).toEqual(['Our plan', '', ''])
  expect(await page.locator('#suggested-titles').isVisible()).toBe(false)
  await press(page, 'Get the link')
  await page.getByText('Bundle created').first().waitFor()
  expect(await saved(page, owner)).toEqual(['Our plan', '', ''])
})

test('in the editor, links that are there are left alone, and an address that is typed is asked about once it is left', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ urls: [at('/plan')] })
  const before = sites.received.length
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.getByRole('button', { name: 'Add a link' }).click()
  const field = page.locator('.link-row [name=url]').nth(1)
  await field.fill(at('/who'))
  await field.press('Tab')
  // Its title is being typed by now: the suggestion does not come between.
  await page
    .locator('.link-row [name=url]')
    .first()
    .evaluate((other) => (other as HTMLElement).closest('details')?.setAttribute('open', ''))
  await page.locator('.link-row [name=url]').first().focus()
  await becomes(() => sites.received.slice(before).map(({ path }) => path), ['/who'])
})

test.each([
  [390, 'light'],
  [320, 'dark'],
] as const)('on the home page of somebody signed in, at %p px, %s', async (width, colorScheme) => {
  const owner = await newPerson(stage.server)
  const { page } = await stage.open('/', owner, { viewport: { width, height: 800 }, colorScheme, bypassCSP: true })
  await paste(page, '#urls', `${at('/silent/2')}\nMine: ${at('/who')}\n${at('/plan')}`)
  await becomes(() => notes(page), ['', 'Mine', 'The plan'])
  await shows(page, '#suggested-titles', '1 title is from its page.')
  expect(await overflowOf(page)).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  // What is typed into the text meanwhile changes nothing of it.
  await paste(page, '#urls', `\n${at('/bom')}`)
  await becomes(() => notes(page), ['', 'Mine', 'The plan', 'Grüße'])
  await page.getByRole('button', { name: 'Take none' }).click()
  expect(await notes(page)).toEqual(['', 'Mine', '', ''])
})

test.each([
  [1280, 'light'],
  [320, 'dark'],
] as const)(
  'links that are imported without a title get that of their page, at %p px, %s',
  async (width, colorScheme) => {
    const owner = await newPerson(stage.server)
    const how = { viewport: { width, height: 800 }, colorScheme, bypassCSP: true }
    const { page } = await stage.open('/dashboard/links/import', owner, how)
    await page
      .getByLabel('Paste or upload')
      .fill(`${at('/silent/3')}\nMine: ${at('/who')}\n${at('/plan')}\n${at('/bom')}`)
    await press(page, 'Preview')
    const fields = page.locator('.plan [name^="note-"]')
    const titles = () => fields.evaluateAll((all) => (all as HTMLInputElement[]).map(({ value }) => value))
    await becomes(titles, ['', 'The plan', 'Grüße'])
    await shows(page, '#suggested-titles', '2 titles are from their pages.')
    await fields.last().fill('Greetings')
    await shows(page, '#suggested-titles', '1 title is from its page.')
    expect(await overflowOf(page)).toBe(0)
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Create 1 bundle' }).click()
    await page.locator('.made .name').waitFor()
    const { body } = await owner.api<{ bundles: { urlMetadata: { note?: string }[] }[] }>('GET', '/api/me/links')
    expect(body.bundles[0]?.urlMetadata.map(({ note }) => note)).toEqual([undefined, 'Mine', 'The plan', 'Greetings'])
  },
)

test('visitors without an account get none, unless the operator allows it', async () => {
  const { page } = await stage.open('/', null)
  const before = sites.received.length
  await paste(page, '#urls', at('/plan'))
  await shows(page, '#found', '1 link found')
  expect(await page.locator('#suggested-titles').count()).toBe(0)
  const asked = await page.evaluate(async (url) => {
    const answer = await fetch('/found/titles', { method: 'POST', body: new URLSearchParams({ url }) })
    return [answer.status, await answer.text()]
  }, at('/plan'))
  expect([asked, sites.received.slice(before)]).toEqual([[200, ''], []])
})
