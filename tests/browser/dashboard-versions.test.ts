import { beforeAll, expect, test } from 'bun:test'
import type { BrowserContextOptions } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { ODD } from './bundles.ts'
import { focusedId, focusedText, reach } from './keyboard.ts'
import { setStage } from './stage.ts'
import { follow, press } from './waiting.ts'
import { weigh } from './weight.ts'

const LATER_PAGE = 15_000

const stage = setStage()
let owner: Person
let bea: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
  bea = await newPerson(stage.server, 'bea@people.example')
  const { id } = await newOrganization(owner, [[bea, 'editor']])
  await actFor(owner, id)
})

const open = (path: string, as = owner, options: BrowserContextOptions = {}) => stage.open(path, as, options)

const RULE = {
  name: 'Phones',
  when: { op: 'equals', field: 'device', value: 'mobile' },
  tabs: [{ url: 'https://m.example/' }],
}

/** A bundle edited alternately by two people: title, links, rules, then one rule. */
async function makeHistory(): Promise<string> {
  const { slug } = await owner.makeBundle({
    title: 'Week one',
    urls: ['https://a.example/', 'https://b.example/old', 'https://c.example/', 'https://d.example/'],
    urlMetadata: [{ note: 'Agenda of Monday', tags: ['monday'] }],
  })
  const edit = (by: Person, body: unknown) => by.api('PATCH', `/api/links/${slug}`, body)
  await edit(bea, { title: 'Week two' })
  await edit(owner, {
    urls: ['https://d.example/', 'https://a.example/', 'https://b.example/new', 'https://münchen.example/'],
    urlMetadata: [{}, { note: 'Agenda of Tuesday', tags: ['tuesday'], openPolicy: 'manual' }],
  })
  await edit(owner, { resolutionPolicy: { version: 1, rules: [RULE] } })
  await edit(bea, {
    resolutionPolicy: { version: 1, rules: [{ ...RULE, when: { op: 'not', of: [RULE.when] }, showBadge: true }] },
  })
  return slug
}

const current = async (slug: string) => (await owner.api<{ title: string }>('GET', `/api/links/${slug}`)).body.title

test('shows who changed what and when, and opens one version after another without leaving the page', async () => {
  const slug = await makeHistory()
  const { page } = await open(`/dashboard/links/${slug}/versions`)
  const told = await page.locator('.step').allInnerTexts()
  expect(told.map((text) => text.replace(/\s+/g, ' '))).toEqual([
    'Version 5 current bea@people.example, just now 1 rule changed',
    'Version 4 You, just now 1 rule added',
    'Version 3 You, just now 1 link added, 1 link removed, 1 link moved, 2 links changed',
    'Version 2 bea@people.example, just now Title changed',
    'Version 1 You, just now Created: title added, 4 links added',
  ])
  const edge = async (what: string) => (await page.locator(what).first().boundingBox())?.x
  expect(await edge('.step .changes')).toBe((await edge('.step h2')) ?? 0)
  const shown = async () => ((await page.locator('.diff').textContent()) ?? '').replace(/\s+/g, ' ')
  expect(await page.locator('.diff').count()).toBe(1)
  const rule = await shown()
  expect(rule).toContain('Phones')
  expect(rule).toContain('on a phone')
  expect(await page.locator('.diff ins').first().textContent()).toContain('Not')
  expect(rule).toContain('Viewers now see its name')

  const whole: string[] = []
  page.on('request', (request) => request.isNavigationRequest() && whole.push(request.url()))
  await follow(page, 'Version 3')
  await page.getByText('1st, was 4th').waitFor()
  expect(page.url()).toEndWith('/versions?version=3')
  const entries = await page.locator('.entries > li').allInnerTexts()
  expect(entries.map((text) => text.replace(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^↕ ?D ?d\.example ?Moved, ?1st, was 4th$/),
    expect.stringMatching(
      /^~ ?A ?a\.example ?Title Agenda of Monday ?Tuesday ?Tags ?monday ?tuesday ?Open all now leaves it out ?Changed, ?2nd$/,
    ),
    expect.stringMatching(/^~ ?B ?https:\/\/b\.example\/old ?new ?Changed, ?3rd$/),
    expect.stringMatching(/^− ?C ?c\.example ?Removed, ?was 3rd$/),
    expect.stringMatching(/^\+ ?X ?münchen\.example \(xn--mnchen-3ya\.example\) ?Added, ?4th$/),
  ])
  expect(await page.locator('.entries del').allInnerTexts()).toEqual(['Monday', 'monday', 'old'])
  expect(await page.locator('.entries ins').allInnerTexts()).toEqual(['Tuesday', 'tuesday', 'new'])
  await becomes(() => focusedId(page), 'v3')

  await follow(page, 'Version 2')
  await page.locator('.diff').getByText('two').waitFor()
  await page.goBack()
  await page.getByText('1st, was 4th').waitFor()
  expect(whole).toEqual([])
  await page.reload()
  await page.getByText('1st, was 4th').waitFor()
})

test('any two versions are compared, whichever comes first', async () => {
  const slug = await makeHistory()
  const { page } = await open(`/dashboard/links/${slug}/versions`)
  expect(await page.locator('main input:visible').count()).toBe(0)
  await page.goto(`/dashboard/links/${slug}/versions?from=5&to=1`)
  await page.getByRole('heading', { name: 'Version 5 → version 1' }).waitFor()
  expect(await page.locator('.compared .diff').textContent()).toContain('Week')
  expect(await page.locator('.compared .removed .name').textContent()).toBe('Phones')
  await page.goto(`/dashboard/links/${slug}/versions?from=5&to=5`)
  await page.getByText('No differences.').waitFor()
  await follow(page, 'Close comparison')
  await page.waitForURL(/\/versions$/)
  expect(await page.locator('.compared').count()).toBe(0)
})

test('two dots are picked to compare, with the keyboard and without JavaScript, and a row restores on hover and focus', async () => {
  const slug = await makeHistory()
  for (const javaScriptEnabled of [true, false]) {
    const { page } = await open(`/dashboard/links/${slug}/versions`, owner, { javaScriptEnabled })
    await reach(page, 'Compare 2 with another')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Leave out 2' }).waitFor()
    await page.getByText('Choose another dot to compare').waitFor()
    if (javaScriptEnabled) await becomes(() => focusedId(page), 'dot-2')
    await follow(page, 'Compare 2 with 4')
    await page.getByRole('heading', { name: 'Version 2 → version 4' }).waitFor()
    expect(await page.locator('.picked h2').allInnerTexts()).toEqual(['Version 4', 'Version 2'])
    expect(await page.locator('.between h2').allInnerTexts()).toEqual(['Version 3'])
    await follow(page, 'Compare 1 with 4')
    await page.getByRole('heading', { name: 'Version 1 → version 4' }).waitFor()
    await follow(page, 'Leave out 1')
    await page.locator('.compared').waitFor({ state: 'detached' })
    const restore = page.locator('.bring-back', { hasText: 'Restore version 3' })
    const seen = () => restore.evaluate((form) => getComputedStyle(form).opacity)
    expect(await seen()).toBe('0')
    await restore.getByRole('button').focus()
    expect(await seen()).toBe('1')
  }
})

test('a version is restored as a new one, and the restore is undone', async () => {
  const slug = await makeHistory()
  const { page } = await open(`/dashboard/links/${slug}/versions?version=1`)
  await press(page, 'Restore version 1')
  await page.getByText('The earlier version is back · View version').first().waitFor()
  await page.getByRole('heading', { name: 'Version 6' }).waitFor()
  expect(await current(slug)).toBe('Week one')
  await press(page, 'Undo')
  await page.getByRole('heading', { name: 'Version 7' }).waitFor()
  expect(await current(slug)).toBe('Week two')
})

test('the slower of two people is told so and shown what the other saved, and nothing is lost', async () => {
  const slug = await makeHistory()
  const { page } = await open(`/dashboard/links/${slug}/versions?version=1`)
  await bea.api('PATCH', `/api/links/${slug}`, { title: 'Week three' })
  await press(page, 'Restore version 1')
  await page.getByRole('alert').getByText('Nothing was restored: version 6 was saved in the meantime.').waitFor()
  await becomes(() => focusedId(page), 'alert')
  expect(await page.locator('.diff').textContent()).toContain('three')
  expect(await current(slug)).toBe('Week three')
  await follow(page, 'Version 1')
  await press(page, 'Restore version 1')
  await page.getByText('The earlier version is back').first().waitFor()
  expect(await current(slug)).toBe('Week one')
})

test('an old version is opened and restored by keyboard alone', async () => {
  const slug = await makeHistory()
  const { page } = await open(`/dashboard/links/${slug}/versions`)
  await reach(page, 'Version 2')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Restore version 2' }).waitFor()
  await becomes(() => focusedText(page), 'Version 2')
  await reach(page, 'Restore version 2')
  await page.keyboard.press('Enter')
  await page.getByText('The earlier version is back').first().waitFor()
  await becomes(() => focusedId(page), 'main')
})

test('thousands of versions are read page by page, and no page is large', async () => {
  const { slug } = await owner.makeBundle({ ...ODD })
  await stage.server.sql(`
    WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
    INSERT INTO bundle_versions (bundle_id, version_number, urls, url_metadata, title, description, resolution_policy, edited_by, edited_at, bytes)
    SELECT bundle_id, n.n, urls, url_metadata, 'Title ' || n.n, description, resolution_policy, edited_by, edited_at, bytes
    FROM bundle_versions, n WHERE bundle_id = (SELECT id FROM bundles WHERE slug = '${slug}') AND version_number = 1`)
  await stage.server.sql(`UPDATE bundles SET version_number = 3000, title = 'Title 3000' WHERE slug = '${slug}'`)
  const { page } = await open(`/dashboard/links/${slug}/versions`)
  const weight = await weigh(page)
  expect(await page.locator('.step').count()).toBe(20)
  await page.getByText('3000 to 2981 of 3000').waitFor()
  await follow(page, 'Older')
  await page.getByText('2980 to 2961 of 3000').waitFor()
  expect(await page.locator('.step').count()).toBe(20)
  await follow(page, 'Version 2961')
  await page.locator('.diff').getByText('2961').waitFor()
  await page.getByText('2980 to 2961 of 3000').waitFor()
  await follow(page, 'Newer')
  await page.getByText('3000 to 2981 of 3000').waitFor()
  const pages = await weight.bytes()
  expect(pages).toBeGreaterThan(1000)
  expect(pages).toBeLessThanOrEqual(3 * LATER_PAGE)
  weight.reset()
  await page.goto(`/dashboard/links/${slug}/versions?version=1`)
  await page.getByText('1 to 1 of 3000').waitFor()
  expect(await weight.bytes()).toBeLessThanOrEqual(LATER_PAGE)
  await page.goto(`/dashboard/links/${slug}/versions`)
  await follow(page, 'Compare 2990 with another')
  await follow(page, 'Older')
  await page.getByText('2980 to 2961 of 3000').waitFor()
  await follow(page, 'Compare 2970 with 2990')
  await page.getByRole('heading', { name: 'Version 2970 → version 2990' }).waitFor()
})
