import { beforeAll, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const DAY_MS = 86_400_000
const COMPUTER = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1'
const TABLET = 'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1'

interface Breakdown {
  values: { value: string | null; views: number }[]
  other: number
}
interface Insights {
  totals: object
  previous: object
  breakdowns: { referrers: Breakdown; devices: Breakdown; languages: Breakdown; countries?: Breakdown }
}

/** The UTC day this many days ago. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

onEveryTarget({ SERVICE_COUNTRY_HEADER: 'x-country' }, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })

  const read = async (slug: string, query = '') =>
    (await owner.api<Insights>('GET', `/api/links/${slug}/insights${query}`)).body
  const csv = async (slug: string, query: string, accept = '*/*') => {
    const answer = await owner.fetch(`/api/links/${slug}/insights?format=csv${query}`, { headers: { accept } })
    return [answer.status, answer.headers.get('content-disposition'), await answer.text()]
  }
  const look = (slug: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${at().origin}/l/${slug}`, { method, headers: { 'user-agent': COMPUTER, ...headers } })
  const put = (slug: string, dimension: string, rows: [day: string, value: string, views: number][]) =>
    at().sql(
      `INSERT INTO daily_breakdowns SELECT bundles.id, value ->> 0, ?, value ->> 1, value ->> 2
        FROM bundles, json_each(?) WHERE slug = ?`,
      [dimension, JSON.stringify(rows), slug],
    )

  test('views are counted by referring site, device, language and country, soon after they were made', async () => {
    const { slug } = await owner.makeBundle()
    const news = {
      referer: 'https://news.example/private?q=secret',
      'accept-language': 'de-AT,de;q=0.9',
      'x-country': 'at',
    }
    await look(slug, news)
    await look(slug, { ...news, 'user-agent': PHONE })
    await look(slug, { referer: `${at().origin}/dashboard`, 'user-agent': TABLET, 'accept-language': 'en-GB' })
    // Neither a bot nor a prefetch, a HEAD or a click is a view.
    await look(slug, { ...news, 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
    await look(slug, { ...news, 'sec-purpose': 'prefetch' })
    await look(slug, news, 'HEAD')
    await owner.api('POST', `/api/links/${slug}/events`, { kind: 'open_all' }, { 'user-agent': COMPUTER })
    await becomes(async () => (await read(slug)).breakdowns, {
      referrers: {
        values: [
          { value: 'news.example', views: 2 },
          { value: null, views: 1 },
        ],
        other: 0,
      },
      devices: {
        values: [
          { value: 'desktop', views: 1 },
          { value: 'mobile', views: 1 },
          { value: 'tablet', views: 1 },
        ],
        other: 0,
      },
      languages: {
        values: [
          { value: 'de', views: 2 },
          { value: 'en', views: 1 },
        ],
        other: 0,
      },
      countries: {
        values: [
          { value: 'AT', views: 2 },
          { value: null, views: 1 },
        ],
        other: 0,
      },
    })
    expect(JSON.stringify(await at().sql('SELECT * FROM daily_breakdowns'))).not.toMatch(/secret|private/)
    expect(await csv(slug, '&breakdown=referrers&range=7d')).toEqual([
      200,
      `attachment; filename="${slug}-referrers-7d.csv"`,
      'value,views\r\nnews.example,2\r\nDirect,1\r\n',
    ])
    const today = async () =>
      String((await csv(slug, '&range=7d'))[2])
        .trim()
        .split('\r\n')
        .at(-1)
    await becomes(today, `${ago(0)},3,1,3`)
    // In the words of the page for people, as they are for programs.
    const tables = async (accept?: string) =>
      Promise.all(
        ['referrers', 'devices', 'languages', 'countries'].map(async (table) => {
          const [, , text] = await csv(slug, `&breakdown=${table}`, accept)
          return String(text).trim().split('\r\n').slice(1)
        }),
      )
    expect(await tables()).toEqual([
      ['news.example,2', 'Direct,1'],
      ['Computer,1', 'Phone,1', 'Tablet,1'],
      ['German (de),2', 'English (en),1'],
      ['Austria,2', 'Unknown,1'],
    ])
    expect(await tables('text/csv')).toEqual([
      ['news.example,2', '(none),1'],
      ['desktop,1', 'mobile,1', 'tablet,1'],
      ['de,2', 'en,1'],
      ['AT,2', '(none),1'],
    ])
  })

  test('a breakdown names the twenty most viewed values of its days, and adds up the rest', async () => {
    const { slug } = await owner.makeBundle()
    await put(slug, 'referrer', [
      ...Array.from({ length: 30 }, (_, n): [string, string, number] => [ago(n % 7), `site-${n}.example`, n + 1]),
      [ago(2), 'site-29.example', 70],
      [ago(6), '*', 1000],
      [ago(7), 'earlier.example', 5000],
    ])
    const { referrers, devices } = (await read(slug, '?range=7d')).breakdowns
    expect(referrers.values).toHaveLength(20)
    expect(referrers.values[0]).toEqual({ value: 'site-29.example', views: 100 })
    expect(referrers.values[19]).toEqual({ value: 'site-10.example', views: 11 })
    expect(referrers.other).toBe(1000 + (10 * 11) / 2)
    expect(devices).toEqual({ values: [], other: 0 })
    const [, , text] = await csv(slug, '&breakdown=referrers&range=7d')
    expect(String(text).trim().split('\r\n').at(-1)).toBe('Other sites,1055')
    expect((await read(slug)).breakdowns.referrers.values[0]).toEqual({ value: 'earlier.example', views: 5000 })
  })

  test('previous has the totals of as many days before, to the day', async () => {
    const { slug } = await owner.makeBundle()
    for (const [days, views] of [
      [0, 1],
      [6, 10],
      [7, 100],
      [13, 1000],
      [14, 10_000],
    ] as const) {
      const of = 'FROM bundles WHERE slug = ?'
      await at().sql(`INSERT INTO daily_counters SELECT id, ?, '', ?, ? ${of}`, [ago(days), views, views / 2, slug])
      await at().sql(`INSERT INTO daily_viewers SELECT id, ?, ? ${of}`, [ago(days), views * 3, slug])
    }
    const week = await read(slug, '?range=7d')
    expect(week.totals).toMatchObject({ views: 11, uniqueViewerDays: 33 })
    expect(week.previous).toEqual({ views: 1100, openAllClicks: 550, openAllRate: 0.5, uniqueViewerDays: 3300 })
    expect((await read(slug)).previous).toEqual({ views: 0, openAllClicks: 0, openAllRate: 0, uniqueViewerDays: 0 })
  })

  test('the days stay the CSV that is not asked for more, and only breakdowns that exist can be asked for', async () => {
    const { slug } = await owner.makeBundle()
    const [status, file, text] = await csv(slug, '&range=7d')
    expect([status, file]).toEqual([200, `attachment; filename="${slug}-insights-7d.csv"`])
    expect(text).toMatch(/^day,views,openAllClicks,dailyVisitors\r\n(\d{4}-\d\d-\d\d,0,0,0\r\n){7}$/)
    expect(await csv(slug, '&breakdown=devices')).toEqual([
      200,
      `attachment; filename="${slug}-devices-30d.csv"`,
      'value,views\r\n',
    ])
    for (const breakdown of ['', 'device', '__proto__', 'referrers&breakdown=devices']) {
      expect((await csv(slug, `&breakdown=${breakdown}`))[0]).toBe(400)
    }
  })
})

onEveryTarget({}, (at) => {
  test('countries are absent where no header tells them', async () => {
    const owner = await newPerson(at())
    const { slug } = await owner.makeBundle()
    const { breakdowns } = (await owner.api<Insights>('GET', `/api/links/${slug}/insights`)).body
    expect(Object.keys(breakdowns)).toEqual(['referrers', 'devices', 'languages'])
  })
})
