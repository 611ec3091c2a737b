import { beforeAll, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { newAddress } from '../security/callers.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'
import { BROWSER } from './support.ts'

const DAY_MS = 86_400_000
const [A, B, C] = ['https://a.example/', 'https://b.example/?q=1,2', 'HTTPS://C.example'] as const
const PHONE_TAB = 'https://m.example/'
const RULES = {
  version: 1,
  rules: [
    {
      name: '=Phones, "all"',
      when: { op: 'equals', field: 'device', value: 'mobile' },
      tabs: [{ url: PHONE_TAB }, { url: B }],
    },
  ],
}

interface Tab {
  url: string
  opens: number
}

/** The UTC day this many days ago. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client', SERVICE_RATE_LIMIT_MAX_REQUESTS: '12' }, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })

  const stranger = () => new Visitor(at(), { 'x-client': newAddress() })
  /** Sends what a launcher sends by `sendBeacon`. */
  const send = async (slug: string, body: unknown, headers: Record<string, string> = {}, who = stranger()) => {
    const answer = await who.fetch(`/api/links/${slug}/events`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { ...BROWSER, 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin', ...headers },
    })
    return answer.status
  }
  const opened = (slug: string, ...urls: string[]) => send(slug, { kind: 'open_tabs', urls })
  const tabs = async (slug: string, query = '') =>
    (await owner.api<{ tabs: Tab[] }>('GET', `/api/links/${slug}/insights${query}`)).body.tabs
  const rows = async (slug: string, table: string) =>
    (await at().sql(`SELECT 1 FROM ${table} JOIN bundles ON bundles.id = bundle_id WHERE slug = ?`, [slug])).length
  const csv = async (slug: string, breakdown: string) => {
    const answer = await owner.fetch(`/api/links/${slug}/insights.csv?range=7d&breakdown=${breakdown}`)
    return [answer.status, answer.headers.get('content-disposition'), await answer.text()]
  }

  test('each opened tab counts for its link, wherever the link is, and leaves views and clicks as they are', async () => {
    const { slug } = await owner.makeBundle({ urls: [A, B, C, A], resolutionPolicy: RULES })
    expect(await tabs(slug)).toEqual([A, B, C, PHONE_TAB].map((url) => ({ url, opens: 0 })))
    expect(await opened(slug, A, B, C)).toBe(204)
    // One press opens a link once, also if it is there twice.
    expect(await opened(slug, A, A)).toBe(204)
    expect(await opened(slug, PHONE_TAB, B)).toBe(204)
    const counted = [
      { url: A, opens: 2 },
      { url: B, opens: 2 },
      { url: C, opens: 1 },
      { url: PHONE_TAB, opens: 1 },
    ]
    await becomes(() => tabs(slug), counted)
    const { body } = await owner.api<{ totals: object }>('GET', `/api/links/${slug}/insights`)
    expect(body.totals).toMatchObject({ views: 0, openAllClicks: 0 })
    await owner.api('PATCH', `/api/links/${slug}`, { urls: [C, B, A] })
    expect(await tabs(slug)).toEqual([counted[2], counted[1], counted[0], counted[3]] as Tab[])
  })

  test('a link that is gone stays behind the others, counts once more where a page still has it, and comes back', async () => {
    const { slug } = await owner.makeBundle({ urls: [A, B, C] })
    await opened(slug, A, B)
    await opened(slug, B)
    await becomes(
      () => tabs(slug),
      [A, B, C].map((url, at) => ({ url, opens: [1, 2, 0][at]! })),
    )
    await owner.api('PATCH', `/api/links/${slug}`, { urls: [C] })
    const after = (opens: number[]) => [C, B, A].map((url, at) => ({ url, opens: opens[at]! }))
    expect(await tabs(slug)).toEqual(after([0, 2, 1]))
    await opened(slug, C, B)
    await becomes(() => tabs(slug), after([1, 3, 1]))
    await owner.api('PATCH', `/api/links/${slug}`, { urls: [B, C] })
    expect((await tabs(slug)).map(({ url }) => url)).toEqual([B, C, A])
  })

  test('of the links that are gone, the fifty that were opened most are named', async () => {
    const { slug } = await owner.makeBundle({ urls: [A] })
    for (let edit = 0; edit < 3; edit += 1) {
      const urls = Array.from({ length: 17 }, (_, at) => `https://${edit}-${at}.example/`)
      await owner.api('PATCH', `/api/links/${slug}`, { urls: edit === 2 ? [...urls, B] : urls })
      await opened(slug, ...urls, ...(edit === 2 ? [B] : []))
      if (edit === 2) await opened(slug, B)
      await becomes(async () => (await rows(slug, 'daily_opens')) >= 17 * (edit + 1), true)
    }
    await owner.api('PATCH', `/api/links/${slug}`, { urls: [A] })
    await becomes(() => tabs(slug).then((all) => all.slice(0, 3).map(({ opens }) => opens)), [0, 2, 1])
    const all = await tabs(slug)
    expect([all.length, all[0]?.url, all[1]?.url]).toEqual([51, A, B])
    expect(await rows(slug, 'daily_opens')).toBe(52)
  })

  test('made-up links, other sites’ pages, bots and closed bundles count nothing and leave no row', async () => {
    const { slug } = await owner.makeBundle({ urls: [A] })
    const closed = await owner.makeBundle({ urls: [A], opensAt: new Date(Date.now() + DAY_MS).toISOString() })
    const event = { kind: 'open_tabs', urls: [A] }
    expect(await opened(slug, 'https://made-up.example/', B, ` ${A}`)).toBe(204)
    expect(await send(slug, event, { 'sec-fetch-site': 'cross-site' })).toBe(204)
    expect(await send(slug, event, { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' })).toBe(204)
    expect(await send('no-such-bundle', event)).toBe(204)
    expect(await send(closed.slug, event)).toBe(204)
    await opened(slug, A)
    await becomes(() => tabs(slug), [{ url: A, opens: 1 }])
    expect([await rows(slug, 'opened_links'), await rows(slug, 'daily_opens')]).toEqual([1, 1])
    expect(await rows(closed.slug, 'daily_opens')).toBe(0)
  })

  test('what is no event is refused, and events of one address have the limit of its clicks', async () => {
    const { slug } = await owner.makeBundle({ urls: [A] })
    for (const [event, error] of [
      [{ kind: 'open_tabs' }, 'urls'],
      [{ kind: 'open_tabs', urls: [] }, 'urls'],
      [{ kind: 'open_tabs', urls: Array(26).fill(A) }, 'urls'],
      [{ kind: 'open_tabs', urls: ['x'.repeat(5000)] }, 'urls[0]'],
      [{ kind: 'open_all', urls: [A] }, 'urls'],
      [{ kind: 'open_tab', urls: [A] }, 'kind'],
    ] as const) {
      const refused = await stranger().api<{ error: string }>('POST', `/api/links/${slug}/events`, event)
      expect([event, refused.status]).toEqual([event, 400])
      expect(refused.body.error).toContain(error)
    }
    const one = stranger()
    for (let sent = 0; sent < 12; sent += 1) {
      expect(
        await send(slug, { kind: sent % 2 ? 'open_tabs' : 'open_all', ...(sent % 2 ? { urls: [A] } : {}) }, {}, one),
      ).toBe(204)
    }
    expect(await send(slug, { kind: 'open_tabs', urls: [A] }, {}, one)).toBe(429)
    await becomes(() => tabs(slug), [{ url: A, opens: 6 }])
  })

  test('of a link with placeholders the link itself counts, and no value is kept', async () => {
    const url = 'https://crm.example/{id}?q={id}'
    const { slug } = await owner.makeBundle({ urls: [url, A], variables: [{ name: 'id' }] })
    const page = await (await stranger().fetch(`/l/${slug}?id=4711`, { headers: BROWSER })).text()
    expect(page).toContain(`data-link="${url}"`)
    expect(await opened(slug, url, A)).toBe(204)
    expect(await opened(slug, 'https://crm.example/4711?q=4711')).toBe(204)
    await becomes(
      () => tabs(slug),
      [url, A].map((url) => ({ url, opens: 1 })),
    )
    for (const table of ['opened_links', 'daily_opens']) {
      expect(JSON.stringify(await at().sql(`SELECT * FROM ${table}`))).not.toContain('4711')
    }
  })

  test('a range has the opens of its days; deleting the bundle for good erases them', async () => {
    const { slug } = await owner.makeBundle({ urls: [A, B] })
    await opened(slug, A, B)
    await becomes(() => rows(slug, 'daily_opens'), 2)
    for (const days of [6, 7, 29, 30, 89]) {
      await at().sql(
        `INSERT INTO daily_opens SELECT bundle_id, ?, link, 10 FROM opened_links JOIN bundles ON bundles.id = bundle_id
          WHERE slug = ? AND url = ?`,
        [ago(days), slug, A],
      )
    }
    const of = async (query: string) => (await tabs(slug, query)).map(({ opens }) => opens)
    expect([await of('?range=7d'), await of(''), await of('?range=90d')]).toEqual([
      [11, 1],
      [31, 1],
      [51, 1],
    ])
    const exported = await owner.api<{ bundles: { slug: string; insights: { opens: (Tab & { day: string })[] } }[] }>(
      'GET',
      '/api/me/export',
    )
    const { opens } = exported.body.bundles.find((one) => one.slug === slug)!.insights
    expect(opens).toHaveLength(7)
    expect(opens).toContainEqual({ day: ago(89), url: A, opens: 10 })
    await at().sql('DELETE FROM bundles WHERE slug = ?', [slug])
    for (const table of ['opened_links', 'daily_opens']) {
      expect(await at().sql(`SELECT 1 FROM ${table} WHERE bundle_id NOT IN (SELECT id FROM bundles)`)).toEqual([])
    }
  })

  test('a bundle that moves into an organisation keeps its opens', async () => {
    const { slug } = await owner.makeBundle({ urls: [A, B] })
    await opened(slug, A)
    await becomes(() => rows(slug, 'daily_opens'), 1)
    const { id } = await newOrganization(owner)
    const to = { type: 'organization', organizationId: id }
    const moved = await owner.api('POST', `/api/links/${slug}/transfer`, { to })
    expect(moved.status).toBe(200)
    await opened(slug, A, B)
    await becomes(
      () => tabs(slug),
      [A, B].map((url, at) => ({ url, opens: 2 - at })),
    )
  })

  test('tabs and rules come as CSV too, in which no name is a formula', async () => {
    const urlMetadata = [{ note: '**The** plan\nRead it first' }, {}]
    const { slug } = await owner.makeBundle({ urls: [A, B], urlMetadata, resolutionPolicy: RULES })
    await opened(slug, A, B)
    await becomes(async () => (await tabs(slug)).map(({ opens }) => opens), [1, 1, 0])
    expect(await csv(slug, 'tabs')).toEqual([
      200,
      `attachment; filename="${slug}-tabs-7d.csv"`,
      `url,opens,title\r\n${A},1,The plan\r\n"${B}",1,\r\n${PHONE_TAB},0,\r\n`,
    ])
    const [status, file, text] = await csv(slug, 'rules')
    expect([status, file]).toEqual([200, `attachment; filename="${slug}-rules-7d.csv"`])
    expect(text).toMatch(
      /^ruleId,ruleName,views,openAllClicks,openAllRate\r\nr_\w+,"'=Phones, ""all""",0,0,0\r\n,No rule matched,0,0,0\r\n$/,
    )
  })

  test('no name in a file is a formula, in full-width signs neither', async () => {
    const names = ['＝1+1', "'=1+1", '-1']
    const rules = RULES.rules.flatMap((rule) => names.map((name) => ({ ...rule, name })))
    const { slug } = await owner.makeBundle({ resolutionPolicy: { ...RULES, rules } })
    const [, , text] = await csv(slug, 'rules')
    for (const name of names) expect(text).toContain(`,'${name},0,0,0`)
  })

  test('the page names each tab by its note, most opened first, with a file of every table that it shows', async () => {
    const variables = [{ name: 'id' }]
    const urls = ['https://crm.example/{id}', B, C]
    const urlMetadata = [{ note: 'Customer {id} **<b>**' }, {}, { note: 'Last' }]
    const { slug } = await owner.makeBundle({ urls, urlMetadata, variables, resolutionPolicy: RULES })
    const path = `/dashboard/links/${slug}/insights?range=7d`
    expect(await (await owner.fetch(path)).text()).toContain('No visits in the last 7 days')
    await opened(slug, B, C)
    await opened(slug, B)
    await becomes(async () => (await tabs(slug)).map(({ opens }) => opens), [0, 2, 1, 0])
    await owner.api('PATCH', `/api/links/${slug}`, { urls: urls.slice(0, 2), urlMetadata: urlMetadata.slice(0, 2) })
    const html = await (await owner.fetch(path)).text()
    const card = /<section aria-labelledby="tabs-heading">[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
    const rows = [...card.matchAll(/<tr><th scope="row">([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      unescaped(row.replace(/<svg[\s\S]*?<\/svg>|<span class="tile[\s\S]*?<\/span>/g, '').replace(/<[^>]*>/g, ' '))
        .replace(/\s+/g, ' ')
        .trim(),
    )
    expect(rows).toEqual([
      'b.example/?q=1,2 2 66.7%',
      'c.example No longer there 1 33.3%',
      'Customer id <b> crm.example/ id 0 0%',
      'm.example 0 0%',
    ])
    const files = elementsOf(html).flatMap(({ attributes: { href = '' } }) =>
      href.includes('breakdown=') ? [href] : [],
    )
    expect(files.map((href) => new URL(href, at().origin).searchParams.get('breakdown'))).toEqual(['tabs', 'rules'])
    for (const href of files) expect((await owner.fetch(href)).headers.get('content-type')).toStartWith('text/csv')
  })
})
