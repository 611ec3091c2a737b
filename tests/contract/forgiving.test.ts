import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { onBothSchemes } from '../targets.ts'
import { sendRaw } from './support.ts'

// Links as they arrive: typed from paper, cut out of a sentence, sent by a phone.

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const CUSTOMER = { urls: ['https://crm.example/c/{customer}'], variables: [{ name: 'customer' }] }
const ON_CALL = {
  urls: ['https://logs.example/{service}/{region}'],
  variables: [{ name: 'service' }, { name: 'region', default: 'eu' }],
}
let made = 0

/** Where a path leads, sent as it is: `fetch` leaves slashes out. */
async function ledRaw(server: Server, path: string): Promise<(string | undefined)[]> {
  const { host } = new URL(server.origin)
  const answer = await sendRaw(server, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const location = /^location: (.*?)\r$/im.exec(answer)?.[1]
  return [/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1], location?.replace(server.origin, '')]
}

onBothSchemes({}, (at) => {
  const get = (path: string, init: RequestInit = {}) =>
    fetch(at().origin + path, { headers: { accept: 'text/html', 'user-agent': FIREFOX }, redirect: 'manual', ...init })
  const led = async (path: string, init?: RequestInit) => {
    const { status, headers } = await get(path, init)
    return [status, headers.get('location')?.replace(at().origin, '') ?? null]
  }
  const named = async (fields: Record<string, unknown> = {}, by?: Visitor) => {
    const person = by ?? (await newPerson(at()))
    const slug = `launch-day-${++made}`
    await person.makeBundle({ title: 'Found', slug, ...fields })
    return { person, slug }
  }
  const tabsAt = async (path: string) => {
    const answer = await fetch(at().origin + path, { headers: { accept: 'application/json' } })
    return ((await answer.json()) as { tabs: { url: string }[] }).tabs.map(({ url }) => url)
  }

  test('capitals, and what a sentence or a chat leaves at the end, lead to the bundle, with the query', async () => {
    const { slug } = await named()
    const capital = slug.toUpperCase()
    const marks = ['.', ',', ';', ':', '!', '%3F', ')', ']', '}', '%3E', '%22', "'", '%E2%80%9D', '%E2%80%99', '%20']
    const unseen = ['%E2%80%8B', '%E2%80%8C', '%E2%80%8D', '%EF%BB%BF', '%C2%A0', '%E2%81%A0', '%C2%AD']
    const siblings = ['.)', '**', '%C2%BB', '%E3%80%82', '%EF%BC%89', '%E2%80%A6', '_', '%60', '%F0%9F%99%82', '+']
    for (const mark of ['', ...marks, ...unseen, ...siblings]) {
      expect([mark, ...(await led(`/l/${capital}${mark}?a=1&b=%20x#y`))]).toEqual([mark, 307, `/l/${slug}?a=1&b=%20x`])
      if (mark !== '') expect([mark, ...(await led(`/l/${slug}${mark}`))]).toEqual([mark, 307, `/l/${slug}`])
    }
    expect(await (await fetch(`${at().origin}/l/${capital}.`, { headers: { accept: 'text/html' } })).text()).toContain(
      'Found',
    )
  })

  test('so do /L/ and slashes too many', async () => {
    const { slug } = await named()
    for (const path of [`/L/${slug}`, `//l/${slug}`, `/l//${slug}`, `/L//${slug.toUpperCase()}.`, `/l/${slug}./`])
      expect([path, ...(await ledRaw(at(), `${path}?x=1`))]).toEqual([path, '307', `/l/${slug}?x=1`])
  })

  test('in every form, and below the launcher', async () => {
    const { slug } = await named()
    const capital = slug.toUpperCase()
    for (const [sent, meant] of [
      [`${capital}.md`, `${slug}.md`],
      [`${capital}.JSON`, `${slug}.json`],
      [`${slug}.json)`, `${slug}.json`],
      [`${capital}/feed`, `${slug}/feed`],
      [`${slug}/QR.svg.`, `${slug}/qr.svg`],
      [`${capital}/Calendar.ics,`, `${slug}/calendar.ics`],
      [`${slug}./picture.png`, `${slug}/picture.png`],
      [`${capital}/bookmarks.html`, `${slug}/bookmarks.html`],
    ] as const)
      expect([sent, ...(await led(`/l/${sent}`))]).toEqual([sent, 307, `/l/${meant}`])
    for (const accept of ['application/json', 'text/markdown', '*/*'])
      expect([accept, ...(await led(`/l/${capital}`, { headers: { accept } }))]).toEqual([accept, 307, `/l/${slug}`])
  })

  test('only GET and HEAD, and only to a bundle that there is', async () => {
    const { person, slug } = await named()
    expect(await led(`/l/${slug}.`, { method: 'HEAD' })).toEqual([307, `/l/${slug}`])
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect([405, 403]).toContain((await led(`/l/${slug}.`, { method }))[0] as number)
    const nowhere = ['/l/There-Is-None', `/l/${slug}x.`, `/l/${slug}-`, `/l/${slug}/a/b`, `/l/${slug}/value`, '/l/...']
    for (const path of [...nowhere, `/x/${slug}.`, `/${slug}.`, '/L', '//l//', `/l/${'.'.repeat(9_000)}`])
      expect([path, ...(await led(path))]).toEqual([path, 404, null])
    await person.api('DELETE', `/api/links/${slug}`)
    expect(await led(`/l/${slug}.`)).toEqual([404, null])
  })

  test('the answer tells nothing of the door, and nothing is counted', async () => {
    const open = await named()
    const doors: Record<string, unknown>[] = [
      { access: 'password', password: 'four stairs down' },
      { access: 'members' },
      { closesAt: '2020-01-01T00:00:00Z' },
    ]
    const told = async (slug: string) => {
      const { status, headers } = await get(`/l/${slug.toUpperCase()}`)
      const shown = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
      return JSON.stringify([status, shown]).replaceAll(slug, 'SLUG')
    }
    const first = await told(open.slug)
    expect(first).toContain('no-store')
    expect(first).not.toContain('set-cookie')
    for (const door of doors) expect(await told((await named(door)).slug)).toBe(first)
    await (await get(`/l/${open.slug}`)).text()
    await becomes(async () => {
      const { body } = await open.person.api<{ totals: { views: number } }>('GET', `/api/links/${open.slug}/insights`)
      return body.totals.views
    }, 1)
  })

  test('a value at the end of the path loses the same, but for a bracket that it opens', async () => {
    const { person, slug } = await named(CUSTOMER)
    for (const end of ['.', ')', '%E2%80%8B', '%C2%A0', '.%E2%80%9D', '%EF%BB%BF', ',%20', '%3E'])
      expect([end, await tabsAt(`/l/${slug}/4711${end}`)]).toEqual([end, ['https://crm.example/c/4711']])
    expect(await tabsAt(`/l/${slug}/f(x)`)).toEqual(['https://crm.example/c/f%28x%29'])
    expect(await tabsAt(`/l/${slug}/f(x))`)).toEqual(['https://crm.example/c/f%28x%29'])
    expect(await tabsAt(`/l/${slug}?customer=%E2%80%8B4711%E2%80%8B`)).toEqual(['https://crm.example/c/4711'])
    expect(await (await get(`/l/${slug}/4711.`)).text()).toContain('https://crm.example/c/4711"')
    expect(await led(`/l/${slug.toUpperCase()}/Ab%20C.?x=1`)).toEqual([307, `/l/${slug}/Ab%20C?x=1`])
    expect(await led(`/l/${slug}./Ab!C`)).toEqual([307, `/l/${slug}/Ab!C`])
    const asked = encodeURIComponent(`${at().origin}/l/${slug}/4711.)`)
    const tabs = await person.api<{ tabs: { url: string }[] }>('GET', `/api/links/${asked}/tabs`)
    expect(tabs.body.tabs).toEqual([expect.objectContaining({ url: 'https://crm.example/c/4711' })])
  })

  test('a key of the query that was escaped, or begins with a capital, counts as what it means', async () => {
    const { slug } = await named(ON_CALL)
    const tab = (region: string) => [`https://logs.example/checkout/${region}`]
    for (const key of ['amp;region', 'Region', 'amp;Region', 'REGION', 'amp;amp;region'])
      expect([key, await tabsAt(`/l/${slug}?service=checkout&${key}=us`)]).toEqual([key, tab('us')])
    expect(await tabsAt(`/l/${slug}?service=checkout&amp;region=us&region=ap`)).toEqual(tab('ap'))
    expect(await tabsAt(`/l/${slug}?service=checkout&other=us`)).toEqual(tab('eu'))
    expect(await (await get(`/l/${slug}?service=checkout&amp;region=us`)).text()).not.toContain('name="amp;region"')
    const when = { op: 'equals', field: 'query.ref', value: 'mail' }
    const rules = [{ name: 'From mails', when, tabs: [{ url: 'https://mail.example/' }] }]
    const ruled = await named({ urls: [URL_A], resolutionPolicy: { version: 1, rules } })
    expect(await tabsAt(`/l/${ruled.slug}?a=1&amp;ref=mail`)).toEqual(['https://mail.example/'])
    // What rules read besides variables is whatever a program sends, and has capitals of its own.
    for (const query of ['?Ref=mail', '?ref=chat&amp;ref=mail'])
      expect([query, await tabsAt(`/l/${ruled.slug}${query}`)]).toEqual([query, [URL_A]])
  })

  test('a plus sign leads whoever may read the bundle to its page in the dashboard, others to the launcher', async () => {
    const { person, slug } = await named()
    const to = async (by: Visitor, path: string) => (await by.fetch(path)).headers.get('location')
    for (const path of [`/l/${slug}+`, `/l/${slug}%2B`, `/l/${slug.toUpperCase()}+`])
      expect(await to(person, path)).toBe(`${at().origin}/dashboard/links/${slug}`)
    expect((await person.fetch(`/dashboard/links/${slug}`)).status).toBe(200)
    for (const other of [new Visitor(at()), await newPerson(at()), await person.program()])
      expect(await to(other, `/l/${slug}+`)).toBe(`${at().origin}/l/${slug}`)
    expect(await to(person, `/l/${slug}.`)).toBe(`${at().origin}/l/${slug}`)
    const [admin, viewer]: Person[] = await Promise.all([newPerson(at()), newPerson(at())])
    const { id } = await newOrganization(admin!, [[viewer!, 'viewer']])
    await actFor(admin!, id)
    const theirs = await named({}, admin)
    expect(await to(viewer!, `/l/${theirs.slug}+`)).toBe(`${at().origin}/dashboard/links/${theirs.slug}`)
  })
})

onBothSchemes({ SERVICE_SHORT_PATHS: 'on' }, (at) => {
  test('short paths forgive too, but for names of the service’s own pages', async () => {
    const person = await newPerson(at())
    const { slug } = await person.makeBundle({ slug: `short-${++made}`, title: 'Found' })
    const led = async (path: string) => {
      const { status, headers } = await person.fetch(path, { headers: { accept: 'text/html' } })
      return [status, headers.get('location')?.replace(at().origin, '') ?? null]
    }
    for (const path of [slug.toUpperCase(), `${slug}.`, `/${slug}`, `${slug}%E2%80%8B`, `l/${slug}.`, `L/${slug}`])
      expect([path, ...(await ledRaw(at(), `/${path}?a=1`))]).toEqual([path, '307', `/${slug}?a=1`])
    expect(await led(`/${slug}.json)`)).toEqual([307, `/${slug}.json`])
    expect(await led(`/${slug}./feed`)).toEqual([307, `/${slug}/feed`])
    expect(await led(`/${slug}+`)).toEqual([307, `/dashboard/links/${slug}`])
    await at().sql('UPDATE bundles SET slug = ? WHERE slug = ?', ['privacy', slug])
    for (const path of ['/Privacy.', '/docs.', '/favicon.png', '/.env'])
      expect([path, ...(await led(path))]).toEqual([path, 404, null])
    expect(await led('/l/Privacy.')).toEqual([307, '/l/privacy'])
  })
})
