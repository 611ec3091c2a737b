import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson, type Person, URL_A, URL_B } from '../people.ts'
import { onBothSchemes } from '../targets.ts'

const CALENDAR = '/calendar.ics?days=mon&at=09:00&zone=UTC'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const VARIABLES = [{ name: 'id', label: 'Number' }]

onBothSchemes({ SERVICE_SHORT_PATHS: 'on' }, (at) => {
  const own = async (fields: Record<string, unknown> = {}) => {
    const person = await newPerson(at())
    return { person, bundle: await person.makeBundle({ title: 'Short one', ...fields }) }
  }
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${at().origin}${path}`, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' })

  test('url is the short link, and it answers as the long one does, with everything below it', async () => {
    const { person, bundle } = await own({ urls: [`${URL_A}{id}`, URL_B], variables: VARIABLES })
    const { slug } = bundle
    const { body } = await person.api<{ url: string }>('GET', `/api/links/${slug}`)
    expect([bundle.url, body.url]).toEqual([`${at().origin}/${slug}`, `${at().origin}/${slug}`])
    const below = ['', '?id=4711', '/4711', '.md', '.json', '.json?id=4711', '/feed', '/qr.svg', '/bookmarks.html?id=1']
    for (const path of [...below, '/opensearch.xml', '/picture.png', '/report', '/copy', '/remind', CALENDAR]) {
      const [short, long] = await Promise.all([get(`/${slug}${path}`), get(`/l/${slug}${path}`)])
      const [ours, theirs] = await Promise.all([short.arrayBuffer(), long.arrayBuffer()])
      expect([path, short.status, short.headers.get('content-type')]).toEqual([
        path,
        long.status,
        long.headers.get('content-type'),
      ])
      if (path !== '/copy' && path !== '/report')
        expect([path, Buffer.compare(Buffer.from(ours), Buffer.from(theirs))]).toEqual([path, 0])
    }
    expect(await (await get(`/${slug}`)).text()).toContain(`property="og:url" content="${at().origin}/${slug}"`)
    expect(await (await get(`/${slug}`, { accept: 'application/json' })).json()).toMatchObject({ url: bundle.url })
    const head = await fetch(`${at().origin}/${slug}`, { method: 'HEAD', headers: { accept: 'text/html' } })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await get('/there-is-none')).status).toBe(404)
    expect((await get('/there-is-none.json', { accept: '*/*' })).headers.get('content-type')).toContain(
      'application/json',
    )
    const put = await fetch(`${at().origin}/${slug}`, { method: 'PUT' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })

  test('a view at the short link counts', async () => {
    const { person, bundle } = await own()
    await (await get(`/${bundle.slug}`, { 'user-agent': FIREFOX })).text()
    await becomes(async () => {
      const { body } = await person.api<{ totals: { views: number } }>('GET', `/api/links/${bundle.slug}/insights`)
      return body.totals.views
    }, 1)
  })

  test('a password is sent to the short link too', async () => {
    const { person, bundle } = await own({ access: 'password', password: 'four stairs down' })
    const path = `/${bundle.slug}`
    expect((await get(path)).status).toBe(401)
    const sent = (password: string) =>
      fetch(`${at().origin}${path}`, {
        method: 'POST',
        headers: {
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          origin: at().origin,
        },
        body: new URLSearchParams({ password }).toString(),
      })
    expect((await sent('another one')).status).not.toBe(200)
    const entered = await sent('four stairs down')
    expect([entered.status, await entered.text()]).toEqual([200, expect.stringContaining(URL_A)])
    const fromElsewhere = await fetch(`${at().origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
      body: 'password=four+stairs+down',
    })
    expect(fromElsewhere.status).toBe(403)
    await person.api('DELETE', path.replace('/', '/api/links/'))
    expect((await get(path)).status).toBe(404)
  })

  test('the service’s own pages win, and their names are no slugs', async () => {
    const { person } = await own()
    for (const path of ['/docs', '/sign-in', '/healthz', '/dashboard', '/robots.txt', '/favicon.ico', '/llms.txt']) {
      const { status } = await get(path)
      expect([path, status < 400]).toEqual([path, true])
    }
    for (const slug of ['docs', 'sign-in', 'oauth', 'privacy', 'found']) {
      const { status, body } = await person.api('POST', '/api/links', { urls: [URL_A], slug })
      expect([slug, status, body]).toEqual([slug, 409, expect.objectContaining({ code: 'SLUG_TAKEN' })])
    }
    expect((await get('/docs/there-is-none')).status).toBe(404)
  })

  test('a bundle that had such a name before stays at its long link', async () => {
    const { person, bundle } = await own()
    await at().sql('UPDATE bundles SET slug = ? WHERE slug = ?', ['privacy', bundle.slug])
    const { body } = await person.api<{ url: string }>('GET', '/api/links/privacy')
    expect(body.url).toBe(`${at().origin}/l/privacy`)
    expect(await (await get('/l/privacy')).text()).toContain('Short one')
    expect(await (await get('/privacy')).text()).not.toContain('Short one')
  })

  test('operations take the short link where they take a slug, and no other page of the service', async () => {
    const { person, bundle } = await own()
    const call = (slug: string) => mcp(person, 'tools/call', { name: 'get_bundle', arguments: { slug } })
    expect(await call(bundle.url)).toContain(`"slug":"${bundle.slug}"`)
    expect(await call(`${at().origin}/l/${bundle.slug}`)).toContain(`"slug":"${bundle.slug}"`)
    expect(await call(`https://other.example/${bundle.slug}`)).toContain('is a link to other.example')
    expect(await call(`${at().origin}/dashboard`)).not.toContain('"urls"')
    const read = await mcp(person, 'resources/read', { uri: bundle.url })
    expect(read).toContain('# Short one')
    expect(read).toContain(`<${bundle.url}>`)
  })
})

onBothSchemes({}, (at) => {
  test('without SERVICE_SHORT_PATHS there is nothing at a slug', async () => {
    const person = await newPerson(at())
    const { slug, url } = await person.makeBundle()
    expect(url).toBe(`${at().origin}/l/${slug}`)
    expect((await fetch(`${at().origin}/${slug}`)).status).toBe(404)
    expect((await fetch(`${at().origin}/l/${slug}`)).status).toBe(200)
  })
})

/** The text of an answer over MCP. */
async function mcp(person: Person, method: string, params: object): Promise<string> {
  const { rawKey } = await person.mint({ scopes: ['links:read'] })
  const answer = await fetch(`${person.server.origin}/api/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${rawKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await answer.text()).replaceAll('\\"', '"')
}
