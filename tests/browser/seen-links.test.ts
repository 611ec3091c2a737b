import { expect, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { axeViolations } from './flaws.ts'
import { setStage } from './stage.ts'
import { shows } from './waiting.ts'

// A link that is added says in which other bundle it stands; of those that were there: contract/seen-links.test.ts.

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

test('what is found moves no button away while it is pressed', async () => {
  const owner = await newPerson(stage.server)
  const seen = 'https://seen.example/plan'
  await owner.makeBundle({ title: 'Onboarding', urls: [seen] })
  const edited = await owner.makeBundle({ urls: ['https://own.example/edited'] })
  const { page } = await stage.open(`/dashboard/links/${edited.slug}`, owner)
  await page.locator('.link-row .link-fold').evaluate((fold) => fold.setAttribute('open', ''))
  await page.getByRole('button', { name: 'Add a link' }).hover()
  const answer = page.waitForResponse((response) => response.url().endsWith(edited.slug))
  await page.fill('.link-row [name=url]', seen)
  await page.mouse.down()
  await answer
  await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))))
  await page.mouse.up()
  await page.locator('.link-row').nth(1).waitFor()
  await shows(page, '.link-row .seen', 'Also in Onboarding')
})
