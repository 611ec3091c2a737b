import { beforeEach, describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { runOperator } from '../operator.ts'
import { actFor, newOrganization, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Told extends Record<string, unknown> {
  code: string
  organization: { handle: string | null; color: string | null }
  bundles: { slug: string; isPinned: boolean; tabs: number; tags: string[] }[]
  nextCursor?: string
}

let nth = 0
const newHandle = () => `acme-${process.pid}-${(nth += 1)}`

onEveryTarget({}, (at) => {
  let admin: Person
  let viewer: Person
  let id: string
  let handle: string
  beforeEach(async () => {
    ;[admin, viewer] = [await newPerson(at()), await newPerson(at())]
    ;({ id } = await newOrganization(admin, [[viewer, 'viewer']]))
    await actFor(admin, id)
    handle = newHandle()
    expect((await change({ handle })).status).toBe(200)
  })
  const change = (body: object, by: Visitor = admin, of = id) => by.api<Told>('PATCH', `/api/organizations/${of}`, body)
  const page = async (by: Visitor = new Visitor(at()), query = '', of = handle) => {
    const { status, body } = await by.api<Told>('GET', `/api/organizations/${of}/links${query}`)
    return { status, slugs: body.bundles?.map(({ slug }) => slug), ...body }
  }
  const list = async (fields: object = {}) => (await admin.makeBundle({ listed: true, ...fields })).slug

  describe('a handle', () => {
    test('is one organisation’s, leads nowhere once it is given up, and stays taken', async () => {
      const other = await newPerson(at())
      const { id: theirs } = await newOrganization(other)
      expect((await change({ handle }, other, theirs)).body.code).toBe('HANDLE_TAKEN')
      const next = newHandle()
      expect((await change({ handle: next })).body.organization.handle).toBe(next)
      expect((await change({ handle }, other, theirs)).body.code).toBe('HANDLE_TAKEN')
      // The organisation itself may return to it.
      expect((await change({ handle })).body.organization.handle).toBe(handle)
      expect((await change({ handle: null })).body.organization.handle).toBe(null)
      expect((await change({ handle }, other, theirs)).body.code).toBe('HANDLE_TAKEN')
    })

    test('is 3 to 40 lower-case letters, digits and single hyphens', async () => {
      for (const wrong of ['ab', 'A-team', 'a--b', '-acme', 'acme-', 'a b c', 'ämter', 'a/b', 'a'.repeat(41), 7, ''])
        expect([wrong, (await change({ handle: wrong })).status]).toEqual([wrong, 400])
      expect((await change({ handle: 'a'.repeat(31) + newHandle().slice(-9) })).status).toBe(200)
    })

    test('can be given up ten times, because nobody else can take it', async () => {
      for (let time = 0; time < 10; time += 1) expect((await change({ handle: newHandle() })).status).toBe(200)
      expect((await change({ handle: newHandle() })).body.code).toBe('PLAN_LIMIT')
      expect((await change({ handle })).status).toBe(200)
    })

    test('stays taken once its organisation is deleted', async () => {
      expect((await admin.form(`/dashboard/organizations/${id}/delete`, { name: await nameOf() })).status).toBeLessThan(
        400,
      )
      const other = await newPerson(at())
      const { id: theirs } = await newOrganization(other)
      expect((await change({ handle }, other, theirs)).body.code).toBe('HANDLE_TAKEN')
      expect((await page()).status).toBe(404)
    })

    const nameOf = async () =>
      (await admin.api<{ organization: { name: string } }>('GET', `/api/organizations/${id}/members`)).body.organization
        .name
  })

  test('only admins change how the organisation presents itself; the log names what they changed', async () => {
    for (const by of [viewer, await newPerson(at()), new Visitor(at())])
      expect((await change({ color: 'teal' }, by)).status).toBeGreaterThanOrEqual(401)
    expect((await change({ color: 'teal' })).body.organization.color).toBe('teal')
    expect((await change({ color: 'mauve' })).status).toBe(400)
    expect((await change({})).status).toBe(400)
    const { events } = (
      await admin.api<{ events: { type: string; changes: { field: string }[] }[] }>('GET', '/api/me/events?limit=5')
    ).body
    const changed = events.filter(({ type }) => type === 'organization.updated').map(({ changes }) => changes)
    expect(changed).toEqual([
      [{ field: 'color', from: null, to: 'teal' }],
      [{ field: 'handle', from: null, to: handle }],
    ] as never)
  })

  test('a page without a bundle for strangers is as unknown as one that does not exist', async () => {
    await list({ access: 'members' })
    const unknown = await page(undefined, '', newHandle())
    const empty = await page()
    expect([unknown.status, empty.status]).toEqual([404, 404])
    const { requestId: _, ...told } = empty as Record<string, unknown>
    expect(unknown).toMatchObject(told)
    expect((await page(viewer)).slugs).toHaveLength(1)
    expect((await page(viewer, '', id)).slugs).toHaveLength(1)
  })

  test('members see every listed bundle; others those that anyone with the link can see now', async () => {
    const open = await list()
    const hour = (by: number) => new Date(Date.now() + by * 3_600_000).toISOString()
    const closed = [
      await list({ access: 'members' }),
      await list({ access: 'password', password: 'a good passphrase' }),
      await list({ opensAt: hour(1) }),
      await list({ closesAt: hour(1) }),
    ]
    const during = closed.pop()!
    await admin.makeBundle()
    const deleted = await list()
    await admin.api('DELETE', `/api/links/${deleted}`)
    const stranger = await newPerson(at())
    for (const by of [undefined, stranger])
      expect((await page(by)).slugs?.toSorted()).toEqual([open, during].toSorted())
    for (const by of [admin, viewer])
      expect((await page(by)).slugs?.toSorted()).toEqual([open, during, ...closed].toSorted())
    const key = await admin.program({ scopes: ['links:read'] })
    expect((await page(key)).slugs).toHaveLength(5)
    await actFor(viewer, null)
    const own = await viewer.program({ scopes: ['links:read'] })
    expect((await page(own)).slugs?.toSorted()).toEqual([open, during].toSorted())
    await viewer.form(`/dashboard/organizations/${id}/leave`, {})
    expect((await page(viewer)).slugs?.toSorted()).toEqual([open, during].toSorted())
  })

  test('the page that a member’s session or key has read is kept for nobody else', async () => {
    const open = await list({ title: 'For everybody' })
    await list({ title: 'For members', access: 'members' })
    const stranger = new Visitor(at())
    const key = await admin.program({ scopes: ['links:read'] })
    for (const by of [key, admin, viewer]) {
      expect(await (await by.fetch(`/o/${handle}`)).text()).toContain('For members')
      const html = await (await stranger.fetch(`/o/${handle}`)).text()
      expect([html.includes(`/l/${open}`), html.includes('For members')]).toEqual([true, false])
    }
  })

  test('the page that is kept for strangers is sent in the encoding that each takes, the same text and head', async () => {
    await list({ title: 'For everybody ü' })
    const read = async (encoding: string) => {
      const answer = await new Visitor(at()).fetch(`/o/${handle}`, { headers: { 'accept-encoding': encoding } })
      const {
        'content-encoding': sent = '',
        date: _,
        'x-request-id': _id,
        ...more
      } = Object.fromEntries(answer.headers)
      for (const own of ['content-length', 'transfer-encoding']) delete more[own]
      return { sent, more, text: await answer.text() }
    }
    const made = await read('br')
    expect(made.text).toContain('For everybody ü')
    for (const [encoding, sent] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['identity', ''],
      ['br', 'br'],
    ] as const)
      expect(await read(encoding)).toEqual({ ...made, sent })
  })

  test('a search and a tag find bundles, page by page', async () => {
    const lunch = await list({ title: 'Lunch LISTE', urlMetadata: [{ tags: ['food', 'on-call'] }] })
    const check = await list({ title: 'Checkout is down', urlMetadata: [{ tags: ['on-call'] }] })
    expect((await page(undefined, '?q=lunch')).slugs).toEqual([lunch])
    expect((await page(undefined, '?q=nothing')).slugs).toEqual([])
    expect((await page(undefined, '?tag=food')).slugs).toEqual([lunch])
    expect((await page(undefined, '?tag=foo')).slugs).toEqual([])
    const { bundles } = await page(undefined, '?tag=on-call')
    expect(bundles.map(({ slug, tabs, tags, isPinned }) => ({ slug, tabs, tags, isPinned }))).toEqual([
      { slug: check, tabs: 2, tags: ['on-call'], isPinned: false },
      { slug: lunch, tabs: 2, tags: ['food', 'on-call'], isPinned: false },
    ])
    const first = await page(undefined, '?limit=1')
    const second = await page(undefined, `?limit=1&cursor=${first.nextCursor}`)
    expect([first.slugs, second.slugs, second.nextCursor]).toEqual([[check], [lunch], undefined])
    expect((await page(undefined, '?cursor=WzQyXQ')).status).toBe(400)
  })

  test('a row without a description names its sites, each once', async () => {
    const urls = ['https://www.one.example/a', 'https://one.example/b', 'https://two.example:8443/']
    await list({ title: 'Bare', urls })
    const html = await (await new Visitor(at()).fetch(`/o/${handle}`)).text()
    expect(html).toContain('<span class="line"><bdi>one.example, two.example:8443</bdi></span>')
  })

  test('Markdown says a line of each bundle, and where the rest is', async () => {
    const first = await list({ title: 'Lunch', description: 'With *care*\nand more' })
    for (let made = 0; made < 25; made += 1) await list({ title: `Number ${made}` })
    const read = async (path: string) => (await new Visitor(at()).fetch(path)).text()
    const start = await read(`/o/${handle}.md?q=n`)
    expect(start.match(/^- /gm)).toHaveLength(25)
    const [, address = ''] = /^\[Show more\]\((.*)\)$/m.exec(start) ?? []
    const { origin, pathname, search, searchParams } = new URL(address)
    expect([origin, pathname, searchParams.get('q')]).toEqual([at().origin, `/o/${handle}.md`, 'n'])
    const rest = await read(pathname + search)
    expect(rest).toContain(`- [Lunch](${at().origin}/l/${first}): With care\n`)
    expect(rest).not.toContain('Show more')
  })

  test('what an admin pins for everybody comes first, then what is opened most', async () => {
    const slugs = [await list(), await list(), await list()] as [string, string, string]
    expect((await page()).slugs).toEqual(slugs.toReversed())
    const pinned = (by: Visitor, method: 'POST' | 'DELETE' = 'POST') =>
      by.api<Told>(
        method,
        `/api/links/${slugs[0]}/pin${method === 'DELETE' ? '?forEveryone=true' : ''}`,
        method === 'POST' ? { forEveryone: true } : undefined,
      )
    await actFor(viewer, id)
    const reading = await admin.program({ scopes: ['links:read'] })
    for (const by of [viewer, reading]) expect((await pinned(by)).body.code).toBe('FORBIDDEN')
    expect((await pinned(admin)).status).toBe(200)
    expect((await page()).slugs).toEqual([slugs[0], slugs[2], slugs[1]])
    expect((await pinned(viewer, 'DELETE')).status).toBe(403)
    expect((await pinned(admin, 'DELETE')).status).toBe(200)
    expect((await page()).slugs).toEqual(slugs.toReversed())
    // The menu of a listed bundle offers it to admins alone.
    const menu = async (by: Person, slug: string) =>
      /<form id="pin-for-everyone"[^>]*action="([^"]*)"/.exec(
        await (await by.fetch(`/dashboard/links/${slug}/insights`)).text(),
      )?.[1]
    expect(await menu(viewer, slugs[1])).toBeUndefined()
    const action = (await menu(admin, slugs[1])) ?? ''
    expect((await admin.form(action, { forEveryone: 'yes' })).headers.get('location')).toContain('pinnedForEveryone')
    expect((await page()).slugs?.[0]).toBe(slugs[1])
    expect(await menu(admin, slugs[1])).toBe(action.replace(/pin$/, 'unpin'))
    const htmx = { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-target': 'form#pin-for-everyone' }
    const part = await admin.form(action.replace(/pin$/, 'unpin'), { forEveryone: 'yes' }, htmx)
    expect([part.status, await part.text()]).toEqual([200, expect.stringMatching(/^<form id="pin-for-everyone"/)])
    expect((await page()).slugs).toEqual(slugs.toReversed())
    expect((await viewer.form(action, { forEveryone: 'yes' })).status).toBe(403)
    const personal = await newPerson(at())
    const { slug } = await personal.makeBundle()
    expect((await personal.api('POST', `/api/links/${slug}/pin`, { forEveryone: true })).status).toBe(400)
  })

  test('a bundle that moves elsewhere is no longer listed by its old organisation', async () => {
    const { slug } = await admin.makeBundle({ listed: true, urls: [URL_A] })
    expect((await page()).slugs).toEqual([slug])
    const { status } = await admin.api('POST', `/api/links/${slug}/transfer`, {
      to: { type: 'user', userId: admin.userId },
    })
    expect([status, (await page()).status]).toEqual([200, 404])
  })

  test('the editor lists bundles of an organisation alone, and names its start page or leads an admin to make one', async () => {
    const editor = async (by: Person, slug: string) => (await by.fetch(`/dashboard/links/${slug}`)).text()
    const [slug, own] = [await list(), (await viewer.makeBundle()).slug]
    expect(await editor(viewer, own)).not.toContain('name="listed"')
    const shown = await editor(admin, slug)
    expect(shown).toContain('name="listed"')
    expect(shown).toContain(`<a href="/o/${handle}">/o/${handle}</a>`)
    await change({ handle: null })
    expect(await editor(admin, slug)).toContain(`href="/dashboard/organizations/${id}#handle"`)
  })

  test('a blocked bundle leaves every form of the page, for members too; no form may be kept by a cache', async () => {
    const [slug, other] = [await list(), await list()]
    const forms = ['', '.json', '.md', '/feed']
    const read = async (form: string, by: Visitor) => (await by.fetch(`/o/${handle}${form}`)).text()
    const stranger = new Visitor(at())
    for (const form of forms) expect(await read(form, stranger)).toContain(`/l/${slug}`)
    await runOperator(at(), ['block', slug, 'phishing'])
    for (const form of forms)
      for (const by of [stranger, admin]) {
        await becomes(async () => (await read(form, by)).includes(`/l/${slug}`), false)
        expect(await read(form, by)).toContain(`/l/${other}`)
      }
    for (const form of forms) {
      const kept = (await stranger.fetch(`/o/${handle}${form}`)).headers.get('cache-control')
      expect([form, kept]).toEqual([form, expect.stringMatching(/^private, no-store/)])
    }
  })

  test('the chosen colour stands beside the organisation in the workspace menu', async () => {
    await change({ color: 'pink' })
    const page = await (await admin.fetch('/dashboard')).text()
    expect(page).toContain('class="monogram hue-7"')
  })
})
