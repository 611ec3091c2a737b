import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ONBOARDING } from '../browser/bundles.ts'
import { makeBroken } from '../browser/past.ts'
import { prepareWorld, scenes, type World } from '../browser/scenes.ts'
import { setStage } from '../browser/stage.ts'
import { press, shows } from '../browser/waiting.ts'
import { becomes } from '../eventually.ts'
import { type Person, signUp } from '../people.ts'

// A page shows one notice at a time.

const stage = setStage({ env: { SERVICE_PLAN_FREE_MAX_HISTORY_MB: '100' } })
let world: World
beforeAll(async () => {
  world = await prepareWorld(stage.server)
})

/** The notices in sight: messages, errors of a whole form, conflicts, offers, warnings and banners. */
const noticesOf = (page: Page): Promise<string[]> =>
  page
    .locator('.alert, .flash, .confirm, .kept, .card.conflict, .health')
    .evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility())
        .map((one) => one.textContent.trim().replaceAll(/\s+/g, ' ').slice(0, 60)),
    )

const PUBLIC = /^(launcher|variables|home|docs|guide|privacy|report|copy|locked|unlocked|result|missing)/
const NAMES = Object.keys(scenes).filter((name) => !PUBLIC.test(name)) as (keyof typeof scenes)[]

test.each(NAMES)('the page %s shows at most one notice', async (name) => {
  const { page, complaints } = await stage.open('/healthz', null, { viewport: { width: 1280, height: 860 } })
  await scenes[name](page, world)
  const found = await noticesOf(page)
  expect(found.length > 1 ? found : []).toEqual([])
  complaints.length = 0
})

/** Somebody who has not confirmed their address, with nearly no room for versions, and a bundle with broken links. */
async function troubled(): Promise<{ person: Person; slug: string }> {
  const person = await signUp(stage.server, `${crypto.randomUUID()}@northwind.example`)
  const { slug } = await person.makeBundle({ ...ONBOARDING })
  await makeBroken(stage.server, slug, ONBOARDING.urls)
  await stage.server.sql('UPDATE owners SET history_bytes = ? WHERE user_id = ?', [95 * 1024 * 1024, person.userId])
  return { person, slug }
}

test('the editor shows the notice that matters most in each of its states, and no other', async () => {
  const { person, slug } = await troubled()
  const path = `/dashboard/links/${slug}`
  const { page, context, complaints } = await stage.open(path, person, { viewport: { width: 1280, height: 860 } })
  const only = (text: string) => becomes(async () => (await noticesOf(page)).map((one) => one.startsWith(text)), [true])
  await only('You’ve used 9')
  await page.fill('#title', 'Typed')
  await page.locator('#unsaved .changes:not(:empty)').waitFor()
  await only('You’ve used 9')
  await page.keyboard.press('Control+s')
  await only('Saved · View version')
  await page.reload()
  await only('You’ve used 9')
  // Refused, without the network, and after somebody else's save.
  await page.selectOption('#access', 'password')
  await page.keyboard.press('Control+s')
  await shows(page, '#password-error', 'Choose a password.')
  expect(await noticesOf(page)).toEqual([])
  await page.selectOption('#access', 'link')
  await context.setOffline(true)
  await page.keyboard.press('Control+s')
  await only('The server could not be reached.')
  await context.setOffline(false)
  // The browser says so too.
  complaints.length = 0
  await person.api('PATCH', `/api/links/${slug}`, { title: 'Theirs' })
  await page.fill('#title', 'Mine')
  await page.keyboard.press('Control+s')
  await only('You saved a newer version')
  await becomes(() => page.evaluate(() => JSON.stringify(localStorage).includes('Mine')), true)
  const next = await context.newPage()
  await page.close({ runBeforeUnload: false })
  await next.goto(path)
  await becomes(async () => (await noticesOf(next)).map((one) => one.startsWith('Your unsaved changes')), [true])
  await press(next, 'Restore')
  await becomes(async () => (await noticesOf(next)).map((one) => one.startsWith('You saved a newer version')), [true])
})

test('once there is room again the broken links are named, and elsewhere the address', async () => {
  const { person, slug } = await troubled()
  await stage.server.sql('UPDATE owners SET history_bytes = 4096 WHERE user_id = ?', [person.userId])
  const { page } = await stage.open(`/dashboard/links/${slug}`, person)
  expect(await noticesOf(page)).toEqual([expect.stringContaining('1 link broken, 1 link moved.')])
  for (const path of ['/dashboard', '/dashboard/settings', `/dashboard/links/${slug}/versions`]) {
    await page.goto(path)
    expect(await noticesOf(page)).toEqual([expect.stringContaining('Confirm ')])
  }
  await page.goto('/dashboard?notice=signedUp')
  expect(await noticesOf(page)).toEqual([expect.stringMatching(/^Welcome! Your account is ready. Confirm /)])
})
