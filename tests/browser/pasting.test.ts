import { expect, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { axeViolations } from './flaws.ts'
import { expand } from './links.ts'
import { setStage } from './stage.ts'
import { press, shows } from './waiting.ts'

const stage = setStage()

const TEXT = 'Reading for Monday\nhttps://a.example/\nnothing here\nB | https://b.example/\nhttps://a.example/'

test.each([true, false])(
  'the editor says how many pasted lines became links and which did not, with JavaScript: %p',
  async (javaScriptEnabled) => {
    const owner = await newPerson(stage.server)
    const { slug } = await owner.makeBundle()
    const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { javaScriptEnabled, bypassCSP: true })
    await page.getByText('Paste several').click()
    await page.fill('#more', TEXT)
    if (javaScriptEnabled) await shows(page, '#found', '2 links found')
    await press(page, 'Add them')
    await shows(page, '#found', /2 links added, [12] lines? skipped, 1 duplicate left out/)
    await page.getByText('Show what was left out or changed').click()
    await page.locator('#found').getByText('nothing here').waitFor()
    expect(await page.locator('.link-row').count()).toBe(4)
    if (javaScriptEnabled) expect(await axeViolations(page)).toEqual([])
  },
)

test('a duplicate link is marked, and can still be saved', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ urls: ['https://a.example/', 'https://b.example/'] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  const second = page.locator('.link-row [name=url]').nth(1)
  await expand(page, 1)
  await second.fill('https://A.example')
  await page.locator('.link-row .only-hint').getByText('Same address as link 1.').waitFor()
  expect(await second.getAttribute('aria-invalid')).toBeNull()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await shows(page, '#messages', 'Saved as a new version')
  expect(await page.getByText('Same address as link 1.').isVisible()).toBe(true)
})
