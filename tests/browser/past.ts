import type { Rule } from '../../db/policy.ts'
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

/** Gives the onboarding bundle and the odd one a history of edits of every kind; in the end they are as they were. */
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

/** Counts views and clicks on each of the last 90 days, as they would have been; weekends are quiet. */
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
}
