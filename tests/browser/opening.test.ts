import { beforeAll, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { setStage } from './stage.ts'

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

test('times are typed in the browser’s time zone, and saved as instants', async () => {
  const { slug } = await owner.makeBundle({ opensAt: '2099-01-01T12:00:30.500Z' })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { timezoneId: 'America/New_York' })
  expect(await page.inputValue('#opensAt')).toBe('2099-01-01T07:00:30.5')
  await page.fill('#closesAt', '2099-07-01T09:30')
  await page.keyboard.press('Control+s')
  const times = async () => {
    const { body } = await owner.api<{ opensAt: string; closesAt: string }>('GET', `/api/links/${slug}`)
    return [body.opensAt, body.closesAt]
  }
  await becomes(times, ['2099-01-01T12:00:30.500Z', '2099-07-01T13:30:00.000Z'])
})

test('a page that is not open yet counts down in the viewer’s time zone, and shows the bundle once it is open', async () => {
  const { slug } = await owner.makeBundle({ title: 'Launch day', opensAt: '2099-01-01T12:00:00.000Z' })
  const { page } = await stage.open(`/l/${slug}`, null, { timezoneId: 'America/New_York' })
  expect(await page.textContent('time')).toBe('Thursday, 1 January 2099 at 07:00')
  const soon = new Date(Date.now() + 3000).toISOString()
  await owner.api('PATCH', `/api/links/${slug}`, { opensAt: soon })
  await page.reload()
  await becomes(() => page.textContent('h1'), 'Launch day')
})
