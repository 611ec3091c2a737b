import { beforeAll, describe, expect, test } from 'bun:test'
import { fieldsIn, multipart } from '../form.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'

const VARIABLES = [
  { name: 'customer', label: 'Customer number', example: '4711' },
  { name: 'region', label: 'Region', options: ['eu', 'us'], default: 'us' },
]
const rule = (name: string, when: object, url = 'https://eu.example/{region}/{customer}') => ({
  name,
  when,
  tabs: [{ url, note: 'Of {customer}' }],
})
const STARTS = { op: 'startsWith', field: 'query.customer', value: 'EU-' }
const BUNDLE = {
  urls: ['https://crm.example/{customer}'],
  urlMetadata: [],
  variables: VARIABLES,
  resolutionPolicy: { version: 1, rules: [rule('Europe', STARTS)] },
}

onEveryTarget({}, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(server())
  })
  const path = (slug: string) => `/dashboard/links/${slug}/policy`
  const open = async (slug: string) => (await owner.fetch(path(slug))).text()
  /** Presses a button like a browser without JavaScript, with some fields changed. */
  const press = async (slug: string, html: string, action: string, changed: Record<string, string> = {}) => {
    const form = html.slice(html.indexOf('<form id="policy"'))
    const fields = fieldsIn(form).map(([name, value]): [string, string] => [name, changed[name] ?? value])
    const more = Object.entries(changed).filter(([name]) => fields.every(([known]) => known !== name))
    const answer = await owner.fetch(path(slug), {
      method: 'POST',
      ...multipart([...fields, ...more, ['do', action]]),
    })
    return { status: answer.status, html: await answer.text() }
  }
  const savedRules = async (slug: string) => {
    const { body } = await owner.api<{ resolutionPolicy: typeof BUNDLE.resolutionPolicy }>('GET', `/api/links/${slug}`)
    return body.resolutionPolicy.rules
  }
  const textOf = (html: string) => unescaped(html.replace(/<[^>]*>/g, '')).replace(/[\u2068\u2069]/g, '')
  const stateOf = (html: string, place: string) =>
    textOf(new RegExp(`id="${place}-state"[^>]*>(.*?)</div>`, 's').exec(html)?.[1] ?? '')
  const field = (html: string, name: string) => elementsOf(html).find(({ attributes }) => attributes.name === name)
  const verdictOf = (html: string) => html.slice(html.indexOf('<div id="verdict"'))

  test('a variable is chosen by its label, compared by a control that knows its options, and stored as query.<name>', async () => {
    const { slug } = await owner.makeBundle(BUNDLE)
    const page = await open(slug)
    expect(textOf(page)).toContain('When Customer number begins with EU-')
    const opened = await press(slug, page, 'rule.open 0')
    expect(opened.html).toContain('<option value="query.customer" selected>Customer number</option>')
    expect(opened.html).toContain('<option value="query.region">Region</option>')
    expect(field(opened.html, 'rules.0.when.name')).toBeUndefined()
    expect(field(opened.html, 'rules.0.when.value')?.attributes.list).toBe('known-query-customer')
    expect(opened.html).toMatch(/<datalist id="known-query-customer"><option value="4711"/)
    expect(opened.html).toContain('<option value="exists">is filled in</option>')
    const other = await press(slug, opened.html, 'refresh', {
      'rules.0.when.topic': 'query.region',
      'rules.0.when.op': 'equals',
    })
    expect(field(other.html, 'rules.0.when.value')?.tag).toBe('select')
    expect(stateOf(other.html, 'rules-0-when')).toContain('Choose a value.')
    expect((await press(slug, other.html, 'save')).status).toBe(400)
    expect((await press(slug, other.html, 'save', { 'rules.0.when.value': 'eu' })).status).toBe(303)
    expect((await savedRules(slug))[0]?.when).toEqual({ op: 'equals', field: 'query.region', value: 'eu' } as never)
    expect(textOf(await open(slug))).toContain('When Region is eu')
  })

  test('a parameter that is no variable stays a value in the link, and becomes one by its name', async () => {
    const when = { op: 'equals', field: 'query.custmer', value: 'x' }
    const { slug } = await owner.makeBundle({
      ...BUNDLE,
      resolutionPolicy: { version: 1, rules: [rule('Typo', when)] },
    })
    const opened = await press(slug, await open(slug), 'rule.open 0')
    expect(field(opened.html, 'rules.0.when.name')?.attributes.value).toBe('custmer')
    expect(stateOf(opened.html, 'rules-0-when')).toContain(
      'No variable of this bundle is called “custmer”: did you mean “customer”?',
    )
    const named = await press(slug, opened.html, 'refresh', { 'rules.0.when.name': 'customer' })
    expect(named.html).toContain('<option value="query.customer" selected>')
    expect(field(named.html, 'rules.0.when.value')?.attributes.value).toBe('x')
    const never = await press(slug, named.html, 'refresh', {
      'rules.0.when.topic': 'query.region',
      'rules.0.when.asked': 'query.region',
      'rules.0.when.value': 'asia',
    })
    expect(stateOf(never.html, 'rules-0-when')).toContain('Region is one of eu, us, so "asia" never matches.')
  })

  test('the tester has a field for each variable, and shows what the launcher would open', async () => {
    const { slug } = await owner.makeBundle(BUNDLE)
    const page = await open(slug)
    expect(field(page, 'viewer.values.customer')?.attributes.placeholder).toBe('4711')
    expect(page).toContain('<option value="">us (default)</option>')
    expect(textOf(verdictOf(page))).toContain('The page asks them for Customer number first.')
    expect(verdictOf(page)).toMatch(/<bdi class="blank"[^>]*aria-label="Customer number"/)
    expect(verdictOf(page)).not.toContain('href="https://crm.example')
    const filled = await press(slug, page, 'test', { 'viewer.values.customer': ' EU-1/2 ' })
    expect(textOf(verdictOf(filled.html))).toContain('Rule 1: Europe')
    expect(verdictOf(filled.html)).toContain('href="https://eu.example/us/EU-1%2F2"')
    expect(textOf(verdictOf(filled.html))).toContain('Of EU-1/2')
    expect(field(filled.html, 'viewer.values.customer')?.attributes.value).toBe(' EU-1/2 ')
    const inLink = await press(slug, page, 'test', { 'viewer.query': '?customer=EU-3&region=eu' })
    expect(verdictOf(inLink.html)).toContain('href="https://eu.example/eu/EU-3"')
    const mine = await press(slug, filled.html, 'me')
    expect(textOf(verdictOf(mine.html))).toContain('Rule 1: Europe')
    const refused = await press(slug, page, 'test', { 'viewer.values.customer': 'x'.repeat(201) })
    expect(stateOf(refused.html, 'viewer-values-customer')).toContain('Use at most 200 characters.')
    expect(textOf(verdictOf(refused.html))).toContain('No rule matches')
  })

  test('a placeholder before the path is refused beside its tab, also while typing; after it, it is saved', async () => {
    const { slug } = await owner.makeBundle(BUNDLE)
    const opened = await press(slug, await open(slug), 'rule.open 0')
    const moving = { 'rules.0.tabs.0.url': 'https://{customer}.example/' }
    for (const action of ['refresh', 'save']) {
      const wrong = await press(slug, opened.html, action, moving)
      expect([action, wrong.status]).toEqual([action, action === 'save' ? 400 : 200])
      expect(stateOf(wrong.html, 'rules-0-tabs-0')).toContain('The link has {customer} before its path')
      expect(field(wrong.html, 'rules.0.tabs.0.url')?.attributes['aria-invalid']).toBe('true')
    }
    const fit = await press(slug, opened.html, 'save', { 'rules.0.tabs.0.url': 'logs.example/{region}?q={customer}' })
    expect(fit.status).toBe(303)
    expect((await savedRules(slug))[0]?.tabs[0]?.url).toBe('https://logs.example/{region}?q={customer}')
  })

  test('a default with which a tab would lead elsewhere is said above the rules', async () => {
    const { slug } = await owner.makeBundle({
      ...BUNDLE,
      urls: ['https://crm.example/?q={customer}'],
      variables: [{ name: 'customer', default: '..' }],
      resolutionPolicy: { version: 1, rules: [rule('Europe', STARTS, 'https://eu.example/?q={customer}')] },
    })
    const opened = await press(slug, await open(slug), 'rule.open 0')
    const wrong = await press(slug, opened.html, 'save', { 'rules.0.tabs.0.url': 'https://eu.example/{customer}' })
    expect(wrong.status).toBe(400)
    expect(textOf(wrong.html)).toContain('must keep every link on its own site')
  })

  describe('versions, suggestions and conflicts say a condition as the rules page does:', () => {
    const SAID = 'When Customer number begins with EU-'
    const policyOf = (value: string) => ({ version: 1, rules: [rule('Europe', { ...STARTS, value })] })
    const pageAt = async (at: string) => textOf(await (await owner.fetch(at)).text()).replace(/\s+/g, ' ')
    const edit = (slug: string, change: object) => owner.api('PATCH', `/api/links/${slug}`, change)

    test('a version, and two that are compared, by the labels of the later', async () => {
      const { slug } = await owner.makeBundle(BUNDLE)
      expect(await pageAt(`/dashboard/links/${slug}/versions?version=1`)).toContain(SAID)
      await edit(slug, {
        resolutionPolicy: policyOf('EU-1'),
        variables: [{ name: 'customer', label: 'Client' }, VARIABLES[1]],
      })
      const asked = 'When Client begins with EU-'
      expect(await pageAt(`/dashboard/links/${slug}/versions?version=2`)).toContain(asked)
      expect(await pageAt(`/dashboard/links/${slug}/versions?from=1&to=2`)).toContain(asked)
      // Of a variable that is no longer there, the label that it had.
      await edit(slug, { resolutionPolicy: null, variables: [], urls: ['https://crm.example/'] })
      expect(await pageAt(`/dashboard/links/${slug}/versions?version=3`)).toContain(asked)
    })

    test('a proposal, what it clashes with, and the editor that decides it', async () => {
      const { slug } = await owner.makeBundle(BUNDLE)
      const { body } = await owner.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, {
        resolutionPolicy: policyOf('EU-1'),
      })
      const at = `/dashboard/links/${slug}/proposals/${body.id}`
      expect(await pageAt(at)).toContain(SAID)
      await edit(slug, { resolutionPolicy: policyOf('EU-2') })
      for (const clash of [at, `${at}/edit`]) {
        const said = (await pageAt(clash)).split(SAID).length - 1
        expect([clash, said]).toEqual([clash, 2])
      }
    })

    test('an edit that somebody else was faster than', async () => {
      const { slug } = await owner.makeBundle(BUNDLE)
      const opened = await press(slug, await open(slug), 'rule.open 0')
      await edit(slug, { resolutionPolicy: policyOf('EU-2') })
      const late = await press(slug, opened.html, 'save', { 'rules.0.when.value': 'EU-3' })
      const conflict = textOf(late.html.slice(late.html.indexOf('caution conflict'), late.html.indexOf('Take theirs')))
      expect([late.status, conflict.split(SAID).length - 1]).toEqual([412, 2])
    })
  })
})
