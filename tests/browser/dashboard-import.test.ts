import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { ONBOARDING } from './bundles.ts'
import { focusedId } from './keyboard.ts'
import { setStage } from './stage.ts'
import { follow, press, settled } from './waiting.ts'

const stage = setStage({ env: { SERVICE_PLAN_FREE_MAX_BUNDLES: '6' } })
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openall-import-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const open = (person: Person) => stage.open('/dashboard/links/import', person)

interface Saved {
  title: string | null
  urls: string[]
  urlMetadata: { note?: string; tags?: string[] }[]
  source: string
}

async function all(person: Person): Promise<Saved[]> {
  const { body } = await person.api<{ bundles: Saved[] }>('GET', '/api/me/links?sort=created')
  return body.bundles.toReversed()
}

const MARKDOWN = `# Week 1
- [Agenda](https://agenda.example/)
- https://board.example/
some words
javascript:alert(1)
https://board.example/

## Reading
${Array.from({ length: 30 }, (_, index) => `- https://read.example/${index}`).join('\n')}
`

describe('a pasted text', () => {
  test('a text is read, previewed, changed, and made into bundles', async () => {
    const person = await newPerson(stage.server)
    const { page } = await open(person)
    await page.getByLabel('Paste or upload').fill(MARKDOWN)
    await press(page, 'Preview')
    await page.locator('.plan').waitFor()
    expect(await page.locator('.summary').textContent()).toBe(
      'Read as Markdown: 3 bundles with 32 links. Nothing has been created yet. 3 lines left out.',
    )
    const left = await page.locator('#left-out tbody tr').allTextContents()
    expect(left).toEqual([
      '4some wordsIt has no link in it.',
      '5javascript:alert(1)It is a javascript: link: only http: and https: can be shared.',
      '6https://board.example/It has the same link as line 3.',
    ])
    expect(await all(person)).toEqual([])
    await page.getByLabel('Title of bundle 1').fill('First week')
    // Each folder is a line, which opens to its links.
    const first = page.locator('.plan > li').first()
    expect(await first.locator('[name=link]').nth(1).isVisible()).toBe(false)
    await first.getByText('2 links').click()
    await first.locator('[name=link]').nth(1).uncheck()
    await page.getByLabel('Create bundle 3').uncheck()
    await press(page, 'Create 2 bundles')
    await page.getByRole('heading', { name: '2 bundles created' }).waitFor()
    expect(await page.locator('.made .name').allTextContents()).toEqual(['First week', 'Reading (1 of 2)'])
    const made = await all(person)
    expect(made.map(({ title, urls, source }) => [title, urls.length, source])).toEqual([
      ['First week', 1, 'import'],
      ['Reading (1 of 2)', 25, 'import'],
    ])
    expect(made[0]?.urlMetadata).toEqual([{ note: 'Agenda' }])
    await follow(page, 'First week')
    await page.getByRole('heading', { name: 'First week' }).waitFor()
  })

  test.each([true, false])('none is selected, then all again; with JavaScript: %p', async (javaScriptEnabled) => {
    const person = await newPerson(stage.server)
    const { page } = await stage.open('/dashboard/links/import', person, { javaScriptEnabled })
    const ticks = () =>
      page.locator('[name=bundle]').evaluateAll((all) => (all as HTMLInputElement[]).map(({ checked }) => checked))
    await page.fill('#text', '# A\nhttps://a.example/\n# B\nhttps://b.example/\nhttps://c.example/')
    await press(page, 'Preview')
    await page.getByLabel('Title of bundle 2').fill('Mine')
    await press(page, 'Select none')
    await press(page, 'Select all')
    await press(page, 'Select none')
    await page.getByRole('button', { name: 'Select all' }).waitFor()
    expect([await ticks(), await page.inputValue('#title-1')]).toEqual([[false, false], 'Mine'])
    await page.getByLabel('Create bundle 2').check()
    await page.locator('.save-bar .primary').click()
    await page.getByRole('heading', { name: '1 bundle created' }).waitFor()
    expect((await all(person)).map(({ title, urls }) => [title, urls.length])).toEqual([['Mine', 2]])
  })

  test('one bundle with sections is offered for as many links as a bundle holds', async () => {
    const person = await newPerson(stage.server)
    const { page } = await open(person)
    const offered = async (links: number) => {
      const list = Array.from({ length: links }, (_, at) => `https://a.example/${at}`).join('\n')
      await page.goto(`${stage.server.origin}/dashboard/links/import`)
      await page.fill('#text', `# A\nhttps://b.example/\n# B\n${list}`)
      await press(page, 'Preview')
      await page.locator('.plan').waitFor()
      return page.getByRole('button', { name: 'Make one bundle with sections instead' }).count()
    }
    expect([await offered(24), await offered(25)]).toEqual([1, 0])
  })

  test('if the plan’s limit is reached, the page says which bundles were made, and the rest can be made later', async () => {
    const person = await newPerson(stage.server)
    for (let n = 1; n <= 4; n += 1) await person.makeBundle({ title: `Before ${n}` })
    const { page } = await open(person)
    await page.fill('#text', '# A\nhttps://a.example/\n# B\nhttps://b.example/\n# C\nhttps://c.example/')
    await press(page, 'Preview')
    await press(page, 'Create 3 bundles')
    await page.getByRole('heading', { name: '2 bundles created' }).waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('the Free plan’s limit of 6 bundles')
    expect(await page.getByLabel('Create bundle 3').isChecked()).toBe(true)
    expect(await page.getByLabel('Create bundle 1').isChecked()).toBe(false)
    expect((await all(person)).map(({ title }) => title).slice(4)).toEqual(['A', 'B'])
    const { body } = await person.api<{ bundles: { slug: string }[] }>('GET', '/api/me/links?sort=created')
    await person.api('DELETE', `/api/links/${body.bundles.at(-1)?.slug}`)
    await press(page, 'Create 1 bundle')
    await page.getByRole('heading', { name: '1 bundle created' }).waitFor()
    expect((await all(person)).map(({ title }) => title).slice(3)).toEqual(['A', 'B', 'C'])
  })

  test('a text without links is reported and kept; a title that is too long is reported next to it, and nothing is made', async () => {
    const person = await newPerson(stage.server)
    const { page } = await open(person)
    await page.fill('#text', 'no links\nat all')
    await press(page, 'Preview')
    await page.locator('#text-error').waitFor()
    expect(await page.inputValue('#text')).toBe('no links\nat all')
    expect(await page.locator('#left-out tbody tr').count()).toBe(2)
    await page.fill('#text', '# A\nhttps://a.example/\n# B\nhttps://b.example/')
    await press(page, 'Preview')
    await page.getByLabel('Title of bundle 2').fill('T'.repeat(201))
    await press(page, 'Create 2 bundles')
    await page.getByText('This must be at most 200 characters.').waitFor()
    expect(await page.getByLabel('Title of bundle 2').inputValue()).toBe('T'.repeat(201))
    expect(await all(person)).toEqual([])
  })
})

const ICON = `data:image/png;base64,${'iVBORw0KGgo'.repeat(400)}`

test('a bookmarks file with icons is chosen or dropped, and previewed at once', async () => {
  const person = await newPerson(stage.server)
  const items = Array.from({ length: 60 }, (_, index) =>
    `<DT><A HREF="https://a.example/${index}" ADD_DATE="1" ICON="${ICON}" TAGS="x,y">Page ${index}</A>`.padEnd(12_000),
  )
  const html = `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3 ADD_DATE="1">Work</H3>\n<DL><p>\n${items.join('\n')}\n</DL><p>\n</DL><p>\n`
  expect(html.length).toBeGreaterThan(512 * 1024)
  const file = join(folder, 'bookmarks.html')
  writeFileSync(file, html)
  const { page } = await open(person)
  await page.setInputFiles('#file', file)
  await page.getByText('From bookmarks.html.').waitFor()
  await page.getByText('Read as bookmarks: 3 bundles with 60 links.').waitFor()
  await follow(page, 'Start over')
  await page.fill('#text', 'https://typed.example/')
  const drop = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'dropped.html', { type: 'text/html' }))
    return data
  }, html)
  await page.dispatchEvent('#text', 'drop', { dataTransfer: drop })
  await page.getByText('From dropped.html.').waitFor()
  expect(await page.inputValue('#text')).not.toContain('base64')
  await page.getByText('Read as bookmarks: 3 bundles with 60 links.').waitFor()
  await press(page, 'Create 3 bundles')
  await page.getByRole('heading', { name: '3 bundles created' }).waitFor()
  const [first] = await all(person)
  expect(first).toMatchObject({ title: 'Work (1 of 3)' })
  expect(first?.urlMetadata[0]).toEqual({ note: 'Page 0', tags: ['x', 'y'] })
})

test('a file that is too long is reported before it is sent, and one without text by what it is; the field stays as it was', async () => {
  const { page } = await open(await newPerson(stage.server))
  const file = join(folder, 'long.txt')
  writeFileSync(file, 'https://example.com/a/long/path\n'.repeat(170_000))
  await page.fill('#text', 'https://kept.example/')
  await page.setInputFiles('#file', file)
  await page.getByText('long.txt is too long to read at once (5.2 MiB; the limit is 5 MiB)').waitFor()
  expect(await page.inputValue('#text')).toBe('https://kept.example/')
  const sheet = join(folder, 'plan.xlsx')
  writeFileSync(sheet, 'PK\x03\x04 xl/workbook.xml')
  await page.setInputFiles('#file', sheet)
  await page.locator('#text-error').getByText('save a spreadsheet as CSV').waitFor()
  expect(await page.inputValue('#text')).toBe('https://kept.example/')
})

test('what takes longer than a second is said', async () => {
  const person = await newPerson(stage.server)
  const { page } = await open(person)
  let { promise, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/dashboard/links/import', async (route) => {
    if (route.request().method() === 'POST') await promise
    await route.continue()
  })
  await page.fill('#text', '# A\nhttps://a.example/\n# B\nhttps://b.example/')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('#working').getByText('Reading the text…').waitFor()
  answer()
  await page.locator('.plan').waitFor()
  await settled(page)
  ;({ promise, resolve: answer } = Promise.withResolvers<void>())
  await page.getByRole('button', { name: 'Create 2 bundles' }).first().click()
  await page.locator('#working').getByText('Creating 2 bundles…').waitFor()
  answer()
  await page.getByRole('heading', { name: '2 bundles created' }).waitFor()
})

test('an export is imported completely: URLs, notes, tags', async () => {
  const person = await newPerson(stage.server)
  const { slug } = await person.makeBundle({ ...ONBOARDING })
  for (const extension of ['csv', 'html']) {
    const file = await (await person.fetch(`/dashboard/links/${slug}/export.${extension}`)).text()
    const { page } = await open(person)
    await page.fill('#text', file)
    await press(page, 'Preview')
    await press(page, 'Create 1 bundle')
    await page.getByRole('heading', { name: '1 bundle created' }).waitFor()
    const made = (await all(person)).at(-1)
    expect(made?.urls).toEqual(ONBOARDING.urls)
    expect(made?.urlMetadata).toEqual(ONBOARDING.urlMetadata ?? [])
  }
})

test('the import can be used by keyboard alone', async () => {
  const person = await newPerson(stage.server)
  const { page } = await open(person)
  await page.getByLabel('Paste or upload').focus()
  await page.keyboard.type('https://a.example/')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('.plan').waitFor()
  await settled(page)
  await becomes(() => focusedId(page), 'main')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '1 bundle created' }).waitFor()
  expect((await all(person)).map(({ title }) => title)).toEqual(['By keyboard'])
})
