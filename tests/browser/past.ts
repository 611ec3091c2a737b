import type { Rule } from '../../db/policy.ts'
import { linkHash } from '../../src/launcher/opens.ts'
import { eventually } from '../eventually.ts'
import type { Person } from '../people.ts'
import type { Server } from '../server.ts'
import { ODD, ONBOARDING } from './bundles.ts'

const DAY_MS = 86_400_000

const RULES: Omit<Rule, 'id'>[] = [
  {
    name: 'Engineers',
    showBadge: true,
    when: {
      op: 'and',
      of: [{ op: 'signedIn' }, { op: 'in', field: 'emailDomain', values: ['northwind.example', 'eng.example'] }],
    },
    tabs: [
      { url: 'https://github.com/northwind', note: 'All repositories' },
      { url: 'https://grafana.northwind.example/' },
    ],
  },
  {
    name: 'On a phone',
    when: { op: 'equals', field: 'device', value: 'mobile' },
    tabs: [{ url: 'https://m.northwind.example/' }],
  },
]

/** Makes edits of every kind to the onboarding bundle and the odd one, and restores both at the end. */
export async function makeHistory(owner: Person, slug: string, oddSlug: string): Promise<void> {
  const edit = async (which: string, body: unknown) => {
    const { status } = await owner.api('PATCH', `/api/links/${which}`, body)
    if (status !== 200) throw new Error(`an edit was refused: ${status}`)
  }
  const [first = '', second = '', third = '', ...rest] = ONBOARDING.urls
  const [about = {}, ...more] = ONBOARDING.urlMetadata ?? []
  await edit(slug, { title: 'Your first week', description: 'Everything you need from Monday to Thursday.' })
  await edit(slug, {
    urls: [second, first, ...rest, 'https://münchen.example/office'],
    urlMetadata: [{ note: 'Your introductions, week by week', openPolicy: 'manual' }, about, ...more.slice(2)],
  })
  await edit(slug, { resolutionPolicy: { version: 1, rules: RULES } })
  await edit(slug, { resolutionPolicy: { version: 1, rules: RULES.toReversed() }, urls: [first, second, third] })
  await edit(oddSlug, { urls: ODD.urls.toReversed(), description: `${ODD.description} <b>&amp;</b>` })
  for (const which of [slug, oddSlug]) await owner.api('POST', `/api/links/${which}/versions/1/restore`)
}

/** How the views are divided, in percent: dimension, value. */
const SHARES = [
  ['referrer', '', 41],
  ['referrer', 'intranet.example.com', 22],
  ['referrer', 'news.ycombinator.com', 14],
  ['referrer', 'a-rather-long-host-name.of-a-small-department.university.example', 8],
  ['referrer', 'duckduckgo.com', 6],
  ['referrer', 'm.facebook.com', 5],
  ['referrer', '*', 4],
  ['device', 'desktop', 62],
  ['device', 'mobile', 33],
  ['device', 'tablet', 4],
  ['device', '', 1],
  ['language', 'en', 55],
  ['language', 'de', 25],
  ['language', 'pt', 12],
  ['language', 'ar', 7],
  ['language', '', 1],
] as const

/** Inserts realistic counts for the last 90 days, with quiet weekends. */
export async function makeCounts(server: Server, slug: string): Promise<void> {
  const rows = Array.from({ length: 90 }, (_, ago) => {
    const day = new Date(Date.now() - ago * DAY_MS)
    const isQuiet = day.getUTCDay() % 6 === 0
    const views = Math.round((isQuiet ? 20 : 70) + 30 * Math.sin(ago * 1.7) * (isQuiet ? 0.3 : 1) + 60 / (1 + ago / 9))
    return `SELECT '${day.toISOString().slice(0, 10)}' AS day, ${views} AS views`
  })
  const days = rows.join(' UNION ALL ')
  const own = `(SELECT id FROM bundles WHERE slug = '${slug}')`
  await server.sql(`INSERT INTO daily_counters SELECT ${own}, day, '', views, views * 2 / 3 FROM (${days})`)
  await server.sql(`INSERT INTO daily_counters SELECT ${own}, day, 'r_0123456789', views / 5, views / 9 FROM (${days})`)
  await server.sql(`INSERT INTO daily_viewers SELECT ${own}, day, views * 4 / 5 FROM (${days})`)
  const shares = SHARES.map(
    ([dimension, value, percent]) => `SELECT '${dimension}' AS d, '${value}' AS v, ${percent} AS p`,
  )
  await server.sql(
    `INSERT INTO daily_breakdowns SELECT ${own}, day, d, v, views * p / 100 FROM (${days}), (${shares.join(' UNION ALL ')})
      WHERE views * p >= 100`,
  )
  const [bundle] = await server.sql('SELECT id, urls FROM bundles WHERE slug = ?', [slug])
  const links = [...JSON.parse(String(bundle?.urls)), 'https://wiki.example.com/2024/first-week'] as string[]
  for (const [at, url] of links.entries()) {
    const link = linkHash(Number(bundle?.id), url)
    await server.sql(`INSERT INTO opened_links VALUES (${bundle?.id}, unhex('${link}'), ?)`, [url])
    await server.sql(
      `INSERT INTO daily_opens SELECT ${own}, day, unhex('${link}'), views * 2 / ${3 + at * at} AS opens FROM (${days}) WHERE opens > 0`,
    )
  }
}

/** What the checks have found of a bundle: its first link is broken, its second has moved. Nothing looks at them again. */
export async function makeBroken(server: Server, slug: string, urls: readonly string[]): Promise<void> {
  const since = Date.now() - 3 * DAY_MS
  const found = `UPDATE checked_links SET state = ?, since = ?, final_url = ?, due_at = ? WHERE url = ? AND id IN
    (SELECT link_id FROM bundle_links JOIN bundles ON bundles.id = bundle_id WHERE slug = ?) RETURNING 1`
  const states: [state: string, to: string | null][] = [
    ['broken', null],
    ['moved', 'https://calendar.northwind.example/'],
  ]
  for (const [at, [state, to]] of states.entries()) {
    await eventually(
      async () =>
        (await server.sql(found, [state, since, to, since + 365 * DAY_MS, urls[at] ?? '', slug])).length === 1,
      `link ${at + 1} of ${slug} is looked at`,
    )
  }
}
