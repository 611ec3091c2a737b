import { beforeAll, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { callOf, send } from '../mcp/support.ts'
import { newPerson, type Person, URL_A, URL_B, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'
import { newSlug, post, sendEvent } from './support.ts'

const DAY_MS = 86_400_000
const FIREFOX = 'Mozilla/5.0 Firefox/153.0'

/** A breakdown without views. */
const NOTHING = { values: [], other: 0 }

interface Insights {
  slug: string
  range: { from: string; to: string }
  totals: { views: number; uniqueViewerDays: number; openAllClicks: number; openAllRate: number }
  previous: Insights['totals']
  breakdowns: object
  tabs: { url: string; opens: number }[]
  byRule: { ruleId: string | null; ruleName: string; views: number; openAllClicks: number; openAllRate: number }[]
  series: { day: string; views: number; openAllClicks: number }[]
}

/** The UTC day this many days ago. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** Inserts counters of past days. */
async function put(at: Server, slug: string, rows: { day: string; rule?: string; views: number; clicks?: number }[]) {
  for (const { day, rule = '', views, clicks = 0 } of rows) {
    const insert = 'INSERT INTO daily_counters SELECT id, ?, ?, ?, ? FROM bundles WHERE slug = ?'
    await at.sql(insert, [day, rule, views, clicks, slug])
  }
}

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(server())
  })

  const ownSlug = async () => (await owner.makeBundle()).slug
  const ask = (slug: string, query = '', headers: Record<string, string> = {}, by: Visitor = owner) =>
    by.fetch(`/api/links/${slug}/insights${query}`, { headers })
  const read = async (slug: string, query = '') => (await (await ask(slug, query)).json()) as Insights
  const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code]

  test('insights of a bundle without views are complete, and zero', async () => {
    const slug = await ownSlug()
    const before = Date.now()
    const answer = await ask(slug)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    const { range, series, ...rest } = (await answer.json()) as Insights
    expect(rest).toEqual({
      slug,
      totals: { views: 0, uniqueViewerDays: 0, openAllClicks: 0, openAllRate: 0 },
      previous: { views: 0, uniqueViewerDays: 0, openAllClicks: 0, openAllRate: 0 },
      breakdowns: { referrers: NOTHING, devices: NOTHING, languages: NOTHING },
      tabs: [URL_A, URL_B].map((url) => ({ url, opens: 0 })),
      byRule: [{ ruleId: null, ruleName: 'Fallthrough', views: 0, openAllClicks: 0, openAllRate: 0 }],
    })
    expect(range.from).toBe(`${ago(29)}T00:00:00.000Z`)
    expect(Date.parse(range.to)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(range.to)).toBeLessThanOrEqual(Date.now())
    expect(series).toEqual(
      Array.from({ length: 30 }, (_, index) => ({ day: ago(29 - index), views: 0, openAllClicks: 0 })),
    )
  })

  test('views, viewers and clicks are reported soon', async () => {
    const slug = await ownSlug()
    const look = (agent = FIREFOX) => fetch(`${server().origin}/l/${slug}`, { headers: { 'user-agent': agent } })
    await look()
    await look()
    await look('Mozilla/5.0 Chrome/156.0')
    await sendEvent(server(), slug)
    const totals = { views: 3, uniqueViewerDays: 2, openAllClicks: 1, openAllRate: 0.3333 }
    await becomes(async () => (await read(slug, '?range=7d')).totals, totals)
    const insights = await read(slug, '?range=7d')
    expect(insights.byRule).toEqual([
      { ruleId: null, ruleName: 'Fallthrough', views: 3, openAllClicks: 1, openAllRate: 0.3333 },
    ])
    expect(insights.series.at(-1)).toEqual({ day: ago(0), views: 3, openAllClicks: 1 })
    expect(JSON.stringify(insights)).not.toContain('127.0.0.1')
  })

  test('browsers behind one address are different viewers, and addresses of one customer too', async () => {
    const slug = await ownSlug()
    const look = (address: string, agent: string) =>
      fetch(`${server().origin}/l/${slug}`, { headers: { 'x-client': address, 'user-agent': agent } })
    for (let n = 0; n < 80; n += 1) {
      await Promise.all([
        look('192.0.2.1', `${FIREFOX} ${n}`),
        // Addresses of one IPv6 customer.
        look(`2001:db8:0:1::${n.toString(16)}`, FIREFOX),
      ])
    }
    // Others are still distinguished, even behind a known address.
    await Promise.all([
      look('192.0.2.2', FIREFOX),
      look('192.0.2.2', `${FIREFOX} 1`),
      look('192.0.2.1', `${FIREFOX} 1`),
    ])
    const seen = async () => {
      const { views, uniqueViewerDays } = (await read(slug, '?range=7d')).totals
      return { views, uniqueViewerDays }
    }
    await becomes(seen, { views: 163, uniqueViewerDays: 80 + 80 + 2 })
    const [{ hashes } = {}] = await server().sql(
      'SELECT count(*) AS hashes FROM viewer_hashes JOIN bundles ON bundles.id = bundle_id WHERE slug = ?',
      [slug],
    )
    expect(hashes).toBe(162)
  })

  test('from and to choose UTC days, at most 92 of them, and the file is named by them', async () => {
    const slug = await ownSlug()
    await put(server(), slug, [
      { day: ago(200), views: 1 },
      { day: ago(199), views: 10, clicks: 5 },
      { day: ago(109), views: 100 },
      { day: ago(108), views: 1000 },
      { day: ago(0), views: 10_000 },
    ])
    for (const [query, first, last, views, before] of [
      [`?from=${ago(199)}&to=${ago(109)}`, 199, 109, 110, 1],
      [`?from=${ago(199)}&to=${ago(199)}`, 199, 199, 10, 1],
      [`?from=${ago(91)}`, 91, 0, 10_000, 1100],
      [`?to=${ago(108)}`, 137, 108, 1100, 0],
      [`?from=${ago(0)}&to=${ago(0)}`, 0, 0, 10_000, 0],
    ] as const) {
      const insights = await read(slug, query)
      expect([query, insights.totals.views, insights.previous.views]).toEqual([query, views, before])
      expect([insights.series[0]?.day, insights.series.at(-1)?.day]).toEqual([ago(first), ago(last)])
      expect(insights.range.from).toBe(`${ago(first)}T00:00:00.000Z`)
      expect(insights.range.to.slice(0, 10)).toBe(ago(last))
      const file = await ask(slug, `${query}&format=csv`)
      const name = `${slug}-insights-${ago(first)}-to-${ago(last)}.csv`
      expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
    }
    for (const [query, error] of [
      ['?from=2026-02-30', 'from must be a day, such as 2026-11-20'],
      ['?to=yesterday', 'to must be a day, such as 2026-11-20'],
      ['?from=2026-1-1', 'from must be a day, such as 2026-11-20'],
      [`?from=${ago(1)}&to=${ago(2)}`, 'to must be the day of from, or later'],
      [`?to=${ago(-2)}`, 'to must not be after today, in UTC'],
      [`?from=${ago(-2)}`, 'from must not be after today, in UTC'],
      [`?from=${ago(92)}`, 'from must span at most 92 days, both ends included'],
      [`?from=${ago(1)}&range=7d`, 'from cannot be combined with range: send one of them'],
    ] as const) {
      const answer = await ask(slug, query)
      expect([query, answer.status, await answer.json()]).toEqual([
        query,
        400,
        expect.objectContaining({ code: 'BAD_REQUEST', error: expect.stringContaining(error) }),
      ])
    }
  })

  test('the answer says which range the default replaced; a tool refuses it', async () => {
    const slug = await ownSlug()
    expect(await read(slug, '?range=14d')).toMatchObject({ requestedRange: '14d', series: { length: 30 } })
    expect(await read(slug, `?range=${'9'.repeat(1000)}`)).toMatchObject({ requestedRange: `${'9'.repeat(200)}…` })
    for (const query of ['', '?range=7d']) expect(await read(slug, query)).not.toHaveProperty('requestedRange')
    const { rawKey } = await owner.mint({ scopes: ['links:read'] })
    const { body } = await send(server(), callOf('get_insights', { slug, range: '14d' }), {
      authorization: `Bearer ${rawKey}`,
    })
    expect(body).toMatchObject({
      result: {
        isError: true,
        structuredContent: { code: 'BAD_REQUEST', error: expect.stringContaining('range must be one of 7d, 30d, 90d') },
      },
    })
  })

  test('a range is a number of whole UTC days ending today; any invalid range is 30 days', async () => {
    const slug = await ownSlug()
    await put(server(), slug, [
      { day: ago(0), views: 1 },
      { day: ago(6), views: 10, clicks: 5 },
      { day: ago(7), views: 100 },
      { day: ago(29), views: 1000, clicks: 1 },
      { day: ago(30), views: 10_000 },
      { day: ago(89), views: 100_000 },
      { day: ago(90), views: 1_000_000 },
    ])
    for (const [query, days, views] of [
      ['?range=7d', 7, 11],
      ['?range=30d', 30, 1111],
      ['?range=90d', 90, 111_111],
      ['', 30, 1111],
      ['?range=', 30, 1111],
      ['?range=7D', 30, 1111],
      ['?range=365d', 30, 1111],
      ['?range=7', 30, 1111],
      ['?range=__proto__', 30, 1111],
      ['?range=7d&range=90d', 30, 1111],
      [`?range=${encodeURIComponent('’ OR 1=1 --')}`, 30, 1111],
      [`?range=${'7d'.repeat(500)}`, 30, 1111],
    ] as const) {
      const insights = await read(slug, query)
      expect([query.slice(0, 30), insights.series.length, insights.totals.views]).toEqual([
        query.slice(0, 30),
        days,
        views,
      ])
      expect(insights.range.from).toBe(`${ago(days - 1)}T00:00:00.000Z`)
      expect(insights.series.map(({ day }) => day)).toEqual(
        Array.from({ length: days }, (_, index) => ago(days - 1 - index)),
      )
      expect(insights.series.reduce((sum, { views }) => sum + views, 0)).toBe(views)
    }
  })

  test('current rules come in policy order, zeros included, then removed ones, then Fallthrough', async () => {
    const rule = (name: string) => ({ name, when: { op: 'signedIn' }, tabs: [{ url: 'https://a.example/' }] })
    const rules = ['Phones', 'Gone', 'Nobody yet', 'Partners'].map(rule)
    const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules } })
    interface WithRules {
      resolutionPolicy: { rules: { id: string; name: string }[] }
    }
    const { resolutionPolicy } = (await owner.api<WithRules>('GET', `/api/links/${slug}`)).body
    const [phones = '', gone = '', nobody = '', partners = ''] = resolutionPolicy.rules.map(({ id }) => id)
    await put(server(), slug, [
      { day: ago(1), rule: phones, views: 3, clicks: 1 },
      { day: ago(0), rule: phones, views: 3, clicks: 3 },
      { day: ago(0), rule: partners, views: 7, clicks: 7 },
      { day: ago(2), rule: gone, views: 2, clicks: 1 },
      { day: ago(2), views: 88, clicks: 8 },
    ])
    const names = async () => (await read(slug, '?range=7d')).byRule.map(({ ruleName }) => ruleName)
    expect(await names()).toEqual(['Phones', 'Gone', 'Nobody yet', 'Partners', 'Fallthrough'])
    const left = resolutionPolicy.rules.filter(({ id }) => id !== gone)
    await owner.api('PATCH', `/api/links/${slug}`, { resolutionPolicy: { version: 1, rules: left } })
    const { byRule, totals, series } = await read(slug, '?range=7d')
    expect(byRule).toEqual([
      { ruleId: phones, ruleName: 'Phones', views: 6, openAllClicks: 4, openAllRate: 0.6667 },
      { ruleId: nobody, ruleName: 'Nobody yet', views: 0, openAllClicks: 0, openAllRate: 0 },
      { ruleId: partners, ruleName: 'Partners', views: 7, openAllClicks: 7, openAllRate: 1 },
      { ruleId: gone, ruleName: '(removed rule)', views: 2, openAllClicks: 1, openAllRate: 0.5 },
      { ruleId: null, ruleName: 'Fallthrough', views: 88, openAllClicks: 8, openAllRate: 0.0909 },
    ])
    expect(totals).toEqual({ views: 103, uniqueViewerDays: 0, openAllClicks: 20, openAllRate: 0.1942 })
    expect(series.slice(-3)).toEqual([
      { day: ago(2), views: 90, openAllClicks: 9 },
      { day: ago(1), views: 3, openAllClicks: 1 },
      { day: ago(0), views: 10, openAllClicks: 10 },
    ])
    await owner.api('PATCH', `/api/links/${slug}`, { resolutionPolicy: null })
    const removed = Array(3).fill('(removed rule)')
    expect(await names()).toEqual([...removed, 'Fallthrough'])
  })

  test('viewers of each day add up', async () => {
    const slug = await ownSlug()
    for (const [days, viewers] of [
      [0, 3],
      [29, 40],
      [30, 500],
    ] as const) {
      await server().sql('INSERT INTO daily_viewers SELECT id, ?, ? FROM bundles WHERE slug = ?', [
        ago(days),
        viewers,
        slug,
      ])
    }
    expect((await read(slug)).totals.uniqueViewerDays).toBe(43)
    expect((await read(slug, '?range=90d')).totals.uniqueViewerDays).toBe(543)
  })

  test('the days come as CSV with format=csv, or an Accept header that names it', async () => {
    const slug = await ownSlug()
    await put(server(), slug, [{ day: ago(1), views: 12, clicks: 3 }])
    const expected = [
      'day,views,openAllClicks,dailyVisitors',
      ...Array.from({ length: 7 }, (_, index) => `${ago(6 - index)},${index === 5 ? '12,3,0' : '0,0,0'}`),
      '',
    ].join('\r\n')
    for (const [query, accept] of [
      ['&format=csv', undefined],
      ['&format=csv', 'application/json'],
      ['', 'text/csv'],
      ['', 'text/csv;q=0.9, */*;q=0.1'],
      ['', 'TEXT/CSV'],
    ] as const) {
      const answer = await ask(slug, `?range=7d${query}`, accept === undefined ? {} : { accept })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${slug}-insights-7d.csv"`)
      expect(answer.headers.get('vary')).toContain('Accept')
      expect(await answer.text()).toBe(expected)
    }
    for (const [query, accept] of [
      ['?format=json', 'text/csv'],
      ['', '*/*'],
      ['', 'application/json, text/csv;q=0.5'],
      ['', 'text/csv;q=0'],
      ['', 'text/html,application/xhtml+xml,*/*;q=0.8'],
    ] as const) {
      const answer = await ask(slug, query, { accept })
      expect([query, accept, answer.headers.get('content-type')]).toEqual([
        query,
        accept,
        'application/json; charset=utf-8',
      ])
    }
  })

  test('other formats and unknown fields are refused, with advice', async () => {
    const slug = await ownSlug()
    for (const [query, says] of [
      ['?format=xml', 'format must be "csv" or "json"'],
      ['?format=csv&format=json', 'format must be "csv" or "json"'],
      ['?rnage=7d', 'rnage is not a field of this request: remove it, or did you mean range?'],
    ] as const) {
      const answer = await ask(slug, query)
      expect([query, answer.status, await answer.json()]).toEqual([
        query,
        400,
        { error: says, code: 'BAD_REQUEST', ...told },
      ])
    }
    // On other routes `format` is an ordinary field.
    const list = await owner.fetch('/api/me/links?format=csv')
    expect(await codeOf(list)).toEqual([400, 'BAD_REQUEST'])
  })

  test('only people who may see the bundle see its insights, as CSV too', async () => {
    const slug = await ownSlug()
    const stranger = await newPerson(server())
    const anonymous = new Visitor(server())
    for (const query of ['', '?format=csv']) {
      expect(await codeOf(await ask(slug, query, {}, anonymous))).toEqual([401, 'UNAUTHORIZED'])
      expect(await codeOf(await ask(slug, query, {}, stranger))).toEqual([403, 'FORBIDDEN'])
      expect(await codeOf(await ask('unknown-slug', query))).toEqual([404, 'NOT_FOUND'])
      expect(await codeOf(await ask(await newSlug(server()), query))).toEqual([403, 'FORBIDDEN'])
    }
    // The order of errors: scope and input come before the bundle.
    expect(await codeOf(await ask('unknown-slug', '?x=1'))).toEqual([400, 'BAD_REQUEST'])
    expect((await owner.api('DELETE', `/api/links/${slug}`)).status).toBe(200)
    expect(await codeOf(await ask(slug))).toEqual([404, 'NOT_FOUND'])
  })

  test('a key needs only links:read, and its CSV answers report the remaining limit too', async () => {
    const slug = await ownSlug()
    const wishes = { name: 'reader', scopes: ['links:read'] }
    const { rawKey } = (await owner.api<{ rawKey: string }>('POST', '/api/me/keys', wishes)).body
    const reader = new Visitor(server(), { authorization: `Bearer ${rawKey}` })
    for (const query of ['', '?format=csv']) {
      const answer = await ask(slug, query, {}, reader)
      expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([200, '"perhr";q=1000;w=3600'])
    }
  })

  test('counts survive a claim, an edit, and a deletion with restore', async () => {
    const made = await post(`${server().origin}/api/links`, { urls: ['https://a.example'] })
    const { slug, claimToken } = made.body
    await put(server(), slug, [{ day: ago(3), views: 5, clicks: 2 }])
    await owner.api('POST', '/api/claims', { token: claimToken })
    await owner.api('PATCH', `/api/links/${slug}`, { title: 'Other' })
    await owner.api('DELETE', `/api/links/${slug}`)
    await owner.api('POST', `/api/links/${slug}/restore`)
    expect((await read(slug)).totals).toMatchObject({ views: 5, openAllClicks: 2, openAllRate: 0.4 })
  })
})
