import { beforeAll, describe, expect, test } from 'bun:test'
import { elementsOf } from '../contract/html.ts'
import { requestText, sendRaw, statusOf } from '../contract/support.ts'
import { callOf, send } from '../mcp/support.ts'
import { newPerson, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { newAddress, WITHOUT_LIMITS } from './callers.ts'

// Addresses that an attacker, or a careless program, makes of a launcher with variables: whatever a runtime makes of them, every
// door reads the same value, or none.

interface Told {
  tabs: { url: string }[]
  values: Record<string, string>
  missing: string[]
  invalid: { name: string }[]
}

const hrefs = (html: string) =>
  elementsOf(html).flatMap(({ tag, attributes }) =>
    tag === 'a' && attributes.class === 'tab' ? [attributes.href] : [],
  )
const filled = (id: string) => [`https://crm.example/${id}`, `https://logs.example/?q=${id}&r=eu#${id}`]

onEveryTarget(WITHOUT_LIMITS, (at) => {
  let key: string
  let slug: string
  beforeAll(async () => {
    const owner = await newPerson(at())
    key = (await owner.mint({ rateLimitPerHour: 0 })).rawKey
    const made = await owner.makeBundle({
      title: 'Customer {id}',
      urls: ['https://crm.example/{id}', 'https://logs.example/?q={id}&r={region}#{id}'],
      variables: [{ name: 'id' }, { name: 'region', default: 'eu', options: ['eu', 'us'] }],
    })
    slug = made.slug
  })

  const nobody = () =>
    new Visitor(at(), { 'user-agent': 'Mozilla/5.0 Firefox/153.0', accept: 'text/html', 'x-client': newAddress() })
  const read = async (path: string) => (await nobody().fetch(path)).text()

  describe('a query', () => {
    const json = async (query: string) => JSON.parse(await read(`/l/${slug}.json${query}`)) as Told
    const LONG = 'x'.repeat(201)

    test.each([
      ['?id=1&id=2', '1'],
      ['?id=1&ID=2&Id=3', '1'],
      ['?id=1&id%5B%5D=2&id[a]=3&id.b=4', '1'],
      ['?id=1&__proto__=2&__proto__[id]=3&constructor=4&prototype=5&hasOwnProperty=6', '1'],
      ['?__proto__[id]=2&constructor.prototype.id=3&id=1', '1'],
      ['?id=1&values[id]=2&values=%7B%22id%22:%223%22%7D&slug=x&format=md&lang=de', '1'],
      ['?id=1;id=2', '1%3Bid%3D2'],
      ['?id=1%26id=2', '1%26id%3D2'],
      ['?id=1#&id=2', '1'],
      ['?&&=&=x&id=1&', '1'],
      [`?id=1&${'id=2&'.repeat(1000)}`, '1'],
      [`?id=1&${'__proto__=2&'.repeat(500)}`, '1'],
      ['?id=%ff', '%EF%BF%BD'],
      ['?id=a%', 'a%25'],
    ])('%#: is read alike by every door', async (query, id) => {
      const [own = ''] = query.split('#')
      expect(hrefs(await read(`/l/${slug}${own}`))).toEqual(filled(id))
      expect((await json(own)).tabs.map(({ url }) => url)).toEqual(filled(id))
      const { body } = await nobody().api<Told>('GET', `/api/links/${slug}/tabs${own}`)
      expect(body.tabs.map(({ url }) => url)).toEqual(filled(id))
      const file = elementsOf(await read(`/l/${slug}/bookmarks.html${own}`))
      expect(file.flatMap(({ tag, attributes }) => (tag === 'a' ? [attributes.href] : []))).toEqual(filled(id))
      const agent = await send(at(), callOf('get_tabs', { slug: `${at().origin}/l/${slug}${query}` }), {
        authorization: `Bearer ${key}`,
      })
      // What is longer than a link can be is none.
      if (query.length < 2000)
        expect(agent.body.result.structuredContent.tabs).toMatchObject([{ url: filled(id)[0] }, {}])
      else expect(agent.body.result.isError).toBe(true)
    })

    test('without a value is one: a prototype’s properties are none', async () => {
      for (const query of ['?__proto__[id]=1', '?constructor=1', '?id=', '?id=%20', '?id', '?id=&id=1']) {
        expect([query, await json(query)]).toMatchObject([query, { missing: ['id'], invalid: [] }])
        expect([query, hrefs(await read(`/l/${slug}${query}`))]).toEqual([query, [undefined, undefined]])
      }
      for (const values of ['{"__proto__":{"id":"1"}}', '{"__proto__":"1"}', '{"constructor":"1"}']) {
        const call = JSON.stringify(callOf('get_tabs', { slug })).replace(/}}}$/, `,"values":${values}}}}`)
        const { body } = await send(at(), call, { authorization: `Bearer ${key}` })
        expect([
          values,
          body.result.isError === true || (body.result.structuredContent as unknown as Told).missing,
        ]).toEqual([values, expect.anything()])
        expect(JSON.stringify(body)).not.toContain('crm.example/1')
      }
    })

    test('that is far too long is refused or answered, and then with what to do', async () => {
      for (const length of [201, 2_000, 8_000, 15_000, 100_000]) {
        for (const form of ['', '.json', '.md', '/qr.svg', '/bookmarks.html']) {
          const answer = await nobody().fetch(`/l/${slug}${form}?id=${'x'.repeat(length)}`)
          const text = await answer.text()
          expect([length, form, [200, 400, 404, 413, 414, 431].includes(answer.status)]).toEqual([length, form, true])
          if (answer.status === 200 && form === '') {
            expect(text).toContain('Use at most 200 characters.')
            expect(hrefs(text)).toEqual([undefined, undefined])
          }
          expect([length, form, text.includes(`crm.example/${LONG}`)]).toEqual([length, form, false])
        }
      }
    })
  })

  describe('the value in a path', () => {
    // As bytes, because a client that reads addresses would already have changed them.
    test.each([
      ['/4711', 200, filled('4711')],
      ['/a%2Fb', 200, filled('a%2Fb')],
      ['/a%2fb', 200, filled('a%2Fb')],
      ['/%2e%2e%2Fx', 200, filled('..%2Fx')],
      ['/a%3Fid=2', 200, filled('a%3Fid%3D2')],
      ['/a%23b', 200, filled('a%23b')],
      ['/a%252Fb', 200, filled('a%252Fb')],
      ['/a+b', 200, filled('a%2Bb')],
      ['/%00', 200, [undefined, undefined]],
      ['/a%0d%0aSet-Cookie:%20x=1', 200, [undefined, undefined]],
      ['/%20', 200, [undefined, undefined]],
      ['/a/', 200, filled('a')],
      ['/a/b', 404, []],
      ['//', 307, []],
      ['//a', 307, []],
      ['/%ff', 404, []],
      ['/%', 404, []],
    ] as const)('%s', async (path, status, links) => {
      const { host } = new URL(at().origin)
      const raw = await sendRaw(at(), requestText('GET', `/l/${slug}${path}`, { host, accept: 'text/html' }))
      expect([statusOf(raw), raw.split('\r\n\r\n')[0]?.toLowerCase().includes('set-cookie')]).toEqual([status, false])
      expect(hrefs(raw.slice(raw.indexOf('\r\n\r\n')))).toEqual([...links])
    })

    test.each(['/%2e%2e', '/..', '/%2E', '/.', '/.%2e', '/'])('%s is no step out of the launcher', async (path) => {
      const { host } = new URL(at().origin)
      const raw = await sendRaw(at(), requestText('GET', `/l/${slug}${path}`, { host, accept: 'text/html' }))
      // Nothing of the bundle filled in, whether it is read as a value, as the launcher, or as what is above it.
      expect([200, 303, 308, 404]).toContain(statusOf(raw) ?? 0)
      expect(raw).not.toMatch(/href="https:\/\/(crm|logs)/)
    })
  })
})
