import { beforeAll, describe, expect, test } from 'bun:test'
import type { Policy } from '../../db/policy.ts'
import { fieldsOf, multipart } from '../form.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { unescaped } from './html.ts'

// The editor's block of variables, without a script.

type Fields = [string, string][]

const COLUMNS = ['was', 'placed', 'name', 'label', 'example', 'options', 'default']

const CUSTOMER = {
  urls: ['https://crm.example/{customer}', 'https://logs.example/?c={customer}&r={region}'],
  urlMetadata: [{ note: 'Of {customer}', section: 'All of {customer}' }, {}],
  title: 'Customer {customer}',
  description: 'What we know of {customer}, {x} and {{customer}}',
  variables: [
    { name: 'customer', label: 'Customer number', example: 'EU-4711' },
    { name: 'region', options: ['eu', 'us'] },
  ],
  resolutionPolicy: {
    version: 1,
    rules: [
      {
        name: 'Big',
        showBadge: true,
        when: {
          op: 'and',
          of: [
            { op: 'startsWith', field: 'query.customer', value: 'EU-' },
            { op: 'not', of: [{ op: 'exists', field: 'query.region' }] },
          ],
        },
        tabs: [{ url: 'https://big.example/{customer}', note: 'Big {customer}' }],
      },
    ],
  },
}

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const made = async (content: Record<string, unknown> = CUSTOMER) => (await owner.makeBundle(content)).slug
  const pathOf = (slug: string) => `/dashboard/links/${slug}`
  const formIn = (html: string): Fields => fieldsOf(html, 'editor')
  const formAt = async (path: string) => formIn(await (await owner.fetch(path)).text())
  const post = async (path: string, fields: Fields, button = 'save') => {
    const answer = await owner.fetch(path, { method: 'POST', ...multipart([...fields, ['do', button]]) })
    return { status: answer.status, html: await answer.text() }
  }
  const contentOf = async (slug: string) =>
    (await owner.api<typeof CUSTOMER & { resolutionPolicy: Policy }>('GET', `/api/links/${slug}`)).body
  /** The rows of the block, and another value in one of them. */
  const rowsIn = (fields: Fields) => {
    const columns = COLUMNS.map((name) =>
      fields.filter(([own]) => own === `variables.${name}`).map(([, value]) => value),
    )
    return (columns[0] ?? []).map((_, row) => Object.fromEntries(COLUMNS.map((name, at) => [name, columns[at]?.[row]])))
  }
  const withField = (fields: Fields, name: string, row: number, value: string): Fields => {
    let seen = -1
    return fields.map(([own, was]) => [own, own === name && ++seen === row ? value : was])
  }
  const textIn = (html: string, id: string) => unescaped(new RegExp(` id="${id}"[^>]*>([^<]*)<`).exec(html)?.[1] ?? '')
  const offersIn = (html: string) =>
    new Set([...html.matchAll(/value="declare-([^"]*)"/g)].map(([, written = '']) => unescaped(written)))

  test('variables are shown, added, changed and removed by its buttons', async () => {
    const slug = await made({ urls: ['https://a.example/'] })
    const path = pathOf(slug)
    const added = await post(path, await formAt(path), 'variable')
    let fields = formIn(added.html)
    expect(rowsIn(fields)).toEqual([Object.fromEntries(COLUMNS.map((name) => [name, '']))])
    const typed = {
      name: ' customer ',
      label: 'Number',
      example: '4711',
      options: '4711\r\n 12 \r\n\r\n',
      default: '12',
    }
    for (const [name, value] of Object.entries(typed)) fields = withField(fields, `variables.${name}`, 0, value)
    fields = withField(fields, 'url', 0, 'https://a.example/{customer}')
    expect((await post(path, fields)).status).toBe(303)
    const variables = [{ name: 'customer', label: 'Number', example: '4711', default: '12', options: ['4711', '12'] }]
    expect(await contentOf(slug)).toMatchObject({ variables, urls: ['https://a.example/{customer}'] })
    const gone = await post(path, await formAt(path), 'forget-1')
    expect(rowsIn(formIn(gone.html))).toEqual([])
    expect((await post(path, formIn(gone.html))).status).toBe(303)
    expect(await contentOf(slug)).toMatchObject({ variables: [], urls: ['https://a.example/{customer}'] })
  })

  test('a form without the block leaves them as they are', async () => {
    const slug = await made()
    const fields = (await formAt(pathOf(slug))).filter(([name]) => !name.startsWith('variables'))
    expect((await post(pathOf(slug), withField(fields, 'title', 0, 'Another'))).status).toBe(303)
    expect(await contentOf(slug)).toMatchObject({ title: 'Another', variables: CUSTOMER.variables })
  })

  test('an empty row is not saved, and no more than five are offered', async () => {
    const slug = await made({ urls: ['https://a.example/{a}{b}{c}{d}{e}{f}'], variables: [] })
    let html = await (await owner.fetch(pathOf(slug))).text()
    expect([...offersIn(html)]).toEqual(['{a}', '{b}', '{c}', '{d}', '{e}'])
    for (const name of 'abcde') html = (await post(pathOf(slug), formIn(html), `declare-{${name}}`)).html
    expect([...offersIn(html)]).toEqual([])
    expect(html).toMatch(/value="variable-6"[^>]* hidden/)
    const fields = COLUMNS.reduce((so, name) => withField(so, `variables.${name}`, 4, ''), formIn(html))
    expect((await post(pathOf(slug), fields)).status).toBe(303)
    expect((await contentOf(slug)).variables.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('errors stand beside their fields, and a link’s beside the link', async () => {
    const slug = await made()
    const path = pathOf(slug)
    const fields = await formAt(path)
    const wrong: [string, number, string, string, RegExp][] = [
      ['variables.name', 0, 'Customer', 'variable-1-name-error', /lower-case letters/],
      ['variables.name', 1, 'lang', 'variable-2-name-error', /another name/],
      ['variables.name', 1, 'customer', 'variable-2-name-error', /different from the name of variable 1/],
      ['variables.options', 1, 'eu\r\neu', 'variable-2-options-error', /different/],
      ['variables.default', 1, 'ap', 'variable-2-default-error', /one of the options/],
      ['url', 1, 'https://{region}.example/', 'link-2-url-error', /before its path/],
    ]
    for (const [name, row, value, id, says] of wrong) {
      const { status, html } = await post(path, withField(fields, name, row, value))
      expect([name, value, status, textIn(html, id)]).toEqual([name, value, 400, expect.stringMatching(says)])
      const check = await post(path, withField(fields, name, row, value), 'check')
      expect(unescaped(check.html)).toMatch(says)
    }
    expect(await contentOf(slug)).toMatchObject({ variables: CUSTOMER.variables })
  })

  describe('renamed', () => {
    const renamed = async (slug: string, path = pathOf(slug)) =>
      withField(await formAt(path), 'variables.name', 0, 'account')
    const expected = {
      urls: ['https://crm.example/{account}', 'https://logs.example/?c={account}&r={region}'],
      urlMetadata: [{ note: 'Of {account}', section: 'All of {account}' }, {}],
      title: 'Customer {account}',
      variables: [{ ...CUSTOMER.variables[0], name: 'account' }, CUSTOMER.variables[1]],
    }
    const [rule] = CUSTOMER.resolutionPolicy.rules
    const rules = [
      {
        ...rule,
        when: {
          op: 'and',
          of: [
            { op: 'startsWith', field: 'query.account', value: 'EU-' },
            { op: 'not', of: [{ op: 'exists', field: 'query.region' }] },
          ],
        },
        tabs: [{ url: 'https://big.example/{account}', note: 'Big {account}' }],
      },
    ]

    test('it is renamed wherever it stands, in rules too, which keep their ids', async () => {
      const slug = await made()
      const before = await contentOf(slug)
      expect((await post(pathOf(slug), await renamed(slug))).status).toBe(303)
      const after = await contentOf(slug)
      expect(after).toMatchObject(expected)
      expect(after.resolutionPolicy).toMatchObject({ rules })
      expect(after.resolutionPolicy.rules[0]?.id).toBe(before.resolutionPolicy.rules[0]?.id ?? '')
      // What is between double braces is filled as well, and a name that nobody declared is text.
      expect(after.description).toBe('What we know of {account}, {x} and {{account}}')
    })

    test('nothing is lost if the save is refused, however often it is renamed before', async () => {
      const slug = await made()
      const refused = await post(pathOf(slug), withField(await renamed(slug), 'url', 1, 'nothing'))
      expect(refused.status).toBe(400)
      expect(await contentOf(slug)).toMatchObject({ urls: CUSTOMER.urls, variables: CUSTOMER.variables })
      const shown = formIn(refused.html)
      expect(rowsIn(shown)[0]).toMatchObject({ was: 'customer', placed: 'account', name: 'account' })
      expect(shown).toContainEqual(['url', 'https://crm.example/{account}'])
      const unfit = formIn((await post(pathOf(slug), withField(shown, 'variables.name', 0, 'Not a name'))).html)
      expect(rowsIn(unfit)[0]).toMatchObject({ was: 'customer', placed: 'account', name: 'Not a name' })
      const last = withField(
        withField(unfit, 'variables.name', 0, 'buyer'),
        'url',
        1,
        CUSTOMER.urls[1]!.replace('customer', 'account'),
      )
      expect((await post(pathOf(slug), last)).status).toBe(303)
      const { urls, title, resolutionPolicy } = await contentOf(slug)
      expect([urls, title]).toEqual([
        ['https://crm.example/{buyer}', 'https://logs.example/?c={buyer}&r={region}'],
        'Customer {buyer}',
      ])
      expect(resolutionPolicy.rules[0]).toMatchObject({ tabs: [{ url: 'https://big.example/{buyer}' }] })
    })

    test('two may swap their names', async () => {
      const slug = await made()
      const fields = withField(
        withField(await formAt(pathOf(slug)), 'variables.name', 0, 'region'),
        'variables.name',
        1,
        'customer',
      )
      expect((await post(pathOf(slug), fields)).status).toBe(303)
      const { urls, resolutionPolicy } = await contentOf(slug)
      expect(urls).toEqual(['https://crm.example/{region}', 'https://logs.example/?c={region}&r={customer}'])
      expect(JSON.stringify(resolutionPolicy.rules[0]?.when)).toContain('"startsWith","field":"query.region"')
    })

    test('in a copy, in a suggestion and in a merged one', async () => {
      const slug = await made()
      const copied = await owner.fetch('/dashboard/links/new', {
        method: 'POST',
        ...multipart([...(await renamed(slug, `/dashboard/links/new?from=${slug}`)), ['do', 'save']]),
      })
      const copy = /links\/(\w+)/.exec(copied.headers.get('location') ?? '')?.[1] ?? ''
      expect(await contentOf(copy)).toMatchObject({ urls: expected.urls, resolutionPolicy: { rules } })
      const path = `${pathOf(slug)}/suggest`
      const suggested = await owner.fetch(path, { method: 'POST', ...multipart(await renamed(slug, path)) })
      const [proposal = ''] = (suggested.headers.get('location') ?? '').split('?')
      expect(suggested.status).toBe(303)
      const edit = await formAt(`${proposal}/edit`)
      const merged = await post(`${proposal}/edit`, withField(edit, 'variables.name', 0, 'buyer'))
      expect(merged.status).toBe(303)
      const after = await contentOf(slug)
      expect(after.urls[0]).toBe('https://crm.example/{buyer}')
      expect(after.resolutionPolicy.rules[0]).toMatchObject({ tabs: [{ url: 'https://big.example/{buyer}' }] })
    })
  })

  test('each says where it is used, and a variable that changes no link is a hint', async () => {
    const slug = await made({
      ...CUSTOMER,
      variables: ['customer', 'region', 'x', 'y'].map((name) => ({ name })),
    })
    const html = await (await owner.fetch(pathOf(slug))).text()
    const uses = [...html.matchAll(/class="uses hint">([^<]*)</g)].map(([, text]) => text)
    expect(uses.slice(0, 4)).toEqual([
      '3 links, title, description, notes, sections, 1 rule',
      '1 link, 1 rule',
      'description',
      '',
    ])
    expect([1, 2, 3, 4].map((row) => textIn(html, `variable-${row}-name-error`))).toEqual([
      '',
      '',
      'Only texts use it: every value opens the same links.',
      'Nothing uses it yet: write {y} into a link.',
    ])
    const check = await post(pathOf(slug), formIn(html), 'check')
    expect([...check.html.matchAll(/class="uses hint">([^<]*)</g)].map(([, text]) => text)).toEqual(uses)
    // A hint refuses nothing.
    expect((await post(pathOf(slug), withField(formIn(html), 'title', 0, 'Another {customer}'))).status).toBe(303)
  })

  test('a name in braces is offered, in a form that fits, and one press makes it a variable', async () => {
    const urls = ['https://a.example/{orderId}/%7Bcustomer%7D?l={lang}&x={{y}}', 'https://b.example/{orderId}']
    const slug = await made({ urls, title: 'Order {orderId}' })
    const html = await (await owner.fetch(pathOf(slug))).text()
    expect([...offersIn(html)]).toEqual(['{orderId}', '%7Bcustomer%7D'])
    expect(html).toContain('Make it {order_id}')
    // Once, at the first link that has it.
    expect(html.match(/value="declare-/g)).toHaveLength(2)
    // Nothing opens a row of a bundle that nobody edits.
    expect(html.split('<template')[0]).not.toMatch(/class="link-fold" open/)
    const first = await post(pathOf(slug), formIn(html), 'declare-{orderId}')
    const second = await post(pathOf(slug), formIn(first.html), 'declare-%7Bcustomer%7D')
    expect(rowsIn(formIn(second.html)).map(({ name }) => name)).toEqual(['order_id', 'customer'])
    expect((await post(pathOf(slug), formIn(second.html))).status).toBe(303)
    expect(await contentOf(slug)).toMatchObject({
      urls: ['https://a.example/{order_id}/{customer}?l={lang}&x={{y}}', 'https://b.example/{order_id}'],
      title: 'Order {order_id}',
      variables: [{ name: 'order_id' }, { name: 'customer' }],
    })
  })

  test('of somebody else’s changes their variables can be taken', async () => {
    const slug = await made()
    const mine = withField(await formAt(pathOf(slug)), 'title', 0, 'Mine {customer}')
    const variables = [...CUSTOMER.variables, { name: 'third' }]
    await owner.api('PATCH', `/api/links/${slug}`, { variables })
    const late = await post(pathOf(slug), mine)
    expect(late.html).toContain('{customer}, {region}, {third}')
    const taken = await post(pathOf(slug), formIn(late.html), 'take-variables')
    expect((await post(pathOf(slug), formIn(taken.html))).status).toBe(303)
    expect(await contentOf(slug)).toMatchObject({ title: 'Mine {customer}', variables })
  })
})
