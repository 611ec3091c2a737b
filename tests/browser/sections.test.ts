import { beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { startDestinations } from './destinations.ts'
import { noteEvents } from './launcher-events.ts'
import { rowsOf } from './links.ts'
import { setStage } from './stage.ts'

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

/** Fifteen links in three sections, one of which is opened manually. */
const NAMES = ['Before', 'During', 'After']
const metadataOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    section: NAMES[Math.floor((at * NAMES.length) / count)] ?? '',
    ...(at === 1 ? { openPolicy: 'manual' } : {}),
  }))

async function withLauncher(
  run: (page: Page, opened: (count: number) => Promise<void>, events: unknown[]) => Promise<void>,
) {
  const destinations = startDestinations()
  const urls = destinations.urls(15)
  const { slug } = await owner.makeBundle({ urls, urlMetadata: metadataOf(15) })
  const { page } = await stage.open(`/l/${slug}`, null, { viewport: { width: 390, height: 844 } })
  const { events } = noteEvents(page, slug)
  await run(page, (count) => becomes(() => destinations.visits.length, count), events)
  destinations.stop()
}

test('the button of a section opens its tabs alone, then Open all opens the others, each exactly once', () =>
  withLauncher(async (page, opened, events) => {
    const part = (name: string) => page.getByRole('button', { name })
    await part('Open 4: Before').click()
    await opened(4)
    await page.bringToFront()
    expect(await page.textContent('#status')).toBe('All 4 tabs in “Before” are open.')
    expect(await page.textContent('#open')).toBe('Open the other 10')
    await part('Opened: Before').press('Enter')
    await page.click('#open')
    await opened(14)
    await page.bringToFront()
    expect(await page.textContent('#status')).toBe('All 14 tabs are open. 1 to open manually.')
    expect(await part('Opened: After').getAttribute('aria-disabled')).toBe('true')
    await becomes(() => events, Array(2).fill({ kind: 'open_all', matchedRuleId: null }))
  }))

test('a tab opened by hand is not opened again by its section, also after a reload', () =>
  withLauncher(async (page, opened) => {
    await page.getByText('During', { exact: true }).click()
    await page.locator('section').nth(1).locator('a.tab').first().click()
    await opened(1)
    await page.bringToFront()
    await page.reload()
    await page.getByRole('button', { name: /: During$/ }).click()
    await opened(5)
  }))

const valuesOf = (fields: Locator) => fields.evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value))

test('a moved link takes the section that it comes to, and a heading renames all links below it', async () => {
  const urls = Array.from({ length: 6 }, (_, at) => `https://host-${at}.example/`)
  const { slug } = await owner.makeBundle({ urls, urlMetadata: metadataOf(6) })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  const headings = page.getByLabel('Name of this section')
  expect(await valuesOf(headings)).toEqual(NAMES)
  await rowsOf(page).nth(2).getByRole('button', { name: 'Move up' }).click()
  await becomes(async () => page.textContent('#live'), 'Link moved to 2 of 6, in Before')
  await headings.nth(2).fill('Afterwards')
  await page.keyboard.press('Control+s')
  const sections = async () => {
    const { body } = await owner.api<{ urlMetadata: { section: string }[] }>('GET', `/api/links/${slug}`)
    return body.urlMetadata.map(({ section }) => section)
  }
  await becomes(sections, ['Before', 'Before', 'Before', 'During', 'Afterwards', 'Afterwards'])
})

test('a heading that is half typed changes no links of the section whose name it has for a moment', async () => {
  const urls = Array.from({ length: 4 }, (_, at) => `https://half-${at}.example/`)
  const urlMetadata = ['Part', 'Days', 'Days', 'Part'].map((section) => ({ section }))
  const { slug } = await owner.makeBundle({ urls, urlMetadata })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  const headings = page.getByLabel('Name of this section')
  await headings.nth(1).press('ControlOrMeta+a')
  const checked = page.waitForResponse((response) => response.url().endsWith(slug))
  await page.keyboard.type('Part')
  // What the server answers redraws the headings.
  await checked
  await becomes(() => valuesOf(headings), ['Part', 'Part', 'Part'])
  await page.keyboard.type(' 2')
  await page.keyboard.press('Tab')
  await becomes(() => valuesOf(headings), ['Part', 'Part 2', 'Part'])
  expect(await valuesOf(rowsOf(page).locator('[name=section]'))).toEqual(['Part', 'Part 2', 'Part 2', 'Part'])
})

test.each([true, false])(
  'a section is added with its first link, and named; with JavaScript: %j',
  async (javaScriptEnabled) => {
    const { slug } = await owner.makeBundle({ urls: ['https://first.example/'] })
    const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { javaScriptEnabled })
    await page.getByRole('button', { name: 'Add a section' }).click()
    await rowsOf(page).nth(1).waitFor()
    const [section, url] = ['section', 'url'].map((name) => rowsOf(page).nth(1).locator(`[name=${name}]`))
    await becomes(() => section?.inputValue(), 'New section')
    if (javaScriptEnabled) await page.keyboard.type('Later')
    else await section?.fill('Later')
    await url?.fill('https://second.example/')
    await page.locator('.save-bar').getByRole('button', { name: 'Save' }).click()
    const { body } = await becomesSaved(slug)
    expect(body.urlMetadata).toEqual([{}, { section: 'Later' }])
  },
)

test.each([true, false])(
  'a link added below a section is saved in it, and an empty section says what it lacks; with JavaScript: %j',
  async (javaScriptEnabled) => {
    const { slug } = await owner.makeBundle({ urls: ['https://first.example/'] })
    const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { javaScriptEnabled })
    const saving = page.getByText('A section is saved with its first link: add one.')
    await page.getByRole('button', { name: 'Add a section' }).click()
    await saving.waitFor()
    await rowsOf(page).nth(1).locator('[name=url]').fill('https://second.example/')
    await page.getByRole('button', { name: 'Add a link' }).click()
    await rowsOf(page).nth(2).locator('[name=url]').fill('https://third.example/')
    await saving.waitFor({ state: 'detached' })
    await page.locator('.save-bar').getByRole('button', { name: 'Save' }).click()
    const { body } = await becomesSaved(slug)
    expect(body.urlMetadata).toEqual([{}, { section: 'New section' }, { section: 'New section' }])
  },
)

/** The bundle once its second version is saved. */
async function becomesSaved(slug: string) {
  const read = () => owner.api<{ versionNumber: number; urlMetadata: object[] }>('GET', `/api/links/${slug}`)
  await becomes(async () => (await read()).body.versionNumber, 2)
  return read()
}
