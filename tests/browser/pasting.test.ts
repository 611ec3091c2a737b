import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { axeViolations } from './flaws.ts'
import { focusedId } from './keyboard.ts'
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
    await shows(page, '#found', /2 links added, [12] lines? without a link, 1 duplicate left out/)
    await page.getByText('What we left out').click()
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
  await shows(page, '#messages', 'Saved · View version')
  expect(await page.getByText('Same address as link 1.').isVisible()).toBe(true)
})

test('under New bundle, what is pasted turns into rows with their tiles, and names the bundle', async () => {
  const owner = await newPerson(stage.server)
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page } = await stage.open('/dashboard/links/new', owner, { permissions, bypassCSP: true })
  await becomes(() => focusedId(page), 'more')
  await page.evaluate((text) => navigator.clipboard.writeText(text), `Reading for Monday:\n${TEXT}`)
  await page.keyboard.press('Control+V')
  await shows(page, '#found', /2 links added, [12] lines? without a link, 1 duplicate left out/)
  await becomes(() => page.inputValue('#title'), 'Reading for Monday')
  await becomes(() => page.inputValue('#more'), '')
  const tiles = () => page.locator('.link-row .tile').allTextContents()
  expect(await tiles()).toEqual(['A', 'B'])
  await page.locator('.link-row [name=url]').nth(1).fill('https://www.zebra.example/')
  await becomes(tiles, ['A', 'Z'])
  expect(await axeViolations(page)).toEqual([])
  await press(page, 'Create bundle')
  await page.getByText('Bundle created').first().waitFor()
  expect(await page.inputValue('#title')).toBe('Reading for Monday')
})

test('what is pasted stays in its field until there are rows of it', async () => {
  const owner = await newPerson(stage.server)
  const { page } = await stage.open('/dashboard/links/new', owner)
  const many = Array.from({ length: 201 }, (_, at) => `https://a.example/${at}`).join('\n')
  await page.fill('#more', many)
  await press(page, 'Add them')
  await shows(page, '.save-bar, #messages', 'This form takes up to 200 links.')
  expect(await page.inputValue('#more')).toBe(many)
  await page.fill('#more', TEXT)
  await press(page, 'Add them')
  await becomes(() => page.inputValue('#more'), '')
  expect(await page.locator('.link-row').count()).toBe(2)
})
