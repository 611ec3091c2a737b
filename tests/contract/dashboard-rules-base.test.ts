import { beforeAll, expect, test } from 'bun:test'
import { fieldsIn, fieldsOf, multipart } from '../form.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { htmlErrorsOf } from '../valid-html.ts'

// The page of rules makes rules that follow the bundle, with plain forms too.

interface Rule {
  id?: string
  name: string
  when: unknown
  base?: string
  omit?: string[]
  tabs: { url: string; note?: string }[]
}

const URLS = ['https://plan.example/', 'https://press.example/kit', 'https://chat.example/']
const CONTENT = { urls: URLS, urlMetadata: [{ note: 'The plan' }, { note: 'Press kit' }] }
const MOBILE = { op: 'equals', field: 'device', value: 'mobile' }
const pageOf = (slug: string) => `/dashboard/links/${slug}/policy`

onEveryTarget({}, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  })
  const open = async (slug: string) => {
    const html = await (await person.fetch(pageOf(slug))).text()
    expect(await htmlErrorsOf(html)).toEqual([])
    return html
  }
  /** Presses a button like a browser without JavaScript, with some fields changed; those that are undefined are left out. */
  const press = async (
    slug: string,
    html: string,
    action: string,
    changed: Record<string, string | undefined> = {},
  ) => {
    const form = fieldsIn(html.slice(html.indexOf('<form id="policy"')))
    const fields = form.map(([name, value]): [string, string | undefined] => [
      name,
      name in changed ? changed[name] : value,
    ])
    const more = Object.entries(changed).filter(([name]) => form.every(([known]) => known !== name))
    const sent = [...fields, ...more].filter((field): field is [string, string] => field[1] !== undefined)
    const { body, headers } = multipart([...sent, ['do', action]])
    const answer = await person.fetch(pageOf(slug), { method: 'POST', body, headers })
    const answered = await answer.text()
    if (answered.startsWith('<!doctype')) expect(await htmlErrorsOf(answered)).toEqual([])
    return { status: answer.status, html: answered }
  }
  const saved = async (slug: string) => {
    const { body } = await person.api<{ resolutionPolicy: { rules: Rule[] } | null }>('GET', `/api/links/${slug}`)
    return body.resolutionPolicy?.rules
  }
  const textOf = (html: string, id: string) =>
    new RegExp(`id="${id}"[^>]*>(.*?)</p>`, 's')
      .exec(html)?.[1]
      ?.replace(/<[^>]*>/g, '')
      .replace(/\u00a0/g, ' ')
      .trim()

  test('a new rule follows the bundle; its links have switches, by title, and no address fields', async () => {
    const { slug } = await person.makeBundle(CONTENT)
    let page = await press(slug, await open(slug), 'rule.start domain')
    const fields = Object.fromEntries(fieldsIn(page.html))
    expect(fields['rules.0.base']).toBe('bundle')
    expect(URLS.map((_, at) => [fields[`rules.0.own.${at}.url`], fields[`rules.0.own.${at}.shown`]])).toEqual(
      URLS.map((url) => [url, 'true']),
    )
    expect(page.html).toMatch(/<bdi class="own-title"[^>]*>Press kit<\/bdi>/)
    expect(page.html).not.toContain('name="rules.0.tabs.0.url"')
    page = await press(slug, page.html, 'tab.add 0', {
      'rules.0.when.value': ' @acme.com',
      'rules.0.own.1.shown': undefined,
    })
    page = await press(slug, page.html, 'refresh', {
      'rules.0.tabs.0.url': 'intranet.example',
      'rules.0.tabs.0.note': 'Intranet',
    })
    expect(textOf(page.html, 'overall')).toBe('Everyone: 3 links. Colleagues: + Intranet, − Press kit.')
    expect((await press(slug, page.html, 'save')).status).toBe(303)
    expect(await saved(slug)).toEqual([
      {
        id: expect.any(String) as never,
        name: 'Colleagues',
        when: { op: 'equals', field: 'emailDomain', value: 'acme.com' },
        base: 'bundle',
        omit: ['https://press.example/kit'],
        tabs: [{ url: 'https://intranet.example', note: 'Intranet' }],
      },
    ])
    const closed = await open(slug)
    expect(closed).toContain('<span>Follows the bundle</span>')
    // Opened, and closed unchanged, it is as it was.
    page = await press(slug, closed, 'rule.open 0 tabs')
    expect(page.html).toMatch(/autofocus[^>]*id="rules-0-own-0-shown"|id="rules-0-own-0-shown"[^>]*autofocus/)
    page = await press(slug, page.html, 'rule.close 0')
    expect(page.html).not.toContain('Unsaved changes')
  })

  test('a rule that would leave no tab is not saved, and says so beside its links', async () => {
    const { slug } = await person.makeBundle(CONTENT)
    const page = await press(slug, await open(slug), 'rule.start phone')
    const none = Object.fromEntries(URLS.map((_, at) => [`rules.0.own.${at}.shown`, undefined]))
    const refused = await press(slug, page.html, 'save', none)
    expect([refused.status, await saved(slug)]).toEqual([400, undefined])
    expect(refused.html).toMatch(/id="rules-0-tabs-state">.*?Keep at least one link of the bundle, or add a tab\./s)
    expect((await press(slug, refused.html, 'save', { 'rules.0.own.2.shown': 'true' })).status).toBe(303)
    expect((await saved(slug))?.[0]).toMatchObject({ base: 'bundle', omit: URLS.slice(0, 2), tabs: [] })
  })

  test('a list of its own is a choice, which keeps what the rule shows, both ways', async () => {
    const { slug } = await person.makeBundle(CONTENT)
    let page = await press(slug, await open(slug), 'rule.start phone')
    page = await press(slug, page.html, 'rule.base 0 none', { 'rules.0.own.0.shown': undefined })
    expect((await press(slug, page.html, 'save')).status).toBe(303)
    const [rule] = (await saved(slug)) ?? []
    expect([rule?.base, rule?.tabs]).toEqual([
      undefined,
      [{ url: 'https://press.example/kit', note: 'Press kit' }, { url: 'https://chat.example/' }],
    ])
    page = await press(slug, await open(slug), 'rule.base 0 bundle')
    expect((await press(slug, page.html, 'save')).status).toBe(303)
    expect((await saved(slug))?.[0]).toMatchObject({ base: 'bundle', omit: ['https://plan.example/'], tabs: [] })
  })

  test('a copy of today’s links offers to follow the bundle, and one press makes it so', async () => {
    const tabs = [...URLS, 'https://app.example/'].map((url) => ({ url }))
    const resolutionPolicy = { version: 1, rules: [{ name: 'Copy', when: MOBILE, tabs }] }
    const { slug } = await person.makeBundle({ ...CONTENT, resolutionPolicy })
    const html = await open(slug)
    expect(html).toContain('This is a copy of the bundle’s links: its edits don’t reach these people.')
    expect(html).toMatch(/value="rule\.base 0 bundle"[^>]*>Follow the bundle</)
    const page = await press(slug, html, 'rule.base 0 bundle')
    expect((await press(slug, page.html, 'save')).status).toBe(303)
    const [rule] = (await saved(slug)) ?? []
    expect([rule?.base, rule?.omit, rule?.tabs]).toEqual(['bundle', undefined, [{ url: 'https://app.example/' }]])
  })

  test('the starters name people; members only where a bundle has an organisation', async () => {
    const startersOf = async (slug: string) =>
      Array.from((await open(slug)).matchAll(/value="rule\.start \w+"[^>]*>([^<]*)</g), ([, text]) => text)
    const { slug } = await person.makeBundle(CONTENT)
    expect(await startersOf(slug)).toEqual(['People with an address at …', 'On a phone', 'Office hours'])
    const { id } = await newOrganization(person)
    await actFor(person, id)
    const { slug: theirs } = await person.makeBundle(CONTENT)
    expect(await startersOf(theirs)).toContainEqual(expect.stringMatching(/^Members of Organisation \d+$/))
    await actFor(person, null)
    const page = await press(slug, await open(slug), 'rule.start hours', { zone: 'Asia/Tokyo' })
    expect((await press(slug, page.html, 'save')).status).toBe(303)
    const days = ['mon', 'tue', 'wed', 'thu', 'fri']
    const when = { op: 'timeWindow', days, from: '09:00', to: '17:00', timeZone: 'Asia/Tokyo' }
    expect((await saved(slug))?.[0]).toMatchObject({ name: 'Office hours', when })
  })

  test('an address of a person says what to write instead', async () => {
    const when = { op: 'equals', field: 'emailDomain', value: 'ann@acme.com' }
    const rules = [{ name: 'Ann', when, base: 'bundle', tabs: [] }]
    const { slug } = await person.makeBundle({ ...CONTENT, resolutionPolicy: { version: 1, rules } })
    expect(await open(slug)).toContain('Write the domain without @: acme.com.')
  })

  test('saving the editor says which rules have lists of their own, once, if the links changed', async () => {
    const rules = [
      { name: 'Phones', when: MOBILE, tabs: [{ url: 'https://app.example/' }] },
      { name: 'Followers', when: { op: 'signedIn' }, base: 'bundle', tabs: [] },
    ]
    const { slug } = await person.makeBundle({ ...CONTENT, title: 'Launch', resolutionPolicy: { version: 1, rules } })
    const path = `/dashboard/links/${slug}`
    const save = async (from: string, to: string) => {
      const html = await (await person.fetch(path)).text()
      const fields = fieldsOf(html, 'editor').map(([name, value]): [string, string] => [
        name,
        value === from ? to : value,
      ])
      const answer = await person.fetch(path, { method: 'POST', ...multipart([...fields, ['do', 'save']]) })
      return (await person.fetch(answer.headers.get('location') ?? '')).text()
    }
    const flashIn = (html: string) =>
      /class="flash cluster"[^>]*>(.*?)<\/p>/s
        .exec(html)?.[1]
        ?.replace(/<[^>]*>/g, '')
        .replace(/[\u2068\u2069]/g, '')
    expect(flashIn(await save('Launch', 'Other'))).toBe('Saved · View version 2')
    expect(flashIn(await save('Press kit', 'For the press'))).toBe(
      'Saved · View version 3 Phones keeps a list of its own.',
    )
  })
})
