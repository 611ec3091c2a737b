import { expect, test } from 'bun:test'
import { axeViolations } from '../browser/flaws.ts'
import { setStage } from '../browser/stage.ts'
import { newPerson } from '../people.ts'

// On a phone, nothing to press is under 24 px and close to something else (WCAG 2.5.8).

const stage = setStage()
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('in the list: the title of a bundle and its views', async () => {
  const owner = await newPerson(stage.server)
  for (const title of ['Launch', 'A title of two lines, because the window of a phone is narrow'])
    await owner.makeBundle({
      title,
      urls: ['https://a.example/', 'https://b.example/'],
      urlMetadata: [{ tags: ['x'] }],
    })
  const { page } = await stage.open('/dashboard', owner, PHONE)
  await page.locator('.bundle').nth(1).waitFor()
  expect(await axeViolations(page, { part: 'main', targetsAlone: true })).toEqual([])
  const gaps = await page.locator('.bundle').evaluateAll((rows) =>
    rows.map((row) => {
      const [name, views] = ['.name', '.figures'].map((part) => row.querySelector(part)?.getBoundingClientRect())
      return [(name?.height ?? 0) >= 24, (views?.height ?? 0) >= 24, (views?.top ?? 0) >= (name?.bottom ?? 0)]
    }),
  )
  expect(gaps).toEqual([
    [true, true, true],
    [true, true, true],
  ])
})

test('in rules: the tester and everything around it', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({
    resolutionPolicy: {
      version: 1,
      rules: [
        {
          name: 'Phones',
          when: { field: 'device', op: 'equals', value: 'mobile' },
          tabs: [{ url: 'https://m.example/' }],
        },
        {
          name: 'Berlin',
          when: { field: 'query.city', op: 'equals', value: 'berlin' },
          tabs: [{ url: 'https://b.example/' }],
        },
      ],
    },
  })
  const { page } = await stage.open(`/dashboard/links/${slug}/policy`, owner, PHONE)
  await page.locator('#try').waitFor()
  expect(await axeViolations(page, { part: 'main', targetsAlone: true })).toEqual([])
})
