import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { setStage } from './stage.ts'
import { press, shows } from './waiting.ts'

// The end of a link, chosen where a bundle is kept, where it was made and where it is edited.

const stage = setStage()

const VIEWPORTS = [
  { width: 1280, height: 860 },
  { width: 390, height: 844 },
]

let made = 0
const fresh = () => `links-${++made}-${crypto.randomUUID().slice(0, 6)}`

/** Takes a picture, if asked to. */
const picture = (page: Page, name: string) =>
  process.env.PICTURES && page.screenshot({ path: `${process.env.PICTURES}/${name}-${page.viewportSize()?.width}.png` })

/** Types a slug that is taken and one that is free; each is said in the same place, and nothing moves. */
async function choose(page: Page, field: string, taken: string, free: string): Promise<void> {
  const input = page.locator(field)
  const says = (text: string) => page.locator('.field', { has: input }).getByText(text, { exact: true }).waitFor()
  const height = (await page.locator('.field', { has: input }).boundingBox())?.height
  await input.fill(taken)
  await says('Taken. Choose another.')
  expect(await input.getAttribute('aria-invalid')).toBe('true')
  await input.fill('No Slug!')
  await says('Not allowed: it must be letters from a to z and digits, with single hyphens between them.')
  await input.fill(free)
  await says('Free.')
  expect(await input.getAttribute('aria-invalid')).toBeNull()
  expect((await page.locator('.field', { has: input }).boundingBox())?.height).toBe(height!)
}

/** Opens a link as a stranger. @returns where it led. */
async function strangerAt(slug: string): Promise<string> {
  const { page } = await stage.open(`/l/${slug}`, null)
  await page.locator('#open').waitFor()
  return new URL(page.url()).pathname
}

async function resultOf(person: Person, title: string) {
  const answer = await person.publish({ urls: `${title}\n${URL_A}` })
  return answer.headers.get('location') ?? ''
}

for (const viewport of VIEWPORTS) {
  const at = `at ${viewport.width}`

  test(`the result page: its link, code and buttons have the chosen end, and Undo gives the old one back (${at})`, async () => {
    const [ann, bob] = [await newPerson(stage.server), await newPerson(stage.server)]
    const { slug: taken } = await bob.makeBundle({ slug: fresh() })
    const { page } = await stage.open(await resultOf(ann, 'Reading for Monday'), ann, { viewport })
    const first = (await page.locator('.url b').first().textContent()) ?? ''
    await page.getByText('Change the end of the link').click()
    await picture(page, 'result')
    const free = fresh()
    await choose(page, '#newSlug', taken, free)
    await picture(page, 'result-free')
    await press(page, 'Change the link')
    await page.getByText(`/l/${first} still leads here.`).waitFor()
    await picture(page, 'result-after')
    expect(await page.locator('.url b').first().textContent()).toBe(free)
    expect(await page.getByRole('button', { name: 'Copy' }).first().getAttribute('data-text')).toEndWith(`/l/${free}`)
    expect(await page.locator('img.code').getAttribute('src')).toBe(`/l/${free}/qr.svg`)
    expect(await strangerAt(first)).toBe(`/l/${free}`)
    await press(page, 'Undo')
    await page.getByText(`/l/${free} still leads here.`).waitFor()
    expect(await page.locator('.url b').first().textContent()).toBe(first)
  })

  test(`keeping a bundle: the end of its link can be chosen at once (${at})`, async () => {
    const [ann, bob] = [await newPerson(stage.server), await newPerson(stage.server)]
    const { slug: taken } = await bob.makeBundle({ slug: fresh() })
    const title = `Team ${fresh()}`
    const { slug, claimUrl } = await new Visitor(stage.server).makeBundle({ title })
    const { page } = await stage.open(new URL(claimUrl).pathname, ann, { viewport })
    await press(page, 'Keep this bundle')
    await page.getByText('Change the end of the link').click()
    await picture(page, 'claimed')
    await choose(page, '#newSlug', taken, fresh())
    // What the title suggests takes one press.
    await press(page, `Use …/${title.toLowerCase().replace(' ', '-')}`)
    await page.getByText(`/l/${slug} still leads here.`).waitFor()
    await picture(page, 'claimed-after')
    expect(await strangerAt(slug)).toBe(`/l/${title.toLowerCase().replace(' ', '-')}`)
  })

  test(`the editor: the link changes with Save, and kept edits follow it (${at})`, async () => {
    const [ann, bob] = [await newPerson(stage.server), await newPerson(stage.server)]
    const { slug: taken } = await bob.makeBundle({ slug: fresh() })
    const { slug } = await ann.makeBundle({ title: 'Onboarding week' })
    const { page } = await stage.open(`/dashboard/links/${slug}`, ann, { viewport })
    await page.locator('#slug').scrollIntoViewIfNeeded()
    const free = fresh()
    await choose(page, '#slug', taken, free)
    await picture(page, 'editor')
    await page.fill('#title', 'Onboarding, week one')
    await press(page, 'Save')
    await page.waitForURL((url) => url.pathname === `/dashboard/links/${free}`)
    await page.getByText('Link changed. The old one still leads here.').first().waitFor()
    await picture(page, 'editor-after')
    expect(await page.locator('#title').inputValue()).toBe('Onboarding, week one')
    expect(await strangerAt(slug)).toBe(`/l/${free}`)
    await press(page, 'Undo')
    await page.waitForURL((url) => url.pathname === `/dashboard/links/${slug}`)
    expect(await page.locator('#slug').inputValue()).toBe(slug)
    // Edits that nobody has saved yet are offered at the new link too.
    await page.fill('#title', 'Half typed')
    await page.waitForTimeout(600)
    await ann.api('POST', `/api/links/${slug}/rename`, { slug: fresh() })
    page.on('dialog', (dialog) => dialog.accept())
    await page.goto(`${stage.server.origin}/dashboard/links/${slug}`)
    await shows(page, '#kept p', /Your unsaved changes/)
  })
}
