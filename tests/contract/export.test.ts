import { beforeEach, expect, test } from 'bun:test'
import '../../src/core/schemas.ts'
import { type } from 'arktype'
import { ExportedData } from '../../src/export/shapes.ts'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const EXPORT = '/api/me/export'
const POLICY = {
  version: 1,
  rules: [{ name: 'Acme', when: { op: 'equals', field: 'emailDomain', value: 'acme.com' }, tabs: [{ url: URL_A }] }],
}

/** The parts of an export that are checked here. */
interface Exported {
  subject: object
  profile: { email: string }
  organizations: { id: string }[]
  organization: { name: string }
  members: { email: string }[]
  invitations: { email: string }[]
  sessions: object[]
  apiKeys: { name: string; revokedAt: string | null }[]
  bundles: {
    slug: string
    deletedAt?: string
    resolutionPolicy: object | null
    versions: { versionNumber: number; title: string | null; resolutionPolicy: object | null }[]
    insights: {
      counts: { day: string; ruleId: string | null; views: number; openAllClicks: number }[]
      breakdowns: { day: string; dimension: string; value: string | null; views: number }[]
      opens: { day: string; url: string; opens: number }[]
    }
  }[]
}

onEveryTarget({}, (at) => {
  let ann: Person
  let bob: Person
  beforeEach(async () => {
    ;[ann, bob] = (await Promise.all([newPerson(at()), newPerson(at())])) as [Person, Person]
  })

  async function exported(person: Visitor, query = ''): Promise<Exported> {
    const { status, headers, body } = await person.api<Exported>('GET', EXPORT + query)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[a-z-]+-\d{4}-\d\d-\d\d\.json"$/)
    expect(headers.get('cache-control')).toBe('no-store')
    const checked = ExportedData()(body)
    expect(checked instanceof type.errors ? checked.summary : '').toBe('')
    return body
  }

  test('it holds every count of a day, however many rules and values the day has', async () => {
    const { slug } = await ann.makeBundle()
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)'
    const seed = (into: string, values: string) =>
      at().sql(
        `${numbers} INSERT INTO ${into} SELECT id, '2026-01-02', ${values} FROM n, bundles WHERE slug = ? RETURNING 1`,
        [slug],
      )
    await seed('daily_counters (bundle_id, day, rule_id, views, open_all_clicks)', "'r_' || i, i, 0")
    await seed(
      'daily_breakdowns (bundle_id, day, dimension, value, views)',
      "'referrer', 'site-' || i || '.example', i",
    )
    await at().sql(
      `${numbers} INSERT INTO opened_links SELECT id, unhex(printf('%032x', i)), 'https://a.example/' || i FROM n, bundles WHERE slug = ? RETURNING 1`,
      [slug],
    )
    await seed('daily_opens (bundle_id, day, link, opens)', "unhex(printf('%032x', i)), i")
    const { counts, breakdowns, opens } = (await exported(ann)).bundles[0]!.insights
    const views = (of: { views: number }[]) => of.map((one) => one.views).toSorted((a, b) => a - b)
    const all = Array.from({ length: 4500 }, (_, index) => index + 1)
    expect([views(counts), views(breakdowns)]).toEqual([all, all])
    expect(opens).toEqual(all.map((opens) => ({ day: '2026-01-02', url: `https://a.example/${opens}`, opens })))
  })

  test('it holds everything of a person: every version, policy and count, deleted bundles, and no secret', async () => {
    const { slug, url } = await ann.makeBundle({ title: 'first', resolutionPolicy: POLICY })
    for (let n = 2; n <= 45; n += 1) await ann.api('PATCH', `/api/links/${slug}`, { title: `edit ${n}` })
    const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/153.0' }
    await fetch(url, { headers: browser })
    await ann.api('POST', `/api/links/${slug}/events`, { kind: 'open_all' }, browser)
    for (let n = 0; n < 21; n += 1) await ann.makeBundle({ title: `another ${n}` })
    const gone = await ann.makeBundle()
    await ann.api('DELETE', `/api/links/${gone.slug}`)
    const { body: key } = await ann.api<{ rawKey: string; apiKey: { id: number } }>('POST', '/api/me/keys', {
      name: 'k',
    })
    await ann.api('DELETE', `/api/me/keys?id=${key.apiKey.id}`)
    await newOrganization(ann)
    await ann.makeBundle({ title: 'of the organisation' })
    const told = async () => (await ann.api<{ totals: object }>('GET', `/api/links/${slug}/insights`)).body.totals
    await becomes(told, expect.objectContaining({ views: 1, openAllClicks: 1 }))

    const all = await exported(ann)
    expect(all.subject).toEqual({ type: 'user', userId: ann.userId })
    expect(all.profile.email).toBe(ann.email)
    expect(all.organizations).toHaveLength(1)
    expect(all.sessions).toHaveLength(1)
    expect(all.apiKeys).toMatchObject([{ name: 'k', revokedAt: expect.any(String) }])
    expect(all.bundles).toHaveLength(23)
    expect(all.bundles.find((one) => one.slug === gone.slug)?.deletedAt).toEqual(expect.any(String))
    const whole = all.bundles.find((one) => one.slug === slug)!
    expect(whole).toMatchObject({ url, versionNumber: 45, resolutionPolicy: { rules: [{ name: 'Acme' }] } })
    expect(whole.versions.map(({ versionNumber }) => versionNumber)).toEqual(
      Array.from({ length: 45 }, (_, index) => 45 - index),
    )
    expect(whole.versions.at(-1)).toMatchObject({ title: 'first', resolutionPolicy: { rules: [{ name: 'Acme' }] } })
    expect(whole.insights.breakdowns).toMatchObject([
      { dimension: 'device', value: 'desktop', views: 1 },
      { dimension: 'language', value: null, views: 1 },
      { dimension: 'referrer', value: null, views: 1 },
    ])
    expect(whole.insights.counts).toMatchObject([{ ruleId: null, views: 1, openAllClicks: 1 }])

    const text = JSON.stringify(all)
    const [secrets = {}] = await at().sql('SELECT token FROM session WHERE user_id = ?', [ann.userId])
    for (const secret of [key.rawKey, key.rawKey.split('.')[1]!, String(secrets.token), 'secretHash', 'addressHash']) {
      expect([secret, text.includes(secret)]).toEqual([secret, false])
    }
  })

  test('a link of another site exports nothing, and leaves no event', async () => {
    const person = await newPerson(at())
    const { status, body } = await person.api<{ code: string }>('GET', EXPORT, undefined, {
      'sec-fetch-site': 'cross-site',
    })
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
    const { events } = (await person.api<{ events: unknown[] }>('GET', '/api/me/events?type=data')).body
    expect(events).toEqual([])
  })

  test('an organisation’s data is only for its admins', async () => {
    const { id } = await newOrganization(ann, [[bob, 'editor']])
    const { slug } = await ann.makeBundle()
    const invite = { email: 'carol@people.example', role: 'viewer', organizationId: id }
    await ann.api('POST', '/api/auth/organization/invite-member', invite)
    await actFor(ann, null)
    const all = await exported(ann, `?organizationId=${id}`)
    expect(all.subject).toEqual({ type: 'organization', organizationId: id })
    expect(all.members.map(({ email }) => email).toSorted()).toEqual([ann.email, bob.email].toSorted())
    expect(all.invitations).toMatchObject([{ email: 'carol@people.example' }])
    expect(all.bundles.map((one) => one.slug)).toEqual([slug])
    expect(all.profile).toBeUndefined()

    const editor = await bob.api('GET', `${EXPORT}?organizationId=${id}`)
    expect(editor).toMatchObject({ status: 403, body: { error: 'needs role admin (you are editor)' } })
    await actFor(bob, id)
    expect((await exported(bob)).subject).toEqual({ type: 'user', userId: bob.userId })
    const other = await newPerson(at())
    for (const query of [`?organizationId=${id}`, '?organizationId=none-such']) {
      expect(await other.api('GET', EXPORT + query)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })

  test('a key gets its subject’s data, and needs the widest scope', async () => {
    const { id } = await newOrganization(ann)
    await ann.makeBundle()
    const keyFor = (scope: string) => ann.program({ scopes: [scope] })
    const ofAcme = await keyFor('keys:admin')
    expect((await exported(ofAcme)).subject).toEqual({ type: 'organization', organizationId: id })
    const narrow = await keyFor('links:write')
    expect(await narrow.api('GET', EXPORT)).toMatchObject({ status: 403, body: { error: 'needs scope keys:admin' } })
    await actFor(ann, null)
    const own = await keyFor('keys:admin')
    expect((await exported(own)).subject).toEqual({ type: 'user', userId: ann.userId })
    expect((await own.api('GET', `${EXPORT}?organizationId=${id}`)).status).toBe(404)
    expect((await new Visitor(at()).api('GET', EXPORT)).status).toBe(401)
  })
})
