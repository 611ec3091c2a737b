import { beforeAll, describe, expect, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'

// What is in a launcher’s address besides values, and what its form without a script makes of it.

const PASSWORD = 'four stairs down'
const VARIABLES = [{ name: 'customer' }, { name: 'range', default: '7d', options: ['7d', '30d'] }]
const CONTENT = {
  title: 'Customer {customer}',
  urls: ['https://crm.example/{customer}?r={range}'],
  variables: VARIABLES,
  resolutionPolicy: {
    version: 1,
    rules: [
      {
        name: 'Mail',
        when: { op: 'equals', field: 'query.from', value: 'mail' },
        tabs: [{ url: 'https://mail.example/{customer}' }],
      },
    ],
  },
}

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const viewer = () => new Visitor(at(), { 'user-agent': 'Mozilla/5.0 Firefox/153.0', accept: 'text/html' })
  const read = async (path: string, by = viewer()) => (await by.fetch(path)).text()
  /** Where scripts do not run, `noscript` is markup. */
  const formIn = (html: string) =>
    (/<form[^>]*class="ask[^>]*>([\s\S]*?)<\/form>/.exec(html)?.[1] ?? '').replaceAll(/<\/?noscript>/g, '')
  const carriedIn = (html: string) =>
    fieldsIn(formIn(html)).filter(([name]) => VARIABLES.every((variable) => variable.name !== name))
  /** Sends the form with a customer, as a browser without a script does. */
  const sent = (slug: string, html: string, customer: string) => {
    const fields = fieldsIn(formIn(html)).map(([name, value]) => [name, name === 'customer' ? customer : value])
    return `/l/${slug}?${new URLSearchParams(fields as [string, string][])}`
  }
  const hrefs = (html: string) =>
    elementsOf(html).flatMap(({ tag, attributes }) =>
      tag === 'a' && attributes.class === 'tab' ? [attributes.href] : [],
    )

  test.each(['', '/4711', '?customer=4711', '?customer=..'])(
    'the form at /l/x%s sends what its address has besides, and rules go on reading it',
    async (where) => {
      const { slug } = await owner.makeBundle(CONTENT)
      const path = `${where}${where.includes('?') ? '&' : '?'}from=mail&utm_source=a%26b&utm_source=%22c`
      const others = [
        ['from', 'mail'],
        ['utm_source', 'a&b'],
        ['utm_source', '"c'],
      ]
      for (const _ of ['rendered', 'kept']) {
        const page = await read(`/l/${slug}${path}`)
        expect(carriedIn(page)).toEqual(others as [string, string][])
        const next = sent(slug, page, '815')
        expect([...new URL(next, at().origin).searchParams]).toContainEqual(['utm_source', '"c'])
        expect(hrefs(await read(next))).toEqual(['https://mail.example/815'])
      }
    },
  )

  test('a page without anything else in its address has none of it, whatever was asked for before', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    const [blank, filled] = [await read(`/l/${slug}`), await read(`/l/${slug}/4711`)]
    for (const path of ['?utm_source=x', '/4711?utm_source=x']) {
      const answer = await viewer().fetch(`/l/${slug}${path}`)
      expect([path, answer.headers.get('cache-control')]).toEqual([path, 'private, no-store, no-transform'])
      expect(await answer.text()).toContain('utm_source')
    }
    expect([await read(`/l/${slug}`), await read(`/l/${slug}/4711`)]).toEqual([blank, filled])
    expect(carriedIn(blank)).toEqual([])
    const { slug: plain } = await owner.makeBundle()
    expect(await read(`/l/${plain}?utm_source=x`)).toBe(await read(`/l/${plain}`))
  })

  test('is text, whatever it is called, and is in the way of no script', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    const name = '"><script>alert(1)</script>'
    const query = new URLSearchParams([
      [name, name],
      ['querySelector', '</noscript><img src=x onerror=alert(1)>'],
      ['action', 'javascript:alert(1)'],
    ])
    for (const path of ['', '/4711', '?customer=..']) {
      const page = await read(`/l/${slug}${path}${path.includes('?') ? '&' : '?'}${query}`)
      expect(carriedIn(page)).toEqual([...query])
      expect(page).not.toContain('<script>alert')
      expect(page).not.toContain('<img src=x')
      // A script reads the properties of its form, and a field would be one.
      const unscripted = page.replace(/<noscript>[\s\S]*?<\/noscript>/g, '')
      expect(unscripted).not.toContain('querySelector')
    }
  })

  test('is bounded, and left out whole where it does not fit', async () => {
    const { slug } = await owner.makeBundle(CONTENT)
    const long: [string, string][] = [
      ['long', 'x'.repeat(1_990)],
      ['other', 'y'.repeat(90)],
      ['line', 'a\nb'],
      ['last', 'z'],
    ]
    expect(carriedIn(await read(`/l/${slug}?${new URLSearchParams(long)}`))).toEqual([long[0]!, ['last', 'z']] as never)
    const many = Array.from({ length: 200 }, (_, number): [string, string] => [`p${number}`, ''])
    expect(carriedIn(await read(`/l/${slug}?${new URLSearchParams(many)}`))).toEqual(many.slice(0, 50))
  })

  describe('behind a password', () => {
    test.each(['', '/4711', '?customer=4711'])('it comes along from /l/x%s', async (where) => {
      const { slug } = await owner.makeBundle({ ...CONTENT, access: 'password', password: PASSWORD })
      const path = `/l/${slug}${where}${where.includes('?') ? '&' : '?'}from=mail`
      const visitor = viewer()
      const opened = async (address: string) => {
        const locked = await read(address, visitor)
        const form = elementsOf(locked).find(({ tag }) => tag === 'form')
        expect(form?.attributes.action).toBe(address)
        return (await visitor.form(address, { password: PASSWORD })).text()
      }
      const page = await opened(path)
      expect(hrefs(page)).toEqual([where === '' ? undefined : 'https://mail.example/4711'])
      expect(carriedIn(page)).toEqual([['from', 'mail']])
      // Another value, and the password once more.
      expect(hrefs(await opened(sent(slug, page, '815')))).toEqual(['https://mail.example/815'])
    })
  })

  test('an owner before it opens sees the same', async () => {
    const { slug } = await owner.makeBundle({ ...CONTENT, opensAt: '2100-01-01T00:00:00.000Z' })
    for (const path of ['/4711?from=mail', '?customer=4711&from=mail']) {
      const page = await (await owner.fetch(`/l/${slug}${path}`, { headers: { accept: 'text/html' } })).text()
      expect([path, hrefs(page), carriedIn(page)]).toEqual([path, ['https://mail.example/4711'], [['from', 'mail']]])
    }
  })
})
