import { expect, test } from 'bun:test'
import { fieldsIn, multipart } from '../form.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { htmlErrorsOf } from '../valid-html.ts'
import { elementsOf, escapedText, unescaped } from './html.ts'

const TAB = { url: 'https://tab.example/' }
const rule = (name: string, when: object = { op: 'signedIn' }) => ({ name, when, tabs: [TAB] })
const POLICY = {
  version: 1,
  rules: [
    rule('Acme', { op: 'and', of: [{ op: 'signedIn' }, { op: 'equals', field: 'emailDomain', value: 'acme.com' }] }),
    rule('Phones', { op: 'equals', field: 'device', value: 'mobile' }),
  ],
}

/** The body of an answer, which is valid HTML unless it is a part of a page. */
async function validHtml(answer: Response): Promise<string> {
  const html = await answer.text()
  if (html.startsWith('<!doctype')) expect(await htmlErrorsOf(html)).toEqual([])
  return html
}

interface Bundle {
  resolutionPolicy: { rules: { id: string; name: string; when: unknown }[] } | null
}

type Fields = [string, string][]

onEveryTarget({}, (server) => {
  let known: Promise<Person> | undefined
  const owner = () => (known ??= newPerson(server()))
  const path = (slug: string) => `/dashboard/links/${slug}/policy`
  const open = async (person: Person, slug: string) => {
    const answer = await person.fetch(path(slug))
    return { status: answer.status, html: await validHtml(answer) }
  }
  /** Presses a button of a page like a browser without JavaScript, with some fields changed. */
  const press = async (
    person: Person,
    slug: string,
    html: string,
    action: string,
    changed: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => {
    const fields = fieldsIn(policyForm(html)).map(([name, value]): [string, string] => [name, changed[name] ?? value])
    const more = Object.entries(changed).filter(([name]) => fields.every(([known]) => known !== name))
    const sent = multipart([...fields, ...more, ['do', action]])
    const answer = await person.fetch(path(slug), {
      method: 'POST',
      body: sent.body,
      headers: { ...sent.headers, ...headers },
    })
    return { status: answer.status, headers: answer.headers, html: await validHtml(answer) }
  }
  const policyForm = (html: string) => html.slice(html.indexOf('<form id="policy"'))
  const saved = async (person: Person, slug: string) =>
    (await person.api<Bundle>('GET', `/api/links/${slug}`)).body.resolutionPolicy
  const stateOf = (html: string, place: string) =>
    new RegExp(`id="${place}-state"[^>]*>(.*?)</div>`, 's').exec(html)?.[1]?.replace(/<[^>]*>/g, ' ') ?? ''

  test.each([true, false])(
    'in a conflict Save is loud unless it drops somebody’s rules; theirs changed: %j',
    async (isChanged) => {
      const person = await owner()
      const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
      const moved = await press(person, slug, (await open(person, slug)).html, 'rule.down 0')
      const theirs = isChanged ? { resolutionPolicy: { ...POLICY, rules: POLICY.rules.slice(1) } } : { title: 'Theirs' }
      await person.api('PATCH', `/api/links/${slug}`, theirs)
      const late = await press(person, slug, moved.html, 'save')
      expect(late.status).toBe(412)
      const bar = late.html.slice(late.html.indexOf('class="bar cluster"'))
      const save = /<button type="submit" class="([^"]*)"[^>]*>([^<]*)</.exec(bar)
      expect([save?.[1], save?.[2]]).toEqual(isChanged ? ['', 'Save mine anyway'] : ['primary', 'Save rules'])
      expect((await press(person, slug, late.html, 'save')).status).toBe(303)
      expect((await saved(person, slug))?.rules.map(({ name }) => name)).toEqual(['Phones', 'Acme'])
    },
  )

  test('each rule says its share of the views of 90 days, and whether nobody matched it', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const shares = async (html?: string) =>
      [...(html ?? (await open(person, slug)).html).matchAll(/title="In the last 90 days">([^<]*)</g)].map(
        ([, text]) => text,
      )
    expect(await shares()).toEqual([])
    const [first] = (await saved(person, slug))?.rules ?? []
    const count = (daysAgo: number, rule: string, views: number) =>
      server().sql('INSERT INTO daily_counters SELECT id, ?, ?, ?, 0 FROM bundles WHERE slug = ?', [
        new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10),
        rule,
        views,
        slug,
      ])
    await count(91, first?.id ?? '', 1000)
    expect(await shares()).toEqual([])
    await count(1, first?.id ?? '', 20)
    await count(80, first?.id ?? '', 5)
    await count(3, '', 75)
    // A rule is given a week to be somebody's.
    expect(await shares()).toEqual(['25% of views', '75% of views'])
    await server().sql(
      'UPDATE bundle_versions SET edited_at = ? WHERE bundle_id = (SELECT id FROM bundles WHERE slug = ?) RETURNING 1',
      [Date.now() - 8 * 86_400_000, slug],
    )
    expect(await shares()).toEqual(['25% of views', 'Nobody in 90 days', '75% of views'])
    // A rule that is new has not been anybody's yet.
    const { html } = await press(person, slug, (await open(person, slug)).html, 'rule.add')
    expect(await shares(html)).toEqual(['25% of views', 'Nobody in 90 days', '75% of views'])
  })

  test('the tabs of a bundle say how many links and rules it has', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const countsIn = ({ html }: { html: string }) =>
      [...html.matchAll(/>(\w+)<span class="count" data-count="(\d+)"/g)].map(([, name, count]) => [name, count])
    expect(countsIn(await open(person, slug))).toEqual([
      ['Links', '2'],
      ['Rules', '2'],
    ])
    const { slug: plain } = await person.makeBundle({ urls: ['https://a.example/'] })
    expect(countsIn(await open(person, plain))).toEqual([['Links', '1']])
  })

  test('rules are opened, changed and saved with plain forms, and keep their ids', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const before = await saved(person, slug)
    const opened = await press(person, slug, (await open(person, slug)).html, 'rule.open 0')
    expect(opened.html).toContain('name="rules.0.when.of.1.value"')
    const moved = await press(person, slug, opened.html, 'rule.down 0', { 'rules.0.name': 'Acme & co' })
    const answer = await press(person, slug, moved.html, 'save', { 'rules.1.when.of.1.value': 'acme.de' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${path(slug)}?notice=saved&slug=${slug}&version=2`,
    ])
    const after = await saved(person, slug)
    expect(after?.rules.map(({ name, id }) => [name, id])).toEqual([
      ['Phones', before?.rules[1]?.id],
      ['Acme & co', before?.rules[0]?.id],
    ] as [string, string][])
    expect(after?.rules[1]?.when).toMatchObject({ of: [{ op: 'signedIn' }, { value: 'acme.de' }] })
  })

  test('a rule is made from scratch, button by button', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle()
    let page = await press(person, slug, (await open(person, slug)).html, 'rule.add')
    page = await press(person, slug, page.html, 'refresh', { 'rules.0.when.topic': 'query' })
    page = await press(person, slug, page.html, 'if.add rules.0.when', {
      'rules.0.when.name': 'ref',
      'rules.0.when.op': 'in',
      'rules.0.when.value': 'a\r\nb',
    })
    page = await press(person, slug, page.html, 'refresh', {
      'rules.0.when.of.1.topic': 'timeWindow',
      zone: 'Asia/Tokyo',
    })
    page = await press(person, slug, page.html, 'tab.add 0', { 'rules.0.name': 'New' })
    page = await press(person, slug, page.html, 'save', { 'rules.0.tabs.0.url': 'https://c.example/' })
    expect(page.status).toBe(303)
    const days = ['mon', 'tue', 'wed', 'thu', 'fri']
    expect((await saved(person, slug))?.rules).toEqual([
      {
        id: expect.stringMatching(/^r_/),
        name: 'New',
        when: {
          op: 'and',
          of: [
            { op: 'in', field: 'query.ref', values: ['a', 'b'] },
            { op: 'timeWindow', days, from: '09:00', to: '17:00', timeZone: 'Asia/Tokyo' },
          ],
        },
        base: 'bundle',
        tabs: [{ url: 'https://c.example/' }],
      },
    ] as never)
  })

  test('an invalid rule comes back as typed, each error next to its condition, and nothing is saved', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const opened = await press(person, slug, (await open(person, slug)).html, 'rule.open 0')
    const more = await press(person, slug, opened.html, 'if.add rules.0.when')
    const wrong = {
      'rules.0.name': ' ',
      'rules.0.tabs.0.url': 'ftp://<b>&amp;',
      'rules.0.tabs.0.section': 's'.repeat(61),
      'rules.0.when.of.1.value': 'x'.repeat(513),
    }
    const answer = await press(person, slug, more.html, 'save', wrong)
    expect(answer.status).toBe(400)
    expect(stateOf(answer.html, 'rules-0-name')).toContain('Give the rule a name.')
    expect(stateOf(answer.html, 'rules-0-when-of-1')).toContain('The value must be at most 512 characters.')
    expect(stateOf(answer.html, 'rules-0-when-of-2')).toContain('Choose what to check.')
    expect(stateOf(answer.html, 'rules-0-when-of-0')).not.toContain('must')
    expect(stateOf(answer.html, 'rules-0-tabs-0')).toContain('The link must be an http: or https: URL.')
    expect(stateOf(answer.html, 'rules-0-tabs-0')).toContain('The section must be at most 60 characters.')
    const typed = Object.fromEntries(fieldsIn(answer.html))
    for (const [name, value] of Object.entries(wrong)) expect([name, typed[name]]).toEqual([name, value])
    const invalid = elementsOf(answer.html).filter(({ attributes }) => attributes['aria-invalid'] === 'true')
    expect(invalid.map(({ attributes }) => attributes.name)).toContain('rules.0.when.of.1.value')
    expect((await saved(person, slug))?.rules.map(({ name }) => name)).toEqual(['Acme', 'Phones'])
  })

  test('an unfinished rule is not saved, and says where, once', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle()
    let page = await press(person, slug, (await open(person, slug)).html, 'rule.add')
    page = await press(person, slug, page.html, 'refresh', { 'rules.0.when.topic': 'device' })
    expect(stateOf(page.html, 'rules-0-when').trim()).toBe('Choose a value.')
    page = await press(person, slug, page.html, 'save', {
      'rules.0.name': 'Phones',
      'rules.0.tabs.0.url': 'www.example.com',
    })
    expect(page.status).toBe(400)
    expect(stateOf(page.html, 'rules-0-when').trim()).toBe('Choose a value.')
    expect(page.html.match(/class="note error"/g)).toHaveLength(1)
    expect(await saved(person, slug)).toBeNull()
    page = await press(person, slug, page.html, 'save', { 'rules.0.when.value': 'mobile' })
    expect(page.status).toBe(303)
    expect((await saved(person, slug))?.rules[0]).toMatchObject({ tabs: [{ url: 'https://www.example.com' }] })
  })

  test('countries are chosen by name, and an invalid country is not saved', async () => {
    const person = await owner()
    const when = { op: 'in', field: 'country', values: ['DE', 'AT'] }
    const { slug } = await person.makeBundle({ resolutionPolicy: { version: 1, rules: [rule('DACH', when)] } })
    let page = await press(person, slug, (await open(person, slug)).html, 'rule.open 0')
    expect(Object.fromEntries(fieldsIn(page.html))['rules.0.when.value']).toBe('Germany\r\nAustria')
    page = await press(person, slug, page.html, 'save', { 'rules.0.when.value': 'germany\r\nAtlantis' })
    expect(page.status).toBe(400)
    expect(stateOf(page.html, 'rules-0-when')).toContain('The list has “Atlantis”, which is not a country.')
    page = await press(person, slug, page.html, 'save', { 'rules.0.when.value': 'germany\r\nch' })
    expect(page.status).toBe(303)
    expect((await saved(person, slug))?.rules[0]?.when).toEqual({ ...when, values: ['DE', 'ch'] })
    page = await press(person, slug, (await open(person, slug)).html, 'test', { 'viewer.country': 'CH' })
    expect(page.html).toContain('<option value="CH" selected>Switzerland</option>')
    expect(page.html).toContain('Rule 1: <strong dir="auto">DACH</strong>')
    page = await press(person, slug, (await open(person, slug)).html, 'rule.open 0')
    page = await press(person, slug, page.html, 'refresh', { 'rules.0.when.op': 'equals' })
    const names = elementsOf(page.html).filter(({ attributes }) => attributes.value === 'FR')
    expect(names).not.toBeEmpty()
  })

  test('a condition drops its value when its field changes', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const opened = await press(person, slug, (await open(person, slug)).html, 'rule.open 1')
    const changed = await press(person, slug, opened.html, 'refresh', { 'rules.1.when.topic': 'emailDomain' })
    expect(Object.fromEntries(fieldsIn(changed.html))['rules.1.when.value']).toBe('')
  })

  test('a new rule has one error about its name, and a wrong link does not mark its note', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle()
    let page = await press(person, slug, (await open(person, slug)).html, 'rule.add')
    page = await press(person, slug, page.html, 'rule.add')
    page = await press(person, slug, page.html, 'save', { 'rules.0.tabs.0.url': 'ftp://example.com/' })
    for (const at of [0, 1]) expect(stateOf(page.html, `rules-${at}-name`).trim()).toBe('Give the rule a name.')
    const invalid = elementsOf(page.html).filter(({ attributes }) => attributes['aria-invalid'] === 'true')
    const names = invalid.map(({ attributes }) => attributes.name)
    expect(names).toContain('rules.0.tabs.0.url')
    expect(names).not.toContain('rules.0.tabs.0.note')
  })

  test('fields that no viewer here can have are not offered', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle()
    const page = await press(person, slug, (await open(person, slug)).html, 'rule.add')
    const offered = elementsOf(page.html).flatMap(({ tag, attributes }) => (tag === 'option' ? [attributes.value] : []))
    expect(offered).toContain('device')
    for (const absent of ['country', 'orgRole']) expect(offered).not.toContain(absent)
  })

  test('a closed rule with errors is opened', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    let page = await press(person, slug, (await open(person, slug)).html, 'rule.open 1')
    page = await press(person, slug, page.html, 'rule.close 1', { 'rules.1.name': '' })
    expect(page.html).not.toContain('name="rules.1.name"')
    page = await press(person, slug, page.html, 'save')
    expect([page.status, page.html.includes('name="rules.1.name"')]).toEqual([400, true])
  })

  test('the second of two saves is shown both sides, keeps what was typed, and may overwrite', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const mine = await press(person, slug, (await open(person, slug)).html, 'rule.open 0')
    const theirs = { version: 1, rules: [rule('Theirs & <b>'), rule('Phones', { op: 'exists', field: 'os' })] }
    await person.api('PATCH', `/api/links/${slug}`, { resolutionPolicy: theirs })
    const answer = await press(person, slug, mine.html, 'save', { 'rules.0.name': 'Mine' })
    expect(answer.status).toBe(412)
    expect(answer.html).toContain('You saved a newer version in another tab')
    const [, theirSide = '', mySide = ''] =
      /saved by(.*?)Your changes(.*?)id="rules"/s.exec(unescaped(answer.html)) ?? []
    expect([theirSide.includes('Theirs & <b>'), mySide.includes('Mine')]).toEqual([true, true])
    const [, sides = ''] = /saved by(.*?)id="rules"/s.exec(answer.html) ?? []
    expect([escapedText('Theirs & <b>').test(sides), sides.includes('<b>')]).toEqual([true, false])
    expect(Object.fromEntries(fieldsIn(answer.html))['rules.0.name']).toBe('Mine')
    expect((await saved(person, slug))?.rules[0]?.name).toBe('Theirs & <b>')
    expect((await press(person, slug, answer.html, 'save')).status).toBe(303)
    expect((await saved(person, slug))?.rules.map(({ name }) => name)).toEqual(['Mine', 'Phones'])
  })

  test('JSON and the builder stay in sync, both ways; errors in JSON name their line and exact path', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const opened = await press(person, slug, (await open(person, slug)).html, 'rule.open 0')
    const json = await press(person, slug, opened.html, 'json', { 'rules.0.name': 'From the builder' })
    const text = Object.fromEntries(fieldsIn(json.html)).json ?? ''
    const policy = JSON.parse(text)
    expect(policy.rules[0]).toMatchObject({ ...POLICY.rules[0], name: 'From the builder' })
    policy.rules[1].when = { op: 'not', of: { op: 'in', field: 'os', value: ['ios'] } }
    const back = await press(person, slug, json.html, 'builder', { json: JSON.stringify(policy) })
    expect(stateOf(back.html, 'rules-1')).toContain('Not on iOS')
    expect((await press(person, slug, back.html, 'save')).status).toBe(303)
    expect((await saved(person, slug))?.rules.map(({ name }) => name)).toEqual(['From the builder', 'Phones'])

    const wrong = (text: string, action: string) => press(person, slug, json.html, action, { json: text, version: '2' })
    const notJson = '{\n  "version": 1,\n  "rules": [}'
    for (const action of ['save', 'builder', 'refresh']) {
      const answer = await wrong(notJson, action)
      expect(answer.status).toBe(action === 'save' ? 400 : 200)
      expect(stateText(answer.html)).toBe('Line 3, column 13: this isn’t JSON, “}” can’t be here.')
      expect(Object.fromEntries(fieldsIn(answer.html)).json?.replaceAll('\r\n', '\n')).toBe(notJson)
    }
    policy.rules[1].when = { op: 'and', of: [{ op: 'signedIn' }, { op: 'matches' }] }
    const invalid = JSON.stringify(policy, null, 1)
    const answer = await wrong(invalid, 'save')
    const line = invalid.split('\n').findIndex((line) => line.includes('"matches"')) + 1
    expect(answer.status).toBe(400)
    expect(stateText(answer.html)).toStartWith(`Line ${line}: rules[1].when.of[1].op must be one of and, or`)
  })
  const stateText = (html: string) =>
    /id="json-state">(.*?)<\/div>/s
      .exec(html)?.[1]
      ?.replace(/<[^>]*>/g, ' ')
      .trim() ?? ''

  test('whether rules match is not said before somebody tries them', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const marksIn = (html: string) =>
      html.match(/id="rules-\d-state".*?<\/div>/gs)?.map((state) => state.includes('mark '))
    const page = await open(person, slug)
    expect(marksIn(page.html)).toEqual([false, false])
    const opened = await press(person, slug, page.html, 'rule.open 1')
    expect(opened.html).not.toMatch(/id="rules-1-when-state"><span class="mark/)
    for (const fields of [{}, { 'viewer.device': 'tablet' }] as Record<string, string>[]) {
      const tried = await press(person, slug, page.html, 'test', fields)
      expect(marksIn(tried.html)).toEqual([true, true])
    }
    expect(marksIn((await press(person, slug, page.html, 'me')).html)).toEqual([true, true])
  })

  test('the words of a closed rule open it at their controls, without JavaScript too', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const { html } = await open(person, slug)
    const words = [...html.matchAll(/class="word" name="do" value="([^"]*)"><span>([^<]*)</g)].map(
      ([, action, text]) => [action, text],
    )
    expect(words).toEqual([
      ['rule.open 0 when.of.0', 'Signed in'],
      ['rule.open 0 when.of.1', 'with an address at ⁨acme.com⁩'],
      ['rule.open 0 tabs', '1 tab'],
      ['rule.open 1 when', 'On a phone'],
      ['rule.open 1 tabs', '1 tab'],
    ])
    for (const [action, id] of [
      ['rule.open 0 when.of.1', 'rules-0-when-of-1-topic'],
      ['rule.open 1 when', 'rules-1-when-topic'],
      ['rule.open 0 tabs', 'rules-0-tabs-0-url'],
      ['rule.open 0 id', 'rules-0-name'],
    ] as const) {
      const focused = elementsOf((await press(person, slug, html, action)).html).filter(
        ({ attributes }) => attributes.autofocus !== undefined,
      )
      expect([action, focused.map(({ attributes }) => attributes.id)]).toEqual([action, [id]])
    }
  })

  test('rules are tried as three people, and as anybody else', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const { html } = await open(person, slug)
    const chosen = (page: string) =>
      elementsOf(page).flatMap(({ attributes: { id = '', 'aria-pressed': pressed } }) =>
        id.startsWith('try-') && pressed === 'true' ? [id] : [],
      )
    const isOpen = (page: string) => page.includes('<details class="custom" open')
    expect([chosen(html), isOpen(html)]).toEqual([[], false])
    for (const who of ['me', 'colleague', 'phone']) {
      const tried = await press(person, slug, html, who)
      expect([chosen(tried.html), isOpen(tried.html)]).toEqual([[`try-${who}`], false])
      expect(tried.html.includes('Rule 2: <strong dir="auto">Phones')).toBe(who === 'phone')
      const other = await press(person, slug, tried.html, 'test', { 'viewer.os': 'plan9' })
      expect([chosen(other.html), isOpen(other.html)]).toEqual([[], true])
    }
  })

  test('unsaved rules in the form are tested by the launcher’s own evaluator', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const page = await press(person, slug, (await open(person, slug)).html, 'rule.open 1')
    const viewer = { 'viewer.emailDomain': 'acme.com', 'viewer.device': 'tablet' }
    const html = (await press(person, slug, page.html, 'rule.up 1', { 'rules.1.when.value': 'tablet', ...viewer })).html
    expect(textOf(html, 'outcome')).toContain('Rule 1: Phones')
    expect(html).toMatch(/class="state" id="rules-0-when-state"><span class="mark yes"/)
    const later = (await press(person, slug, html, 'test', { 'viewer.device': 'mobile', 'viewer.now': 'x' })).html
    expect(textOf(later, 'outcome')).toContain('Rule 2: Acme')
    expect(stateOf(later, 'viewer-now')).toContain('The date and time must be a time')
    const unfinished = (await press(person, slug, later, 'rule.add')).html
    expect(textOf(unfinished, 'outcome')).toContain('Rule 2: Acme')
    expect(unfinished).toContain('Rule 3 is left out until it’s finished.')
    expect(await saved(person, slug)).toMatchObject(POLICY)
  })
  const textOf = (html: string, id: string) =>
    new RegExp(`id="${id}">(.*?)</p>`, 's').exec(html)?.[1]?.replace(/<[^>]*>/g, '') ?? ''

  test('warnings appear at their rule, and count rules from 1', async () => {
    const person = await owner()
    const wide = { op: 'endsWith', field: 'emailDomain', value: 'acme.com' }
    const resolutionPolicy = {
      version: 1,
      rules: [rule('All'), rule('Never'), rule('Wide', { op: 'not', of: [wide] })],
    }
    const { slug } = await person.makeBundle({ resolutionPolicy })
    const { html } = await open(person, slug)
    expect(stateOf(html, 'rules-1')).toContain('This is a duplicate of rule 1')
    expect(stateOf(html, 'rules-2')).toContain('also ends')
    const role = await press(person, slug, html, 'rule.start members')
    expect(stateOf(role.html, 'rules-3-when')).toContain('Roles never match here')
  })

  test('viewers read and test the rules, without any controls to change them', async () => {
    const [admin, viewer] = [await newPerson(server()), await newPerson(server())]
    const { id } = await newOrganization(admin, [[viewer, 'viewer']])
    const { slug } = await admin.makeBundle({ resolutionPolicy: POLICY })
    for (const topic of [null, id]) {
      await actFor(viewer, topic)
      const { status, html } = await open(viewer, slug)
      expect(status).toBe(200)
      expect(html).toContain('Signed in with an address at')
      const buttons = elementsOf(html).filter(({ attributes }) => attributes.name === 'do')
      expect(buttons.map(({ attributes }) => attributes.value)).toEqual(['refresh', 'me', 'colleague', 'phone', 'test'])
      const tried = await press(viewer, slug, html, 'test', { 'viewer.device': 'mobile' })
      expect(textOf(tried.html, 'outcome')).toContain('Rule 2: Phones')
      expect(tried.html).not.toContain('value="save"')
      const forced = { mode: 'builder', version: '1' }
      expect((await press(viewer, slug, html, 'save', forced)).status).toBe(403)
      const drafted = await press(viewer, slug, html, 'rule.add', forced)
      expect(drafted.html).not.toContain('name="rules.0.name"')
      expect((await viewer.form(`${path(slug)}/clear`, { version: '1' })).status).toBe(403)
    }
    expect((await saved(admin, slug))?.rules).toHaveLength(2)
    const stranger = await newPerson(server())
    expect((await open(stranger, slug)).status).toBe(403)
    expect((await stranger.form(path(slug), { do: 'check' })).status).toBe(403)
  })

  test('clearing asks first, and is refused if the rules changed meanwhile', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const asked = await person.fetch(`${path(slug)}/clear`)
    expect(await asked.text()).toContain('The 2 rules of this bundle will be gone')
    await person.api('PATCH', `/api/links/${slug}`, { title: 'Other' })
    expect((await person.form(`${path(slug)}/clear`, { version: '1' })).status).toBe(412)
    // Nor without the version that was read, which could clear newer rules.
    for (const fields of [{}, { version: '0' }, { version: '2x' }] as Record<string, string>[]) {
      expect((await person.form(`${path(slug)}/clear`, fields)).status).toBe(400)
    }
    expect(await saved(person, slug)).not.toBeNull()
    const cleared = await person.form(`${path(slug)}/clear`, { version: '2' })
    expect([cleared.status, await saved(person, slug)]).toEqual([303, null])
    expect((await person.fetch(`${path(slug)}/clear`)).status).toBe(303)
  })

  test('removing every rule and saving leaves no policy', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: { ...POLICY, rules: POLICY.rules.slice(0, 1) } })
    const page = await press(person, slug, (await open(person, slug)).html, 'rule.remove 0')
    expect(page.html).toContain('Removed “Acme”.')
    expect((await press(person, slug, page.html, 'rule.undo')).html).toContain('>Acme</bdi>')
    expect((await press(person, slug, page.html, 'save')).status).toBe(303)
    expect(await saved(person, slug)).toBeNull()
  })

  test('the largest possible policy survives the form, as rules and as JSON', async () => {
    const person = await owner()
    const values = Array.from({ length: 165 }, (_, n) => `número-${n}`)
    const rules = Array.from({ length: 50 }, (_, n) =>
      rule(`Règle ${n}`, { op: 'in', field: 'query.ref', values: [...values, `${n}`] }),
    )
    const resolutionPolicy = { version: 1, rules }
    expect(Buffer.byteLength(JSON.stringify(resolutionPolicy))).toBeWithin(110 * 1024, 128 * 1024)
    const { slug } = await person.makeBundle({ resolutionPolicy })
    const opened = await press(person, slug, (await open(person, slug)).html, 'rule.open 49')
    const changed = opened.html.includes('name="rules.49.when.value"')
    expect([opened.status, changed]).toEqual([200, true])
    expect((await press(person, slug, opened.html, 'save', { 'rules.49.name': 'Last' })).status).toBe(303)
    const json = await press(person, slug, (await open(person, slug)).html, 'json')
    expect((await press(person, slug, json.html, 'save')).status).toBe(303)
    expect(await saved(person, slug)).toMatchObject({ rules: [...rules.slice(0, 49), { ...rules[49], name: 'Last' }] })
  })

  test('an answer for htmx is the part that changes, without the page or its history', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const { html } = await open(person, slug)
    const htmx = { 'hx-request': 'true', 'hx-request-type': 'partial' }
    const opened = await press(person, slug, html, 'rule.open 0', {}, { ...htmx, 'hx-target': 'div#page' })
    expect(opened.headers.get('hx-retarget')).toBe('#rules')
    expect(opened.headers.get('hx-push-url')).toBe('false')
    expect(opened.html).toStartWith('<section id="rules"')
    const checked = await press(person, slug, html, 'check', {}, { ...htmx, 'hx-target': 'div#verdict' })
    expect(checked.html).toContain('<hx-partial id="rules-1-state">')
    expect(checked.html).not.toContain('<input')
  })

  test('forms that none of our pages send are refused, and break nothing', async () => {
    const person = await owner()
    const { slug } = await person.makeBundle({ resolutionPolicy: POLICY })
    const send = async (fields: Fields) => (await person.form(path(slug), fields as never)).status
    const base: Fields = [
      ['mode', 'builder'],
      ['do', 'refresh'],
    ]
    expect(
      await send([...base, ...Array.from({ length: 101 }, (_, n): [string, string] => [`rules.${n}.name`, 'x'])]),
    ).toBe(400)
    expect(await send([...base, [`rules.0.when${'.of.0'.repeat(3000)}.op`, 'and']])).toBe(400)
    expect(await send([...base, ...Array.from({ length: 5001 }, (): [string, string] => ['x', ''])])).toBe(400)
    expect(await send([...base, ['rules.0.json', '{']])).toBe(400)
    expect(await send([...base, ['rules.0.json', `${'['.repeat(1000)}${']'.repeat(1000)}`]])).toBe(400)
    for (const json of ['null', '5', '[]', '{"when":{"op":"not"}}', '{"tabs":[null],"when":{"of":1}}']) {
      for (const action of [
        'refresh',
        'rule.open 0',
        'rule.copy 0',
        'json',
        'test',
        'save',
        'constructor',
        'if.add __proto__',
      ]) {
        const status = await send([
          ['mode', 'builder'],
          ['do', action],
          ['rules.0.json', json],
        ])
        expect([json, action, status]).toEqual([json, action, action === 'save' ? 400 : 200])
      }
    }
    for (const json of ['', 'null', '5', '[]', '{"rules":5}', '['.repeat(50_000), '{"__proto__":{"a":1}}']) {
      for (const action of ['refresh', 'builder', 'test'])
        expect(
          await send([
            ['json', json],
            ['do', action],
          ]),
        ).toBe(200)
    }
    expect(
      await send([...base, ['rules.__proto__.name', 'x'], ['__proto__.x', 'y'], ['rules.0.constructor', 'z']]),
    ).toBe(200)
    const broken = await person.fetch(path(slug), {
      method: 'POST',
      body: '--x\r\nbroken',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    })
    expect(broken.status).toBe(400)
    const elsewhere = await person.form(path(slug), { do: 'save', mode: 'builder' }, { origin: 'https://evil.example' })
    expect(elsewhere.status).toBe(403)
    expect(await saved(person, slug)).toMatchObject(POLICY)
  })
})
