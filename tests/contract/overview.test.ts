import { beforeAll, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { escapedText } from './html.ts'
import { sendEvent } from './support.ts'

const DAY_MS = 86_400_000

interface Counts {
  views: number
  openAllClicks: number
  openAllRate: number
}

interface Overview {
  range: { from: string; to: string }
  requestedRange?: string
  totals: Counts & { uniqueViewerDays: number }
  previous: Counts & { uniqueViewerDays: number }
  topBundles: (Counts & { slug: string; title: string | null })[]
  series: { day: string; views: number; openAllClicks: number }[]
}

const NOTHING = { views: 0, uniqueViewerDays: 0, openAllClicks: 0, openAllRate: 0 }

/** The UTC day this many days ago. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

async function put(at: Server, slug: string, day: string, views: number, clicks = 0, rule = '') {
  const insert = 'INSERT INTO daily_counters SELECT id, ?, ?, ?, ? FROM bundles WHERE slug = ?'
  await at.sql(insert, [day, rule, views, clicks, slug])
}

onEveryTarget({}, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(server())
  })
  const read = async (by: Visitor, query = '') => (await by.api<Overview>('GET', `/api/me/insights${query}`)).body

  test('the overview of somebody without bundles is complete, and zero', async () => {
    const { range, series, ...rest } = await read(await newPerson(server()))
    expect(rest).toEqual({ totals: NOTHING, previous: NOTHING, topBundles: [] })
    expect(range.from).toBe(`${ago(29)}T00:00:00.000Z`)
    expect(series).toEqual(Array.from({ length: 30 }, (_, at) => ({ day: ago(29 - at), views: 0, openAllClicks: 0 })))
  })

  test('views and clicks of all bundles are added up, and the most viewed come first', async () => {
    const person = await newPerson(server())
    const made = async (title: string) => (await person.makeBundle({ title })).slug
    const [one, two, three] = [await made('one'), await made('two'), await made('three')]
    await put(server(), one, ago(3), 10, 4)
    await put(server(), one, ago(3), 5, 1, 'r_0000000000')
    await put(server(), two, ago(3), 40, 10)
    await put(server(), two, ago(29), 1)
    await put(server(), two, ago(30), 7, 7)
    await put(server(), three, ago(60), 1000)
    for (const [slug, day, viewers] of [
      [one, ago(3), 6],
      [two, ago(3), 30],
      [two, ago(30), 5],
    ] as const)
      await server().sql('INSERT INTO daily_viewers SELECT id, ?, ? FROM bundles WHERE slug = ?', [day, viewers, slug])
    const { totals, previous, topBundles, series } = await read(person)
    expect(totals).toEqual({ views: 56, uniqueViewerDays: 36, openAllClicks: 15, openAllRate: 0.2679 })
    expect(previous).toEqual({ views: 7, uniqueViewerDays: 5, openAllClicks: 7, openAllRate: 1 })
    expect(topBundles).toEqual([
      { slug: two, title: 'two', views: 41, openAllClicks: 10, openAllRate: 0.2439 },
      { slug: one, title: 'one', views: 15, openAllClicks: 5, openAllRate: 0.3333 },
    ])
    expect(series.at(-4)).toEqual({ day: ago(3), views: 55, openAllClicks: 15 })
    expect((await read(person, `?from=${ago(60)}&to=${ago(30)}`)).totals.views).toBe(1007)
    await person.api('DELETE', `/api/links/${two}`)
    expect((await read(person)).totals.views).toBe(15)
  })

  test('a view and a click are there soon', async () => {
    const { slug } = await owner.makeBundle()
    await fetch(`${server().origin}/l/${slug}`, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/153.0' } })
    await sendEvent(server(), slug)
    const totals = { views: 1, uniqueViewerDays: 1, openAllClicks: 1, openAllRate: 1 }
    await becomes(async () => (await read(owner, '?range=7d')).totals, totals)
  })

  test('it is of whom one acts for, and its history moves with a bundle', async () => {
    const person = await newPerson(server())
    const { slug } = await person.makeBundle()
    await put(server(), slug, ago(1), 9)
    const { id: organizationId } = await newOrganization(person)
    await actFor(person, organizationId)
    expect((await read(person)).totals.views).toBe(0)
    await actFor(person, null)
    await person.api('POST', `/api/links/${slug}/transfer`, { to: { type: 'organization', organizationId } })
    expect((await read(person)).totals.views).toBe(0)
    await actFor(person, organizationId)
    expect(await read(person)).toMatchObject({ totals: { views: 9 }, topBundles: [{ slug, views: 9 }] })
    expect((await read(owner)).topBundles.map((top) => top.slug)).not.toContain(slug)
  })

  test('days are asked for as for a bundle', async () => {
    expect(await read(owner, '?range=14d')).toMatchObject({ requestedRange: '14d' })
    expect((await read(owner, '?range=14d')).series).toHaveLength(30)
    for (const [query, error] of [
      [`?from=${ago(92)}`, 'from must span at most 92 days, both ends included'],
      [`?to=${ago(-2)}`, 'to must not be after today, in UTC'],
      ['?from=yesterday', 'from must be a day, such as 2026-11-20'],
    ]) {
      const { status, body } = await owner.api<{ error: string }>('GET', `/api/me/insights${query}`)
      expect([status, body.error]).toEqual([400, error!])
    }
    expect((await new Visitor(server()).api('GET', '/api/me/insights')).status).toBe(401)
  })

  test('the page has the same counts, leads to each bundle, and says which days are none', async () => {
    const person = await newPerson(server())
    const page = async (query = '') => {
      const answer = await person.fetch(`/dashboard/overview${query}`)
      return { status: answer.status, html: await answer.text() }
    }
    expect((await page()).html).toContain('No visits in the last 30 days')
    const { slug } = await person.makeBundle({ title: 'Most <b>' })
    await put(server(), slug, ago(2), 1234, 617)
    const { html } = await page('?range=7d&chart=open-all')
    expect(html).toContain('<title>Insights')
    expect(html).toContain('href="/dashboard/overview" aria-current="page"')
    expect(html).toContain('1,234')
    expect(html).toContain('50%')
    expect(html).toContain(`href="/dashboard/links/${slug}/insights?range=7d&amp;chart=open-all"`)
    expect(html).toMatch(escapedText('Most <b>'))
    const refused = await page(`?from=${ago(-2)}&to=${ago(-3)}`)
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('id="to-error"')
    const part = await person.fetch('/dashboard/overview?range=90d', {
      headers: { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-target': 'div#insights' },
    })
    expect((await part.text()).trim().startsWith('<div id="insights"')).toBe(true)
  })

  test('of thousands of bundles, the counts are read in parts and kept a minute', async () => {
    const person = await newPerson(server())
    const { slug } = await person.makeBundle({ title: 'most' })
    const columns = 'owner_id, title, urls, url_metadata, source, created_at, updated_at'
    await server().sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       INSERT INTO bundles (slug, slug_hash, ${columns}) SELECT 'ov-' || owner_id || '-' || i, 'ov' || owner_id || '-' || i, ${columns}
       FROM bundles, n WHERE slug = ?`,
      [slug],
    )
    await server().sql(
      `INSERT INTO daily_counters SELECT id, ?, '', 2, 1 FROM bundles WHERE owner_id = (SELECT owner_id FROM bundles WHERE slug = ?)`,
      [ago(2), slug],
    )
    await server().sql('UPDATE daily_counters SET views = 5 WHERE bundle_id = (SELECT max(id) FROM bundles)')
    const [first, ...others] = await Promise.all([read(person), read(person), read(person)])
    expect(first!.totals).toMatchObject({ views: 2501 * 2 + 3, openAllClicks: 2501 })
    expect(first!.topBundles.map(({ views }) => views)).toEqual([5, ...Array<number>(9).fill(2)])
    for (const other of others) expect(other).toEqual(first)
    await put(server(), slug, ago(1), 100)
    expect((await read(person)).totals.views).toBe(first!.totals.views)
    expect((await read(person, '?range=7d')).totals.views).toBe(first!.totals.views + 100)
  })
})
