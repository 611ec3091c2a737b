import { beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { ONBOARDING } from '../browser/bundles.ts'
import { setStage } from '../browser/stage.ts'
import { newOrganization, newPerson, type Person } from '../people.ts'

// What was seen to be out of place by looking at the pages, and has to stay in it.
const stage = setStage()
const WIDE = { viewport: { width: 1280, height: 860 } }
const PHONE = { viewport: { width: 390, height: 844 } }
const HEBREW = 'שלום עולם'

let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

async function boxOf(part: Locator) {
  const box = await part.boundingBox()
  if (box === null) throw new Error('not to be seen')
  return { ...box, right: box.x + box.width, middle: box.y + box.height / 2 }
}

/** How many lines the text of an element takes. */
const linesOf = (part: Locator) =>
  part.evaluate((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getClientRects().length
  })

/** Opens the editor and makes a change, so that the bar says so. */
async function openTouched(options: { viewport: { width: number; height: number } }): Promise<Page> {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, options)
  await page.locator('#title').pressSequentially('!')
  await page.locator('.unsaved').waitFor()
  return page
}

/** Expects all visible parts of a bar to stand on one line. */
async function expectOneLine(bar: Locator): Promise<void> {
  const middles = await bar.evaluate((all) =>
    [...all.children]
      .filter((part) => part.checkVisibility())
      .map((part) => part.getBoundingClientRect())
      .map(({ top, bottom }) => Math.round((top + bottom) / 2)),
  )
  expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(4)
}

test.each([1280, 390, 320])(
  'at %i pixels the bar of the editor stays one line while there is something to save',
  async (width) => {
    const page = await openTouched({ viewport: { width, height: 860 } })
    await expectOneLine(page.locator('.save-bar'))
  },
)

test.each([1280, 390])('at %i pixels the bar of a conflict stays one line', async (width) => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width, height: 860 } })
  await owner.api('PATCH', `/api/links/${slug}`, { title: 'Theirs' })
  await page.fill('#title', 'Mine')
  await page.locator('.save-bar .primary').click()
  await page.locator('.conflict').waitFor()
  await expectOneLine(page.locator('.save-bar'))
  // Neither choice is the loud one: each drops somebody's work.
  expect(await page.locator('.editor .primary').count()).toBe(0)
})

test('a conflict says their times as people read them, in the order of the form', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING, opensAt: '2036-11-01T09:00:00Z' })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, WIDE)
  const times = { opensAt: '2036-12-01T09:30:00Z', closesAt: '2036-12-24T18:00:00Z', closedNote: 'Over' }
  await owner.api('PATCH', `/api/links/${slug}`, times)
  await page.fill('#title', 'Mine')
  await page.locator('.save-bar .primary').click()
  await page.locator('.offers').waitFor()
  const told = await page.locator('.offers .what').allTextContents()
  expect(told).toEqual(['1 December 2036, 09:30 UTC', '24 December 2036, 18:00 UTC', 'Over'])
  await page.getByRole('button', { name: 'Take: Opening time, 1 December 2036, 09:30 UTC' }).click()
  await page.locator('.offers').getByText('1 December 2036').waitFor({ state: 'detached' })
  expect(await page.locator('#opensAt').getAttribute('data-instant')).toBe('2036-12-01T09:30:00.000Z')
})

test('names from right to left begin where the text around them begins', async () => {
  await owner.makeBundle({ title: 'From left to right' })
  const { slug } = await owner.makeBundle({ title: HEBREW })
  const { page } = await stage.open('/dashboard', owner, WIDE)
  const startOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((part) => {
        const range = document.createRange()
        range.selectNodeContents(part)
        return Math.round(range.getBoundingClientRect().left)
      })
  expect(await startOf(`.row a.name[href$="${slug}"]`)).toBe(await startOf(`.row a.name:not([href$="${slug}"])`))
  await page.goto(`/dashboard/links/${slug}`)
  expect(await startOf('h1')).toBe(await startOf('.crumb'))
})

test('a row of the list has room for its title and three tags, on a phone and on a desktop', async () => {
  const person = await newPerson(stage.server)
  await person.makeBundle({ ...ONBOARDING })
  for (const window of [PHONE, WIDE]) {
    const { page } = await stage.open('/dashboard', person, window)
    const cut = await page.locator('.row .name').evaluate((name) => name.scrollWidth - name.clientWidth)
    expect(cut, `${window.viewport.width}`).toBe(0)
    const tops = await page.locator('.row .tag').evaluateAll((all) => all.map((tag) => tag.getBoundingClientRect().top))
    expect(new Set(tops).size, `${window.viewport.width}`).toBe(1)
  }
})

test('Open again does not push the other buttons of a launcher to another line', async () => {
  const { url } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(url, null, WIDE)
  await page.evaluate(() => {
    window.open = window.open.bind(window, 'about:blank') as typeof window.open
  })
  await page.click('#open')
  await page.locator('#again').waitFor()
  const [done, qr] = [await boxOf(page.locator('#open')), await boxOf(page.locator('.qr'))]
  expect(Math.abs(done.middle - qr.middle)).toBeLessThan(4)
})

test('Open next and Start over do not push the other buttons of a launcher to another line', async () => {
  const { url } = await owner.makeBundle({ urls: Array.from({ length: 25 }, (_, at) => `https://example.com/${at}`) })
  const { page } = await stage.open(url, null, WIDE)
  await page.evaluate(() => {
    let left = 12
    const open = window.open.bind(window)
    window.open = () => (left-- > 0 ? open('about:blank', '_blank') : null)
  })
  const expectInLine = async () => {
    const [open, qr] = [await boxOf(page.locator('#open')), await boxOf(page.locator('.qr'))]
    expect(Math.abs(open.middle - qr.middle)).toBeLessThan(4)
  }
  await page.click('#open')
  await page.getByRole('button', { name: 'Open next 13 of 25' }).waitFor()
  await expectInLine()
  await page.reload()
  await page.locator('#again', { hasText: 'Start over' }).waitFor()
  await expectInLine()
})

test.each([320, 360])('at %i pixels the label of Open all takes one line', async (width) => {
  const urlMetadata = ONBOARDING.urls.map((_, index) => (index === 4 ? { openPolicy: 'manual' } : {}))
  const { url } = await owner.makeBundle({ ...ONBOARDING, urlMetadata })
  const { page } = await stage.open(url, null, { viewport: { width, height: 640 } })
  expect(await linesOf(page.locator('#open'))).toBe(1)
})

test('the examples in the fields for trying rules can be read whole', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  for (const window of [PHONE, WIDE]) {
    const { page } = await stage.open(`/dashboard/links/${slug}/policy`, owner, window)
    await page.locator('.custom > summary').click()
    const cut = await page.locator('.tester input[placeholder]').evaluateAll((all) =>
      (all as HTMLInputElement[])
        .filter((field) => {
          const probe = document.body.appendChild(document.createElement('span'))
          probe.style.cssText = `position: absolute; white-space: pre; font: ${getComputedStyle(field).font}`
          probe.textContent = field.placeholder
          const { width } = probe.getBoundingClientRect()
          const { paddingLeft, paddingRight } = getComputedStyle(field)
          return width > field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
        })
        .map(({ name }) => name),
    )
    expect(cut, `${window.viewport.width}`).toEqual([])
  }
})

test('without the preview the title of a saved bundle has the width of the form', async () => {
  const { slug } = await owner.makeBundle({ opensAt: '2036-11-01T09:00:00Z' })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width: 1000, height: 860 } })
  const [title, description] = [await boxOf(page.locator('#title')), await boxOf(page.locator('#description'))]
  expect(title.right).toBe(description.right)
  const [opening, closing] = [await boxOf(page.locator('#opensAt')), await boxOf(page.locator('#closesAt'))]
  expect(closing.width).toBeCloseTo(opening.width, 0)
})

test('on the smallest phone the button that puts a link back takes one line', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width: 320, height: 640 } })
  await page.locator('.link-fold > summary').nth(1).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  const lines = await linesOf(page.getByRole('button', { name: 'Put back' }))
  expect(lines).toBe(1)
})

test('at 640 pixels, a 1280-pixel window at 200 % zoom, names of keys and the advice on pop-ups have room', async () => {
  const window = { viewport: { width: 640, height: 430 } }
  await owner.api('POST', '/api/me/keys', { name: 'nightly import' })
  const { page } = await stage.open('/dashboard/keys', owner, window)
  const cut = await page.locator('.row .name').evaluate((name) => name.scrollWidth - name.clientWidth)
  expect(cut).toBe(0)
  const { url } = await owner.makeBundle({ ...ONBOARDING })
  const { page: launcher } = await stage.open(url, null, window)
  await launcher.evaluate(() => {
    globalThis.open = () => null
  })
  await launcher.click('#open')
  await launcher.locator('#rest').waitFor()
  expect(await linesOf(launcher.locator('#rest'))).toBe(1)
})

test('on a phone an error of the editor is not hidden below its bar', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, PHONE)
  await page.selectOption('#access', 'password')
  await page.locator('.save-bar .primary').click()
  await page.locator('#password:focus').waitFor()
  const [error, bar] = [await boxOf(page.locator('#password-error')), await boxOf(page.locator('.save-bar'))]
  expect(error.y + error.height).toBeLessThanOrEqual(bar.y)
})

test('on a phone the bar of a proposal that is accepted with changes is one line, touched or not', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const path = `/links/${slug}/proposals`
  const proposed = { urls: ONBOARDING.urls, title: 'Theirs', description: null, reason: 'Shorter.' }
  const { body } = await owner.api<{ id: string }>('POST', `/api${path}`, proposed)
  const { page } = await stage.open(`/dashboard${path}/${body.id}/edit`, owner, PHONE)
  await expectOneLine(page.locator('.save-bar'))
  await page.locator('#title').pressSequentially('!')
  await page.locator('[data-touched]').waitFor()
  await expectOneLine(page.locator('.save-bar'))
})

test('on a phone the sections of the dashboard stand in one line', async () => {
  for (const width of [390, 360]) {
    const { page } = await stage.open('/dashboard', owner, { viewport: { width, height: 800 } })
    await expectOneLine(page.locator('.sections'))
  }
})

test('for a finger, Paste several stands in line with Add a link', async () => {
  const { slug } = await owner.makeBundle()
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { ...PHONE, isMobile: true, hasTouch: true })
  const [add, paste] = [page.getByRole('button', { name: 'Add a link' }), page.getByText('Paste several')]
  const [one, other] = [await boxOf(add), await boxOf(paste)]
  expect(Math.abs(one.middle - other.middle)).toBeLessThan(2)
})

test('an invitation stands above the form for an organisation of one’s own', async () => {
  const [host, guest] = [await newPerson(stage.server), await newPerson(stage.server)]
  const { id } = await newOrganization(host)
  const invited = { email: guest.email, role: 'viewer', organizationId: id }
  await host.api('POST', '/api/auth/organization/invite-member', invited)
  const { page } = await stage.open('/dashboard/organizations', guest, PHONE)
  const [invitation, form] = [await boxOf(page.locator('#invitations')), await boxOf(page.locator('.empty'))]
  expect(invitation.y).toBeLessThan(form.y)
})
