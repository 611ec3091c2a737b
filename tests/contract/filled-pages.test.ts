import { beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { METRICS_TOKEN, metricsOf } from '../metrics.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { skipId } from '../told.ts'
import { elementsOf } from './html.ts'

const CUSTOMER = {
  title: 'Customer {customer}',
  urls: ['https://crm.example/{customer}'],
  variables: [{ name: 'customer' }],
}
const PASSWORD = 'four stairs down'
const BROWSER = { 'user-agent': 'Mozilla/5.0 Firefox/153.0', accept: 'text/html' }

const hrefs = (html: string) =>
  elementsOf(html).flatMap(({ tag, attributes }) =>
    tag === 'a' && attributes.class === 'tab' ? [attributes.href] : [],
  )

/** What is sent for a launcher’s page and for its forms, filled by either form of address. */
const FILLED = ['?customer=4711', '/4711', '?customer=..', '/..%2F', '?customer=4711&other=1']
const FORMS = ['.json?customer=4711', '.md?customer=4711', '/bookmarks.html?customer=4711', '/qr.svg?customer=4711']

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const viewer = () => new Visitor(at(), BROWSER)

  test('nobody keeps a filled page, also one that is refused; the blank page is kept as any other', async () => {
    const { slug } = await owner.makeBundle(CUSTOMER)
    for (const path of [...FILLED, ...FORMS]) {
      const { status, headers } = await viewer().fetch(`/l/${slug}${path}`)
      expect([path, status]).toEqual([path, 200])
      expect([path, headers.get('cache-control')]).toEqual([
        path,
        expect.stringMatching(/^private, no-store(?:, no-transform)?$/),
      ])
      const policy = headers.get('referrer-policy')
      expect([path, policy]).toEqual([path, 'no-referrer'])
    }
    for (const path of FILLED) expect((await viewer().fetch(`/l/${slug}${path}`)).headers.get('etag')).toBeNull()
    const { slug: plain } = await owner.makeBundle()
    const [blank, other] = [await viewer().fetch(`/l/${slug}`), await viewer().fetch(`/l/${plain}`)]
    const kept = ({ headers }: Response) => ['cache-control', 'etag', 'vary'].map((name) => headers.get(name))
    expect(kept(blank)).toEqual(kept(other))
  })

  test('HEAD answers as GET does, without the page', async () => {
    const { slug } = await owner.makeBundle(CUSTOMER)
    const sent = async (method: string, path: string, encoding: string) => {
      const answer = await viewer().fetch(`/l/${slug}${path}`, { method, headers: { 'accept-encoding': encoding } })
      const { date: _, 'x-request-id': __, 'content-length': length, ...headers } = Object.fromEntries(answer.headers)
      return { status: answer.status, headers, length, body: await answer.text() }
    }
    for (const path of ['', ...FILLED, ...FORMS]) {
      const { body: page, ...get } = await sent('GET', path, 'identity')
      const { body, ...head } = await sent('HEAD', path, 'identity')
      expect([path, body, page === '']).toEqual([path, '', false])
      expect([path, head.status, head.headers]).toEqual([path, get.status, get.headers])
    }
  })

  test('a page is the same in every encoding, the first time and afterwards', async () => {
    const { slug } = await owner.makeBundle(CUSTOMER)
    const pages = new Set<string>()
    for (const encoding of ['identity', 'gzip', 'br', 'identity', 'br']) {
      const answer = await viewer().fetch(`/l/${slug}?customer=a%26b`, { headers: { 'accept-encoding': encoding } })
      expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding)
      pages.add(await answer.text())
    }
    expect(pages.size).toBe(1)
    expect([...pages][0]).toContain('<title>Customer a&amp;b · Openall</title>')
  })

  test('an edit shows at once in filled pages, also one of the variables alone', async () => {
    const { slug } = await owner.makeBundle(CUSTOMER)
    const links = async (path: string) => hrefs(await (await viewer().fetch(`/l/${slug}${path}`)).text())
    expect(await links('/4711')).toEqual(['https://crm.example/4711'])
    await owner.api('PATCH', `/api/links/${slug}`, { urls: ['https://new.example/?c={customer}'] })
    expect(await links('/4711')).toEqual(['https://new.example/?c=4711'])
    await owner.api('PATCH', `/api/links/${slug}`, {
      variables: [{ name: 'other' }, { name: 'customer', options: ['a'], default: 'a' }],
    })
    expect(await links('?customer=a&other=b')).toEqual(['https://new.example/?c=a'])
    expect(await links('?customer=4711&other=b')).toEqual([undefined])
    await owner.api('PATCH', `/api/links/${slug}`, { variables: [] })
    expect(await links('?customer=4711')).toEqual(['https://new.example/?c={customer}'])
  })

  test('rules decide by values, after defaults, and by either form of address', async () => {
    const when = { op: 'startsWith', field: 'query.customer', value: 'eu-' }
    const resolutionPolicy = {
      version: 1,
      rules: [{ name: 'EU', when, tabs: [{ url: 'https://eu.example/{customer}' }] }],
    }
    const { slug } = await owner.makeBundle({
      ...CUSTOMER,
      variables: [{ name: 'customer', default: 'eu-1' }],
      resolutionPolicy,
    })
    for (const [path, link] of [
      ['', 'https://eu.example/eu-1'],
      ['?customer=', 'https://eu.example/eu-1'],
      ['?customer=eu-2', 'https://eu.example/eu-2'],
      ['/eu-3', 'https://eu.example/eu-3'],
      ['/eu-4?customer=us-1', 'https://crm.example/us-1'],
      ['/us-2', 'https://crm.example/us-2'],
    ]) {
      for (const _ of ['read', 'cached']) {
        expect([path, hrefs(await (await viewer().fetch(`/l/${slug}${path}`)).text())]).toEqual([path, [link]])
      }
    }
  })

  describe('in front of a gate, an address with a value tells nothing', () => {
    test.each([
      ['members', { access: 'members' }],
      ['a password', { access: 'password', password: PASSWORD }],
      ['not open yet', { opensAt: '2100-01-01T00:00:00.000Z' }],
      ['closed', { closesAt: '2020-01-01T00:00:00.000Z' }],
    ])('%s', async (_, gate) => {
      const bundles = [CUSTOMER, { urls: ['https://crm.example/'] }]
      const answers = await Promise.all(
        bundles.map(async (fields) => {
          const { slug } = await owner.makeBundle({ ...fields, ...gate })
          const read = async (path: string, accept: string) => {
            const answer = await viewer().fetch(`/l/${slug}${path}`, { headers: { accept } })
            const text = skipId(await answer.text())
              .replaceAll(slug, '<slug>')
              .replace(/opens-in="\d+"/, '')
            return [path, accept, answer.status, answer.headers.get('cache-control'), text]
          }
          const paths = ['', '/4711', '/4711?other=1', '?customer=4711']
          return Promise.all(
            paths.flatMap((path) =>
              ['text/html', 'application/json', 'text/markdown'].map((accept) => read(path, accept)),
            ),
          )
        }),
      )
      expect(answers[0]).toEqual(answers[1]!)
      for (const answer of answers[0]!) expect(answer[2]).toBeGreaterThanOrEqual(400)
      for (const answer of answers[0]!) expect(String(answer[4])).not.toMatch(/crm\.example|Customer/)
    })
  })

  test('the password opens the filled launcher at either form of address, where it was asked for', async () => {
    const { slug } = await owner.makeBundle({ ...CUSTOMER, access: 'password', password: PASSWORD })
    const { slug: plain } = await owner.makeBundle({ access: 'password', password: PASSWORD })
    for (const path of ['/47%2F11', '?customer=47%2F11', '/x?customer=47%2F11']) {
      const locked = await (await viewer().fetch(`/l/${slug}${path}`)).text()
      const form = elementsOf(locked).find(({ tag }) => tag === 'form')
      expect(form?.attributes.action).toBe(`/l/${slug}${path}`)
      const opened = await viewer().form(form?.attributes.action ?? '', { password: PASSWORD })
      expect([opened.status, hrefs(await opened.text())]).toEqual([200, ['https://crm.example/47%2F11']])
      const wrong = await viewer().form(`/l/${slug}${path}`, { password: 'wrong' })
      expect([wrong.status, hrefs(await wrong.text())]).toEqual([401, []])
      // The sign-in of members leads back to the same place.
      expect(locked).toContain(`next=${encodeURIComponent(`/l/${slug}${path}`)}`)
    }
    expect((await viewer().form(`/l/${plain}/4711`, { password: PASSWORD })).status).toBe(404)
    expect((await viewer().form(`/l/${plain}/4711`, { password: 'wrong' })).status).toBe(401)
  })

  test('an edit of another process shows in filled pages', async () => {
    const { slug } = await owner.makeBundle(CUSTOMER)
    const link = async () => hrefs(await (await viewer().fetch(`/l/${slug}?customer=4711`)).text())[0]
    expect(await link()).toBe('https://crm.example/4711')
    const stored = JSON.stringify(['https://edited.example/{customer}'])
    await at().sql('UPDATE bundles SET urls = ?, version_number = version_number + 1 WHERE slug = ?', [stored, slug])
    await eventually(async () => (await link()) === 'https://edited.example/4711', 'the edit shows')
  })
})

test('what a launcher with variables keeps in memory counts towards the bound of the cache', async () => {
  const server = await startInProcess({ SERVICE_METRICS_TOKEN: METRICS_TOKEN, SERVICE_CACHE_MB: '1' })
  try {
    const visitor = new Visitor(server, { ...BROWSER, 'accept-encoding': 'br' })
    const misses = async () => (await metricsOf(server)).get('openall_launcher_cache_total{result="miss"}') ?? 0
    /** How many of thirty launchers are read from the database on their second view. */
    const readAgain = async (variables: object[], query: string) => {
      const owner = await newPerson(server)
      const slugs: string[] = []
      for (let made = 0; made < 30; made += 1) {
        slugs.push((await owner.makeBundle({ urls: ['https://a.example/{a}'], variables })).slug)
      }
      const view = async () => {
        for (const slug of slugs) await (await visitor.fetch(`/l/${slug}${query}`)).text()
      }
      await view()
      const before = await misses()
      await view()
      return (await misses()) - before
    }
    expect(await readAgain([{ name: 'a' }], '')).toBe(0)
    expect(await readAgain([{ name: 'a' }], '?a=1')).toBe(0)
    // Repeated text is compressed in the page and not in memory: 25 000 characters of options each, of two bytes.
    const options = Array.from({ length: 50 }, (_, at) => `${'ж'.repeat(96)}${at}`)
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, options }))
    expect(await readAgain(many, '')).toBeGreaterThan(0)
    expect(await readAgain([{ name: 'a' }, ...many.slice(1)], '?a=1')).toBeGreaterThan(0)
  } finally {
    await server.stop()
  }
})
