import { describe, expect, test } from 'bun:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { focusedId } from './keyboard.ts'
import { setStage } from './stage.ts'

const MIXED = `
- https://example.com/agenda
2) Team notes | https://notes.example.com/week
[Design](https://design.example.com/board)
https://tab.example.com/1 | From OneTab
example.org/bare
* [ ] https://todo.example.com
`
const READ = [
  ['https://example.com/agenda', 'example.com'],
  ['https://notes.example.com/week', 'Team notes'],
  ['https://design.example.com/board', 'Design'],
  ['https://tab.example.com/1', 'From OneTab'],
  ['https://example.org/bare', 'example.org'],
  ['https://todo.example.com/', 'todo.example.com'],
]

const stage = setStage()

describe('the home page', () => {
  test('makes a bundle from a mixed list, and shows its link, QR code and claim link with a warning', async () => {
    const page = await home({})
    await send(page, { urls: MIXED, title: 'Team offsite' })
    expect(await page.textContent('h1')).toBe('Your link is ready.')
    const link = await sharedLink(page)
    expect(link).toStartWith(`${stage.server.origin}/l/`)
    expect(await page.getByAltText(`QR code of ${link}`).isVisible()).toBe(true)
    expect(await privateLink(page)).toStartWith(`${stage.server.origin}/claim/`)
    expect(await page.textContent('.keep')).toContain('This page is gone tomorrow.')
    await page.goto(link)
    expect(await page.textContent('h1')).toBe('Team offsite')
    const shown = await page
      .locator('a.tab')
      .evaluateAll((tabs) =>
        (tabs as HTMLAnchorElement[]).map((tab) => [tab.href, tab.querySelector('.name')?.textContent ?? '']),
      )
    expect(shown).toEqual(READ)
  })

  test('accepts any text with links in it, and says what it skipped', async () => {
    const page = await home({})
    const urls = 'Reading for Monday:\n(https://example.com/Foo_(bar)).\nftp://files.example.com\nnot a link'
    await send(page, { urls })
    expect(await page.textContent('.hero')).toContain('Reading for Monday')
    expect(await page.textContent('.hero .hint')).toBe('We left out 2 lines without a link.')
    await page.goto(await sharedLink(page))
    const tabs = page.locator('a.tab')
    expect(await tabs.evaluateAll((all) => (all as HTMLAnchorElement[]).map((a) => a.href))).toEqual([
      'https://example.com/Foo_(bar)',
    ])
  })

  test('offers two bundles for a list that is too long for one, and keeps the list', async () => {
    const page = await home({})
    const urls = Array.from({ length: 26 }, (_, index) => `https://example.com/${index}`).join('\n')
    await send(page, { urls })
    expect(await page.inputValue('#urls')).toBe(urls)
    expect(await page.getAttribute('#urls', 'aria-invalid')).toBe('true')
    expect(await page.getByRole('alert').textContent()).toBe('That’s 26 links; the limit is 25. Remove 1.')
    expect(await page.getByText('That’s 26 links').count()).toBe(1)
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name: 'Create 2 bundles instead' }).click(),
    ])
    expect(await page.locator('a.shared').count()).toBe(2)
  })

  test('comes back from the launcher to the result, with the claim link', async () => {
    const page = await home({})
    await send(page, { urls: 'https://example.com/agenda' })
    const claim = await privateLink(page)
    await page.goto(await sharedLink(page))
    await page.goBack()
    expect(await privateLink(page)).toBe(claim)
    const [launcher] = await Promise.all([page.context().waitForEvent('page'), page.getByText('Open the page').click()])
    await launcher.waitForLoadState()
    expect(await launcher.evaluate(() => [window.opener, document.referrer])).toEqual([null, ''])
    expect(page.url()).toContain('/made/')
  })

  test('makes no second bundle when the result is reloaded', async () => {
    const page = await home({})
    await send(page, { urls: 'https://example.com/agenda' })
    const link = await sharedLink(page)
    const claim = await privateLink(page)
    await page.reload()
    expect(await sharedLink(page)).toBe(link)
    expect(await privateLink(page)).toBe(claim)
  })

  test('is ready for typing', async () => {
    const page = await home({})
    await becomes(() => focusedId(page), 'urls')
  })

  test('focuses the first wrong field', async () => {
    const page = await home({})
    await send(page, { urls: 'no link in this' })
    await becomes(() => focusedId(page), 'urls')
    await page.goto('/')
    await send(page, { urls: 'https://example.com', title: 'T'.repeat(201) })
    await becomes(() => focusedId(page), 'title')
    expect(await page.inputValue('#urls')).toBe('https://example.com')
  })

  test('says what it finds while typing', async () => {
    const page = await home({})
    const found = () => page.locator('#found .found').textContent()
    await page.fill('#urls', '# Week 1\nhttps://a.example b.example\n\nnothing\nhttps://a.example/')
    await page.locator('#found .found').waitFor()
    expect(await found()).toBe('2 links found, 1 line without a link, 1 duplicate left out')
    expect(await page.inputValue('#title')).toBe('Week 1')
    await page.fill('#urls', 'https://a.example/?'.concat('\nhttps://a.example/1'))
    await page.locator('#found').getByText('2 links found', { exact: true }).waitFor()
    await page.fill('#urls', Array.from({ length: 26 }, (_, n) => `https://a.example/${n}`).join('\n'))
    await page.locator('#found').getByText('That’s 26 links; the limit is 25. Remove 1.').waitFor()
    await page.fill('#urls', '')
    await page.locator('#found .found').waitFor({ state: 'detached' })
  })

  test('offers sharing if the system supports it', async () => {
    const page = await home({})
    await page.addInitScript(() => {
      navigator.share = async (data) => void (document.title = JSON.stringify(data))
    })
    await send(page, { urls: 'https://example.com', title: 'Ours & "theirs"' })
    const url = await sharedLink(page)
    await page.getByRole('button', { name: 'Share' }).click()
    expect(JSON.parse(await page.title())).toEqual({ title: 'Ours & "theirs"', url })
  })

  test('copies the link and the claim link to the clipboard', async () => {
    const page = await home({ permissions: ['clipboard-read', 'clipboard-write'] })
    await send(page, { urls: 'https://example.com' })
    for (const [name, text] of [
      ['Copy', await sharedLink(page)],
      ['keep your private link', await privateLink(page)],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByText('Copied').first().waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text)
      await page.getByRole('button', { name, exact: true }).waitFor()
    }
  })

  test('shows no copy buttons without JavaScript', async () => {
    const page = await home({ javaScriptEnabled: false })
    await send(page, { urls: 'https://example.com' })
    expect(await page.locator('button:visible').count()).toBe(0)
  })
})

const hrefOf = (link: Locator) => link.evaluate((element) => (element as HTMLAnchorElement).href)
const sharedLink = (page: Page) => hrefOf(page.locator('a.shared'))
const privateLink = (page: Page) => hrefOf(page.getByRole('link', { name: 'save it to an account' }))

async function home(options: BrowserContextOptions): Promise<Page> {
  return (await stage.open('/', null, options)).page
}

async function send(page: Page, { urls, title }: { urls?: string; title?: string }): Promise<void> {
  if (urls !== undefined) await page.fill('#urls', urls)
  const isScripted = await page.evaluate(() => matchMedia('(scripting: enabled)').matches)
  if (isScripted) await page.locator('#found .found-head').waitFor()
  if (title !== undefined) await page.fill('#title', title)
  // Without the script, the first press shows the list.
  for (let presses = isScripted ? 1 : 2; presses > 0; presses -= 1)
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Get the link' }).click()])
}
