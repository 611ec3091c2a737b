import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ODD, ONBOARDING } from '../browser/bundles.ts'
import { axeViolations, overflowOf } from '../browser/flaws.ts'
import { expand, rowsOf } from '../browser/links.ts'
import { setStage } from '../browser/stage.ts'
import { shows } from '../browser/waiting.ts'
import { weigh } from '../browser/weight.ts'
import { becomes, eventually } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'

const WIDE = { viewport: { width: 1280, height: 860 } }
const NARROW = { viewport: { width: 1100, height: 860 } }
const PREVIEW = '/dashboard/links/new/preview'

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

/** The content of the newest frame. */
const shown = (page: Page) => page.frameLocator('#preview iframe:last-child')
const heading = (page: Page, text: string) => shown(page).getByRole('heading', { name: text, includeHidden: true })

/** Records the previews that a page requests from now on. */
function previewsOf(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith(PREVIEW)) asked.push(request.url())
  })
  return asked
}

test('on a wide screen the launcher stands beside the form, and follows what is typed', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page, complaints } = await stage.open(`/dashboard/links/${slug}`, owner, WIDE)
  await heading(page, 'Your first week at Northwind').waitFor()
  expect(await shown(page).locator('.tabs > li').count()).toBe(7)
  const [form, pane] = [
    await page.locator('#editor > .work').boundingBox(),
    await page.locator('#preview').boundingBox(),
  ]
  expect((form?.x ?? 0) + (form?.width ?? 0)).toBeLessThanOrEqual(pane?.x ?? 0)
  expect((pane?.y ?? 0) + (pane?.height ?? 0)).toBeLessThanOrEqual(WIDE.viewport.height)
  // As on a phone with its script: Open all at the bottom.
  const button = await shown(page).locator('#open').boundingBox()
  expect(button?.y).toBeGreaterThan((pane?.y ?? 0) + (pane?.height ?? 0) / 2)
  await page.fill('#title', 'Week one')
  await heading(page, 'Week one').waitFor()
  await expand(page, 6)
  await rowsOf(page).nth(6).locator('[name=note]').fill('The last, and seen at once')
  const edited = shown(page).locator('.edited')
  await edited.getByText('The last, and seen at once').waitFor()
  await page.locator('#preview iframe').nth(1).waitFor({ state: 'detached' })
  const box = await edited.boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(WIDE.viewport.height)
  await rowsOf(page).nth(0).getByRole('button', { name: 'Remove' }).click()
  await becomes(() => shown(page).locator('.tabs > li').count(), 6)
  expect(complaints).toEqual([])
})

test('while the form cannot be saved the last good preview stays, and says so', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, {
    ...WIDE,
    bypassCSP: true,
    reducedMotion: 'reduce',
  })
  await heading(page, 'Your first week at Northwind').waitFor()
  const height = async () => (await page.locator('.screen').boundingBox())?.height
  const before = await height()
  await expand(page, 0)
  await rowsOf(page).nth(0).locator('[name=url]').fill('no address')
  await page.getByText('Fix the error to update the preview.').waitFor()
  expect(await height()).toBe(before)
  expect(await shown(page).locator('.tabs > li').count()).toBe(7)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await axeViolations(page)).toEqual([])
  }
  await rowsOf(page).nth(0).locator('[name=url]').fill('https://now.example/')
  await shown(page).getByText('now.example').waitFor()
  expect(await page.locator('#preview-says').textContent()).toBe('')
})

test('what a bundle says runs nothing: the frame has no script and an origin of its own, and nothing in it opens', async () => {
  const { slug } = await owner.makeBundle({ ...ODD })
  const { page, context, complaints } = await stage.open(`/dashboard/links/${slug}`, owner, WIDE)
  await shown(page).locator('.tabs > li').nth(24).waitFor()
  expect(await page.locator('#preview iframe').getAttribute('sandbox')).toBe('')
  const frame = page.frames().find((one) => one !== page.mainFrame())
  expect(await frame?.evaluate(() => globalThis.origin)).toBe('null')
  expect(await shown(page).locator('script').count()).toBe(0)
  await shown(page).locator('.tab').first().click({ force: true })
  await shown(page).locator('footer a').first().click({ force: true })
  await page.waitForTimeout(200)
  expect(context.pages()).toHaveLength(1)
  expect(frame?.url()).toBe('about:srcdoc')
  expect(complaints).toEqual([])
  const { body } = await owner.api<{ totals: object }>('GET', `/api/links/${slug}/insights`)
  expect(body.totals).toMatchObject({ views: 0, openAllClicks: 0 })
})

test.each([1600, 1280, 1100, 390])(
  'in a window of %i pixels it is a page of 390, scaled to its frame',
  async (width) => {
    const { slug } = await owner.makeBundle({ ...ONBOARDING })
    const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width, height: 860 } })
    await page.locator('.screen').scrollIntoViewIfNeeded()
    await heading(page, 'Your first week at Northwind').waitFor()
    const frame = page.frames().find((one) => one !== page.mainFrame())
    expect(await frame?.evaluate(() => innerWidth)).toBe(390)
    const [pane, shownPage] = await Promise.all(
      ['.screen', '.screen iframe'].map((one) => page.locator(one).last().boundingBox()),
    )
    expect(Math.abs((pane?.width ?? 0) - (shownPage?.width ?? 0))).toBeLessThan(1)
    expect(Math.abs((pane?.height ?? 0) - (shownPage?.height ?? 0))).toBeLessThan(1)
    expect(pane?.height).toBeGreaterThan(280)
    expect(await overflowOf(page)).toBe(0)
  },
)

test('below the window nothing is asked for, until it is scrolled to', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open('/dashboard', owner, NARROW)
  const asked = previewsOf(page)
  await page.goto(`/dashboard/links/${slug}`)
  await page.fill('#title', 'Narrow')
  await eventually(async () => (await page.locator('#check .htmx-request').count()) === 0, 'the check is done')
  await page.waitForTimeout(600)
  expect(asked).toEqual([])
  await page.locator('.screen').scrollIntoViewIfNeeded()
  await heading(page, 'Narrow').waitFor()
})

test('a hidden preview stays hidden, asks for nothing, and comes back', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, WIDE)
  await heading(page, 'Your first week at Northwind').waitFor()
  const remembered = page.waitForResponse((answer) => answer.url().endsWith('/dashboard/preview'))
  await page.getByRole('button', { name: 'Hide preview' }).click()
  await remembered
  expect(await page.locator('#preview').isVisible()).toBe(false)
  const asked = previewsOf(page)
  await page.reload()
  await page.fill('#title', 'Unseen')
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  expect(await page.locator('#preview').isVisible()).toBe(false)
  expect(asked).toEqual([])
  await page.getByRole('button', { name: 'Show preview' }).click()
  await heading(page, 'Unseen').waitFor()
})

test('a bundle whose only link is replaced has its preview again from the next one on', async () => {
  const { slug } = await owner.makeBundle({ urls: ['https://other.example/'] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, WIDE)
  await shown(page).getByText('other.example').first().waitFor()
  await page.locator('.link-row summary').first().click()
  await page.locator('[name=url]').fill('')
  await page.getByText('Fix the error to update the preview.').waitFor()
  await page.locator('[name=url]').fill('first.example/start')
  await shown(page).getByText('first.example').first().waitFor()
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  await shown(page).getByText('first.example').first().waitFor()
})

test('a save leaves the preview in sight, and another bundle has its own', async () => {
  const [{ slug }, other] = [await owner.makeBundle({ ...ONBOARDING }), await owner.makeBundle({ title: 'Another' })]
  const { page, complaints } = await stage.open(`/dashboard/links/${slug}`, owner, WIDE)
  await heading(page, 'Your first week at Northwind').waitFor()
  // From now on no preview comes; the browser says so of each.
  await page.route(`**${PREVIEW}`, (route) => route.abort())
  await page.fill('#description', 'Saved')
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  expect(await heading(page, 'Your first week at Northwind').isVisible()).toBe(true)
  await page.getByText('The preview couldn’t be updated.').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Another')
  await page.getByRole('option', { name: 'Another' }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/${other.slug}`)
  await page.getByText('The preview couldn’t be updated.').waitFor()
  expect(await page.locator('#preview iframe').count()).toBe(0)
  const told = new Set(complaints.splice(0))
  expect([...told]).toEqual(['Failed to load resource: net::ERR_FAILED'])
})

test('a preview and the check beside it weigh no more than 5 KB', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, WIDE)
  await heading(page, 'Your first week at Northwind').waitFor()
  // Its styles too are there, which each frame takes from the browser’s cache.
  await page.locator('#preview iframe:not(.coming)').waitFor()
  const weight = await weigh(page)
  await page.fill('#title', 'Lighter')
  await heading(page, 'Lighter').waitFor()
  await page.locator('#preview iframe:not(.coming)').waitFor()
  expect(await weight.bytes()).toBeLessThan(5 * 1024)
})

test('without JavaScript there is no preview, and the form has all the room', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { ...WIDE, javaScriptEnabled: false })
  expect(await page.locator('#preview').isVisible()).toBe(false)
  expect(await page.locator('.preview-toggle').isVisible()).toBe(false)
  const [form, main] = [await page.locator('#editor').boundingBox(), await page.locator('.tabbar').boundingBox()]
  expect(form?.width).toBe(main?.width ?? 0)
})
