import { expect, test } from 'bun:test'
import { actFor, addMember, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const MOST = 50

interface Page {
  bundles: { slug: string; title: string; isPinned: boolean }[]
  hasMore: boolean
}

onEveryTarget({ SERVICE_PLAN_FREE_MAX_BUNDLES: '200' }, (at) => {
  const pin = (by: Visitor, slug: string) => by.api('POST', `/api/links/${slug}/pin`)
  const unpin = (by: Visitor, slug: string) => by.api('DELETE', `/api/links/${slug}/pin`)
  const page = async (by: Visitor, query = '') => (await by.api<Page>('GET', `/api/me/links?${query}`)).body
  /** The titles of a list, with a star for those that are pinned. */
  const listed = async (by: Visitor, query = '') =>
    (await page(by, query)).bundles.map(({ title, isPinned }) => `${isPinned ? '*' : ''}${title}`)
  const make = async (by: Visitor, titles: string) => {
    const slugs: Record<string, string> = {}
    for (const title of titles) slugs[title] = (await by.makeBundle({ title })).slug
    return slugs
  }
  const rows = async (of: Person) =>
    (await at().sql('SELECT count(*) AS n FROM pins WHERE user_id = ?', [of.userId]))[0]?.n

  test('a pinned bundle comes first in every order, and goes back to its place', async () => {
    const ann = await newPerson(at())
    const slugs = await make(ann, 'ABCDE')
    expect(await listed(ann)).toEqual(['E', 'D', 'C', 'B', 'A'])
    for (const title of 'DB') {
      const { status, body } = await pin(ann, slugs[title]!)
      expect([status, body]).toEqual([200, { slug: slugs[title]!, isPinned: true }])
    }
    expect(await listed(ann)).toEqual(['*D', '*B', 'E', 'C', 'A'])
    await ann.api('PATCH', `/api/links/${slugs.B}`, { description: 'edited last' })
    expect(await listed(ann, 'sort=updated')).toEqual(['*B', '*D', 'E', 'C', 'A'])
    expect(await listed(ann, 'sort=title')).toEqual(['*B', '*D', 'A', 'C', 'E'])
    const { status, body } = await unpin(ann, slugs.D!)
    expect([status, body]).toEqual([200, { slug: slugs.D!, isPinned: false }])
    expect(await listed(ann)).toEqual(['*B', 'E', 'D', 'C', 'A'])
  })

  test('pinning and unpinning twice is the same as once, also at the same time', async () => {
    const ann = await newPerson(at())
    const slugs = await make(ann, 'AB')
    const together = await Promise.all(Array.from({ length: 5 }, () => pin(ann, slugs.A!)))
    expect(together.map(({ status }) => status)).toEqual(Array(5).fill(200))
    const [{ at: first }] = (await at().sql('SELECT pinned_at AS at FROM pins WHERE user_id = ?', [ann.userId])) as [
      { at: number },
    ]
    expect((await pin(ann, slugs.A!)).body).toEqual({ slug: slugs.A!, isPinned: true })
    expect(await at().sql('SELECT pinned_at AS at FROM pins WHERE user_id = ?', [ann.userId])).toEqual([{ at: first }])
    for (let n = 0; n < 2; n += 1)
      expect((await unpin(ann, slugs.A!)).body).toEqual({ slug: slugs.A!, isPinned: false })
    expect(await listed(ann)).toEqual(['B', 'A'])
  })

  test('pages neither repeat nor skip a bundle, wherever the pinned ones end', async () => {
    const ann = await newPerson(at())
    const slugs = await make(ann, 'ABCDEFGH')
    for (const title of 'AFD') await pin(ann, slugs[title]!)
    const expected = {
      '': ['*F', '*D', '*A', 'H', 'G', 'E', 'C', 'B'],
      '&sort=title': ['*A', '*D', '*F', 'B', 'C', 'E', 'G', 'H'],
      '&q=example': ['*F', '*D', '*A', 'H', 'G', 'E', 'C', 'B'],
    }
    for (const [query, all] of Object.entries(expected)) {
      for (const limit of [1, 2, 3, 4, 8]) {
        for (let offset = 0; offset <= 9; offset += 1) {
          const { bundles, hasMore } = await page(ann, `limit=${limit}&offset=${offset}${query}`)
          const titles = bundles.map(({ title, isPinned }) => `${isPinned ? '*' : ''}${title}`)
          expect([query, limit, offset, titles, hasMore]).toEqual([
            query,
            limit,
            offset,
            all.slice(offset, offset + limit),
            offset + limit < all.length,
          ])
        }
      }
    }
    expect(await listed(ann, 'offset=5000')).toEqual([])
  })

  test('a search finds pinned bundles first, and only those that meet it', async () => {
    const ann = await newPerson(at())
    const tagged = async (title: string) => (await ann.makeBundle({ title, urlMetadata: [{ tags: ['live'] }] })).slug
    const [red, redder] = [await tagged('red one'), await ann.makeBundle({ title: 'red two' })]
    // Slugs are searched too, and one by chance might have the letters.
    const { slug: blue } = await ann.makeBundle({ title: 'blue', slug: 'plain-blue' })
    await pin(ann, red)
    await pin(ann, blue)
    expect(await listed(ann, 'q=RED')).toEqual(['*red one', 'red two'])
    expect(await listed(ann, 'q=re')).toEqual(['*red one', 'red two'])
    expect(await listed(ann, 'tag=live')).toEqual(['*red one'])
    expect(await listed(ann, 'tag=live&q=two')).toEqual([])
    await unpin(ann, red)
    await pin(ann, redder.slug)
    expect(await listed(ann, 'q=red')).toEqual(['*red two', 'red one'])
  })

  test('pins are a person’s own: colleagues of every role have theirs, for the bundles that they may read', async () => {
    const [boss, viewer, stranger] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
    const { id, memberIds } = await newOrganization(boss, [[viewer, 'viewer']])
    await actFor(boss, id)
    await actFor(viewer, id)
    const slugs = await make(boss, 'ABC')
    expect((await pin(viewer, slugs.A!)).status).toBe(200)
    expect([await listed(viewer), await listed(boss)]).toEqual([
      ['*A', 'C', 'B'],
      ['C', 'B', 'A'],
    ])
    expect((await unpin(boss, slugs.A!)).status).toBe(200)
    expect(await listed(viewer)).toEqual(['*A', 'C', 'B'])
    for (const call of [pin, unpin]) {
      expect([(await call(stranger, slugs.A!)).status, (await call(new Visitor(at()), slugs.A!)).status]).toEqual([
        403, 401,
      ])
      expect((await call(boss, 'there-is-none')).status).toBe(404)
    }
    expect(await rows(stranger)).toBe(0)

    // A key acts for whoever minted it, and reaches what it could read.
    const program = await boss.program({ scopes: ['links:read'] })
    expect((await pin(program, slugs.B!)).status).toBe(200)
    expect([await listed(program), await listed(boss)]).toEqual([
      ['*B', 'C', 'A'],
      ['*B', 'C', 'A'],
    ])
    expect(await listed(viewer)).toEqual(['*A', 'C', 'B'])

    // Who leaves has no pins there any more, nor on return.
    await boss.api('POST', '/api/auth/organization/remove-member', {
      memberIdOrEmail: memberIds.get(viewer),
      organizationId: id,
    })
    expect([await rows(viewer), await rows(boss)]).toEqual([0, 1])
    await addMember(boss, id, viewer, 'viewer')
    await actFor(viewer, id)
    expect(await listed(viewer)).toEqual(['C', 'B', 'A'])
  })

  test('a bundle that moves stays pinned for those who may read it there', async () => {
    const [ann, mate] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(ann, [[mate, 'admin']])
    await actFor(ann, null)
    const { A: slug } = await make(ann, 'A')
    await pin(ann, slug!)
    const to = { to: { type: 'organization', organizationId: id } }
    expect((await ann.api('POST', `/api/links/${slug}/transfer`, to)).status).toBe(200)
    await actFor(ann, id)
    expect(await listed(ann)).toEqual(['*A'])
    await actFor(mate, id)
    await pin(mate, slug!)
    const back = { to: { type: 'user', userId: mate.userId } }
    expect((await mate.api('POST', `/api/links/${slug}/transfer`, back)).status).toBe(200)
    expect([await rows(ann), await rows(mate)]).toEqual([0, 1])
  })

  test('a deleted bundle is pinned again once it is restored, and gone for good with its pin', async () => {
    const ann = await newPerson(at())
    const slugs = await make(ann, 'AB')
    await pin(ann, slugs.A!)
    await ann.api('DELETE', `/api/links/${slugs.A}`)
    await ann.api('DELETE', `/api/links/${slugs.B}`)
    expect([await listed(ann), await listed(ann, 'state=deleted')]).toEqual([[], ['B', 'A']])
    expect((await pin(ann, slugs.A!)).status).toBe(404)
    await ann.api('POST', `/api/links/${slugs.A}/restore`)
    await ann.api('POST', `/api/links/${slugs.B}/restore`)
    expect(await listed(ann)).toEqual(['*A', 'B'])
    await at().sql('DELETE FROM bundles WHERE slug = ?', [slugs.A!])
    expect(await rows(ann)).toBe(0)
  })

  test('a person pins at most 50 bundles, those deleted give way, and the refusal says what to do', async () => {
    const ann = await newPerson(at())
    const made = Array.from({ length: MOST + 5 }, () => ann.makeBundle({ title: 'x' }))
    const slugs = (await Promise.all(made)).map(({ slug }) => slug)
    const answers = await Promise.all(slugs.map((slug) => pin(ann, slug)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(5).fill([403, 'PLAN_LIMIT']))
    expect(refused[0]?.body.error).toBe('You’ve pinned 50 bundles, which is the limit. Unpin one first.')
    const isDone = (at: number) => answers[at]?.status === 200
    const [pinned, left] = [slugs.filter((_, at) => isDone(at)), slugs.filter((_, at) => !isDone(at))]
    expect((await pin(ann, pinned[0]!)).status).toBe(200)
    await ann.api('DELETE', `/api/links/${pinned[0]}`)
    expect((await pin(ann, left[0]!)).status).toBe(200)
    expect((await pin(ann, left[1]!)).status).toBe(403)
    await unpin(ann, pinned[1]!)
    expect((await pin(ann, left[1]!)).status).toBe(200)
    expect(await rows(ann)).toBe(MOST)
    const { bundles } = await page(ann, 'limit=100')
    expect(bundles.map(({ isPinned }) => isPinned)).toEqual([...Array(MOST).fill(true), ...Array(4).fill(false)])
  })

  test('the export of a person has their pins, and their account takes them along', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle()
    await pin(ann, slug)
    const { body } = await ann.api<{ pins: unknown[] }>('GET', '/api/me/export')
    expect(body.pins).toEqual([{ slug, pinnedAt: expect.stringMatching(/^\d{4}-.*Z$/) }])
    await at().sql('DELETE FROM user WHERE id = ?', [ann.userId])
    expect(await rows(ann)).toBe(0)
  })

  test('the list has a heading for pinned bundles, and menus pin and unpin, with and without a script', async () => {
    const ann = await newPerson(at())
    const slugs = await make(ann, 'ABC')
    const list = async (query = '') => (await ann.fetch(`/dashboard?sort=created${query}`)).text()
    const headings = (html: string) => [...html.matchAll(/<h2 class="group">([^<]*)</g)].map(([, text]) => text)
    const names = (html: string) => [...html.matchAll(/<a class="name"[^>]*>([^<]*)</g)].map(([, text]) => text)
    const actionOf = (html: string, slug?: string) =>
      html.match(new RegExp(`action="/dashboard/links/${slug}/(un)?pin"`))?.[0]
    expect([headings(await list()), actionOf(await list(), slugs.A)]).toEqual([
      [],
      `action="/dashboard/links/${slugs.A}/pin"`,
    ])
    const pinned = await ann.form(`/dashboard/links/${slugs.A}/pin`, { back: 'sort=created&offset=20' })
    expect([pinned.status, pinned.headers.get('location')]).toEqual([303, '/dashboard?sort=created&notice=pinned'])
    const html = await list()
    expect([headings(html), names(html), actionOf(html, slugs.A)]).toEqual([
      ['Pinned', 'All bundles'],
      ['A', 'C', 'B'],
      `action="/dashboard/links/${slugs.A}/unpin"`,
    ])
    expect([headings(await list('&limit=1')), headings(await list('&limit=2&offset=1'))]).toEqual([['Pinned'], []])

    const own = async () => actionOf(await (await ann.fetch(`/dashboard/links/${slugs.A}/insights`)).text(), slugs.A)
    expect(await own()).toBe(`action="/dashboard/links/${slugs.A}/unpin"`)
    const htmx = { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-target': 'form#pin' }
    const part = await ann.form(`/dashboard/links/${slugs.A}/unpin`, {}, htmx)
    expect([part.status, await part.text()]).toEqual([200, expect.stringMatching(/^<form id="pin"/)])
    expect(await own()).toBe(`action="/dashboard/links/${slugs.A}/pin"`)
    const { status, headers } = await ann.form(`/dashboard/links/${slugs.A}/pin`, {})
    expect([status, headers.get('location')]).toEqual([303, `/dashboard/links/${slugs.A}?notice=pinned`])
  })

  test('nobody else sees a pin: neither viewers nor a bundle’s own answers', async () => {
    const ann = await newPerson(at())
    const { slug, url } = await ann.makeBundle()
    await pin(ann, slug)
    expect((await ann.api('GET', `/api/links/${slug}`)).body).not.toHaveProperty('isPinned')
    for (const form of ['', '.json', '.md'])
      expect(await (await fetch(`${url}${form}`)).text()).not.toMatch(/pin(ned)?\b/i)
  })
})
