import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { arrive, join, organize, type Person, type Visitor } from '../people.ts'
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

/** A UTC day, so many days ago. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** Writes counters as days gone by would have. */
async function put(at: Server, slug: string, day: string, views: number, clicks = 0, rule = '') {
  const insert = 'INSERT INTO daily_counters SELECT id, ?, ?, ?, ? FROM bundles WHERE slug = ?'
  await at.sql(insert, [day, rule, views, clicks, slug])
}

onEveryTarget({}, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await arrive(server())
  })

  const page = async (path: string, by: Visitor = owner) => {
    const answer = await by.fetch(path)
    return { status: answer.status, html: await answer.text() }
  }
  const insights = async (slug: string, query = '') => (await page(`/dashboard/links/${slug}/insights${query}`)).html
  const textsIn = (html: string, tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)</${tag}>`, 'g'))].map(([, text = '']) => unescaped(text))
  /** The numbers up the side of the chart of views, from the lowest. */
  const ticks = (html: string) => textsIn(/<svg class="scale"[\s\S]*?<\/svg>/.exec(html)?.[0] ?? '', 'text')
  const summaries = (html: string) =>
    elementsOf(html)
      .filter(({ attributes }) => attributes.role === 'img')
      .map(({ attributes }) => attributes['aria-label'] ?? '')

  test('before anything was counted the page teaches, and draws nothing but an example that says it is one', async () => {
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

  test('a chart of nothing beside one of something has a scale as well', async () => {
    const { slug } = await owner.makeBundle()
    await put(server(), slug, ago(1), 0, 2)
    expect(ticks(await insights(slug))).toEqual(['0', '1'])
  })

  test('totals, days and rules are those of the operation, and each chart says what it shows', async () => {
    const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules: RULES } })
    const { body } = await owner.api<{ resolutionPolicy: { rules: { id: string }[] } }>('GET', `/api/links/${slug}`)
    const [phones = { id: '' }] = body.resolutionPolicy.rules
    await put(server(), slug, ago(0), 1000, 250)
    await put(server(), slug, ago(2), 234, 4, phones.id)
    await put(server(), slug, ago(8), 5, 1, 'r_0123456789')
    const html = await insights(slug, '?range=7d')
    expect(textsIn(html, 'dd').filter((text) => /^[\d,.%]+$/.test(text))).toEqual(['1,234', '0', '254', '20.6%'])
    const [views, clicks] = summaries(html)
    expect(views).toMatch(/^Views per day, \d+ \w+ to today: 1,234 in all; most on \d+ \w+, 1,000\.$/)
    expect(clicks).toMatch(/^Presses of Open all per day, .*: 254 in all; most on \d+ \w+, 250\.$/)
    const cells = textsIn(html, 'td')
    expect(cells.slice(0, 9)).toEqual([ago(0), '1,000', '250', ago(1), '0', '0', ago(2), '234', '4'])
    expect(cells.slice(-9)).toEqual(['234', '4', '1.7%', '0', '0', '0%', '1,000', '250', '25%'])
    expect(html.includes('r_0123456789')).toBe(false)
    expect(textsIn(html, 'span')).toContain('Phones <b>')
    const month = await insights(slug)
    expect(textsIn(month, 'span')).toContain('(removed rule)')
    expect(textsIn(month, 'span')).toContain(' r_0123456789')
    expect(textsIn(month, 'td')).toHaveLength(30 * 3 + 4 * 3)
  })

  test('a range that is none is 30 days, and the one that is shown is marked', async () => {
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

  describe('the page', () => {
    test('is shown to whoever may view the bundle, and to nobody else', async () => {
      const admin = await arrive(server())
      const viewer = await arrive(server())
      const { id } = await organize(admin)
      const { slug } = await admin.makeBundle()
      await join(admin, id, viewer, 'viewer')
      const path = `/dashboard/links/${slug}/insights`
      expect((await page(path, viewer)).status).toBe(200)
      expect((await page(path, owner)).status).toBe(403)
      expect((await page('/dashboard/links/nothing-here/insights')).status).toBe(404)
      const signedOut = await fetch(server().origin + path, { redirect: 'manual' })
      expect(signedOut.headers.get('location')).toStartWith('/sign-in?next=')
    })

    test('tells how we count in the words of docs/privacy.md', async () => {
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
