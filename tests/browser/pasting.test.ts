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

test('New bundle is the box of the home page: what is pasted folds into rows, names the bundle, and opens in its editor', async () => {
  const owner = await newPerson(stage.server)
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page } = await stage.open('/dashboard/links/new', owner, { permissions, bypassCSP: true })
  await becomes(() => focusedId(page), 'urls')
  expect(await page.locator('#title').isVisible()).toBe(false)
  // Without anything, the box is marked, and says what is missing.
  await page.getByRole('button', { name: 'Get the link' }).click()
  await shows(page, '#urls-error', 'Paste at least one link.')
  expect([await focusedId(page), await page.getAttribute('#urls', 'aria-invalid')]).toEqual(['urls', 'true'])
  expect(await axeViolations(page)).toEqual([])
  await page.evaluate((text) => navigator.clipboard.writeText(text), `Reading for Monday:\n${TEXT}`)
  await page.keyboard.press('Control+V')
  await shows(page, '#found', /2 links found, [12] lines? without a link, 1 duplicate left out/)
  await page.getByRole('button', { name: 'Show the text' }).waitFor()
  expect([await page.locator('#urls').isVisible(), await page.locator('#urls-error').count()]).toEqual([false, 0])
  expect(await page.inputValue('#title')).toBe('Reading for Monday')
  expect(await page.locator('.found-row .tile').allTextContents()).toEqual(['A', 'B'])
  expect(await axeViolations(page)).toEqual([])
  await press(page, 'Get the link')
  await page.getByText('Bundle created').first().waitFor()
  expect(await page.inputValue('#title')).toBe('Reading for Monday')
  // On the way back, the box still has it.
  await page.goBack()
  await page.locator('.found-row').nth(1).waitFor()
  expect(await page.inputValue('#urls')).toContain('Reading for Monday')
})

test('Back shows what was pasted, in a new bundle that was left and after an import; a new form is empty', async () => {
  const owner = await newPerson(stage.server)
  const { page } = await stage.open('/dashboard/links/new', owner)
  await page.fill('#urls', 'https://left.example/')
  await page.locator('.found-row').waitFor()
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('heading', { name: 'Settings' }).first().waitFor()
  await page.goBack()
  await page.locator('.found-row').waitFor()
  await page.goto('/dashboard/links/import')
  await page.fill('#text', TEXT)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Create 1 bundle' }).click()
  await page.getByText('1 bundle created').first().waitFor()
  await page.goBack()
  await becomes(() => page.inputValue('#text'), TEXT)
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'New bundle' }).first().click()
  await page.locator('#urls').waitFor()
  expect(await page.inputValue('#urls')).toBe('')
})

test('what is pasted stays in its field until there are rows of it', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ urls: ['https://first.example/'] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.getByText('Paste several').click()
  const many = Array.from({ length: 201 }, (_, at) => `https://a.example/${at}`).join('\n')
  await page.fill('#more', many)
  await press(page, 'Add them')
  await shows(page, '.save-bar, #messages', 'This form takes up to 200 links.')
  expect(await page.inputValue('#more')).toBe(many)
  await page.fill('#more', TEXT)
  await press(page, 'Add them')
  await becomes(() => page.inputValue('#more'), '')
  expect(await page.locator('.link-row').count()).toBe(3)
})
