import { beforeAll, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { fieldsIn } from '../form.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Rules that follow their bundle: its links as they are now, less some, then tabs of their own.

interface Rule {
  id?: string
  name: string
  when: unknown
  base?: string
  omit?: string[]
  tabs: { url: string; note?: string }[]
}
interface Bundle {
  slug: string
  versionNumber: number
  urls: string[]
  resolutionPolicy: { rules: Required<Rule>[] } | null
  error: string
}
interface Preview {
  matchedRuleName: string | null
  tabs: { url: string; note?: string; section?: string }[]
  trace: { name: string; matched: boolean; base?: string; omit?: string[] }[]
  warnings: { path: string; message: string }[]
}
interface Tabs {
  tabs: { url: string; note?: string; tags?: string[]; section?: string }[]
}

const [PLAN, PRESS, CHAT, WIKI] = ['plan', 'press', 'chat', 'wiki'].map((name) => `https://${name}.example/`) as [
  string,
  string,
  string,
  string,
]
const MOBILE = { op: 'equals', field: 'device', value: 'mobile' }
const PHONE = {
  'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
}
const following = (more: Partial<Rule> = {}): Rule => ({
  name: 'Phones',
  when: MOBILE,
  base: 'bundle',
  tabs: [],
  ...more,
})
const policyOf = (...rules: Rule[]) => ({ version: 1, rules })
const OWN = { urls: [PLAN, PRESS, CHAT] }

onEveryTarget({ SERVICE_WRITES_PER_MINUTE: '0', SERVICE_WRITES_PER_HOUR: '0' }, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  })
  const edit = (slug: string, body: unknown) => person.api<Bundle>('PATCH', `/api/links/${slug}`, body)
  const read = async (slug: string) => (await person.api<Bundle>('GET', `/api/links/${slug}`)).body
  const ruleOf = async (slug: string) => (await read(slug)).resolutionPolicy?.rules[0]
  /** The links of a launcher on a phone. */
  const seen = async (slug: string, query = '') => {
    const answer = await new Visitor(server()).fetch(`/l/${slug}.json${query}`, { headers: PHONE })
    return ((await answer.json()) as Tabs).tabs
  }
  const urlsSeen = async (slug: string) => (await seen(slug)).map(({ url }) => url)
  const preview = (slug: string, body: unknown = {}) =>
    person.api<Preview>('POST', `/api/links/${slug}/policy/preview`, {
      viewer: { device: 'mobile' },
      ...(body as object),
    })

  test('a rule shows the links of its bundle as they are, less some, then its own, with all that stands beside them', async () => {
    const sent = following({ omit: [PRESS], tabs: [{ url: WIKI, note: 'Ours' }] })
    const { slug } = await person.makeBundle({
      ...OWN,
      urlMetadata: [{ note: 'The plan', tags: ['live'], section: 'First' }, { note: 'Press kit' }],
      resolutionPolicy: policyOf(sent),
    })
    expect(await ruleOf(slug)).toEqual({ ...sent, id: expect.any(String) } as never)
    const [first, ...others] = await seen(slug)
    expect(first).toMatchObject({ url: PLAN, note: 'The plan', tags: ['live'], section: 'First' })
    expect(others.map(({ url }) => url)).toEqual([CHAT, WIKI])
    const page = await (await new Visitor(server()).fetch(`/l/${slug}`, { headers: PHONE })).text()
    expect([PLAN, PRESS, CHAT, WIKI].map((url) => page.includes(`href="${url}"`))).toEqual([true, false, true, true])
    const everyone = await new Visitor(server()).fetch(`/l/${slug}.json`)
    expect(((await everyone.json()) as Tabs).tabs.map(({ url }) => url)).toEqual(OWN.urls)

    const { body } = await preview(slug)
    expect(body.tabs).toEqual([
      { url: PLAN, note: 'The plan', section: 'First' },
      { url: CHAT },
      { url: WIKI, note: 'Ours' },
    ])
    expect(body.trace[0]).toMatchObject({ name: 'Phones', matched: true, base: 'bundle', omit: [PRESS] })
    const insights = await person.api<{ byRule: object[] }>('GET', `/api/links/${slug}/insights`)
    expect(insights.body.byRule[0]).toMatchObject({ ruleName: 'Phones', base: 'bundle', omit: [PRESS] })
  })

  test('an edit reaches it at once, and a link that the bundle loses leaves omit', async () => {
    const { slug } = await person.makeBundle({
      ...OWN,
      resolutionPolicy: policyOf(following({ omit: [PRESS, PRESS], tabs: [{ url: WIKI }] })),
    })
    expect((await ruleOf(slug))?.omit).toEqual([PRESS])
    await edit(slug, { addUrls: [{ url: 'https://new.example/', at: 0, note: 'New' }] })
    expect(await urlsSeen(slug)).toEqual(['https://new.example/', PLAN, CHAT, WIKI])
    await edit(slug, { removeUrls: [PRESS] })
    expect((await ruleOf(slug))?.omit).toEqual([])
    await edit(slug, { addUrls: [{ url: PRESS }] })
    expect(await urlsSeen(slug)).toEqual(['https://new.example/', PLAN, CHAT, PRESS, WIKI])
    await person.api('POST', `/api/links/${slug}/versions/1/restore`)
    expect([await urlsSeen(slug), (await ruleOf(slug))?.omit]).toEqual([[PLAN, CHAT, WIKI], [PRESS]])
    // What a bundle does not have cannot be left out.
    const sent = await edit(slug, { resolutionPolicy: policyOf(following({ omit: [WIKI, CHAT] })) })
    expect([sent.status, sent.body.resolutionPolicy?.rules[0]?.omit]).toEqual([200, [CHAT]])
  })

  test('a rule must leave a tab when it is written, and falls through once it leaves none', async () => {
    const refused = [
      [policyOf(following({ omit: OWN.urls })), 'resolutionPolicy.rules[0].tabs must leave at least one tab'],
      [policyOf({ name: 'x', when: MOBILE, tabs: [] }), 'resolutionPolicy.rules[0].tabs must have at least 1 entry'],
      [policyOf(following({ base: 'none' })), 'resolutionPolicy.rules[0].tabs must have at least 1 entry'],
      [
        policyOf({ name: 'x', when: MOBILE, omit: [PLAN], tabs: [{ url: WIKI }] }),
        'resolutionPolicy.rules[0].omit is only for base "bundle"',
      ],
      [policyOf(following({ base: 'other' })), 'resolutionPolicy.rules[0].base must be'],
      [
        policyOf(following({ omit: Array.from({ length: 26 }, (_, at) => `https://${at}.example/`) })),
        'resolutionPolicy.rules[0].omit must have at most 25 entries',
      ],
    ] as const
    for (const [resolutionPolicy, says] of refused) {
      const created = await person.api<Bundle>('POST', '/api/links', { ...OWN, resolutionPolicy })
      expect([created.status, created.body.error]).toEqual([400, expect.stringContaining(says)])
    }
    const next = { name: 'Next', when: MOBILE, tabs: [{ url: WIKI }] }
    const { slug } = await person.makeBundle({
      ...OWN,
      resolutionPolicy: policyOf(following({ omit: [PLAN, PRESS] }), next),
    })
    expect(await urlsSeen(slug)).toEqual([CHAT])
    expect((await edit(slug, { removeUrls: [CHAT] })).status).toBe(200)
    expect(await urlsSeen(slug)).toEqual([WIKI])
    const { body } = await preview(slug)
    expect(body.matchedRuleName).toBe('Next')
    expect(body.warnings).toEqual([
      { path: 'resolutionPolicy.rules[0].tabs', message: expect.stringContaining('leaves no tab') },
    ])
    await edit(slug, { addUrls: [{ url: CHAT }] })
    expect(await urlsSeen(slug)).toEqual([CHAT])
  })

  test('a copy keeps a rule that has come to leave no tab, and an import leaves it out and says so', async () => {
    const next = { name: 'Next', when: MOBILE, tabs: [{ url: WIKI }] }
    const { slug } = await person.makeBundle({
      ...OWN,
      resolutionPolicy: policyOf(following({ omit: [PLAN, PRESS] }), next),
    })
    await edit(slug, { removeUrls: [CHAT] })
    const copied = await person.api<Bundle>('POST', `/api/links/${slug}/duplicate`, {})
    expect(copied.status).toBe(201)
    expect((await read(copied.body.slug)).resolutionPolicy?.rules.map(({ name }) => name)).toEqual(['Phones', 'Next'])
    expect(await urlsSeen(copied.body.slug)).toEqual([WIKI])
    expect((await person.api('POST', `/api/links/${slug}/duplicate`, { dryRun: true })).status).toBe(200)
    // Whoever sends rules is told of one that leaves no tab, as for a new bundle.
    const sent = { resolutionPolicy: policyOf(following({ omit: [PLAN, PRESS] })) }
    expect((await person.api('POST', `/api/links/${slug}/duplicate`, sent)).status).toBe(400)
    const page = `/dashboard/links/new?from=${slug}`
    const form = Object.fromEntries(fieldsIn(await (await person.fetch(page)).text()))
    expect((await person.form(page, { ...form, title: 'By the form', do: 'save' })).status).toBe(303)

    const text = await (await person.fetch(`/dashboard/links/${slug}/export.json`)).text()
    const plan = await person.form('/dashboard/links/import', { text, do: 'read' })
    const html = await plan.text()
    expect(html).toContain(
      'It is a rule that leaves no tab, so it is left out: its viewers get the next rule, as before.',
    )
    const made = await person.form('/dashboard/links/import', {
      ...Object.fromEntries(fieldsIn(html)),
      'title-0': 'Imported',
      do: 'make',
    })
    const imported = /href="\/dashboard\/links\/([a-z0-9]{10})"/.exec(await made.text())?.[1] ?? ''
    expect((await read(imported)).resolutionPolicy?.rules.map(({ name }) => name)).toEqual(['Next'])
  })

  test('a replaced link stays left out, and so does one that a repair changes', async () => {
    const { slug } = await person.makeBundle({ ...OWN, resolutionPolicy: policyOf(following({ omit: [PRESS] })) })
    const replaced = await person.api<{ replaced: object[] }>('POST', '/api/me/replace', {
      from: PRESS,
      to: 'https://press.example/kit',
    })
    expect(replaced.body.replaced).toContainEqual({ slug, versionNumber: 2, places: 1 })
    expect((await ruleOf(slug))?.omit).toEqual(['https://press.example/kit'])
    expect(await urlsSeen(slug)).toEqual([PLAN, CHAT])

    const old = 'https://moved.example/old'
    const moved = await person.makeBundle({ urls: [PLAN, old], resolutionPolicy: policyOf(following({ omit: [old] })) })
    await becomes(() => server().sql('SELECT 1 FROM bundle_changes WHERE for_links = 1'), [], 60_000)
    await server().sql(
      `UPDATE checked_links SET told_up_to = 0, since = 1, state = 'moved', final_url = ?
       WHERE url = ? AND owner_id = (SELECT id FROM owners WHERE user_id = ?) RETURNING 1`,
      ['https://moved.example/new', old, person.userId] as never[],
    )
    await becomes(() => server().sql('SELECT 1 FROM checked_links WHERE told_up_to IS NOT NULL'), [], 60_000)
    const at = `/api/links/${moved.slug}/proposals`
    const { body } = await person.api<{ proposals: { id: string }[] }>('GET', at)
    await person.api('POST', `${at}/${body.proposals[0]?.id}/accept`)
    const { urls } = await read(moved.slug)
    expect([urls, (await ruleOf(moved.slug))?.omit]).toEqual([
      [PLAN, 'https://moved.example/new'],
      ['https://moved.example/new'],
    ])
    expect(await urlsSeen(moved.slug)).toEqual([PLAN])
  })

  test('an accepted suggestion reaches it; suggested changes of what it leaves out join those made meanwhile', async () => {
    const { slug } = await person.makeBundle({
      ...OWN,
      resolutionPolicy: policyOf(following({ tabs: [{ url: WIKI }] })),
    })
    const suggest = async (changes: object) => {
      const made = await person.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, changes)
      return made.body.id
    }
    const accept = (id: string) => person.api('POST', `/api/links/${slug}/proposals/${id}/accept`)
    expect((await accept(await suggest({ urls: [CHAT, PLAN, PRESS] }))).status).toBe(200)
    expect(await urlsSeen(slug)).toEqual([CHAT, PLAN, PRESS, WIKI])
    const { id } = (await ruleOf(slug)) ?? {}
    const policy = (omit: string[]) => policyOf(following({ id: id ?? '', omit, tabs: [{ url: WIKI }] }))
    const suggested = await suggest({ resolutionPolicy: policy([PRESS]) })
    await edit(slug, { resolutionPolicy: policy([PLAN]) })
    expect((await accept(suggested)).status).toBe(200)
    expect((await ruleOf(slug))?.omit).toEqual([PLAN, PRESS])
    const versions = await (await person.fetch(`/dashboard/links/${slug}/versions`)).text()
    expect(versions).toContain('<span class="hint">Without </span>')
  })

  test('a copied list is offered to follow the bundle, in previews and dry runs', async () => {
    const copied = (...urls: string[]): Rule => ({ name: 'Copy', when: MOBILE, tabs: urls.map((url) => ({ url })) })
    const { slug } = await person.makeBundle({ ...OWN, resolutionPolicy: policyOf(copied(WIKI, CHAT, PRESS, PLAN)) })
    const says = { path: 'resolutionPolicy.rules[0].tabs', message: expect.stringContaining('follow the bundle') }
    expect((await preview(slug)).body.warnings).toEqual([says])
    const dry = await person.api<Preview>('PATCH', `/api/links/${slug}`, { title: 'x', dryRun: true })
    expect(dry.body.warnings).toEqual([says])
    const fewer = { resolutionPolicy: policyOf(copied(CHAT, PLAN)) }
    expect((await preview(slug, fewer)).body.warnings).toEqual([])
    const gone = { resolutionPolicy: policyOf(following({ omit: [WIKI] })) }
    expect((await preview(slug, gone)).body.warnings).toEqual([
      { path: 'resolutionPolicy.rules[0].omit[0]', message: expect.stringContaining('is not a link of this bundle') },
    ])
  })

  test('variables in the links of the bundle are filled for it, and renamed with what it leaves out', async () => {
    const shop = 'https://shop.example/{customer}'
    const { slug } = await person.makeBundle({
      urls: [shop, 'https://crm.example/{customer}'],
      variables: [{ name: 'customer' }],
      resolutionPolicy: policyOf(following({ omit: ['https://crm.example/{customer}'], tabs: [{ url: WIKI }] })),
    })
    expect((await seen(slug, '?customer=EU-17')).map(({ url }) => url)).toEqual(['https://shop.example/EU-17', WIKI])
    // A rule adds its own to those that it follows: together they may not exceed what one list may have.
    const many = (name: string) =>
      Array.from({ length: 10 }, (_, at) => `https://${name}${at}.example/${'{customer}'.repeat(6)}`)
    const tabs = many('t').map((url) => ({ url }))
    const alone = { urls: many('u'), variables: [{ name: 'customer' }] }
    const own = policyOf({ name: 'Phones', when: MOBILE, tabs })
    expect((await person.api('POST', '/api/links', { ...alone, resolutionPolicy: own })).status).toBe(201)
    const both = await person.api<Bundle>('POST', '/api/links', {
      ...alone,
      resolutionPolicy: policyOf(following({ tabs })),
    })
    expect([both.status, both.body.error]).toEqual([400, expect.stringContaining('resolutionPolicy.rules[0].tabs')])
  })

  test('its feed tells of changes of the bundle’s links and of its own, and of none that it leaves out', async () => {
    const { slug } = await person.makeBundle({ ...OWN, resolutionPolicy: policyOf(following({ omit: [PRESS] })) })
    const { id } = (await ruleOf(slug)) ?? {}
    await edit(slug, { addUrls: [{ url: 'https://new.example/' }] })
    await edit(slug, { setMetadata: { [PRESS]: { note: 'Press kit' } } })
    await edit(slug, { resolutionPolicy: policyOf(following({ id: id ?? '', omit: [PRESS], tabs: [{ url: WIKI }] })) })
    const feed = await (await new Visitor(server()).fetch(`/l/${slug}/feed`, { headers: PHONE })).text()
    expect(
      Array.from(feed.matchAll(/<entry>\s*<id>[^<]*#v(\d+)<\/id>\s*<title>([^<]*)/g), ([, ...found]) => found),
    ).toEqual([
      ['4', '1 link added'],
      ['2', '1 link added'],
      ['1', 'Created with 2 links'],
    ])
    expect(feed).not.toContain(PRESS)
  })

  test('a launcher with more tabs than a bundle may have is shown whole, and copied only with fewer', async () => {
    const many = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => `https://${name}${at}.example/`)
    const tabs = many('t', 20).map((url) => ({ url }))
    const when = { op: 'not', of: [{ op: 'equals', field: 'device', value: 'tablet' }] }
    const { slug } = await person.makeBundle({
      urls: many('u', 25),
      copyable: true,
      resolutionPolicy: policyOf(following({ when, tabs })),
    })
    const urls = await urlsSeen(slug)
    expect(urls).toHaveLength(45)
    const other = await newPerson(server())
    const copy = (changes: object) => other.api<Bundle>('POST', `/api/links/${slug}/duplicate`, changes)
    const refused = await copy({})
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('urls would make 45 links')])
    expect((await copy({ urls: many('u', 25) })).status).toBe(201)
  })

  test('the domain of an address loses white space and the @ before it', async () => {
    const when = (value: string) => ({ op: 'equals', field: 'emailDomain', value })
    const rules = [' @acme.com ', 'acme .com\t', 'Acme.com'].map((value, at) =>
      following({ name: `${at}`, when: when(value) }),
    )
    const listed = following({
      name: 'in',
      when: { op: 'in', field: 'emailDomain', values: ['@a.example', 'b.example '] },
    })
    const ending = following({ name: 'ends', when: { op: 'endsWith', field: 'emailDomain', value: '@.acme.com' } })
    const { slug } = await person.makeBundle({ ...OWN, resolutionPolicy: policyOf(...rules, listed, ending) })
    const saved = (await read(slug)).resolutionPolicy?.rules.map(({ when }) => when)
    expect<unknown>(saved).toEqual([
      when('acme.com'),
      when('acme.com'),
      when('Acme.com'),
      { op: 'in', field: 'emailDomain', values: ['a.example', 'b.example'] },
      { op: 'endsWith', field: 'emailDomain', value: '.acme.com' },
    ])
    const tried = await preview(slug, { viewer: { emailDomain: '@acme.com' } })
    expect(tried.body.matchedRuleName).toBe('0')
    const unusable = await preview(slug, { resolutionPolicy: policyOf(following({ when: when('ann@acme.com') })) })
    expect(unusable.body.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('Write the domain without @: acme.com'),
    ])
  })
})
