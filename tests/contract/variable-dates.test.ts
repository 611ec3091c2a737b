import { beforeAll, expect, test } from 'bun:test'
import { dateOf } from '../../src/core/dates.js'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Told {
  title: string
  values: Record<string, string>
  missing: string[]
  tabs: { url: string }[]
}

const URLS = ['https://logs.example/{day}', 'https://reports.example/{week}?month={month}']
const VARIABLES = [
  { name: 'day', default: '=yesterday' },
  { name: 'week', default: '=week' },
  { name: 'month', default: '=last-month' },
]
// One of them has another day than UTC at any time.
const ZONES = ['Pacific/Kiritimati', 'Etc/GMT+12', 'Europe/Berlin']

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const make = async (fields: object = {}) =>
    (await owner.makeBundle({ title: 'Log of {day}', urls: URLS, variables: VARIABLES, ...fields })).slug
  const valuesAt = (zone: string) =>
    Object.fromEntries(VARIABLES.map(({ name, default: text }) => [name, dateOf(text, zone)]))
  const page = async (path: string) => (await fetch(at().origin + path, { headers: { accept: 'text/html' } })).text()

  test('a date is filled in by the zone of the address, in UTC without one, in the page, JSON and Markdown', async () => {
    const slug = await make()
    for (const [query, zone] of [
      ['', 'UTC'],
      ['?tz=Nowhere', 'UTC'],
      ['?tz=%2B05:00', 'UTC'],
      ...ZONES.map((zone) => [`?${new URLSearchParams({ tz: zone })}`, zone] as const),
    ] as const) {
      const values = valuesAt(zone)
      const { body } = await new Visitor(at()).api<Told>('GET', `/l/${slug}.json${query}`)
      expect([query, body.values, body.missing]).toEqual([query, values, []])
      expect(body.tabs[1]?.url).toBe(`https://reports.example/${values.week}?month=${values.month}`)
      const link = `https://logs.example/${values.day}`
      expect(body.tabs[0]?.url).toBe(link)
      expect(await page(`/l/${slug}.md${query}`)).toContain(link)
      // The second reading is of the kept page.
      for (const _ of [1, 2]) expect(await page(`/l/${slug}${query}`)).toContain(`href="${link}"`)
    }
  })

  test('a sent value counts, and the rest are dates', async () => {
    const slug = await make()
    const { body } = await new Visitor(at()).api<Told>('GET', `/l/${slug}.json?day=2020-02-29&tz=${ZONES[0]}`)
    expect(body.values).toEqual({ ...valuesAt(ZONES[0]!), day: '2020-02-29' })
  })

  test('while another value is missing, no page with a date is kept for all', async () => {
    const slug = await make({ variables: [...VARIABLES, { name: 'x' }], urls: [...URLS, 'https://a.example/{x}'] })
    for (const zone of ['', ...ZONES, '']) {
      const query = zone && `?${new URLSearchParams({ tz: zone })}`
      const answer = await fetch(`${at().origin}/l/${slug}${query}`, { headers: { accept: 'text/html' } })
      expect(answer.headers.get('cache-control')).toContain('no-store')
      const title = `Log of ${valuesAt(zone || 'UTC').day} ·`
      expect([zone, /<title>(.*?·)/.exec(await answer.text())?.[1]]).toEqual([zone, title])
    }
    const told = await page(`/l/${slug}.md`)
    expect(told).toContain(`by default last month, as ${valuesAt('UTC').month}, in UTC or the time zone of \`tz=…\``)
  })

  test('a rule reads the date, on the page and in a preview', async () => {
    const when = { op: 'equals', field: 'query.day', value: dateOf('=yesterday', ZONES[0]!) }
    const rules = [{ name: 'That day', when, tabs: [{ url: 'https://that.example/' }] }]
    const slug = await make({ resolutionPolicy: { version: 1, rules } })
    const told = await new Visitor(at()).api<Told>('GET', `/l/${slug}.json?tz=${ZONES[0]}`)
    expect(told.body.tabs.map(({ url }) => url)).toEqual(['https://that.example/'])
    const viewer = { query: { tz: ZONES[0] } }
    const tried = await owner.api<{ matchedRuleName: string }>('POST', `/api/links/${slug}/policy/preview`, { viewer })
    expect([tried.status, tried.body.matchedRuleName]).toEqual([200, 'That day'])
  })

  test('another default with an equals sign stays a text, and so does an option', async () => {
    const variables = [
      { name: 'day', default: '=tomorrow' },
      { name: 'week', default: '=week', options: ['=week', '=month'] },
      { name: 'month', default: '=1+1' },
    ]
    const slug = await make({ variables })
    const { body } = await new Visitor(at()).api<Told>('GET', `/l/${slug}.json`)
    expect(body.values).toEqual({ day: '=tomorrow', week: '=week', month: '=1+1' })
  })
})
