import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { setStage } from '../browser/stage.ts'
import { press } from '../browser/waiting.ts'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'

const stage = setStage()

/** Texts of the live regions that were in the page before their content changed, because only those are announced. */
const told = (page: Page, text: string) => becomes(() => page.textContent('#live'), text)

/** Keeps the page's live region, to check that later messages appear in the same one. */
async function keepRegion(page: Page): Promise<void> {
  await page.evaluate(() => {
    const live = document.querySelector('#live[aria-live="polite"]')
    if (live === null || live.textContent !== '') throw new Error('nothing is there to be told in')
    Object.assign(globalThis, { live })
  })
}
const isKept = (page: Page) =>
  page.evaluate(() => document.getElementById('live') === (globalThis as unknown as { live: Element }).live)

test('the number of bundles that a search finds is announced', async () => {
  const owner = await newPerson(stage.server)
  for (const title of ['Apples', 'Apples and pears', 'Plums']) await owner.makeBundle({ title })
  const { page } = await stage.open('/dashboard', owner)
  await keepRegion(page)
  await page.fill('#q', 'apples')
  await told(page, '2 bundles found')
  await page.fill('#q', 'pears')
  await told(page, '1 bundle found')
  await page.fill('#q', 'cherries')
  await told(page, 'Nothing found')
  await page.fill('#q', '')
  await told(page, '3 bundles')
  expect(await isKept(page)).toBe(true)
})

test('copying a link is announced, in the list and on the page of a new link', async () => {
  const owner = await newPerson(stage.server)
  await owner.makeBundle()
  const { page } = await stage.open('/dashboard', owner)
  await keepRegion(page)
  await page.locator('.row button[data-text]').click()
  await told(page, 'Copied')
  expect(await isKept(page)).toBe(true)

  await page.goto('/')
  await page.fill('#urls', 'https://example.com/')
  await told(page, '1 link found')
  await press(page, 'Get the link')
  await keepRegion(page)
  await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
  await told(page, 'Copied')
})

test('the result of saving rules is announced, other changes of the page are not', async () => {
  const owner = await newPerson(stage.server)
  const when = { op: 'equals', field: 'device', value: 'mobile' }
  const { slug } = await owner.makeBundle({
    resolutionPolicy: { version: 1, rules: [{ name: 'Phones', when, tabs: [{ url: 'https://m.example/' }] }] },
  })
  const { page } = await stage.open(`/dashboard/links/${slug}/policy`, owner)
  await keepRegion(page)
  await page.locator('.custom > summary').click()
  await page.selectOption('#viewer-device', 'mobile')
  await page.locator('.outcome.yes').waitFor()
  await page.click('#rules-0-edit')
  await page.fill('#rules-0-name', 'On a phone')
  await press(page, 'Save rules')
  await told(page, 'Saved · View version 2')
  // A check of the last typing, due only after a fast answer, has nothing to say of what is saved.
  const checks: string[] = []
  page.on('request', (request) => checks.push(request.url()))
  await page.locator('#policy').dispatchEvent('change')
  await page.waitForTimeout(500)
  expect([await page.textContent('#live'), checks]).toEqual(['Saved · View version 2', []])
  expect(await isKept(page)).toBe(true)
})
