import { beforeAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { setStage } from './stage.ts'

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
  for (let n = 1; n <= 4; n += 1) await owner.makeBundle({ title: `Reading list ${n}` })
})

test('several bundles are selected, tagged, exported, deleted and restored', async () => {
  const { page } = await stage.open('/dashboard?sort=created', owner)
  const [bar, names] = [page.locator('#bulk'), page.locator('.row .name')]
  expect(await bar.isVisible()).toBe(false)
  const choose = async () => {
    for (const n of [1, 3]) await page.getByRole('checkbox', { name: `Select Reading list ${n}` }).check()
  }
  await choose()
  const tag = 'chosen'
  await page.getByLabel('Tag for every link').fill(tag)
  await page.keyboard.press('Enter')
  await page.getByText('Tag added to every link').waitFor()
  await page.getByRole('link', { name: tag, exact: true }).first().click()
  await page.locator('.pager').getByText('2 bundles').waitFor()
  expect(await names.allTextContents()).toEqual(['Reading list 3', 'Reading list 1'])

  await choose()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('button', { name: 'Export' }).click(),
  ])
  const { bundles } = JSON.parse(await readFile(await download.path(), 'utf8')) as { bundles: { title: string }[] }
  expect(bundles.map(({ title }) => title)).toEqual(['Reading list 3', 'Reading list 1'])

  await bar.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Selected bundles deleted').first().waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Selected bundles restored').first().waitFor()
  await page.locator('.pager').getByText('4 bundles').waitFor()
})

test('the first selection brings the bar, whose checkbox selects all, with the keyboard alone', async () => {
  const { page } = await stage.open('/dashboard', owner)
  const [all, chosen] = [page.getByRole('checkbox', { name: 'Select all' }), page.locator('#chosen')]
  expect(await all.isVisible()).toBe(false)
  await page.getByRole('checkbox', { name: 'Select Reading list 4' }).focus()
  await page.keyboard.press('Space')
  await chosen.getByText('1 selected').waitFor()
  await all.focus()
  await page.keyboard.press('Space')
  await chosen.getByText('4 selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select Reading list 2' }).uncheck()
  await chosen.getByText('3 selected').waitFor()
  expect(await all.evaluate((box: HTMLInputElement) => [box.checked, box.indeterminate])).toEqual([false, true])
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.locator('#bulk').waitFor({ state: 'hidden' })
  expect(await page.locator('#list :checked').count()).toBe(0)
})

test('a browser remembers the last sort order', async () => {
  const { page } = await stage.open('/dashboard', owner)
  const remembered = page.waitForResponse((answer) => answer.url().endsWith('/dashboard/sort'))
  await page.selectOption('#sort', 'title')
  await remembered
  await page.goto('/dashboard')
  expect(await page.inputValue('#sort')).toBe('title')
  expect((await page.locator('.row .name').allTextContents())[0]).toBe('Reading list 1')
})

test('a menu without room below its button opens above it', async () => {
  const { page } = await stage.open('/dashboard', owner, { viewport: { width: 1280, height: 460 } })
  const menu = page.locator('.row .menu').last()
  const opensAt = async (block: 'start' | 'end') => {
    await menu.evaluate((node, block) => node.scrollIntoView({ block }), block)
    await menu.locator('summary').click()
    return () =>
      menu.evaluate((node) => {
        const [items, button] = [node.querySelector('.pop'), node.querySelector('summary')]
        const { top = 0, bottom = 0 } = items?.getBoundingClientRect() ?? {}
        return [top < (button?.getBoundingClientRect().top ?? 0) ? 'above' : 'below', bottom <= window.innerHeight]
      })
  }
  await becomes(await opensAt('end'), ['above', true])
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 900 })
  await becomes(await opensAt('start'), ['below', true])
})
