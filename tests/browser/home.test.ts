import { describe, expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
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

describe.each([
  ['with JavaScript', {}],
  ['without JavaScript', { javaScriptEnabled: false }],
] as [string, BrowserContextOptions][])('the home page %s', (_, options) => {
  test('makes a bundle of a mixed list, and gives its link, QR code and claim link with a warning', async () => {
    const page = await home(options)
    await send(page, { urls: MIXED, title: 'Team offsite' })
    expect(await page.textContent('h1')).toBe('Your link is ready.')
    const link = await page.getByLabel('Share this link').inputValue()
    expect(link).toStartWith(`${stage.server.origin}/l/`)
    expect(await page.getByAltText(`QR code of ${link}`).isVisible()).toBe(true)
    expect(await page.getByLabel('Claim link').inputValue()).toStartWith(`${stage.server.origin}/claim/`)
    expect(await page.textContent('.caution')).toContain('only this once')
    await page.goto(link)
    expect(await page.textContent('h1')).toBe('Team offsite')
    const shown = await page
      .locator('a.tab')
      .evaluateAll((tabs) =>
        (tabs as HTMLAnchorElement[]).map((tab) => [tab.href, tab.querySelector('.name')?.textContent ?? '']),
      )
    expect(shown).toEqual(READ)
  })

  test('puts each error beside its line, and keeps everything that was typed', async () => {
    const page = await home(options)
    await page.getByText('Add a description').click()
    await page.fill('#description', 'Two lines\nof it')
    const lines = ['https://example.com/agenda', 'ftp://files.example.com', 'not a link', 'Team | https://a.example']
    await send(page, { urls: lines.join('\n'), title: 'Team offsite' })
    const typed = await page
      .locator('.lines li input')
      .evaluateAll((all) => (all as HTMLInputElement[]).map((f) => f.value))
    expect(typed).toEqual(lines)
    const wrong = page.locator('.lines [aria-invalid]')
    expect(await wrong.evaluateAll((all) => (all as HTMLInputElement[]).map((f) => f.value))).toEqual(lines.slice(1, 3))
    for (const field of await wrong.all()) {
      const says = await page.textContent(`#${await field.getAttribute('aria-describedby')}`)
      expect(says).toContain('must be an http: or https: URL')
    }
    expect(await page.getByRole('alert').textContent()).toBe('2 lines need a change. Nothing is lost.')
    expect(await page.inputValue('#title')).toBe('Team offsite')
    expect(await page.inputValue('#description')).toBe('Two lines\nof it')
    expect(await page.isVisible('#description')).toBe(true)
  })

  test('takes the corrected lines', async () => {
    const page = await home(options)
    await send(page, { urls: 'https://example.com/agenda\nftp://files.example.com\nnot a link' })
    await page.getByLabel('Link 2').fill('https://files.example.com')
    await page.getByLabel('Link 3').fill('')
    await page.getByLabel('More links').fill('https://more.example.com')
    await send(page, {})
    await page.goto(await page.getByLabel('Share this link').inputValue())
    expect(await page.locator('a.tab').evaluateAll((tabs) => (tabs as HTMLAnchorElement[]).map((a) => a.href))).toEqual(
      ['https://example.com/agenda', 'https://files.example.com/', 'https://more.example.com/'],
    )
  })

  test('refuses a 26th link beside the list, and keeps the list', async () => {
    const page = await home(options)
    const urls = Array.from({ length: 26 }, (_, index) => `https://example.com/${index}`).join('\n')
    await send(page, { urls })
    expect(await page.inputValue('#urls')).toBe(urls)
    expect(await page.getAttribute('#urls', 'aria-invalid')).toBe('true')
    expect(await page.getByRole('alert').textContent()).toContain('It has 26.')
  })

  test('makes no second bundle when the result is loaded again', async () => {
    const page = await home(options)
    await send(page, { urls: 'https://example.com/agenda' })
    const link = await page.getByLabel('Share this link').inputValue()
    const claim = await page.getByLabel('Claim link').inputValue()
    await page.reload()
    expect(await page.getByLabel('Share this link').inputValue()).toBe(link)
    expect(await page.getByLabel('Claim link').inputValue()).toBe(claim)
  })
})

describe('the home page', () => {
  test('is ready to be typed in', async () => {
    const page = await home({})
    await becomes(() => focusedId(page), 'urls')
  })

  test('brings the first wrong field to whoever has to correct it', async () => {
    const page = await home({})
    await send(page, { urls: 'https://example.com\nnot a link\nnor this' })
    await becomes(() => focusedId(page), 'line-2')
    await page.goto('/')
    await send(page, { urls: 'https://example.com', title: 'T'.repeat(201) })
    await becomes(() => focusedId(page), 'title')
    expect(await page.inputValue('#urls')).toBe('https://example.com')
  })

  test('counts the lines, and says where there are too many', async () => {
    const page = await home({})
    expect(await page.textContent('#urls-count')).toBe('')
    await page.fill('#urls', 'https://a.example\n\n  \nhttps://b.example\n')
    expect(await page.textContent('#urls-count')).toBe('2 of 25')
    await page.fill('#urls', 'x\n'.repeat(25))
    expect(await page.locator('#urls-count.over').count()).toBe(0)
    await page.fill('#urls', 'x\n'.repeat(26))
    expect(await page.textContent('#urls-count.over')).toBe('26 of 25')
  })

  test('puts the link and the claim link on the clipboard', async () => {
    const page = await home({ permissions: ['clipboard-read', 'clipboard-write'] })
    await send(page, { urls: 'https://example.com' })
    for (const label of ['Share this link', 'Claim link, for you alone']) {
      const field = page.getByLabel(label)
      const button = page.locator('.copy-field', { has: field }).getByRole('button')
      await button.click()
      await button.getByText('Copied').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await field.inputValue())
    }
  })

  test('shows no copy button where there is no JavaScript to copy with', async () => {
    const page = await home({ javaScriptEnabled: false })
    await send(page, { urls: 'https://example.com' })
    expect(await page.locator('button:visible').count()).toBe(0)
  })
})

async function home(options: BrowserContextOptions): Promise<Page> {
  return (await stage.open('/', null, options)).page
}

async function send(page: Page, { urls, title }: { urls?: string; title?: string }): Promise<void> {
  if (urls !== undefined) await page.fill('#urls', urls)
  if (title !== undefined) await page.fill('#title', title)
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Get the link' }).click()])
}
