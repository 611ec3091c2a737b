import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newOrganization, newPerson, type Person, signUp, Visitor } from '../people.ts'
import { QUERY_NAMES, RandomPolicies, type RandomViewer } from '../policies/random.ts'
import { prng } from '../prng.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'
import { readRow, START_MS, URL_OK } from './support.ts'

interface Rule {
  id?: string
  name: string
  showBadge?: boolean
  when: unknown
  tabs: { url: string; note?: string }[]
}
interface Bundle {
  slug: string
  urls: string[]
  resolutionPolicy: { version: 1; rules: (Rule & { id: string })[] } | null
  error: string
  code: string
}
interface Preview {
  matchedRuleId: string | null
  matchedRuleName: string | null
  tabs: { url: string; note?: string }[]
  trace: { ruleId: string; name: string; matched: boolean; condition: unknown }[]
  warnings: { path: string; message: string }[]
  error: string
  code: string
}

const YES = { op: 'signedIn' }
const GERMAN = { op: 'startsWith', field: 'language', value: 'de' }
const MOBILE = { op: 'equals', field: 'device', value: 'mobile' }
const rule = (name: string, when: unknown = YES, more: Partial<Rule> = {}): Rule => ({
  name,
  when,
  tabs: [{ url: `https://${name.toLowerCase().replaceAll(' ', '-')}.example/` }],
  ...more,
})
const policyOf = (...rules: Rule[]) => ({ version: 1, rules })

const AGENTS: [agent: string, facts: Pick<RandomViewer, 'device' | 'os' | 'browser'>][] = [
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0',
    { device: 'desktop', os: 'windows', browser: 'edge' },
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    { device: 'mobile', os: 'ios', browser: 'safari' },
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36',
    { device: 'mobile', os: 'android', browser: 'chrome' },
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
    { device: 'desktop', os: 'linux', browser: 'firefox' },
  ],
]

onEveryTarget({ SERVICE_COUNTRY_HEADER: 'x-country' }, (server, runtime) => {
  /** The page that a viewer gets: its rule, badge and links. */
  const look = async (
    slug: string,
    headers: Record<string, string> = {},
    query = '',
    visitor = new Visitor(server()),
  ) => {
    const answer = await visitor.fetch(`/l/${slug}${query}`, { headers: { 'accept-language': '', ...headers } })
    const html = await answer.text()
    const elements = elementsOf(html)
    return {
      status: answer.status,
      headers: answer.headers,
      html,
      rule: elements.find(({ tag }) => tag === 'main')?.attributes['data-rule'] || null,
      badge: /<p class="badge"[^>]*>([^<]*)</.exec(html)?.[1] ?? null,
      urls: elements.filter(({ attributes }) => attributes.class === 'tab').map(({ attributes }) => attributes.href!),
    }
  }
  const edit = (person: Person, slug: string, body: unknown) => person.api<Bundle>('PATCH', `/api/links/${slug}`, body)
  const read = async (person: Person, slug: string) => (await person.api<Bundle>('GET', `/api/links/${slug}`)).body
  const preview = (person: Person, slug: string, body: unknown) =>
    person.api<Preview>('POST', `/api/links/${slug}/policy/preview`, body)
  let known: Promise<Person> | undefined
  const owner = () => (known ??= newPerson(server()))

  test('a policy comes back with ids and in canonical form, from POST and from PATCH', async () => {
    const person = await owner()
    const sent = rule('In', { op: 'not', of: { op: 'in', field: 'os', value: ['iOS'] } }, { showBadge: false })
    const { slug } = await person.makeBundle({ resolutionPolicy: policyOf(sent, rule('Out')) })
    const { resolutionPolicy } = await read(person, slug)
    const when = { op: 'not', of: [{ op: 'in', field: 'os', values: ['iOS'] }] }
    expect<unknown>(resolutionPolicy).toEqual({
      version: 1,
      rules: [
        { ...sent, when, id: expect.stringMatching(/^r_[0-9A-Za-z]{10}$/) },
        { ...rule('Out'), id: expect.stringMatching(/^r_[0-9A-Za-z]{10}$/) },
      ],
    })
    const edited = await edit(person, slug, { resolutionPolicy })
    expect(edited.status).toBe(200)
    expect(edited.body.resolutionPolicy).toEqual(resolutionPolicy)
    const list = await person.api<{ bundles: object[] }>('GET', '/api/me/links')
    expect(list.body.bundles.every((bundle) => !('resolutionPolicy' in bundle))).toBe(true)
  })

  test('a rule keeps its id by the id it sends, else by its name; null clears, an absent policy stays', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: policyOf(rule('A'), rule('B'), rule('C')) })
    const [a, b, c] = (await read(person, slug)).resolutionPolicy!.rules.map(({ id }) => id)
    const put = async (...rules: Rule[]) => {
      const { body } = await edit(person, slug, { resolutionPolicy: policyOf(...rules) })
      return body.resolutionPolicy!.rules.map(({ id }) => id)
    }
    expect(await put(rule('C', GERMAN), rule('A'), rule('B'))).toEqual([c!, a!, b!])
    expect(await put(rule('Renamed', YES, { id: a! }), rule('B'))).toEqual([a!, b!])
    // The id takes precedence over the name: B's rule is renamed, and a new rule gets its old name.
    const [first, second] = await put(rule('X', YES, { id: b! }), rule('B'))
    expect(first).toBe(b!)
    expect([a, b, c]).not.toContain(second)
    expect(await put(rule('Back again', YES, { id: c! }))).toEqual([c!])
    expect((await edit(person, slug, { title: 'x' })).body.resolutionPolicy?.rules[0]?.id).toBe(c!)
    expect((await edit(person, slug, { resolutionPolicy: null })).body.resolutionPolicy).toBeNull()
    expect((await read(person, slug)).resolutionPolicy).toBeNull()
  })

  test('an id from another bundle, or one sent twice, is refused and nothing changes', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: policyOf(rule('A')) })
    const other = await person.makeBundle({ resolutionPolicy: policyOf(rule('A')) })
    const before = await read(person, slug)
    const foreign = (await read(person, other.slug)).resolutionPolicy!.rules[0]!.id
    const mine = before.resolutionPolicy!.rules[0]!.id
    const refused = async (place: string, resolutionPolicy: unknown) => {
      for (const { status, body } of [
        await edit(person, slug, { resolutionPolicy }),
        await preview(person, slug, { resolutionPolicy }),
      ]) {
        expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
        expect(body.error).toStartWith(`resolutionPolicy.rules[${place}].id must`)
      }
    }
    await refused('0', policyOf(rule('A', YES, { id: foreign })))
    await refused('1', policyOf(rule('A'), rule('B', YES, { id: 'r_0000000000' })))
    await refused('1', policyOf(rule('A', YES, { id: mine }), rule('B', YES, { id: mine })))
    expect(await read(person, slug)).toEqual(before)
    const created = await person.api<Bundle>('POST', '/api/links', {
      urls: [URL_OK],
      resolutionPolicy: policyOf(rule('A', YES, { id: mine })),
    })
    expect([created.status, created.body.code]).toEqual([400, 'BAD_REQUEST'])
  })

  test('policy errors are BAD_REQUEST with the JSON path, limits too, on POST and PATCH', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle()
    const deep = (depth: number): unknown => (depth === 0 ? YES : { op: 'not', of: [deep(depth - 1)] })
    const many = Array.from({ length: 51 }, (_, index) => rule(`Rule ${index}`))
    const cases: [policy: unknown, begins: string][] = [
      [
        policyOf(rule('A', { op: 'and', of: [YES, { op: 'is' }] })),
        'resolutionPolicy.rules[0].when.of[1].op must be one of and, or, not',
      ],
      [
        policyOf(rule('A', { op: 'exists', field: 'email' })),
        'resolutionPolicy.rules[0].when.field must be one of emailDomain',
      ],
      [policyOf(rule('A', { ...YES, typo: 1 })), 'resolutionPolicy.rules[0].when.typo is not a field of this request'],
      [policyOf(...many), 'resolutionPolicy.rules must have at most 50 entries'],
      [
        policyOf(rule('A', YES, { tabs: Array(21).fill({ url: URL_OK }) })),
        'resolutionPolicy.rules[0].tabs must have at most 20',
      ],
      [
        policyOf(rule('A', YES, { tabs: [{ url: 'ftp://a' }] })),
        'resolutionPolicy.rules[0].tabs[0].url must be an http: or https: URL',
      ],
      [policyOf(rule('A', deep(5))), 'resolutionPolicy.rules[0].when.of[0].of[0].of[0].of[0] must be no deeper'],
      [
        policyOf(rule('A', { ...GERMAN, value: 'x'.repeat(513) })),
        'resolutionPolicy.rules[0].when.value must be at most 512 characters',
      ],
      [
        policyOf({ ...rule('A'), when: undefined }),
        'resolutionPolicy.rules[0].when is missing: it must be a condition',
      ],
      [policyOf(rule('A'), rule('A')), 'resolutionPolicy.rules[1].name must be different from the name of rules[0]'],
      [{ version: 2, rules: [] }, 'resolutionPolicy.version must be 1'],
      ['x', 'resolutionPolicy must be an object or null'],
    ]
    const wrong: unknown[] = []
    for (const [resolutionPolicy, begins] of cases) {
      for (const { status, body } of [
        await edit(person, slug, { resolutionPolicy }),
        await person.api<Bundle>('POST', '/api/links', { urls: [URL_OK], resolutionPolicy }),
        await new Visitor(server()).api<Bundle>('POST', '/api/links', { urls: [URL_OK], resolutionPolicy }),
        await preview(person, slug, { resolutionPolicy }),
      ]) {
        if (status !== 400 || body.code !== 'BAD_REQUEST' || !body.error.startsWith(begins)) wrong.push([begins, body])
      }
    }
    expect(wrong).toEqual([])
    const both = { urls: ['x'], resolutionPolicy: { version: 2 } }
    expect((await edit(person, slug, both)).body.code).toBe('INVALID_URLS')
  })

  test('only the matched tabs are in the page and in the bookmarks file, and nothing of other rules', async () => {
    const anonymous = new Visitor(server())
    const secret = rule('Secret name', { op: 'equals', field: 'query.key', value: 'hidden-value' }, { showBadge: true })
    const german = rule('Deutsche', GERMAN, {
      showBadge: true,
      tabs: [{ url: 'https://de.example/x', note: 'Für dich' }],
    })
    const phone = rule('Phones', MOBILE)
    const { slug } = await anonymous.makeBundle({ title: 'T', resolutionPolicy: policyOf(secret, german, phone) })
    const parts = {
      secret: ['Secret name', 'secret-name.example', 'hidden-value'],
      german: ['Deutsche', 'de.example', 'Für dich'],
      phone: ['Phones', 'phones.example'],
      own: ['a.example', 'b.example'],
    }
    const cases: [
      headers: Record<string, string>,
      query: string,
      shown: (keyof typeof parts)[],
      badge: string | null,
      urls: string[],
    ][] = [
      [{}, '', ['own'], null, ['https://a.example/', 'https://b.example/']],
      [{ 'accept-language': 'de-AT,de;q=0.9' }, '', ['german'], 'For: Deutsche', ['https://de.example/x']],
      [
        { 'accept-language': 'de' },
        '?key=HIDDEN-value',
        ['secret'],
        'For: Secret name',
        ['https://secret-name.example/'],
      ],
      [{ 'user-agent': AGENTS[1]![0] }, '', ['phone'], null, ['https://phones.example/']],
    ]
    for (const encoding of ['identity', 'gzip', 'br']) {
      for (const [headers, query, shown, badge, urls] of cases) {
        const page = await look(slug, { ...headers, 'accept-encoding': encoding }, query)
        expect([page.badge, page.urls, page.rule === null]).toEqual([badge, urls, shown[0] === 'own'])
        expect(page.headers.get('cache-control')).toBe('private, no-store, no-transform')
        const file = await anonymous.fetch(`/l/${slug}/bookmarks.html${query}`, { headers })
        expect(file.headers.get('cache-control')).toBe('private, no-store, no-transform')
        const text = await file.text()
        for (const url of urls) expect(text).toContain(`HREF="${url}"`)
        for (const [name, hidden] of Object.entries(parts)) {
          if (shown.includes(name as keyof typeof parts)) continue
          // A rule without a badge keeps its name private too.
          for (const piece of hidden) for (const body of [page.html, text]) expect(body).not.toContain(piece)
        }
        expect(page.html).not.toContain('accept-language')
        if (shown[0] === 'phone') expect(page.html).not.toContain('Phones')
      }
    }
    const plain = await look((await anonymous.makeBundle()).slug)
    expect(plain.headers.get('cache-control')).toBe('no-cache, no-transform')
  })

  test('preview and launcher agree on any viewer, and preview says why', async () => {
    const person = await owner()
    const fields = [
      'language',
      'country',
      'referrerDomain',
      'device',
      'os',
      'browser',
      ...QUERY_NAMES.map((name) => `query.${name}`),
    ]
    const random = new RandomPolicies(prng(runtime === 'bun' ? 11 : 12), fields, 'timeless')
    const { slug } = await person.makeBundle()
    let matched = 0
    for (let round = 0; round < 25; round += 1) {
      const resolutionPolicy = { version: 1, rules: random.policy().rules.map(({ id: _, ...rest }) => rest) }
      const saved = await edit(person, slug, { resolutionPolicy })
      expect(saved.status).toBe(200)
      for (let viewers = 0; viewers < 8; viewers += 1) {
        const { device: _d, os: _o, browser: _b, ...rest } = random.viewer()
        const [agent, facts] = random.pick(AGENTS)
        const viewer = { ...rest, ...facts }
        const headers: Record<string, string> = { 'user-agent': agent, 'accept-language': viewer.language ?? '' }
        if (viewer.country !== undefined) headers['x-country'] = viewer.country
        if (viewer.referrerDomain !== undefined) headers.referer = `https://${viewer.referrerDomain}/`
        const page = await look(slug, headers, viewer.query ? `?${new URLSearchParams(viewer.query)}` : '')
        const { status, body } = await preview(person, slug, { viewer })
        expect(status).toBe(200)
        expect({ viewer, rule: page.rule, urls: page.urls }).toEqual({
          viewer,
          rule: body.matchedRuleId,
          urls: body.tabs.map(({ url }) => url),
        })
        expect(body.trace.map(({ ruleId }) => ruleId)).toEqual(saved.body.resolutionPolicy!.rules.map(({ id }) => id))
        expect(body.trace.find((traced) => traced.matched)?.ruleId ?? null).toBe(body.matchedRuleId)
        if (body.matchedRuleId !== null) matched += 1
      }
    }
    expect(matched).toBeGreaterThan(50)
  }, 180_000)

  test('a preview of a draft saves nothing, traces every node and warns', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: policyOf(rule('Kept', MOBILE)) })
    const kept = (await read(person, slug)).resolutionPolicy!.rules[0]!.id
    const when = { op: 'and', of: [YES, { op: 'endsWith', field: 'emailDomain', value: 'acme.com' }] }
    const draft = policyOf(rule('Kept', when), rule('New', GERMAN))
    const { body } = await preview(person, slug, {
      viewer: { emailDomain: 'notacme.com', now: '2026-01-01T00:00:00Z' },
      resolutionPolicy: draft,
    })
    expect(body.matchedRuleId).toBe(kept)
    expect(body.matchedRuleName).toBe('Kept')
    expect(body.tabs).toEqual(rule('Kept').tabs)
    expect(body.trace[0]?.condition).toEqual({
      op: 'and',
      matched: true,
      of: [
        { op: 'signedIn', matched: true },
        { op: 'endsWith', field: 'emailDomain', value: 'acme.com', matched: true },
      ],
    })
    expect(body.trace[1]).toMatchObject({ name: 'New', matched: false, condition: { ...GERMAN, matched: false } })
    expect(body.warnings).toEqual([
      { path: 'resolutionPolicy.rules[0].when.of[1]', message: expect.stringContaining('notacme.com') },
      { path: 'resolutionPolicy.rules[1].when', message: expect.stringContaining('only begin with "de"') },
    ])
    expect((await read(person, slug)).resolutionPolicy?.rules).toHaveLength(1)
    const none = await preview(person, slug, { viewer: {}, resolutionPolicy: null })
    expect(none.body).toMatchObject({ matchedRuleId: null, matchedRuleName: null, trace: [], warnings: [] })
    expect(none.body.tabs.map(({ url }) => url)).toEqual(['https://a.example/', 'https://b.example/'])
    for (const viewer of [{ email: 'a@b.c' }, { device: 'phone' }, { now: 'today' }, { query: { a: 1 } }]) {
      const refused = await preview(person, slug, { viewer })
      expect([refused.status, refused.body.error]).toEqual([400, expect.stringMatching(/^viewer\./)])
    }
    const stranger = await newPerson(server())
    expect((await preview(stranger, slug, { viewer: {} })).status).toBe(403)
    expect((await new Visitor(server()).api('POST', `/api/links/${slug}/policy/preview`, { viewer: {} })).status).toBe(
      401,
    )
  })

  test('a domain counts only if its address is verified, and a role only in the owning organisation', async () => {
    const admin = await newPerson(server(), `admin-${crypto.randomUUID()}@acme.example`)
    const member = await newPerson(server(), `member-${crypto.randomUUID()}@acme.example`)
    const unverified = await signUp(server(), `liar-${crypto.randomUUID()}@acme.example`)
    const outsider = await newPerson(server(), `out-${crypto.randomUUID()}@other.example`)
    const { id } = await newOrganization(admin, [[member, 'viewer']])
    const elsewhere = await newOrganization(outsider)
    expect(elsewhere.id).not.toBe(id)
    const { slug } = await admin.makeBundle({
      resolutionPolicy: policyOf(
        rule('Viewers', { op: 'equals', field: 'orgRole', value: 'viewer' }, { showBadge: true }),
        rule('Admins', { op: 'equals', field: 'orgRole', value: 'admin' }, { showBadge: true }),
        rule('Acme', { op: 'equals', field: 'emailDomain', value: 'ACME.example' }, { showBadge: true }),
        rule('Signed in', YES, { showBadge: true }),
      ),
    })
    expect((await admin.api<{ owner: object }>('GET', `/api/links/${slug}`)).body.owner).toMatchObject({
      organizationId: id,
    })
    const badge = async (visitor: Visitor) => (await look(slug, {}, '', visitor)).badge
    expect(await badge(member)).toBe('For: Viewers')
    expect(await badge(admin)).toBe('For: Admins')
    expect(await badge(outsider)).toBe('For: Signed in')
    expect(await badge(unverified)).toBe('For: Signed in')
    expect(await badge(new Visitor(server()))).toBeNull()
    const forged = new Visitor(server(), { cookie: 'session=made.up', 'x-email-domain': 'acme.example' })
    expect(await badge(forged)).toBeNull()
    const own = await member.makeBundle({
      resolutionPolicy: policyOf(
        rule('Role', { op: 'exists', field: 'orgRole' }, { showBadge: true }),
        rule('Acme', { op: 'equals', field: 'emailDomain', value: 'acme.example' }, { showBadge: true }),
      ),
    })
    // The bundle belongs to a person, so nobody has an organisation role over it.
    expect((await look(own.slug, {}, '', member)).badge).toBe('For: Acme')
  })

  test('the country is taken only from the one configured header', async () => {
    const when = { op: 'equals', field: 'country', value: 'DE' }
    const { slug } = await new Visitor(server()).makeBundle({ resolutionPolicy: policyOf(rule('DE', when)) })
    expect((await look(slug, { 'x-country': 'de' })).rule).not.toBeNull()
    expect((await look(slug, { 'x-country': 'FR' })).rule).toBeNull()
    for (const name of ['cf-ipcountry', 'cloudfront-viewer-country', 'x-vercel-ip-country', 'x-country-code']) {
      expect([name, (await look(slug, { [name]: 'DE' })).rule]).toEqual([name, null])
    }
  })

  test('an edit shows on the next view, and a restored version restores its policy with its ids', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: policyOf(rule('Old', GERMAN)) })
    const german = { 'accept-language': 'de' }
    const first = await look(slug, german)
    expect(first.urls).toEqual(['https://old.example/'])
    await edit(person, slug, { resolutionPolicy: policyOf(rule('New', GERMAN)) })
    const second = await look(slug, german)
    expect([second.urls, second.rule === first.rule]).toEqual([['https://new.example/'], false])
    await edit(person, slug, { resolutionPolicy: null })
    const third = await look(slug, german)
    expect([third.rule, third.headers.get('cache-control')]).toEqual([null, 'no-cache, no-transform'])
    const restored = await person.api<Bundle>('POST', `/api/links/${slug}/versions/1/restore`)
    expect(restored.body.resolutionPolicy?.rules[0]?.id).toBe(first.rule!)
    const fourth = await look(slug, german)
    expect([fourth.urls, fourth.rule]).toEqual([first.urls, first.rule])
    const { body } = await person.api<{ versions: Bundle[] }>('GET', `/api/links/${slug}/versions`)
    expect(body.versions.map(({ resolutionPolicy }) => resolutionPolicy?.rules[0]?.name ?? null)).toEqual([
      'Old',
      null,
      'New',
      'Old',
    ])
  })

  test('two simultaneous edits leave each rule one id', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => edit(person, slug, { resolutionPolicy: policyOf(rule('Same')) })),
    )
    expect(new Set(answers.map(({ body }) => body.resolutionPolicy?.rules[0]?.id)).size).toBe(1)
    const { n } = await readRow<{ n: number }>(
      server(),
      'SELECT count(*) AS n FROM policy_rules JOIN bundles ON bundles.id = bundle_id WHERE slug = ?',
      slug,
    )
    expect(n).toBe(1)
  })

  test(
    'views and clicks are counted by rule; a removed rule still counts, an unknown one never does',
    async () => {
      const person = await owner()
      const { slug } = await person.makeBundle({ resolutionPolicy: policyOf(rule('Gone', GERMAN)) })
      const browser = { 'user-agent': AGENTS[3]![0] }
      const gone = (await look(slug, { ...browser, 'accept-language': 'de' })).rule!
      await look(slug, browser)
      await edit(person, slug, { resolutionPolicy: policyOf(rule('Now', GERMAN)) })
      const now = (await look(slug, { ...browser, 'accept-language': 'de' })).rule!
      await look(slug, { ...browser, 'accept-language': 'de' })
      const other = await person.makeBundle({ resolutionPolicy: policyOf(rule('Other')) })
      const foreign = (await read(person, other.slug)).resolutionPolicy!.rules[0]!.id
      for (const matchedRuleId of [now, now, gone, null, undefined, foreign, 'r_0000000000', 'x', '', "' OR 1=1 --"]) {
        const click = { kind: 'open_all', matchedRuleId }
        const { status } = await person.api('POST', `/api/links/${slug}/events`, click, browser)
        expect(status).toBe(204)
      }
      const count = (ruleId: string) =>
        readRow<{ views: number; clicks: number } | null>(
          server(),
          `SELECT views, open_all_clicks AS clicks FROM daily_counters JOIN bundles ON bundles.id = bundle_id
          WHERE slug = ? AND rule_id = ?`,
          slug,
          ruleId,
        )
      await becomes<unknown>(
        () => Promise.all([gone, now, '', foreign, 'r_0000000000'].map(count)),
        [{ views: 1, clicks: 1 }, { views: 2, clicks: 2 }, { views: 1, clicks: 2 }, null, null],
      )
    },
    START_MS,
  )
})

onEveryTarget({}, (server) => {
  test('without SERVICE_COUNTRY_HEADER no header sets a country', async () => {
    const visitor = new Visitor(server())
    const when = { op: 'exists', field: 'country' }
    const { slug } = await visitor.makeBundle({ resolutionPolicy: policyOf(rule('Any', when)) })
    for (const name of ['cf-ipcountry', 'x-country', 'x-vercel-ip-country', 'undefined']) {
      const html = await (await visitor.fetch(`/l/${slug}`, { headers: { [name]: 'DE' } })).text()
      expect(html).toContain('data-rule=""')
    }
  })
})
