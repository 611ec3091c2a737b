import { beforeAll, describe, expect, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { signInApp } from '../oauth.ts'
import { actFor, newOrganization, newPerson, type Person, PLAIN, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'

// Copies that viewers make of launchers whose owners let them; copies of one’s own are in duplicate.test.ts.

interface Told {
  slug: string
  url: string
  versionNumber: number
  claimToken?: string
  code: string
  error: string
  bundle?: unknown
}

const HIDDEN = 'https://hidden.example/'
const PARTNERS = 'https://partners.example/'
const rules = (when: object) => ({
  version: 1,
  rules: [{ name: 'Secret partners', when, tabs: [{ url: PARTNERS, note: 'For you' }] }],
})
const BY_QUERY = rules({ op: 'exists', field: 'query.vip' })
const TOLD = /hidden\.example|partners\.example|Secret partners|Launch secrets/
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (at) => {
  let owner: Person
  let stranger: Person
  let networks = 0
  beforeAll(async () => {
    owner = await newPerson(at())
    stranger = await newPerson(at())
  })
  const visitor = (more: Record<string, string> = {}) => {
    networks += 1
    return new Visitor(at(), { 'x-client': `198.51.100.${networks}`, ...more })
  }
  const copy = (by: Visitor, slug: string, fields: object = {}, headers: Record<string, string> = {}) =>
    by.api<Told>('POST', `/api/links/${slug}/duplicate`, fields, headers)
  const seen = async (slug: string, by = visitor()) => (await by.fetch(`/l/${slug}.json`)).json()
  const read = async (slug: string, by: Visitor) =>
    (await by.api<Record<string, unknown>>('GET', `/api/links/${slug}`)).body
  test('viewers cannot copy a bundle unless its owner lets them', async () => {
    const { slug } = await owner.makeBundle({ title: 'Launch secrets' })
    expect((await read(slug, owner)).copyable).toBe(false)
    expect(await copy(visitor(), slug)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
    expect(await copy(stranger, slug)).toMatchObject({
      status: 403,
      body: { error: 'you do not own this bundle: get_tabs reads what its link shows' },
    })
    for (const by of [visitor(), stranger]) {
      const page = await by.fetch(`/l/${slug}/copy`)
      expect([page.status, await page.text()]).toEqual([403, expect.not.stringMatching(TOLD)])
      expect((await by.form(`/l/${slug}/copy`, { title: 'Mine' })).status).toBe(403)
    }
    const launcher = async () => (await visitor().fetch(`/l/${slug}`)).text()
    expect(await launcher()).not.toContain(`/l/${slug}/copy`)
    await owner.api('PATCH', `/api/links/${slug}`, { copyable: true })
    expect(await launcher()).toContain(`/l/${slug}/copy`)
    expect((await copy(visitor(), slug)).status).toBe(201)
    await owner.api('PATCH', `/api/links/${slug}`, { copyable: false })
    expect((await copy(visitor(), slug)).status).toBe(401)
  })

  describe('a viewer’s copy', () => {
    const content = {
      title: 'Launch secrets',
      description: 'In order',
      urlMetadata: [{ note: 'first', tags: ['live'], section: 'Start' }, { openPolicy: 'manual' }],
    }

    test('has what the launcher shows, and nothing of what decides who sees what', async () => {
      const closing = { closesAt: inHours(5), closedNote: 'Too late', copyable: true, resolutionPolicy: BY_QUERY }
      const { slug } = await owner.makeBundle({ ...content, ...closing })
      const { status, body } = await copy(stranger, slug)
      expect<unknown>([status, body]).toEqual([
        201,
        { slug: body.slug, url: `${at().origin}/l/${body.slug}`, versionNumber: 1 },
      ])
      const made = await read(body.slug, stranger)
      const plain = { ...PLAIN, ...content, urls: [URL_A, URL_B], resolutionPolicy: null }
      expect(made).toMatchObject({ ...plain, owner: { type: 'user', userId: stranger.userId } })
      expect(await read(slug, stranger)).toMatchObject({ code: 'FORBIDDEN' })
    })

    test('without an account has no owner, and is claimed with its token', async () => {
      const { slug } = await owner.makeBundle({ ...content, copyable: true })
      const { body } = await copy(visitor(), slug, { title: 'Mine' })
      expect(Object.keys(body)).toContain('claimToken')
      expect(await seen(body.slug)).toMatchObject({ title: 'Mine', tabs: [{ url: URL_A }, { url: URL_B }] })
      const claimed = await stranger.api<Told>('POST', '/api/claims', { token: body.claimToken })
      expect(claimed.body).toMatchObject({ slug: body.slug, copyable: false })
    })

    test('takes the fields that are sent, and refuses those that a new bundle would', async () => {
      const { slug } = await owner.makeBundle({ ...content, copyable: true })
      expect((await copy(visitor(), slug, { newSlug: 'a-slug-of-mine' })).body.error).toMatch(/^newSlug can be chosen/)
      const bad: [object, RegExp][] = [
        [{ tilte: 'x' }, /^tilte is not a field/],
        [{ urls: ['ftp://a.example'] }, /^urls\[0\]/],
        [{ access: 'members' }, /needs an account/],
        [{ access: 'password' }, /^password/],
      ]
      for (const [fields, says] of bad) expect((await copy(visitor(), slug, fields)).body.error).toMatch(says)
      const { body } = await copy(stranger, slug, { urls: [URL_B], copyable: true, resolutionPolicy: BY_QUERY })
      expect(await read(body.slug, stranger)).toMatchObject({
        urls: [URL_B],
        urlMetadata: [{ openPolicy: 'manual' }],
        copyable: true,
        resolutionPolicy: BY_QUERY,
      })
    })

    test('counts like any new bundle: with the limit of its address, and the viewer’s own role', async () => {
      const { slug } = await owner.makeBundle({ copyable: true })
      const [admin, viewer] = [await newPerson(at()), await newPerson(at())]
      const { id } = await newOrganization(admin, [[viewer, 'viewer']])
      await actFor(viewer, id)
      expect((await copy(viewer, slug)).body.error).toBe('needs role editor (you are viewer)')
      expect((await copy(await stranger.program({ scopes: ['links:read'] }), slug)).body.error).toBe(
        'needs scope links:write',
      )
      expect((await copy(await stranger.program({ scopes: ['links:write'] }), slug)).status).toBe(201)
    })
  })

  describe('rules', () => {
    test('decide what a copy has, as for the page; what they hide is nowhere in it', async () => {
      const cases: [object, Record<string, string>][] = [
        [{ op: 'equals', field: 'language', value: 'de' }, { 'accept-language': 'de' }],
        [{ op: 'equals', field: 'device', value: 'mobile' }, { 'user-agent': 'Mozilla/5.0 (iPhone) Mobile Safari' }],
        [{ op: 'equals', field: 'referrerDomain', value: 'news.example' }, { referer: 'https://news.example/x' }],
      ]
      for (const [when, headers] of cases) {
        const { slug } = await owner.makeBundle({ urls: [HIDDEN], copyable: true, resolutionPolicy: rules(when) })
        for (const by of [visitor(headers), visitor()]) {
          const tabs = (await seen(slug, by)).tabs as object[]
          const { body } = await copy(by, slug)
          expect((await seen(body.slug)).tabs).toEqual(tabs)
          const { body: dry } = await copy(by, slug, { dryRun: true })
          const other =
            by.always === headers || tabs.some((tab) => 'url' in tab && tab.url === PARTNERS) ? HIDDEN : PARTNERS
          expect(JSON.stringify([dry, await seen(body.slug)])).not.toContain(other)
        }
      }
    })

    test('about the account look at the session alone: neither at a key nor at an app', async () => {
      const { slug } = await owner.makeBundle({
        urls: [URL_A],
        copyable: true,
        resolutionPolicy: rules({ op: 'signedIn' }),
      })
      const tabsOf = async (by: Visitor) => (await seen((await copy(by, slug)).body.slug)).tabs[0].url
      expect(await tabsOf(stranger)).toBe(PARTNERS)
      const keyed = await stranger.program({ scopes: ['links:write'] })
      const ask = { resource: `${at().origin}/api`, scope: 'links:write' }
      const { accessToken } = await signInApp(at(), stranger, { ask })
      const apps = visitor({ authorization: `Bearer ${accessToken}` })
      for (const by of [visitor(), keyed, apps]) expect(await tabsOf(by)).toBe(URL_A)
      // An agent that sends its person’s cookie too is still without an account.
      const params = { name: 'duplicate_bundle', arguments: { slug } }
      const headers = { accept: 'application/json, text/event-stream', ...keyed.always }
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const { body } = await stranger.api<{ result: { structuredContent: Told } }>('POST', '/api/mcp', call, headers)
      expect((await seen(body.result.structuredContent.slug)).tabs[0].url).toBe(URL_A)
    })

    test('are asked with the query of the page, and with its referrer as its script passes it on', async () => {
      const byReferrer = rules({ op: 'equals', field: 'referrerDomain', value: 'news.example' })
      for (const [resolutionPolicy, query] of [
        [BY_QUERY, '?vip=1'],
        [byReferrer, `?openall-referrer=${encodeURIComponent('https://news.example')}`],
      ] as const) {
        const { slug } = await owner.makeBundle({ urls: [URL_A], copyable: true, resolutionPolicy })
        const path = `/l/${slug}/copy`
        expect(await (await visitor().fetch(path)).text()).not.toMatch(TOLD)
        const page = await (await visitor().fetch(path + query)).text()
        expect(page).toContain('partners.example')
        const action = /<form class="card" method="post" action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
        expect(action).toBe(path + query)
        const made = await visitor().form(action ?? '', { title: '' })
        const links = await (await visitor().fetch(made.headers.get('location') ?? '')).text()
        const [, copied = ''] = /class="shared" href="[^"]+\/l\/([a-z0-9]+)"/.exec(links) ?? []
        expect((await seen(copied)).tabs).toMatchObject([{ url: PARTNERS, note: 'For you' }])
      }
    })
  })

  describe('a bundle that a viewer may not see', () => {
    const secret = { title: 'Launch secrets', urls: [HIDDEN], copyable: true }

    test.each([
      ['members', { access: 'members' }],
      ['password', { access: 'password', password: 'four stairs down' }],
    ])('is not copied, nor told of: %s', async (_, gate) => {
      const { slug } = await owner.makeBundle({ ...secret, ...gate })
      const { slug: plain } = await owner.makeBundle({ ...secret, ...gate, copyable: false })
      const keyed = await stranger.program({ scopes: ['links:write'] })
      const hers = visitor()
      for (const by of [hers, stranger, keyed]) {
        for (const fields of [{}, { dryRun: true }, { access: 'link' }]) {
          const answers = [await copy(by, slug, fields), await copy(by, plain, fields)]
          for (const { status, body } of answers) {
            expect([by === hers ? 401 : 403, expect.not.stringMatching(TOLD)]).toEqual([status, JSON.stringify(body)])
          }
          // Nothing tells the one that can be copied from the one that cannot.
          expect(answers[0]!.body).toEqual({ ...answers[1]!.body, ...told })
        }
        for (const page of [await by.fetch(`/l/${slug}/copy`), await by.form(`/l/${slug}/copy`, { title: 'x' })]) {
          expect([page.status, await page.text()]).toEqual([401, expect.not.stringMatching(TOLD)])
        }
      }
    })

    test('outside its times is refused like its page, whether or not it could be copied', async () => {
      for (const [times, status, code] of [
        [{ opensAt: inHours(1) }, 403, 'NOT_OPEN_YET'],
        [{ closesAt: inHours(-1), closedNote: 'Too late' }, 410, 'CLOSED'],
      ] as const) {
        for (const copyable of [true, false]) {
          const { slug } = await owner.makeBundle({ ...secret, ...times, copyable })
          for (const by of [visitor(), stranger]) {
            expect(await copy(by, slug)).toMatchObject({ status, body: { code } })
            const page = await by.fetch(`/l/${slug}/copy`)
            expect([page.status, await page.text()]).toEqual([status, expect.not.stringMatching(TOLD)])
          }
        }
      }
    })

    test('because it is deleted or unknown is not found', async () => {
      const { slug } = await owner.makeBundle(secret)
      await owner.api('DELETE', `/api/links/${slug}`)
      for (const of of [slug, 'there-is-none', '%ff']) {
        for (const by of [visitor(), stranger]) {
          expect((await by.fetch(`/l/${of}/copy`)).status).toBe(404)
          expect((await by.form(`/l/${of}/copy`, {})).status).toBe(404)
        }
      }
      expect((await copy(stranger, slug)).status).toBe(404)
      expect((await copy(stranger, 'there-is-none')).status).toBe(404)
    })
  })

  describe('the page', () => {
    test('makes one copy and shows its links, for whoever has no account', async () => {
      const { slug } = await owner.makeBundle({ title: 'Launch secrets', copyable: true })
      const hers = visitor()
      const page = await hers.fetch(`/l/${slug}/copy`)
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store, no-transform'])
      expect(page.headers.get('x-robots-tag')).toBe('noindex')
      const fields = Object.fromEntries(fieldsIn(await page.text()))
      expect(fields).toMatchObject({ title: 'Launch secrets' })
      const wrong = await hers.form(`/l/${slug}/copy`, { ...fields, title: 'x'.repeat(201) })
      expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('200')])
      const made = await hers.form(`/l/${slug}/copy`, { ...fields, title: 'Mine' })
      expect([made.status, made.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/made\//)])
      const links = await (await hers.fetch(made.headers.get('location')!)).text()
      expect(links).toContain('keep your private link')
      expect(links).toContain('Mine')
      const again = await hers.form(`/l/${slug}/copy`, { ...fields, title: 'Mine' })
      const slugIn = (text: string) => /\/l\/([a-z0-9]+)"/.exec(text)?.[1]
      expect(slugIn(await (await hers.fetch(again.headers.get('location')!)).text())).toBe(slugIn(links))
    })

    test('gives a signed-in viewer a bundle of their own, and takes whoever may read all of it to the editor', async () => {
      const { slug } = await owner.makeBundle({ copyable: true })
      const fields = Object.fromEntries(fieldsIn(await (await stranger.fetch(`/l/${slug}/copy`)).text()))
      const made = await stranger.form(`/l/${slug}/copy`, fields)
      const links = await (await stranger.fetch(made.headers.get('location')!)).text()
      expect(links).toMatch(/href="\/dashboard\/links\/\w+"/)
      expect(links).not.toContain('private link')
      const own = await owner.fetch(`/l/${slug}/copy`)
      expect([own.status, own.headers.get('location')]).toEqual([303, `/dashboard/links/new?from=${slug}`])
    })

    test('shows what somebody else typed as text', async () => {
      const title = '<b>bold</b> &amp; "quoted"'
      const { slug } = await owner.makeBundle({ title, urls: ['https://a.example/?x=<b>&y="'], copyable: true })
      const text = await (await visitor().fetch(`/l/${slug}/copy`)).text()
      expect(text.replace(/value="[^"]*"/g, '')).not.toContain('<b>')
      expect(Object.fromEntries(fieldsIn(text)).title).toBe(title)
    })

    test('does nothing for another site in a viewer’s name', async () => {
      const { slug } = await owner.makeBundle({ copyable: true })
      const sent = await stranger.form(`/l/${slug}/copy`, { title: 'x' }, { 'sec-fetch-site': 'cross-site' })
      expect(sent.status).toBe(403)
    })
  })

  test('the feed and other forms of a launcher do not change because it can be copied', async () => {
    const { slug } = await owner.makeBundle()
    const feed = async () => (await visitor().fetch(`/l/${slug}/feed`)).text()
    const before = await feed()
    await owner.api('PATCH', `/api/links/${slug}`, { copyable: true })
    expect((await feed()).replace(/<updated>[^<]+/g, '')).toBe(before.replace(/<updated>[^<]+/g, ''))
    expect(Object.keys(await seen(slug))).not.toContain('copyable')
  })
})

onEveryTarget({ SERVICE_ANONYMOUS_BUNDLES: 'off' }, (at) => {
  test('where bundles need an account, so do copies, and the page says so', async () => {
    const owner = await newPerson(at())
    const { slug } = await owner.makeBundle({ copyable: true })
    const visitor = new Visitor(at())
    expect((await visitor.api('POST', `/api/links/${slug}/duplicate`, {})).status).toBe(401)
    const page = await visitor.fetch(`/l/${slug}/copy?vip=1`)
    const text = await page.text()
    expect([page.status, text]).toEqual([200, expect.stringContaining('You need an account')])
    expect(text).toContain(`/sign-in?next=${encodeURIComponent(`/l/${slug}/copy?vip=1`)}`)
    expect((await visitor.form(`/l/${slug}/copy`, { title: 'x' })).status).toBe(401)
    const stranger = await newPerson(at())
    expect((await stranger.form(`/l/${slug}/copy`, { title: 'x' })).status).toBe(303)
  })
})

onEveryTarget({ SERVICE_PLAN_FREE_MAX_BUNDLES: '1', SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '1' }, (at) => {
  test('a viewer whose plan is full is told so on the page of the copy', async () => {
    const [owner, stranger] = [await newPerson(at()), await newPerson(at())]
    const { slug } = await owner.makeBundle({ copyable: true })
    await stranger.makeBundle()
    const page = await stranger.form(`/l/${slug}/copy`, { title: 'x' })
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining('role="alert"')])
  })
})
