import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { startDestinations } from './destinations.ts'
import { focusedId, focusedText, reach } from './keyboard.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'
import { deskAt, sentAt } from './variables.ts'

// A launcher with variables by keyboard alone: no test here uses a mouse.

const stage = setStage()
let destinations: ReturnType<typeof startDestinations>
beforeEach(() => {
  destinations = startDestinations()
})
afterEach(() => destinations.stop())

async function visit(at = ''): Promise<{ page: Page; url: string }> {
  const { url } = await createBundle(stage.server.origin, deskAt(destinations.urls(3)))
  const context = await stage.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.goto(url + at)
  return { page, url }
}

const sent = (addresses: string[]) => becomes(() => destinations.addresses.toSorted(), addresses.toSorted())
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test('fields, the link with the values, and Open all are reached in their order, and do what they say', async () => {
  const { page, url } = await visit()
  expect(await focusedId(page)).toBe('value-customer')
  await page.keyboard.press('Enter')
  expect(await focusedId(page)).toBe('value-customer')
  const [error, hint] = (await page.getAttribute('#value-customer', 'aria-describedby'))?.split(' ') ?? []
  expect(await page.textContent(`#${error}`)).toBe('Fill this in first.')
  expect(hint).toBe('fills')
  await page.keyboard.type('4711')
  await page.keyboard.press('Tab')
  expect(await focusedId(page)).toBe('value-range')
  await page.keyboard.press('ArrowDown')
  expect(await page.inputValue('#value-range')).toBe('30d')
  await page.keyboard.press('Tab')
  expect(await focusedId(page)).toBe('copy-values')
  await page.keyboard.press('Enter')
  await becomes(() => page.textContent('#status'), 'The link is copied, with the values in it.')
  expect(await copied(page)).toBe(`${url}?customer=4711&range=30d`)
  await page.keyboard.press('Tab')
  expect(await focusedId(page)).toBe('open')
  await page.keyboard.press('Enter')
  await sent(sentAt('4711', '30d'))
  expect(await page.textContent('#status')).toBe('All 3 tabs are open.')
})

test('a value is changed from its chip, and Enter opens the tabs of the new one', async () => {
  const { page, url } = await visit('/4711')
  // Nothing takes the cursor where nothing lacks.
  expect(await focusedText(page)).not.toBe('4711')
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
  await page.keyboard.press('Tab')
  expect(await focusedText(page)).toBe('Customer number 4711')
  await page.keyboard.press('Tab')
  expect(await focusedText(page)).toBe('Range 7d')
  await page.keyboard.press('Tab')
  expect(await focusedId(page)).toBe('copy-values')
  await page.keyboard.press('Space')
  await becomes(() => page.textContent('#status'), 'The link is copied, with the values in it.')
  expect(await copied(page)).toBe(`${url}?customer=4711&range=7d`)
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  expect(await focusedId(page)).toBe('value-customer')
  // What was there is selected.
  await page.keyboard.type('5')
  await page.keyboard.press('Enter')
  await sent(sentAt('5'))
  await page.bringToFront()
  await reach(page, 'Copy links')
  await page.keyboard.press('Enter')
  await becomes(() => page.textContent('#status'), 'All 3 links are copied.')
  const [first = '', second = ''] = destinations.urls(2)
  expect((await copied(page)).split('\n').slice(0, 2)).toEqual([`${first}/5`, `${second}?customer=5&last=7d`])
})

test.each(['', '/4711', '?customer=..'])(
  'at %j, whatever has the focus shows it, in the order in which it is read',
  async (at) => {
    const { page } = await visit(at)
    const hasFocus = (await focusedId(page)) !== ''
    const count = await page
      .locator('a[href]:visible, button:visible, summary:visible, input:visible, select:visible')
      .count()
    let last = Number.NEGATIVE_INFINITY
    for (let stop = 0; stop < count; stop += 1) {
      if (stop > 0 || !hasFocus) await page.keyboard.press('Tab')
      const focused = await page.evaluate(() => {
        const at = document.activeElement as HTMLElement
        const { outlineStyle, outlineWidth } = getComputedStyle(at, at.matches('.tab') ? '::before' : null)
        return {
          name: at.id || at.className,
          outline: `${outlineStyle} ${outlineWidth}`,
          top: at.getBoundingClientRect().bottom + scrollY,
        }
      })
      expect(focused).toMatchObject({ outline: 'solid 2px' })
      expect([focused.name, focused.top > last - 60]).toEqual([focused.name, true])
      last = focused.top
    }
  },
)

test.each([
  ['a line break', 'a%0Ab'],
  ['a carriage return', 'a%0Db'],
  ['both', 'a%0D%0Ab'],
  ['a null character', 'a%00b'],
  ['a control character', 'a%01b'],
  ['a mark of direction', 'a%E2%80%AEb'],
])('a value with %s, which the field cannot show, is refused until it is written anew', async (_, value) => {
  const { page } = await visit(`?customer=${value}`)
  const says = () => page.locator('.ask .error').allTextContents()
  expect(await says()).toEqual(['Leave out line breaks and invisible characters.'])
  await page.focus('#open')
  await page.keyboard.press('Enter')
  expect(await says()).toEqual(['Leave out line breaks and invisible characters.'])
  expect(await focusedId(page)).toBe('value-customer')
  expect(page.context().pages()).toHaveLength(1)
  // As it looks, letter by letter: what cannot be seen is gone with what was selected.
  await page.keyboard.type('ab')
  await becomes(says, [])
  await page.keyboard.press('Enter')
  await sent(sentAt('ab'))
})
