import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { ONBOARDING, RULES } from './bundles.ts'
import { setStage } from './stage.ts'
import { shows } from './waiting.ts'

const stage = setStage()

/** Holds the saves of a page back until they are let go. */
async function holdSaves(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/dashboard/links/**', async (route) => {
    const isSave = route.request().method() === 'POST' && /save/.test(route.request().postData() ?? '')
    if (isSave) await promise
    await route.continue()
  })
  return resolve
}

/** Measures the time from the request to its sign. */
const WATCH = `{
  let sent = 0
  document.addEventListener('htmx:config:request', () => (sent ||= performance.now()))
  new MutationObserver(() => (globalThis.quiet ??= performance.now() - sent)).observe(document.body, {
    subtree: true,
    attributeFilter: ['aria-busy'],
  })
}`

const places = (page: Page) =>
  page
    .locator('.save-bar *, #policy .bar *')
    .evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect())))

test.each([
  ['the editor', ''],
  ['the rules', '/policy'],
])('a save of %s shows after 300 ms that it is on its way, and moves nothing', async (_, tab) => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ ...ONBOARDING, resolutionPolicy: RULES })
  const { page } = await stage.open(`/dashboard/links/${slug}${tab}`, owner)
  const busy = page.locator('button[aria-busy=true]')
  if (tab === '') await page.fill('#title', 'Slowly')
  else await page.click('#rules-1-up')
  await page.locator(tab === '' ? '#unsaved .changes:not(:empty)' : '#unsaved a').waitFor()
  const letGo = await holdSaves(page)
  const before = await places(page)
  await page.evaluate(WATCH)
  await page.keyboard.press('Control+s')
  await busy.waitFor()
  expect(await page.evaluate('globalThis.quiet')).toBeGreaterThan(290)
  expect(await places(page)).toEqual(before)
  expect(await busy.evaluate((button) => getComputedStyle(button, '::before').content)).not.toBe('none')
  expect(await page.locator('#live').textContent()).toBe('Saving…')
  letGo()
  await shows(page, '#messages', 'Saved · View version')
  await eventually(async () => (await busy.count()) === 0, 'the sign has gone')
})
