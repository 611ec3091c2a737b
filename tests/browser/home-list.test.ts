import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { axeViolations, overflowOf } from './flaws.ts'
import { focusedId } from './keyboard.ts'
import { setStage } from './stage.ts'

// What is pasted on the home page turns into rows as it arrives.

const stage = setStage()

const CHAT = `Hi all, reading for Monday:
[10:02] Dana Reyes: morning! agenda is here https://a.example/agenda, please read
[10:03] Sam: https://b.example/board
[10:05] Dana Reyes: design files: https://c.example/d
[10:06] Sam: https://a.example/agenda`

const home = async (options = {}) => (await stage.open('/', null, options)).page

/** Pastes like a person: the text arrives in the field that has the focus, all at once. */
async function paste(page: Page, text: string): Promise<void> {
  await page.focus('#urls')
  await page.evaluate((pasted) => document.execCommand('insertText', false, pasted), text)
}

const CLIPBOARD = ['clipboard-read', 'clipboard-write']
const titles = (page: Page) =>
  page
    .locator('.found-row [name=note]:visible')
    .evaluateAll((all) => (all as HTMLInputElement[]).map(({ value }) => value))
const titleOf = (page: Page, number: number) => page.getByLabel(`Title of link ${number}`, { exact: true })
const told = (page: Page, text: string) => becomes(() => page.textContent('#live'), text)
const getTheLink = (page: Page) =>
  Promise.all([page.waitForURL('**/made/*'), page.getByRole('button', { name: 'Get the link' }).click()])

async function tabsOf(page: Page) {
  await page.goto((await page.locator('a.shared').getAttribute('href')) ?? '')
  return page
    .locator('a.tab')
    .evaluateAll((tabs) =>
      (tabs as HTMLAnchorElement[]).map((tab) => [tab.href, tab.querySelector('.name')?.textContent ?? '']),
    )
}

test('a pasted chat becomes rows that are counted, announced, changed and published', async () => {
  const page = await home()
  await paste(page, CHAT)
  await told(page, '3 links found, 1 duplicate left out')
  expect(await focusedId(page)).toBe('urls')
  expect(await titles(page)).toEqual(['Agenda', '', 'Design files'])
  expect(await page.inputValue('#title')).toBe('Reading for Monday')
  expect(await page.textContent('#gauge .count-of')).toBe('3 / 25')
  expect(await page.locator('.builder .stub:not(.none)').count()).toBe(3)
  await titleOf(page, 2).fill('Board')
  await page.fill('#title', 'Our week')
  await page.getByRole('button', { name: 'Remove Agenda' }).click()
  await told(page, '3 links found, 1 removed, 1 duplicate left out')
  expect(await page.textContent('#gauge .count-of')).toBe('2 / 25')
  // Where it was, it can be put back.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Put back Agenda')
  await page.keyboard.press('Enter')
  await told(page, '3 links found, 1 duplicate left out')
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('Agenda')
  await page.getByRole('button', { name: 'Remove Design files' }).click()
  await told(page, '3 links found, 1 removed, 1 duplicate left out')
  await getTheLink(page)
  expect(await page.textContent('.hero')).toContain('Our week')
  expect(await tabsOf(page)).toEqual([
    ['https://a.example/agenda', 'Agenda'],
    ['https://b.example/board', 'Board'],
  ])
})

/** Text of many links, with headings between them. */
const LONG = `Coral reefs\n\n${[1, 2, 3].map((week) => `Week ${week}\n${[1, 2, 3, 4].map((at) => `https://a.example/${week}/${at}`).join('\n')}`).join('\n\n')}`

test.each([
  [1280, 'light'],
  [390, 'dark'],
] as const)(
  'a pasted text folds into one line, the rows stay, and the button stays in view, at %p px, %s',
  async (width, colorScheme) => {
    const page = await home({ viewport: { width, height: 700 }, colorScheme, permissions: CLIPBOARD, bypassCSP: true })
    const send = page.getByRole('button', { name: 'Get the link' })
    const isInView = () => send.evaluate((button) => button.getBoundingClientRect().bottom <= innerHeight)
    const field = page.locator('#urls')
    expect([await page.locator('#title').isVisible(), await page.getByText('Add a description').isVisible()]).toEqual([
      false,
      false,
    ])
    const pasted = async (text: string) => {
      await page.evaluate((text) => navigator.clipboard.writeText(text), text)
      await page.keyboard.press('Control+V')
    }
    await field.focus()
    await pasted(LONG)
    const line = page.locator('#found .found-line')
    const says = async () => (await line.innerText()).replace(/\s+/g, ' ')
    await becomes(says, '12 links found Show the text')
    expect([await field.isVisible(), await focusedId(page), await page.locator('.found-row').count()]).toEqual([
      false,
      'unfold',
      12,
    ])
    expect(await page.inputValue('#title')).toBe('Coral reefs')
    expect(await page.locator('.found-part h3').allInnerTexts()).toEqual(['Week 1', 'Week 2', 'Week 3'])
    expect([await page.getByText('Add a description').isVisible(), await isInView()]).toEqual([true, true])
    for (const at of [5, 11]) {
      await page.locator('.found-row').nth(at).scrollIntoViewIfNeeded()
      expect(await isInView()).toBe(true)
    }
    expect([await overflowOf(page), await axeViolations(page)]).toEqual([0, []])
    // A second paste adds to the first.
    await page.locator('#unfold').focus()
    await pasted('Later https://b.example/')
    await becomes(says, '13 links found Show the text')
    expect(await field.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Show the text' }).press('Enter')
    expect([await field.isVisible(), await focusedId(page)]).toEqual([true, 'urls'])
    expect(await field.inputValue()).toBe(`${LONG}\nLater https://b.example/`)
    await page.getByRole('button', { name: 'Hide the text' }).click()
    expect(await field.isVisible()).toBe(false)
    await getTheLink(page)
    expect((await tabsOf(page)).length).toBe(13)
  },
)

test('on a phone, the button stays above the on-screen keyboard, and a title that is typed above the button', async () => {
  const page = await home({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await paste(page, LONG)
  await titleOf(page, 12).waitFor()
  const bottoms = () =>
    page.evaluate(() =>
      [document.activeElement, document.querySelector('.send .primary'), document.querySelector('.send')].map((one) => {
        const { top, bottom } = (one as Element).getBoundingClientRect()
        return one?.matches('.send') ? top : bottom
      }),
    )
  const isAbove = async (keyboard: number) => {
    const [title, button, bar] = (await bottoms()) as [number, number, number]
    return title <= bar && button <= keyboard
  }
  // Browsers that know it make the page smaller.
  expect(await page.getAttribute('meta[name=viewport]', 'content')).toContain('interactive-widget=resizes-content')
  await titleOf(page, 9).tap()
  await page.setViewportSize({ width: 390, height: 440 })
  await titleOf(page, 10).focus()
  await becomes(() => isAbove(440), true)
  // Others draw the keyboard over it.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.evaluate(() => {
    Object.defineProperty(visualViewport, 'height', { value: 440 })
    visualViewport?.dispatchEvent(new Event('resize'))
  })
  await titleOf(page, 12).focus()
  await becomes(() => isAbove(440), true)
})

test('typing folds nothing, and undoing a paste takes it back', async () => {
  const page = await home({ permissions: CLIPBOARD })
  await page.focus('#urls')
  await page.keyboard.type('https://a.example/ ')
  await page.locator('.found-row').waitFor()
  expect([await page.locator('#urls').isVisible(), await page.locator('#unfold').isVisible()]).toEqual([true, false])
  await page.evaluate(() => navigator.clipboard.writeText('https://b.example/'))
  await page.keyboard.press('Control+V')
  await page.getByRole('button', { name: 'Show the text' }).waitFor()
  await page.keyboard.press('Control+Z')
  await becomes(() => page.inputValue('#urls'), 'https://a.example/ ')
  expect(await focusedId(page)).toBe('urls')
  await becomes(() => titles(page).then(({ length }) => length), 1)
})

test('an example fills the field like a paste, and without a script by its address', async () => {
  const page = await home()
  await page.getByRole('link', { name: 'Incident' }).click()
  await becomes(() => titles(page), ['Dashboards', 'Last deploys', 'Runbook', 'Status page'])
  expect(await focusedId(page)).toBe('unfold')
  expect(await page.inputValue('#title')).toBe('Incident in {service}')
  expect(await page.locator('.tries span').isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Show the text' }).click()
  await page.fill('#urls', '')
  await page.locator('.tries span').waitFor()
  const plain = await home({ javaScriptEnabled: false })
  await plain.getByRole('link', { name: 'Reading list' }).click()
  expect(await plain.inputValue('#urls')).toStartWith('Coral reefs, week six:\nHow reefs remember https://')
  await plain.getByRole('button', { name: 'Get the link' }).click()
  expect(await titles(plain)).toEqual(['How reefs remember', 'The bleaching atlas', 'Hand in by Friday'])
})

test('typing on keeps what was changed in rows whose links are still there', async () => {
  const page = await home()
  await paste(page, CHAT)
  await titleOf(page, 2).fill('Board')
  await page.focus('#urls')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('\nhttps://d.example/')
  await becomes(() => titles(page), ['Agenda', 'Board', 'Design files', ''])
  await page.fill('#urls', CHAT.replace('agenda is here', 'minutes:').replace('Monday', 'Tuesday'))
  await becomes(() => titles(page), ['Minutes', 'Board', 'Design files'])
  expect(await page.inputValue('#title')).toBe('Reading for Tuesday')
  await page.fill('#urls', '')
  await page.locator('.found-row').first().waitFor({ state: 'detached' })
  expect([await page.inputValue('#title'), await page.textContent('#gauge .count-of')]).toEqual(['', '0 / 25'])
})

test('what is typed into a row while the text is being read is not lost, nor is the place in it', async () => {
  const page = await home()
  await paste(page, CHAT)
  await titleOf(page, 2).waitFor()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const asked = page.waitForRequest('**/found')
  await page.route('**/found', async (route) => {
    await held
    await route.continue()
  })
  await page.fill('#urls', `${CHAT}\nhttps://d.example/`)
  await asked
  await titleOf(page, 2).click()
  await page.keyboard.type('Bord')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  release()
  await titleOf(page, 4).waitFor()
  await page.keyboard.type('a')
  expect(await titles(page)).toEqual(['Agenda', 'Board', 'Design files', ''])
})

test('26 links are said to be one too many, until one is removed', async () => {
  const page = await home()
  await paste(page, Array.from({ length: 26 }, (_, n) => `https://a.example/${n}`).join('\n'))
  await told(page, '26 links found. That’s 26 links; the limit is 25. Remove 1.')
  expect(await page.getByRole('button', { name: 'Create 2 bundles instead' }).isVisible()).toBe(true)
  await page.locator('.remove').nth(25).click()
  await told(page, '26 links found, 1 removed')
  expect(await page.textContent('#gauge .count-of')).toBe('25 / 25')
  await getTheLink(page)
  expect((await tabsOf(page)).length).toBe(25)
})

test('where the list cannot be had, the form does the same, and nothing unseen is published', async () => {
  const page = await home()
  await paste(page, CHAT)
  await titleOf(page, 2).fill('Board')
  await page.route('**/found', (route) => route.fulfill({ status: 429, body: '' }))
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Remove Agenda' }).click()])
  await page.getByText('3 links found, 1 removed').waitFor()
  expect(await titles(page)).toEqual(['Board', 'Design files'])
  await page.fill('#urls', `${CHAT}\nhttps://d.example/`)
  const publish = page.getByRole('button', { name: 'Get the link' })
  await Promise.all([page.waitForEvent('load'), publish.click()])
  await page.getByText('Nothing is published yet').waitFor()
  expect(await titles(page)).toEqual(['Board', 'Design files', ''])
  await getTheLink(page)
})

test('without JavaScript the list is a second step, at which the page begins', async () => {
  const page = await home({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
  await page.fill('#urls', CHAT)
  const press = (name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()])
  await press('Get the link')
  const box = await page.locator('.found-head').boundingBox()
  expect(box!.y).toBeLessThan(844 - 100)
  await titleOf(page, 2).fill('Board')
  await press('Remove Agenda')
  await press('Get the link')
  expect(await tabsOf(page)).toEqual([
    ['https://b.example/board', 'Board'],
    ['https://c.example/d', 'Design files'],
  ])
})

test('Enter in a row or in the title publishes, and removes nothing', async () => {
  const page = await home()
  await paste(page, CHAT)
  await titleOf(page, 1).click()
  await Promise.all([page.waitForURL('**/made/*'), page.keyboard.press('Enter')])
  expect((await tabsOf(page)).length).toBe(3)
})

test.each([390, 1280])(
  'at %i pixels, light and dark, nobody is kept from the list, by keys alone too',
  async (width) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await home({ viewport: { width, height: 844 }, colorScheme, bypassCSP: true })
      await paste(page, CHAT)
      await page.getByRole('button', { name: 'Remove Agenda' }).focus()
      await page.keyboard.press('Space')
      await page.getByRole('button', { name: 'Put back Agenda' }).waitFor()
      expect([await axeViolations(page), await overflowOf(page)]).toEqual([[], 0])
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('note')
    }
  },
)

test('the text that a browser brings back with a page is listed again', async () => {
  const page = await home()
  await paste(page, CHAT)
  await titleOf(page, 3).waitFor()
  await page.goto('/privacy')
  await page.goBack()
  await becomes(() => page.inputValue('#urls'), CHAT)
  await becomes(() => titles(page), ['Agenda', '', 'Design files'])
})

test('an error stays until the text is mended', async () => {
  const page = await home()
  await paste(page, 'nothing to open')
  await told(page, '0 links found, 1 line without a link')
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Get the link' }).click()])
  const alert = page.getByRole('alert')
  expect(await alert.textContent()).toContain('We found no links in this.')
  await becomes(() => focusedId(page), 'urls')
  await page.fill('#urls', 'Nothing to open: https://a.example/')
  await alert.waitFor({ state: 'detached' })
  expect([await page.getAttribute('#urls', 'aria-invalid'), await titles(page)]).toEqual([null, ['Nothing to open']])
})
