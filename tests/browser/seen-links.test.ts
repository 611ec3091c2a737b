import { expect, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { axeViolations } from './flaws.ts'
import { setStage } from './stage.ts'
import { shows } from './waiting.ts'

// A link says in which other bundle it stands.

const stage = setStage()

test('the editor says where else a link stands that is added, and only of bundles of the same owner', async () => {
  const [owner, stranger] = [await newPerson(stage.server), await newPerson(stage.server)]
  const [seen, foreign] = ['https://seen.example/plan', 'https://foreign.example/']
  const { slug } = await owner.makeBundle({ title: 'Onboarding', urls: [seen, 'https://own.example/'] })
  await stranger.makeBundle({ title: 'Secret', urls: [foreign] })
  const edited = await owner.makeBundle({ title: 'Edited', urls: ['https://own.example/edited'] })
  const { page } = await stage.open(`/dashboard/links/${edited.slug}`, owner, { bypassCSP: true })
  await page.getByText('Paste several').click()
  await page.fill('#more', `https://own.example/edited\n${foreign}\n${seen}`)
  await page.getByRole('button', { name: 'Add them' }).click()
  await shows(page, '.link-row .seen', 'Also in Onboarding')
  expect(await page.locator('.link-row .seen').count()).toBe(1)
  expect(await page.locator('.seen a').getAttribute('href')).toBe(`/dashboard/links/${slug}`)
  expect(await axeViolations(page)).toEqual([])
  // Another address is another link.
  const field = page.locator('.link-row:has(.seen) [name=url]')
  await page.locator('.link-row:has(.seen) .link-fold').evaluate((fold) => fold.setAttribute('open', ''))
  await field.fill('https://own.example/')
  await page.locator('#title').focus()
  await page.locator('.link-row .seen').waitFor()
  await field.fill('https://unseen.example/')
  await page.locator('#title').focus()
  await page.locator('.link-row .seen').waitFor({ state: 'detached' })
})

test('so it says of links that were there when it opens, asked for all of them at once, and again of what was saved', async () => {
  const owner = await newPerson(stage.server)
  const [shared, other] = ['https://shared.example/plan', 'https://shared.example/people']
  await owner.makeBundle({ title: 'Onboarding', urls: [shared] })
  await owner.makeBundle({ title: 'People', urls: [other] })
  const { slug } = await owner.makeBundle({ urls: ['https://own.example/', shared, other] })
  const { page } = await stage.open('/dashboard', owner)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/dashboard/links/new/seen')) asked.push(request.postData() ?? '')
  })
  await page.goto(`${stage.server.origin}/dashboard/links/${slug}`)
  await shows(page, '.link-row:nth-child(2) .seen', 'Also in Onboarding')
  await shows(page, '.link-row:nth-child(3) .seen', 'Also in People')
  expect(await page.locator('.link-row .seen').count()).toBe(2)
  expect(asked.map((body) => new URLSearchParams(body).getAll('url'))).toEqual([['https://own.example/', shared, other]])
  await page.fill('#title', 'Mine')
  await page.getByRole('button', { name: 'Save' }).click()
  await shows(page, '#messages', 'Saved · View version')
  await shows(page, '.link-row:nth-child(3) .seen', 'Also in People')
  expect(await page.locator('.link-row .seen').count()).toBe(2)
})
