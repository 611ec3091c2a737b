import { beforeAll, describe, expect, test } from 'bun:test'
import { newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { escapedText } from './html.ts'

onEveryTarget({}, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(server())
  })
  const visitor = () => new Visitor(server())
  const textOf = async (path: string, by: Visitor = visitor()) => (await by.fetch(path)).text()
  /** The address that a browser goes to for what is typed. */
  const addressFor = (xml: string, typed: string) => {
    const [, template = ''] = /<Url type="text\/html" method="get" template="([^"]+)"\/>/.exec(xml) ?? []
    return template.replaceAll('&amp;', '&').replace('{searchTerms}', encodeURIComponent(typed))
  }
  const searchLinkIn = (html: string) =>
    /<link rel="search" type="application\/opensearchdescription\+xml" href="([^"]+)"/.exec(html)?.[1]

  describe('a launcher with variables', () => {
    const CONTENT = {
      title: 'Customer {id} & <all>',
      urls: ['https://crm.example/{id}', 'https://logs.example/?q={id}&r={range}'],
      variables: [
        { name: 'id', label: 'Customer' },
        { name: 'range', default: '7d' },
      ],
    }

    test('is a search of the address bar, which fills its first variable', async () => {
      const { slug } = await owner.makeBundle(CONTENT)
      const address = searchLinkIn(await textOf(`/l/${slug}`))
      expect(address).toBe(`/l/${slug}/opensearch.xml`)
      expect(searchLinkIn(await textOf(`/l/${slug}?id=1`))).toBe(address)
      const answer = await visitor().fetch(address ?? '')
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
        200,
        'application/opensearchdescription+xml',
        'public, max-age=86400',
      ])
      const xml = await answer.text()
      expect(xml).toContain('<ShortName>Customer … &amp; &lt;a…</ShortName>')
      expect(xml).toMatch(new RegExp(`<LongName>${escapedText('Customer … & <all>').source}</LongName>`))
      const typed = addressFor(xml, 'a & b/ü')
      expect(typed).toBe(`${server().origin}/l/${slug}?id=${encodeURIComponent('a & b/ü')}`)
      const page = await textOf(typed)
      expect(page).toContain('https://crm.example/a%20%26%20b%2F%C3%BC')
      expect(page).toContain('https://logs.example/?q=a%20%26%20b%2F%C3%BC&amp;r=7d')
    })

    test('is named by its slug, the same for whichever rule a viewer matches, if it has no title', async () => {
      const tabs = [{ url: 'https://secret.example/{id}' }]
      const rule = { name: 'x', when: { op: 'equals', field: 'query.id', value: '1' }, tabs }
      const fields = { ...CONTENT, title: null, resolutionPolicy: { version: 1, rules: [rule] } }
      const { slug } = await owner.makeBundle(fields)
      const xml = await textOf(`/l/${slug}/opensearch.xml?id=1`)
      expect(xml).toContain(`<ShortName>${slug}</ShortName>`)
      expect(xml).toBe(await textOf(`/l/${slug}/opensearch.xml`))
    })

    test('behind a gate, only whoever may enter gets it, and nothing keeps it', async () => {
      const { slug } = await owner.makeBundle({ ...CONTENT, access: 'members' })
      const path = `/l/${slug}/opensearch.xml`
      const refused = await visitor().fetch(path)
      expect([refused.status, (await refused.text()).includes('Customer')]).toEqual([401, false])
      const own = await owner.fetch(path)
      expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    })
  })

  test('a launcher without variables has none, nor has one that does not exist', async () => {
    const { slug } = await owner.makeBundle({ urls: [URL_A] })
    expect(searchLinkIn(await textOf(`/l/${slug}`))).toBeUndefined()
    for (const at of [slug, 'there-is-none'])
      expect((await visitor().fetch(`/l/${at}/opensearch.xml`)).status).toBe(404)
  })

  describe('the service', () => {
    let search: (typed: string, by?: Visitor) => Promise<Response>
    let person: Person
    beforeAll(async () => {
      person = await newPerson(server())
      const xml = await textOf('/opensearch.xml')
      search = (typed, by = person) => by.fetch(addressFor(xml, typed))
    })

    test('is a search from its home page and the dashboard', async () => {
      expect(searchLinkIn(await textOf('/'))).toBe('/opensearch.xml')
      expect(searchLinkIn(await textOf('/dashboard', person))).toBe('/opensearch.xml')
    })

    test('opens the only bundle that is found, and lists several or none', async () => {
      const { slug } = await person.makeBundle({ title: 'Alpha & beta' })
      await person.makeBundle({ title: 'Alpha two' })
      const one = await search('alpha & beta')
      expect([one.status, one.headers.get('location')]).toEqual([303, `/l/${slug}`])
      const several = await search('alpha')
      expect([several.status, (await several.text()).includes('Alpha two')]).toEqual([200, true])
      expect((await search('omega')).status).toBe(200)
      expect((await search(' ')).status).toBe(200)
      const asUsual = await person.fetch('/dashboard?q=beta')
      expect(asUsual.status).toBe(200)
      await person.api('DELETE', `/api/links/${slug}`)
      expect((await person.fetch('/dashboard?q=beta&open=1&state=deleted')).status).toBe(200)
    })

    test('has whoever is signed out sign in first, and then opens', async () => {
      const { slug } = await person.makeBundle({ title: 'Gamma' })
      const out = await search('gamma', visitor())
      const location = new URL(out.headers.get('location') ?? '', server().origin)
      expect([out.status, location.pathname]).toEqual([303, '/sign-in'])
      const next = location.searchParams.get('next') ?? ''
      expect((await person.fetch(next)).headers.get('location')).toBe(`/l/${slug}`)
    })
  })
})
