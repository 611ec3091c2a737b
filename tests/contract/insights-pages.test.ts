import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { addMember, newOrganization, newPerson, type Person, type Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'

const DAY_MS = 86_400_000
const RULES = [
  {
    name: 'Phones <b>',
    when: { op: 'equals', field: 'device', value: 'mobile' },
    tabs: [{ url: 'https://m.example/' }],
  },
  { name: 'Never', when: { op: 'exists', field: 'country' }, tabs: [{ url: 'https://n.example/' }] },
]

/** The UTC day this many days ago. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** Inserts counters of past days. */
async function put(at: Server, slug: string, day: string, views: number, clicks = 0, rule = '') {
  const insert = 'INSERT INTO daily_counters SELECT id, ?, ?, ?, ? FROM bundles WHERE slug = ?'
  await at.sql(insert, [day, rule, views, clicks, slug])
}

onEveryTarget({}, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(server())
  })

  const page = async (path: string, by: Visitor = owner) => {
    const answer = await by.fetch(path)
    return { status: answer.status, html: await answer.text() }
  }
  const insights = async (slug: string, query = '') => (await page(`/dashboard/links/${slug}/insights${query}`)).html
  const textsIn = (html: string, tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)</${tag}>`, 'g'))].map(([, text = '']) => unescaped(text))
  /** The labels of the chart's scale, from the lowest. */
  const ticks = (html: string) => textsIn(/<svg class="scale"[\s\S]*?<\/svg>/.exec(html)?.[0] ?? '', 'text')
  const summaries = (html: string) =>
    elementsOf(html)
      .filter(({ attributes }) => attributes.role === 'img')
      .map(({ attributes }) => attributes['aria-label'] ?? '')

  test('without counts the page explains itself, and draws only an example labelled as one', async () => {
    const { slug } = await owner.makeBundle()
    const html = await insights(slug)
    expect(html).toContain('No visits in the last 30 days')
    expect(html).toContain('Show 90 days')
    expect(await insights(slug, '?range=90d')).not.toContain('Show 90 days')
    expect(html).toContain('An example of what you’ll see here')
    expect(summaries(html.replace(/<figure class="sample">[\s\S]*?<\/figure>/, ''))).toEqual([])
    expect(html).not.toContain('format=csv')
  })

  for (const [most, expected] of [
    [1, ['0', '1']],
    [3, ['0', '1', '2', '3']],
    [9, ['0', '5', '10']],
    [1_234_567, ['0', '500K', '1M', '1.5M']],
  ] as const) {
    test(`the chart of ${most} has a scale of whole numbers`, async () => {
      const { slug } = await owner.makeBundle()
      await put(server(), slug, ago(1), most)
      expect(ticks(await insights(slug))).toEqual([...expected])
    })
  }

  test('a chart without any count has a scale as well', async () => {
    const { slug } = await owner.makeBundle()
    await put(server(), slug, ago(1), 0, 2)
    expect(ticks(await insights(slug))).toEqual(['0', '1'])
  })

  test('totals, days and rules match the operation, and each chart says what it shows', async () => {
    const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules: RULES } })
    const { body } = await owner.api<{ resolutionPolicy: { rules: { id: string }[] } }>('GET', `/api/links/${slug}`)
    const [phones = { id: '' }] = body.resolutionPolicy.rules
    await put(server(), slug, ago(0), 1000, 250)
    await put(server(), slug, ago(2), 234, 4, phones.id)
    await put(server(), slug, ago(8), 5, 1, 'r_0123456789')
    const html = await insights(slug, '?range=7d')
    expect(textsIn(html, 'dd').filter((text) => /^[\d,.%]+$/.test(text))).toEqual(['1,234', '0', '254', '20.6%'])
    const [views] = summaries(html)
    const [clicks] = summaries(await insights(slug, '?range=7d&chart=open-all'))
    expect(views).toMatch(/^Views per day, \d+ \w+ to today: 1,234 in all; most on \d+ \w+, 1,000\.$/)
    expect(clicks).toMatch(/^Clicks on Open all per day, .*: 254 in all; most on \d+ \w+, 250\.$/)
    const cells = textsIn(html, 'td')
    expect(cells.slice(0, 9)).toEqual([ago(0), '1,000', '250', ago(1), '0', '0', ago(2), '234', '4'])
    expect(cells.slice(-9)).toEqual(['234', '4', '1.7%', '0', '0', '0%', '1,000', '250', '25%'])
    expect(html.includes('r_0123456789')).toBe(false)
    expect(html.match(/>nobody in 7 days</g)).toHaveLength(1)
    expect(textsIn(html, 'span')).toContain('Phones <b>')
    const month = await insights(slug)
    expect(textsIn(month, 'span')).toContain('(removed rule)')
    expect(textsIn(month, 'span')).toContain(' r_0123456789')
    expect(textsIn(month, 'td')).toHaveLength(30 * 3 + 4 * 3)
  })

  test('each total is compared with as many days before, and a breakdown has at most five rows in sight', async () => {
    const { slug } = await owner.makeBundle()
    await put(server(), slug, ago(0), 112, 50)
    await put(server(), slug, ago(7), 100, 100)
    const views = [...Array.from({ length: 8 }, (_, n) => [`<${n}>.example`, 10 - n]), ['*', 3], ['', 90]]
    await server().sql(
      `INSERT INTO daily_breakdowns SELECT bundles.id, ?, 'referrer', value ->> 0, value ->> 1
        FROM bundles, json_each(?) WHERE slug = ?`,
      [ago(0), JSON.stringify(views), slug],
    )
    const html = await insights(slug, '?range=7d')
    const changes = html.match(/<dd class="change">[\s\S]*?<\/dd>/g) ?? []
    const chips = changes.map((change) => /class="tag"[^>]*>([^<]*)</.exec(change)?.[1] ?? '')
    expect(chips).toEqual(['▲ 12%', '', '▼ 50%', '▼ 55 pts'])
    expect(changes.map((change) => /"visually-hidden">([^<]*)</.exec(change)?.[1])).toEqual([
      '+12% from the previous 7 days',
      'None in the previous 7 days',
      '−50% from the previous 7 days',
      '100% in the previous 7 days',
    ])
    const referrers = /<section[^>]*aria-labelledby="referrers-heading">[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
    const [shown = '', more = ''] = referrers.split('<details')
    const named = (part: string) =>
      [...part.matchAll(/<span dir="auto">([^<]*)</g)].map(([, text = '']) => unescaped(text))
    expect(named(shown)).toEqual(['Direct', '<0>.example', '<1>.example', '<2>.example', '<3>.example'])
    expect(textsIn(more, 'summary')).toEqual(['5 more'])
    expect(textsIn(more, 'span').at(-1)).toBe('Other sites')
    expect(html.split('Nothing counted in this period yet')).toHaveLength(3)
  })

  test('an invalid range becomes 30 days, and the current one is marked', async () => {
    const { slug } = await owner.makeBundle()
    await put(server(), slug, ago(0), 1)
    for (const [query, days] of [
      ['', '30'],
      ['?range=7d', '7'],
      ['?range=90d', '90'],
      ['?range=%3Cb%3E', '30'],
    ] as const) {
      const html = await insights(slug, query)
      const marked = elementsOf(html).filter(
        ({ attributes }) => attributes.id?.startsWith('days-') && attributes['aria-current'] === 'true',
      )
      expect(marked.map(({ attributes }) => attributes.id)).toEqual([`days-${days}`])
      const csv = elementsOf(html).find(({ attributes }) => attributes.href?.includes('format=csv'))
      const file = await owner.fetch(csv?.attributes.href ?? '')
      expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${slug}-insights-${days}d.csv"`)
      expect((await file.text()).trim().split('\r\n')).toHaveLength(Number(days) + 1)
    }
  })

  test('any days are chosen, and its links keep them', async () => {
    const { slug } = await owner.makeBundle()
    for (const [day, views] of [
      [ago(5), 3],
      [ago(4), 6],
      [ago(1), 50],
    ] as const)
      await put(server(), slug, day, views)
    const query = `from=${ago(5)}&to=${ago(4)}`
    const html = await insights(slug, `?${query}`)
    expect(textsIn(html, 'dd')[0]).toBe('9')
    expect(summaries(html)[0]).toMatch(/^Views per day, (\d+ \w+) to (\d+ \w+): 9 in all; most on \2, 6\.$/)
    expect(unescaped(html)).not.toContain('today so far')
    const values = elementsOf(html).filter(({ attributes }) => attributes.type === 'date')
    expect(values.map(({ attributes }) => attributes.value)).toEqual([ago(5), ago(4)])
    const links = elementsOf(html).map(({ attributes }) => unescaped(attributes.href ?? ''))
    const files = links.filter((href) => href.includes('format=csv'))
    for (const href of [...files, links.find((link) => link.endsWith('chart=open-all'))]) expect(href).toContain(query)
    const file = await owner.fetch(files[0] ?? '')
    expect((await file.text()).trim().split('\r\n')).toHaveLength(3)
    const today = await insights(slug, `?from=${ago(0)}&to=${ago(0)}`)
    expect(elementsOf(today).find(({ attributes }) => attributes.id === 'days-1')?.attributes['aria-current']).toBe(
      'true',
    )
    expect(today).toContain('No visits on this day')
  })

  for (const [query, id, said] of [
    [`from=${ago(1)}&to=${ago(2)}`, 'to', 'This must not be before the first day.'],
    [`from=${ago(1)}&to=2199-01-01`, 'to', 'This must not be after today.'],
    ['from=&to=', 'from', 'Enter a day.'],
    [`from=${ago(92)}&to=${ago(0)}`, 'from', 'This must span at most 92 days, both ends included.'],
  ] as const) {
    test(`the days ${query} are refused beside their field, and kept`, async () => {
      const { slug } = await owner.makeBundle()
      const { status, html } = await page(`/dashboard/links/${slug}/insights?${query}`)
      expect(status).toBe(400)
      const field = elementsOf(html).find(({ attributes }) => attributes.id === id)?.attributes
      expect(field).toMatchObject({ 'aria-invalid': 'true', 'aria-describedby': `${id}-error` })
      expect(field?.value ?? '').toBe(new URLSearchParams(query).get(id) ?? '')
      expect(new RegExp(`id="${id}-error">([^<]*)<`).exec(html)?.[1]).toBe(said)
    })
  }

  describe('the page', () => {
    test('is shown only to people who may view the bundle', async () => {
      const admin = await newPerson(server())
      const viewer = await newPerson(server())
      const { id } = await newOrganization(admin)
      const { slug } = await admin.makeBundle()
      await addMember(admin, id, viewer, 'viewer')
      const path = `/dashboard/links/${slug}/insights`
      expect((await page(path, viewer)).status).toBe(200)
      expect((await page(path, owner)).status).toBe(403)
      expect((await page('/dashboard/links/nothing-here/insights')).status).toBe(404)
      const signedOut = await fetch(server().origin + path, { redirect: 'manual' })
      expect(signedOut.headers.get('location')).toStartWith('/sign-in?next=')
    })

    test('explains how we count in the words of docs/privacy.md', async () => {
      const { slug } = await owner.makeBundle()
      const told = textsIn(/<details class="more how">[\s\S]*?<\/details>/.exec(await insights(slug))?.[0] ?? '', 'li')
      const privacy = readFileSync(new URL('../../docs/privacy.md', import.meta.url), 'utf8')
        .replaceAll('**', '')
        .replace(/\s+/g, ' ')
      expect(told.length).toBeGreaterThan(4)
      for (const sentence of told) expect(privacy).toContain(sentence)
    })
  })
})
