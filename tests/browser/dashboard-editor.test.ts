import { beforeAll, expect, test } from 'bun:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { becomes, eventually } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { ODD, ONBOARDING } from './bundles.ts'
import { axeViolations, overflowOf } from './flaws.ts'
import { expand, openMore, rowsOf as rows } from './links.ts'
import { setStage } from './stage.ts'
import { settled, shows } from './waiting.ts'
import { weigh } from './weight.ts'

const LATER_PAGE = 15_000

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

const open = (path: string, as = owner, options: BrowserContextOptions = {}) => stage.open(path, as, options)

interface Saved {
  slug: string
  title: string | null
  description: string | null
  urls: string[]
  urlMetadata: { note?: string; tags?: string[]; openPolicy?: string }[]
  resolutionPolicy: { rules: { id: string; name: string }[] } | null
  source: string
}

const saved = async (slug: string, person = owner) => (await person.api<Saved>('GET', `/api/links/${slug}`)).body
const slugOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''
const addresses = (page: Page) =>
  rows(page)
    .locator('[name=url]')
    .evaluateAll((all) => (all as HTMLInputElement[]).map(({ value }) => value))
const field = (page: Page, index: number, name: string) => rows(page).nth(index).locator(`[name=${name}]`)
const told = (page: Page, text: string) => shows(page, '#messages', text)
const hasFocus = (locator: Locator) =>
  becomes(() => locator.evaluate((element) => element === document.activeElement), true)

/** Presses a button of a link; without JavaScript that reloads the page. */
async function press(page: Page, index: number, name: string): Promise<void> {
  await rows(page).nth(index).getByRole('button', { name }).click()
  await settled(page)
}

/** Presses the form's submit button. */
async function send(page: Page, name: string): Promise<void> {
  await page.locator('.save-bar').getByRole('button', { name }).click()
  await settled(page)
}

/** Puts text on the clipboard and pastes it into the focused field. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((said) => {
    const data = new DataTransfer()
    data.setData('text/plain', said)
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    document.activeElement?.dispatchEvent(event)
  }, text)
}

test('on a desktop the error of an address appears next to it and moves no other row', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await open(`/dashboard/links/${slug}`)
  await expand(page, 1)
  const tops = () => rows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().top + scrollY))
  const before = await tops()
  await field(page, 1, 'url').fill('ftp://files.example/')
  await page.locator('.link-row .error').waitFor()
  expect(await tops()).toEqual(before)
  const isBeside = await page.evaluate(() => {
    const [field, error] = ['.url[aria-invalid]', '.url ~ .error'].map((found) =>
      (document.querySelector(found) as Element).getBoundingClientRect(),
    ) as [DOMRect, DOMRect]
    return error.left >= field.right && error.top >= field.top && error.bottom <= field.bottom
  })
  expect(isBeside).toBe(true)
  await field(page, 1, 'url').fill('https://files.example/')
  await page.locator('.link-row .error').waitFor({ state: 'detached' })
  expect(await tops()).toEqual(before)
})

test('a bundle is made, then its links are pasted, checked while typing, reordered by keyboard and by mouse, saved', async () => {
  const { page, complaints } = await open('/dashboard')
  await page.getByRole('link', { name: 'New bundle' }).first().click()
  await page.getByRole('heading', { name: 'New bundle' }).waitFor()
  await hasFocus(page.locator('#urls'))
  await page.fill('#urls', 'https://example.com/agenda')
  await page.fill('#title', 'Team offsite')
  await page.getByText('Choose its link').click()
  await page.getByLabel('Custom link').fill('Team Offsite')
  await page.getByRole('button', { name: 'Get the link' }).click()
  await page.locator('#slug-error').waitFor()
  await hasFocus(page.getByLabel('Custom link'))
  await page.getByLabel('Custom link').fill('team-offsite')
  await page.getByRole('button', { name: 'Get the link' }).click()
  await page.getByText('Bundle created.').first().waitFor()

  await page.getByRole('button', { name: 'Add a link' }).click()
  await field(page, 1, 'url').focus()
  await paste(page, '- [Board](https://board.example/)\nhttps://files.example\nexample.org')
  await page.getByRole('heading', { name: '4 links' }).waitFor()
  expect(await addresses(page)).toEqual([
    'https://example.com/agenda',
    'https://board.example/',
    'https://files.example',
    'https://example.org',
  ])
  expect(await field(page, 1, 'note').inputValue()).toBe('Board')
  await hasFocus(field(page, 3, 'url'))
  await expand(page, 0, 2)
  const wrong = field(page, 2, 'url')
  await wrong.fill('ftp://files.example/')
  await page.locator('.link-row .error').waitFor()
  expect(await wrong.getAttribute('aria-invalid')).toBe('true')
  await wrong.fill('https://files.example/')
  await page.locator('.link-row .error').waitFor({ state: 'detached' })
  await hasFocus(wrong)

  await field(page, 0, 'note').fill('What we do\nand when')
  await field(page, 0, 'tags').fill('read first, "a, b"')
  await openMore(rows(page).nth(2))
  await field(page, 2, 'openPolicy').selectOption('manual')
  await press(page, 2, 'Move up')
  await hasFocus(rows(page).nth(1).getByRole('button', { name: 'Move up' }))
  expect(await page.textContent('#live')).toBe('Link moved to 2 of 4')
  // By dragging: the last row to the top.
  const grip = rows(page).nth(3).locator('.grip')
  await grip.scrollIntoViewIfNeeded()
  const from = await grip.boundingBox()
  const to = await rows(page).nth(0).boundingBox()
  await page.mouse.move((from?.x ?? 0) + 8, (from?.y ?? 0) + 8)
  await page.mouse.down()
  await page.mouse.move((from?.x ?? 0) + 8, (to?.y ?? 0) + 2, { steps: 12 })
  await page.mouse.up()
  expect(await addresses(page)).toEqual([
    'https://example.org',
    'https://example.com/agenda',
    'https://files.example/',
    'https://board.example/',
  ])

  await press(page, 3, 'Remove')
  await page.getByRole('heading', { name: '3 links' }).waitFor()
  await hasFocus(page.getByRole('button', { name: 'Put back' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '4 links' }).waitFor()
  await press(page, 0, 'Remove')
  await page.getByRole('heading', { name: '3 links' }).waitFor()
  await send(page, 'Save')
  await told(page, 'Saved · View version')
  expect(slugOf(page)).toBe('team-offsite')
  expect(await saved('team-offsite')).toMatchObject({
    title: 'Team offsite',
    urls: ['https://example.com/agenda', 'https://files.example/', 'https://board.example/'],
    urlMetadata: [
      { note: 'What we do\nand when', tags: ['read first', 'a, b'] },
      { openPolicy: 'manual' },
      { note: 'Board' },
    ],
    source: 'web',
  })
  expect(complaints).toEqual([])
})

test('the whole form can be used by keyboard alone', async () => {
  const { slug } = await owner.makeBundle({ urls: ['https://zero.example/'] })
  const { page } = await open(`/dashboard/links/${slug}`)
  await page.getByRole('button', { name: 'Add a link' }).focus()
  await page.keyboard.press('Enter')
  await hasFocus(field(page, 1, 'url'))
  await page.keyboard.type('https://one.example/')
  await page.keyboard.press('Tab')
  await page.keyboard.type('First')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Start')
  await page.keyboard.press('Tab')
  await page.keyboard.type('a, b')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  for (const _ of ['Check the link', 'Move up', 'Move down', 'Remove', 'Add a link']) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await rows(page).nth(2).waitFor()
  await hasFocus(field(page, 2, 'url'))
  await page.keyboard.type('two.example')
  for (const _ of ['note', 'section', 'tags', 'More', 'up']) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await becomes(() => addresses(page), ['https://zero.example/', 'two.example', 'https://one.example/'])
  await field(page, 1, 'url').focus()
  await page.keyboard.press('Enter')
  await told(page, 'Saved · View version')
  expect(await saved(slug)).toMatchObject({
    urls: ['https://zero.example/', 'https://two.example', 'https://one.example/'],
    urlMetadata: [
      {},
      { section: 'Start' },
      { note: 'First', section: 'Start', tags: ['a', 'b'], openPolicy: 'manual' },
    ],
  })
})

test.each([true, false])(
  'links are added, moved, removed, and a bundle is saved, with JavaScript: %p',
  async (javaScriptEnabled) => {
    const { slug } = await owner.makeBundle({ ...ONBOARDING })
    const { page } = await open(`/dashboard/links/${slug}`, owner, { javaScriptEnabled })
    expect(await addresses(page)).toEqual(ONBOARDING.urls)
    await page.fill('#title', 'Typed and not saved yet')
    await press(page, 1, 'Move up')
    await press(page, 1, 'Move down')
    await press(page, 3, 'Remove')
    await page.getByRole('button', { name: 'Add a link' }).click()
    await rows(page).nth(6).waitFor()
    await settled(page)
    await field(page, 6, 'url').fill('Calendar | https://cal.example/')
    await page.getByText('Paste several').click()
    await page.getByLabel('Paste your links').fill('https://x.example/\nY | https://y.example/')
    await page.getByRole('button', { name: 'Add them' }).click()
    await rows(page).nth(8).waitFor()
    await settled(page)
    expect(await page.inputValue('#title')).toBe('Typed and not saved yet')
    await send(page, 'Save')
    await told(page, 'Saved · View version')
    const { title, urls, urlMetadata } = await saved(slug)
    const [one, two, three, , ...rest] = ONBOARDING.urls
    expect(title).toBe('Typed and not saved yet')
    expect(urls).toEqual([
      two!,
      three!,
      one!,
      ...rest,
      'https://cal.example/',
      'https://x.example/',
      'https://y.example/',
    ])
    expect(urlMetadata.map(({ note }) => note?.split('\n')[0] ?? null).slice(-4)).toEqual([
      'Choose your benefits by Friday',
      'Calendar',
      null,
      'Y',
    ])
  },
)

test('errors appear next to their fields, and everything typed is kept', async () => {
  const { slug } = await owner.makeBundle({ urls: ['https://a.example/'] })
  const { page } = await open(`/dashboard/links/${slug}`)
  await expand(page, 0)
  await page.fill('#title', 'T'.repeat(201))
  await page.fill('#description', '\nA description')
  await field(page, 0, 'url').fill('not a link')
  await field(page, 0, 'note').fill('\nNote & <b>')
  await field(page, 0, 'tags').fill(`${'t'.repeat(41)}, "x, y"`)
  await openMore(rows(page).nth(0))
  await field(page, 0, 'openPolicy').selectOption('manual')
  await send(page, 'Save')
  await page.getByText('This must be at most 200 characters.').waitFor()
  await page.getByText('This doesn’t look like a web address.').waitFor()
  await page.getByText('This must be at most 40 characters.').waitFor()
  expect(await page.inputValue('#title')).toBe('T'.repeat(201))
  expect(await page.inputValue('#description')).toBe('\nA description')
  expect(await field(page, 0, 'note').inputValue()).toBe('\nNote & <b>')
  expect(await field(page, 0, 'tags').inputValue()).toBe(`${'t'.repeat(41)}, "x, y"`)
  expect(await field(page, 0, 'openPolicy').inputValue()).toBe('manual')
  await hasFocus(page.locator('#title'))
})

test('a 26th link is counted and refused, and the list is kept', async () => {
  const list = Array.from({ length: 26 }, (__, index) => `https://a.example/${index}`)
  const { slug } = await owner.makeBundle({ urls: list.slice(0, 1) })
  const { page } = await open(`/dashboard/links/${slug}`)
  await page.getByText('Paste several').click()
  await page.getByLabel('Paste your links').fill(list.slice(1).join('\n'))
  await page.getByRole('button', { name: 'Add them' }).click()
  await page.getByRole('heading', { name: '26 links' }).waitFor()
  await settled(page)
  await send(page, 'Save')
  await page.getByText('That’s 26 links; the limit is 25. Remove 1.').waitFor()
  expect((await addresses(page)).filter((url) => url !== '')).toEqual(list)
})

test('a conflicting save shows both sides, and either can be kept', async () => {
  for (const choice of ['Save mine anyway', 'Take theirs']) {
    const { slug } = await owner.makeBundle({ ...ONBOARDING })
    const { page } = await open(`/dashboard/links/${slug}`)
    const theirs = `Theirs, before ${choice}`
    const before = await saved(slug)
    await owner.api('PATCH', `/api/links/${slug}`, {
      title: theirs,
      urls: [...before.urls, 'https://theirs.example/'],
    })
    await page.fill('#title', `Mine, before ${choice}`)
    await expand(page, 1)
    await field(page, 1, 'note').fill(`My own note, ${choice}`)
    await send(page, 'Save')
    const conflict = page.locator('.conflict')
    await conflict.waitFor()
    const sides = await conflict.textContent()
    for (const text of ['theirs.example', `My own note, ${choice}`, 'Theirs, before']) expect(sides).toContain(text)
    const added = conflict.locator('.added .address')
    expect(await added.evaluate((one) => getComputedStyle(one).backgroundColor)).not.toBe('rgba(0, 0, 0, 0)')
    expect(await page.inputValue('#title')).toBe(`Mine, before ${choice}`)
    expect(await field(page, 1, 'note').inputValue()).toBe(`My own note, ${choice}`)
    expect(await saved(slug)).toMatchObject({ title: theirs })
    if (choice === 'Take theirs') {
      await conflict.getByRole('link', { name: choice }).click()
      await conflict.waitFor({ state: 'detached' })
      expect(await page.inputValue('#title')).toBe(theirs)
      expect(await saved(slug)).toMatchObject({ title: theirs })
    } else {
      await conflict.getByRole('button', { name: choice }).click()
      await told(page, 'Saved · View version')
      expect(await saved(slug)).toMatchObject({ title: `Mine, before ${choice}`, urls: before.urls })
    }
  }
})

test('from a conflicting save, changes are taken one by one, and the rest stays as typed', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await open(`/dashboard/links/${slug}`)
  const [first = '', second = '', ...rest] = ONBOARDING.urls
  const [, ...notes] = ONBOARDING.urlMetadata ?? []
  await owner.api('PATCH', `/api/links/${slug}`, {
    title: 'Theirs',
    description: 'Theirs, too',
    urls: [second, 'https://added.example/', ...rest],
    urlMetadata: [{ note: 'Their note', tags: ['a, b'] }, {}, ...notes.slice(1)],
  })
  await page.fill('#description', 'Mine')
  await expand(page, 2)
  await field(page, 2, 'note').fill('My note')
  await send(page, 'Save')
  const offers = page.locator('.offers li .what')
  await page.locator('.offers').waitFor()
  expect(await offers.allTextContents()).toEqual(['Theirs', 'Theirs, too', first, second, 'https://added.example/'])
  for (const name of ['Take: Title, Theirs', `Take: Changed, ${second}`, 'Take: Added, https://added.example/']) {
    const button = page.getByRole('button', { name, exact: true })
    await button.click()
    await button.waitFor({ state: 'detached' })
    await settled(page)
  }
  expect(await offers.allTextContents()).toEqual(['Theirs, too', first])
  expect((await saved(slug)).description).toBe('Theirs, too')
  await send(page, 'Save mine anyway')
  await told(page, 'Saved · View version')
  const { title, description, urls, urlMetadata } = await saved(slug)
  expect([title, description]).toEqual(['Theirs', 'Mine'])
  expect(urls).toEqual([first, 'https://added.example/', second, ...rest])
  expect(urlMetadata.slice(2, 4)).toMatchObject([{ note: 'Their note', tags: ['a, b'] }, { note: 'My note' }])
})

test.each([true, false])(
  'a conflict offers loudly to keep both, which loses neither side; with JavaScript: %j',
  async (javaScriptEnabled) => {
    const { slug } = await owner.makeBundle({ ...ONBOARDING })
    const { page } = await open(`/dashboard/links/${slug}`, owner, { javaScriptEnabled })
    const [first = '', second = '', ...rest] = ONBOARDING.urls
    const [about = {}, ...notes] = ONBOARDING.urlMetadata ?? []
    await owner.api('PATCH', `/api/links/${slug}`, {
      title: 'Theirs',
      description: 'Theirs, too',
      urls: [first, ...rest, 'https://added.example/'],
      urlMetadata: [{ ...about, note: 'Their note' }, ...notes.slice(1), {}],
    })
    await page.fill('#description', 'Mine')
    await expand(page, 2)
    await field(page, 2, 'note').fill('My note')
    await send(page, 'Save')
    await page.locator('.conflict').waitFor()
    expect(await page.locator('.editor .primary').allTextContents()).toEqual(['Keep both'])
    // A key alone drops nobody's work either.
    if (javaScriptEnabled) {
      await page.keyboard.press('Control+s')
      await hasFocus(page.locator('.conflict'))
    }
    await page.getByRole('button', { name: 'Keep both' }).click()
    await page.getByRole('button', { name: 'Keep both' }).waitFor({ state: 'detached' })
    await settled(page)
    expect(await page.inputValue('#title')).toBe('Theirs')
    expect(await page.inputValue('#description')).toBe('Mine')
    // What both changed is left to decide, and nothing is saved so far.
    expect(await page.locator('.offers li .what').allTextContents()).toEqual(['Theirs, too'])
    expect(await page.locator('.editor .primary').count()).toBe(0)
    expect((await saved(slug)).description).toBe('Theirs, too')
    await page.getByRole('button', { name: 'Take: Description, Theirs, too' }).click()
    await page.locator('.offers').waitFor({ state: 'detached' })
    await settled(page)
    expect(await page.locator('.save-bar .primary').textContent()).toBe('Save')
    await page.fill('#description', 'Ours')
    await send(page, 'Save')
    await told(page, 'Saved · View version')
    const now = await saved(slug)
    expect([now.title, now.description]).toEqual(['Theirs', 'Ours'])
    expect(now.urls).toEqual([first, ...rest, 'https://added.example/'])
    expect(now.urls).not.toContain(second)
    expect([now.urlMetadata[0]?.note, now.urlMetadata[1]?.note]).toEqual(['Their note', 'My note'])
  },
)

test('a bundle is duplicated, rules included, and the copy is its own', async () => {
  const rule = {
    name: 'Phones',
    when: { op: 'equals', field: 'device', value: 'mobile' },
    tabs: [{ url: 'https://m.example/' }],
  }
  const { slug } = await owner.makeBundle({ ...ONBOARDING, resolutionPolicy: { version: 1, rules: [rule] } })
  const { page } = await open('/dashboard')
  await page.locator('.row').first().locator('summary').click()
  await page.getByRole('link', { name: 'Duplicate' }).first().click()
  await page.getByRole('heading', { name: 'Duplicate' }).waitFor()
  expect(await page.inputValue('#title')).toBe(`${ONBOARDING.title} (copy)`)
  await send(page, 'Create bundle')
  await told(page, 'Bundle created.')
  const [first, copy] = [await saved(slug), await saved(slugOf(page))]
  expect(copy).toMatchObject({ urls: first.urls, urlMetadata: first.urlMetadata, description: first.description })
  expect(copy.resolutionPolicy?.rules[0]).toMatchObject({ name: 'Phones', tabs: rule.tabs })
  expect(copy.resolutionPolicy?.rules[0]?.id).not.toBe(first.resolutionPolicy?.rules[0]?.id)
})

test('a bundle is deleted, and Undo brings it back', async () => {
  const { slug } = await owner.makeBundle({ title: 'Soon gone' })
  const { page } = await open(`/dashboard/links/${slug}`)
  await page.locator('.head .menu summary').click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await told(page, 'Bundle deleted.')
  expect((await fetch(`${stage.server.origin}/l/${slug}`)).status).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await told(page, 'Bundle restored')
  expect((await fetch(`${stage.server.origin}/l/${slug}`)).status).toBe(200)
})

test('the script warns before saving that the bundle has changed meanwhile', async () => {
  const { slug } = await owner.makeBundle({ title: 'First' })
  const { page } = await open(`/dashboard/links/${slug}`)
  await owner.api('PATCH', `/api/links/${slug}`, { title: 'Second' })
  await page.fill('#title', 'Third')
  await page.getByText('Someone saved this bundle in the meantime').waitFor()
})

test('unsaved changes are not lost by mistake: the browser asks before leaving, and not after a save', async () => {
  const { slug } = await owner.makeBundle({ title: 'Guarded' })
  const { page } = await open(`/dashboard/links/${slug}`)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await page.locator('#title').pressSequentially('!')
  await page.getByRole('link', { name: 'Team' }).click()
  await becomes(() => [asked, slugOf(page)], [['beforeunload'], slug])
  expect(await page.inputValue('#title')).toContain('!')
  await send(page, 'Save')
  await told(page, 'Saved · View version')
  await page.getByRole('link', { name: 'Team' }).click()
  await page.getByRole('heading', { name: 'Team' }).first().waitFor()
  expect(asked).toHaveLength(1)
})

test('if the server cannot be reached, everything stays as typed', async () => {
  const { slug } = await owner.makeBundle({ title: 'Offline' })
  const { page, context, complaints } = await open(`/dashboard/links/${slug}`)
  await page.fill('#title', 'Typed on a train')
  await page.getByRole('heading', { name: '2 links' }).waitFor()
  await context.setOffline(true)
  await send(page, 'Save')
  await shows(page, '.save-bar', 'The server could not be reached.')
  expect(await page.inputValue('#title')).toBe('Typed on a train')
  expect(complaints.splice(0)[0]).toContain('ERR_INTERNET_DISCONNECTED')
  await context.setOffline(false)
  await send(page, 'Save')
  await told(page, 'Saved · View version')
  expect((await saved(slug)).title).toBe('Typed on a train')
  // A check or a preview that was due meanwhile was not loaded either.
  expect(complaints.splice(0).filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
})

test('a text field that was made larger is saved without a complaint of the browser about its size', async () => {
  const { slug } = await owner.makeBundle()
  const { page, complaints } = await open(`/dashboard/links/${slug}`)
  await page.locator('#description').scrollIntoViewIfNeeded()
  const box = await page.locator('#description').boundingBox()
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) - 4, (box?.y ?? 0) + (box?.height ?? 0) - 4]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y + 40)
  await page.mouse.up()
  expect(await page.getAttribute('#description', 'style')).toContain('height')
  await page.fill('#description', 'In more lines')
  await send(page, 'Save')
  await told(page, 'Saved · View version')
  expect(complaints).toEqual([])
})

test('saving, also by keyboard, keeps the scroll position and says so once', async () => {
  const urls = Array.from({ length: 18 }, (_, n) => `https://s${n}.example/`)
  const { slug } = await owner.makeBundle({ title: 'Long', urls, urlMetadata: [] })
  const { page } = await open(`/dashboard/links/${slug}`)
  const unsaved = page.locator('.unsaved')
  expect(await unsaved.isVisible()).toBe(false)
  await expand(page, 17)
  await field(page, 17, 'note').fill('The last')
  await field(page, 17, 'note').scrollIntoViewIfNeeded()
  expect(await unsaved.isVisible()).toBe(true)
  const scrolled = () => page.evaluate(() => window.scrollY)
  const before = await scrolled()
  expect(before).toBeGreaterThan(300)
  await page.keyboard.press('Control+s')
  await page.locator('.flash').waitFor()
  await settled(page)
  expect(Math.abs((await scrolled()) - before)).toBeLessThan(60)
  expect(await page.locator('.flash').evaluate((flash) => flash.getBoundingClientRect().top < window.innerHeight)).toBe(
    true,
  )
  expect(await unsaved.isVisible()).toBe(false)
  expect((await saved(slug)).urlMetadata[17]?.note).toBe('The last')
  await becomes(() => new URL(page.url()).search, '')
  await page.reload()
  expect(await page.locator('.flash').count()).toBe(0)
})

test('a failed save is reported next to its button, and a refused one keeps removed rows restorable', async () => {
  const urls = Array.from({ length: 18 }, (_, n) => `https://s${n}.example/`)
  const { slug } = await owner.makeBundle({ title: 'Long', urls, urlMetadata: [] })
  const { page, context, complaints } = await open(`/dashboard/links/${slug}`)
  await press(page, 16, 'Remove')
  await expand(page, 16)
  await field(page, 16, 'url').fill('no address')
  await context.setOffline(true)
  await send(page, 'Save')
  const alert = page.locator('.save-bar [role=alert]')
  await alert.waitFor()
  expect(await alert.evaluate((told) => told.getBoundingClientRect().bottom <= window.innerHeight)).toBe(true)
  expect(complaints[0]).toContain('ERR_INTERNET_DISCONNECTED')
  await context.setOffline(false)
  await send(page, 'Save')
  await page.locator('[aria-invalid]').first().waitFor()
  await page.getByRole('button', { name: 'Put back' }).click()
  await becomes(() => addresses(page), [...urls.slice(0, 17), 'no address'])
  // Only what was sent while offline, and htmx's words for it.
  expect(complaints.splice(0).filter((text) => !/ERR_INTERNET_DISCONNECTED|Failed to fetch/.test(text))).toEqual([])
})

test('viewers see a bundle without any controls to change it', async () => {
  const [admin, viewer] = [await newPerson(stage.server), await newPerson(stage.server)]
  const { id } = await newOrganization(admin, [[viewer, 'viewer']])
  await actFor(admin, id)
  const { slug } = await admin.makeBundle({ ...ODD })
  const { page } = await open(`/dashboard/links/${slug}`, viewer)
  // Who may only see it may pin it.
  expect(await page.locator('main form:not(#pin)').count()).toBe(0)
  const text = ((await page.locator('main').textContent()) ?? '').replace(/\s+/g, ' ')
  expect(text).toContain('münchen.example (xn--mnchen-3ya.example)')
  expect(text).toContain('<script>alert(1)</script>')
  expect(await page.locator('.tag:visible', { hasText: 'Open manually' }).count()).toBeGreaterThan(0)
  const bare = await open(`/dashboard/links/${slug}`, viewer, {
    bypassCSP: true,
    reducedMotion: 'reduce',
    viewport: { width: 390, height: 844 },
  })
  for (const colorScheme of ['light', 'dark'] as const) {
    await bare.page.emulateMedia({ colorScheme })
    expect(await axeViolations(bare.page)).toEqual([])
  }
  expect(await overflowOf(bare.page)).toBe(0)
})

test('the longest possible bundle is typed and saved, in letters of three bytes each', async () => {
  const links = Array.from({ length: 25 }, (_, index) => `https://example.com/${index}/${'語'.repeat(2000)}`)
  for (const javaScriptEnabled of [true, false]) {
    const { slug } = await owner.makeBundle({ urls: links })
    const { page } = await open(`/dashboard/links/${slug}`, owner, { javaScriptEnabled })
    await page.fill('#title', 'Long')
    await send(page, 'Save')
    await told(page, 'Saved · View version')
    expect(await saved(slug)).toMatchObject({ title: 'Long', urls: links })
  }
})

test('the oddest bundle is edited and saved unchanged, on a phone', async () => {
  const { slug } = await owner.makeBundle({ ...ODD })
  const before = await saved(slug)
  const { page, complaints } = await open(`/dashboard/links/${slug}`, owner, {
    viewport: { width: 390, height: 844 },
  })
  expect(await overflowOf(page)).toBe(0)
  await expand(page, 1)
  expect(await page.getByText('leads to münchen.example (xn--mnchen-3ya.example)').isVisible()).toBe(true)
  await send(page, 'Save')
  await told(page, 'No changes to save')
  expect(await saved(slug)).toEqual(before)
  await page.fill('#description', '')
  await send(page, 'Save')
  await told(page, 'Saved · View version')
  const { urls, urlMetadata } = await saved(slug)
  expect(urls).toEqual(before.urls)
  const meant = (all: Saved['urlMetadata']) =>
    all.map(({ note = '', tags = [], openPolicy = 'auto' }) => ({ note, tags, openPolicy }))
  expect(meant(urlMetadata)).toEqual(meant(before.urlMetadata))
  expect(complaints).toEqual([])
})

test('the menu offers JSON, CSV, bookmarks and the QR code', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await open(`/dashboard/links/${slug}`)
  const files: [string, string][] = [
    ['Export as JSON', `${slug}.json`],
    ['Export as CSV', `${slug}.csv`],
    ['Export as bookmarks', `${slug}.html`],
    ['QR code', `${slug}.svg`],
  ]
  for (const [name, file] of files) {
    if (!(await page.getByRole('link', { name, exact: true }).isVisible()))
      await page.locator('.head .menu summary').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(file)
    const content = await Bun.file((await download.path()) ?? '').text()
    expect(content).toContain(file.endsWith('.svg') ? '<svg' : 'https://handbook.northwind.example/start-here')
  }
})

test('the QR code is given as SVG and as PNG', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await open(`/dashboard/links/${slug}`)
  await openMore(page.locator('.beside'))
  for (const [role, name, begins] of [
    ['link', 'SVG of the QR code', '<svg'],
    ['button', 'PNG of the QR code', '\x89PNG'],
  ] as const) {
    const button = page.getByRole(role, { name })
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
    expect(download.suggestedFilename()).toBe(`${slug}.${name.slice(0, 3).toLowerCase()}`)
    const bytes = await Bun.file((await download.path()) ?? '').bytes()
    expect(Buffer.from(bytes.slice(0, begins.length)).toString('latin1')).toBe(begins)
  }
})

test('a pause in typing leaves what is typed in every field, also where the server has nothing to say of it', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await open(`/dashboard/links/${slug}`)
  await openMore(page.locator('.beside'))
  await page.getByText('ID and metadata').click()
  await page.fill('#externalId', 'crm-1')
  const answer = page.waitForResponse((response) => response.url().endsWith(slug))
  await page.fill('#title', 'Typed')
  await answer
  await shows(page, '#unsaved', 'Title edited')
  expect(await page.locator('#externalId').inputValue()).toBe('crm-1')
})

test('saving transfers at most 15 KB, and a check at most 2', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  // Where the preview is out of sight; editor-preview.test.ts bounds its weight.
  const { page } = await open(`/dashboard/links/${slug}`, owner, { viewport: { width: 1100, height: 600 } })
  const weight = await weigh(page)
  await page.fill('#title', 'Lighter')
  await eventually(async () => (await weight.bytes()) > 0, 'what was typed is checked')
  expect(await weight.bytes()).toBeLessThan(2000)
  await send(page, 'Save')
  await told(page, 'Saved · View version')
  expect(await weight.bytes()).toBeLessThan(LATER_PAGE)
})

test('an error of a refused form stays: a pause in typing from before it changes nothing', async () => {
  const { slug } = await owner.makeBundle({ title: 'Guarded' })
  const { page } = await open(`/dashboard/links/${slug}`)
  await page.selectOption('select[name=access]', 'password')
  const saved = page.waitForResponse((answer) => answer.status() === 400)
  await page.locator('.save-bar').getByRole('button', { name: 'Save' }).click()
  await saved
  await shows(page, '#password-error', 'Choose a password.')
  // Longer than the pause.
  await page.waitForTimeout(1000)
  await settled(page)
  await shows(page, '#password-error', 'Choose a password.')
})
