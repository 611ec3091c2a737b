import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { startDestinations } from './destinations.ts'
import { setStage } from './stage.ts'
import { weigh } from './weight.ts'

const HANDLE = 'northwind'

describe('pop-ups allowed', () => {
  const stage = setStage({ popups: 'allowed' })
  const destinations = startDestinations()
  let admin: Person
  let id: string
  beforeAll(async () => {
    admin = await newPerson(stage.server)
    ;({ id } = await newOrganization(admin))
    await actFor(admin, id)
  })
  afterAll(() => destinations.stop())
  const counts = async (slug: string) => {
    const { body } = await admin.api<{ totals: { views: number; openAllClicks: number }; tabs: { opens: number }[] }>(
      'GET',
      `/api/links/${slug}/insights`,
    )
    return [body.totals.views, body.totals.openAllClicks, ...body.tabs.map(({ opens }) => opens)]
  }

  test('an admin makes the start page; a stranger finds the lunch list there and opens all of it', async () => {
    const { slug } = await admin.makeBundle({ title: 'Lunch list', urls: destinations.urls(3) })
    const { page } = await stage.open(`/dashboard/organizations/${id}`, admin)
    await page.fill('#handle', HANDLE)
    await page.check('[name=color][value=teal]', { force: true })
    await page.click('button:has-text("Save")')
    await page.waitForSelector(`a[href="/o/${HANDLE}"]`)
    await page.goto(`${stage.server.origin}/o/${HANDLE}`)
    expect(await page.textContent('main')).toContain('Nothing is listed yet')
    await page.goto(`${stage.server.origin}/dashboard/links/${slug}`)
    const listed = page.locator('input[type=checkbox][name=listed]')
    if (!(await listed.isVisible())) await page.locator('details:has([name=listed]) > summary').last().click()
    await listed.check()
    await page.keyboard.press('Control+s')
    await becomes(async () => (await admin.api<{ listed: boolean }>('GET', `/api/links/${slug}`)).body.listed, true)

    const stranger = await stage.open(`/o/${HANDLE}`, null)
    await stranger.page.keyboard.press('/')
    await stranger.page.keyboard.type('lunch')
    await stranger.page.keyboard.press('Enter')
    await stranger.page.waitForURL(/q=lunch/)
    const row = stranger.page.locator('main li')
    expect(await row.count()).toBe(1)
    await row.hover()
    // The first hit has the focus, which asks for its tabs before the pointer does.
    await stranger.page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.endsWith('.json')),
    )
    const { height } = (await row.boundingBox())!
    await row.getByRole('button', { name: 'Open all' }).click()
    await becomes(() => row.locator('.said').textContent(), 'Opened 3')
    expect((await row.boundingBox())?.height).toBe(height)
    const tabs = stranger.context.pages().slice(1)
    expect(tabs.map((tab) => tab.url())).toEqual(destinations.urls(3))
    await becomes(() => counts(slug), [1, 1, 1, 1, 1])
  })

  test('a page of 25 rows weighs at most 20 KB with its style and its script', async () => {
    const { id: other } = await newOrganization(admin)
    await actFor(admin, other)
    await admin.api('PATCH', `/api/organizations/${other}`, { handle: `${HANDLE}-heavy` })
    for (let row = 1; row <= 26; row += 1)
      await admin.makeBundle({
        listed: true,
        title: `${row} ${'What the team opens '.repeat(3)}`,
        description: `Boards, logs and the runbook of service ${row}, and whom to call about it at night.`,
        urls: Array.from({ length: 9 }, (_, link) => `https://site-${row}-${link}.example/a/page?of=${row}`),
        urlMetadata: [{ tags: [`team-${row % 9}`, `every-${row % 4}`, `of-${row}`] }, ...Array(8).fill({})],
      })
    const { page } = await stage.open('/healthz', null)
    const weight = await weigh(page)
    await page.goto(`${stage.server.origin}/o/${HANDLE}-heavy`)
    expect(await page.locator('main li').count()).toBe(25)
    expect(await weight.bytes()).toBeLessThanOrEqual(20_000)
    expect(weight.ofFaces()).toBe(0)
    await actFor(admin, id)
  })

  test('the keyboard alone goes through the rows and opens one; a variable is asked for on the launcher', async () => {
    const { slug } = await admin.makeBundle({
      title: 'Checkout is down',
      listed: true,
      urls: ['https://grafana.example/d/{service}'],
      variables: [{ name: 'service' }],
    })
    const { page } = await stage.open(`/o/${HANDLE}`, null)
    expect(await page.locator('main li').count()).toBe(2)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const title = await page.evaluate(() => document.activeElement?.textContent)
    if (title !== 'Checkout is down') await page.keyboard.press('k')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Checkout is down')
    await page.keyboard.press('o')
    await page.waitForURL(`**/l/${slug}`)
  })
})

describe('pop-ups blocked', () => {
  const stage = setStage({ popups: 'blocked' })
  test('the row says so and leads to the launcher, and an unopened bundle counts nothing', async () => {
    const admin = await newPerson(stage.server)
    const { id } = await newOrganization(admin)
    await actFor(admin, id)
    await admin.api('PATCH', `/api/organizations/${id}`, { handle: `${HANDLE}-2` })
    const { slug } = await admin.makeBundle({
      title: 'Two',
      listed: true,
      urls: ['https://a.example/', 'https://b.example/'],
    })
    const { page } = await stage.open(`/o/${HANDLE}-2`, null)
    const row = page.locator('main li')
    await Promise.all([page.waitForResponse(/\.json$/), row.hover()])
    await row.getByRole('button', { name: 'Open all' }).click()
    await page.bringToFront()
    await becomes(() => row.locator('.said').getAttribute('href'), `${stage.server.origin}/l/${slug}`)
    expect(await row.locator('.said').textContent()).toContain('blocked')
  })
})
