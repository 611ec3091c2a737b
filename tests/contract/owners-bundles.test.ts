import { beforeAll, describe, expect, test } from 'bun:test'
import { challengeOf } from '../oauth.ts'
import { type BundleBody, newPerson, type Person, PLAIN, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'

const URL_C = 'https://c.example/'

onEveryTarget({}, (at) => {
  let ann: Person
  beforeAll(async () => {
    ann = await newPerson(at())
  })

  test('a bundle made when signed in belongs to its maker, without a claim', async () => {
    const created = await ann.makeBundle({ title: 'Mine' })
    expect(Object.keys(created).sort()).toEqual(['slug', 'url', 'versionNumber'])
    const { status, headers, body } = await ann.api<BundleBody>('GET', `/api/links/${created.slug}`)
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"v1"')
    expect(body).toEqual({
      slug: created.slug,
      url: created.url,
      versionNumber: 1,
      urls: [URL_A, URL_B],
      urlMetadata: [{}, {}],
      ...PLAIN,
      title: 'Mine',
      owner: { type: 'user', userId: ann.userId },
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
      source: 'api',
      externalId: null,
      aliases: [],
      metadata: null,
      resolutionPolicy: null,
    } as BundleBody)
    expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('an edit answers with the new bundle and a new ETag, and the launcher shows it at once', async () => {
    const { slug, url } = await ann.makeBundle({ title: 'Before' })
    expect(await (await ann.fetch(url)).text()).toContain('Before')
    const { status, headers, body } = await ann.api('PATCH', `/api/links/${slug}`, { title: 'After' })
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"v2"')
    expect(body).toMatchObject({ slug, url, versionNumber: 2, title: 'After', urls: [URL_A, URL_B] })
    expect((await ann.api('GET', `/api/links/${slug}`)).body).toEqual(body)
    expect(await (await ann.fetch(url)).text()).toContain('After')
  })

  test('null clears a field, and an absent field stays', async () => {
    const { slug } = await ann.makeBundle({ title: 'Title', description: 'Words' })
    const { body } = await ann.api('PATCH', `/api/links/${slug}`, { description: null })
    expect(body).toMatchObject({ title: 'Title', description: null })
  })

  test('an edit of the urls alone keeps the metadata of each url that stays, whatever its place', async () => {
    const urlMetadata = [{ note: 'first' }, { tags: ['t'] }, { openPolicy: 'manual' }]
    const { slug } = await ann.makeBundle({ urls: [URL_A, URL_B, URL_A], urlMetadata })
    const { body } = await ann.api('PATCH', `/api/links/${slug}`, { urls: [URL_C, URL_A, URL_B, URL_A] })
    expect(body.urlMetadata).toEqual([{}, { note: 'first' }, { tags: ['t'] }, { openPolicy: 'manual' }])
  })

  test('a search ignores case, in any script, and has no wildcards', async () => {
    const bo = await newPerson(at())
    const titles = ['ÄPFEL & Birnen', 'äpfel', 'Ἀθῆναι ΣΟΦΟΣ', 'Москва', 'apfel', '100% [a-z]* ?', 'ıI', 'Straße']
    for (const title of titles)
      await bo.makeBundle({ title, description: 'É in the text', urls: ['https://a.example/Ü'] })
    const found = async (q: string) => {
      const path = `/api/me/links?q=${encodeURIComponent(q)}&sort=created`
      const { body } = await bo.api<{ bundles: BundleBody[] }>('GET', path)
      return body.bundles.map(({ title }) => title).reverse()
    }
    const cases: [string, (string | null)[]][] = [
      ['äpfel', ['ÄPFEL & Birnen', 'äpfel']],
      ['ÄPFEL', ['ÄPFEL & Birnen', 'äpfel']],
      ['pFeL', ['ÄPFEL & Birnen', 'äpfel', 'apfel']],
      ['σοφος', ['Ἀθῆναι ΣΟΦΟΣ']],
      ['МОСКВА', ['Москва']],
      ['straße', ['Straße']],
      ['% [A-Z]* ?', ['100% [a-z]* ?']],
      ['*', ['100% [a-z]* ?']],
      ['[A', ['100% [a-z]* ?']],
      ['Z]', ['100% [a-z]* ?']],
      ['[a-z]*x', []],
      ['a_fel', []],
      ['^', []],
      ['é IN THE', titles],
      ['EXAMPLE/ü', titles],
    ]
    for (const [q, expected] of cases) expect([q, await found(q)]).toEqual([q, expected])
    const page = await (await bo.fetch(`/dashboard?q=${encodeURIComponent('äPFEL &')}`)).text()
    expect(page).toContain('ÄPFEL &amp; Birnen')
  })

  test('metadata shorter than the urls is padded, and longer metadata refused', async () => {
    const { slug } = await ann.makeBundle()
    const padded = await ann.api('PATCH', `/api/links/${slug}`, { urlMetadata: [{ note: 'n' }] })
    expect(padded.body.urlMetadata).toEqual([{ note: 'n' }, {}])
    const longer = await ann.api('PATCH', `/api/links/${slug}`, { urlMetadata: [{}, {}, {}] })
    expect(longer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
    expect(longer.body.error).toContain('urlMetadata')
  })

  test('every accepted edit writes a version, even without a change, and they are listed newest first', async () => {
    const { slug } = await ann.makeBundle({ title: 'One' })
    await ann.api('PATCH', `/api/links/${slug}`, { title: 'Two', urlMetadata: [{ note: 'n' }] })
    await ann.api('PATCH', `/api/links/${slug}`, { title: 'Two' })
    const { body } = await ann.api<{ versions: Record<string, unknown>[] }>('GET', `/api/links/${slug}/versions`)
    const common = { urls: [URL_A, URL_B], ...PLAIN, resolutionPolicy: null }
    const editedAt = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/)
    const by = { editedByIdentityUserId: ann.userId, proposedBy: null, editedAt }
    expect(body.versions).toEqual([
      { ...common, ...by, versionNumber: 3, title: 'Two', urlMetadata: [{ note: 'n' }, {}] },
      { ...common, ...by, versionNumber: 2, title: 'Two', urlMetadata: [{ note: 'n' }, {}] },
      { ...common, ...by, versionNumber: 1, title: 'One', urlMetadata: [{}, {}] },
    ])
  })

  test('restoring a version writes a new one equal to it', async () => {
    const { slug } = await ann.makeBundle({ title: 'One', urlMetadata: [{ note: 'n' }] })
    await ann.api('PATCH', `/api/links/${slug}`, { urls: [URL_C], title: 'Two' })
    const { status, headers, body } = await ann.api('POST', `/api/links/${slug}/versions/1/restore`)
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"v3"')
    expect(body).toMatchObject({ title: 'One', urls: [URL_A, URL_B], urlMetadata: [{ note: 'n' }, {}] })
    const listed = await ann.api<{ versions: { versionNumber: number }[] }>('GET', `/api/links/${slug}/versions`)
    expect(listed.body.versions.map(({ versionNumber }) => versionNumber)).toEqual([3, 2, 1])
  })

  test('deleting removes the launcher and the bundle, keeps the slug, and happens once', async () => {
    const { slug, url } = await ann.makeBundle()
    const deleted = await ann.api('DELETE', `/api/links/${slug}`)
    expect(deleted).toMatchObject({ status: 200, body: { slug, deletedAt: expect.any(String) } })
    const gone = { status: 404, body: { code: 'NOT_FOUND' } }
    expect(await ann.api('DELETE', `/api/links/${slug}`)).toMatchObject(gone)
    expect(await ann.api('GET', `/api/links/${slug}`)).toMatchObject(gone)
    expect(await ann.api('GET', `/api/links/${slug}/versions`)).toMatchObject(gone)
    expect(await ann.api('PATCH', `/api/links/${slug}`, { title: 'x' })).toMatchObject(gone)
    expect(await ann.api('POST', `/api/links/${slug}/versions/1/restore`)).toMatchObject(gone)
    expect((await ann.fetch(url)).status).toBe(404)
    const taken = await ann.api('POST', '/api/links', { urls: [URL_A], slug })
    expect(taken).toMatchObject({ status: 409, body: { code: 'SLUG_TAKEN' } })
  })

  test('restoring brings a bundle back with its versions, and changes nothing if it was not deleted', async () => {
    const { slug, url } = await ann.makeBundle()
    await ann.api('PATCH', `/api/links/${slug}`, { title: 'Kept' })
    await ann.api('DELETE', `/api/links/${slug}`)
    for (const _ of ['deleted', 'not deleted']) {
      const { status, headers, body } = await ann.api('POST', `/api/links/${slug}/restore`)
      expect(status).toBe(200)
      expect(headers.get('etag')).toBe('"v2"')
      expect(body).toMatchObject({ slug, title: 'Kept' })
    }
    expect((await ann.fetch(url)).status).toBe(200)
  })

  test('40 simultaneous edits make 40 versions, in order, without gaps or duplicates', async () => {
    const { slug } = await ann.makeBundle()
    const titles = Array.from({ length: 40 }, (_, index) => `edit ${index}`)
    const answers = await Promise.all(titles.map((title) => ann.api('PATCH', `/api/links/${slug}`, { title })))
    expect(answers.map(({ status }) => status)).toEqual(titles.map(() => 200))
    const { body } = await ann.api<{ versions: { versionNumber: number; title: string; editedAt: string }[] }>(
      'GET',
      `/api/links/${slug}/versions`,
    )
    const numbers = body.versions.map(({ versionNumber }) => versionNumber)
    expect(numbers).toEqual(Array.from({ length: 41 }, (_, index) => 41 - index))
    expect(
      body.versions
        .slice(0, 40)
        .map(({ title }) => title)
        .sort(),
    ).toEqual(titles.sort())
    // Each caller got the version with its own text.
    for (const { headers, body: bundle } of answers) {
      const number = Number(/\d+/.exec(headers.get('etag') ?? '')?.[0])
      expect(body.versions.find(({ versionNumber }) => versionNumber === number)?.title).toBe(String(bundle.title))
    }
    const times = body.versions.map(({ editedAt }) => editedAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('simultaneous edits and a deletion leave a deleted bundle whose versions have no gap', async () => {
    const { slug } = await ann.makeBundle()
    const edit = (n: number) => ann.api('PATCH', `/api/links/${slug}`, { title: `${n}` })
    const [deleted, ...edits] = await Promise.all([
      ann.api('DELETE', `/api/links/${slug}`),
      ...Array.from({ length: 10 }, (_, n) => edit(n)),
    ])
    expect(deleted?.status).toBe(200)
    const accepted = edits.filter(({ status }) => status === 200).length
    expect(edits.every(({ status }) => status === 200 || status === 404)).toBe(true)
    await ann.api('POST', `/api/links/${slug}/restore`)
    const { body } = await ann.api<{ versions: unknown[] }>('GET', `/api/links/${slug}/versions`)
    expect(body.versions).toHaveLength(accepted + 1)
  })

  test('the list has the acting subject’s bundles, newest first, without deleted ones and in pages', async () => {
    const bea = await newPerson(at())
    const slugs: string[] = []
    for (let n = 0; n < 5; n += 1) slugs.unshift((await bea.makeBundle({ title: `${n}` })).slug)
    await bea.api('DELETE', `/api/links/${slugs.splice(2, 1)[0]}`)
    type Listed = { bundles: BundleBody[] }
    const all = await bea.api<Listed>('GET', '/api/me/links')
    expect(all.body).toMatchObject({
      pagination: { limit: 20, offset: 0 },
      subject: { type: 'user', userId: bea.userId },
    })
    expect(all.body.bundles.map(({ slug }) => slug)).toEqual(slugs)
    expect(Object.keys(all.body.bundles[0] ?? {})).not.toContain('resolutionPolicy')
    expect(Object.keys(all.body.bundles[0] ?? {})).not.toContain('metadata')
    const second = await bea.api<Listed>('GET', '/api/me/links?limit=2&offset=1')
    expect(second.body.bundles.map(({ slug }) => slug)).toEqual(slugs.slice(1, 3))
    const beyond = await bea.api<Listed>('GET', '/api/me/links?offset=1000000000')
    expect(beyond).toMatchObject({ status: 200, body: { bundles: [] } })
  })

  test('the list is searched and sorted, and shows deleted bundles on request', async () => {
    const bea = await newPerson(at())
    type Listed = { bundles: (BundleBody & { deletedAt?: string })[] }
    const titles = async (query: string) =>
      (await bea.api<Listed>('GET', `/api/me/links?${query}`)).body.bundles.map(({ title }) => title)
    const [one] = [
      await bea.makeBundle({ title: 'zebra 100%', urls: ['https://zoo.example/'] }),
      await bea.makeBundle({ title: 'Apple', description: 'of the tree_s' }),
      await bea.makeBundle({ title: 'melon' }),
      await bea.makeBundle({ title: null }),
    ]
    await bea.api('PATCH', `/api/links/${one.slug}`, { description: 'edited' })
    expect(await titles('sort=title')).toEqual(['Apple', 'melon', 'zebra 100%', null])
    expect((await titles('sort=updated'))[0]).toBe('zebra 100%')
    expect(await titles('sort=created')).toEqual([null, 'melon', 'Apple', 'zebra 100%'])
    expect(await titles('q=APPLE')).toEqual(['Apple'])
    expect(await titles('q=zoo.example')).toEqual(['zebra 100%'])
    expect(await titles('q=0%25')).toEqual(['zebra 100%'])
    expect(await titles('q=tree_')).toEqual(['Apple'])
    expect(await titles(`q=${encodeURIComponent('\\')}`)).toEqual([])
    expect(await titles(`q=${one.slug}`)).toEqual(['zebra 100%'])
    expect(await titles('state=deleted')).toEqual([])
    await bea.api('DELETE', `/api/links/${one.slug}`)
    expect(await titles('q=zebra')).toEqual([])
    const deleted = await bea.api<Listed>('GET', '/api/me/links?state=deleted')
    expect(deleted.body.bundles.map(({ slug, deletedAt }) => [slug, typeof deletedAt])).toEqual([[one.slug, 'string']])
  })

  test('invalid pages are refused', async () => {
    const bad = ['limit=0', 'limit=101', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=', 'offset=-1', 'offset=1e3']
    for (const query of [
      ...bad,
      'offset=99999999999999999999',
      'limit=999999999999999',
      'page=1',
      'sort=size',
      'state=gone',
    ]) {
      const refused = await ann.api('GET', `/api/me/links?${query}`)
      expect([query, refused.status, refused.body.code]).toEqual([query, 400, 'BAD_REQUEST'])
    }
  })

  test('me returns the subject, the role over it, and all scopes of a session', async () => {
    expect(await ann.api('GET', '/api/me')).toMatchObject({
      status: 200,
      body: {
        subject: { type: 'user', userId: ann.userId },
        role: 'admin',
        scopes: ['links:read', 'links:propose', 'links:write', 'webhooks:write', 'keys:admin'],
      },
    })
  })

  describe('if several things are wrong', () => {
    const malformed = { 'if-match': 'junk', 'content-type': 'application/json' }
    const cases = [
      ['a bad key wins over everything', 'visitor', { authorization: 'Bearer oa_nonsense.x' }, 'nothing-here', 401],
      ['a bad key wins also beside a good session', 'ann', { authorization: 'Bearer x' }, 'mine', 401],
      ['no credential wins over a shape that is wrong', 'visitor', malformed, 'nothing-here', 401],
      ['a wrong shape wins over a missing bundle', 'ann', {}, 'nothing-here', 400],
      ['a wrong shape wins over another owner', 'bob', {}, 'mine', 400],
      ['a wrong shape wins over a stale version', 'ann', { 'if-match': '"v9"' }, 'mine', 400],
    ] as const
    test.each(cases)('%s', async (_, who, headers, which, status) => {
      const { slug } = await ann.makeBundle()
      const callers = {
        visitor: new Visitor(at()),
        ann,
        bob: which === 'mine' && who === 'bob' ? await newPerson(at()) : ann,
      }
      const path = `/api/links/${which === 'mine' ? slug : which}`
      const answer = await callers[who].api('PATCH', path, { title: 1 }, headers)
      expect(answer.status).toBe(status)
      const said = 'authorization' in headers ? ['error="invalid_token"'] : []
      if (status === 401) expect(answer.headers.get('www-authenticate')).toBe(challengeOf(at(), ...said))
    })

    test('a foreign owner wins over a stale version, and a missing bundle over both', async () => {
      const bob = await newPerson(at())
      const { slug } = await ann.makeBundle()
      const stale = { 'if-match': '"v9"' }
      expect((await bob.api('PATCH', `/api/links/${slug}`, { title: 'x' }, stale)).status).toBe(403)
      expect((await bob.api('PATCH', '/api/links/nothing-here', { title: 'x' }, stale)).status).toBe(404)
    })
  })

  test('a refusal names what is missing', async () => {
    const bob = await newPerson(at())
    const { slug } = await ann.makeBundle()
    const unclaimed = await new Visitor(at()).makeBundle()
    expect((await bob.api('GET', `/api/links/${slug}`)).body).toEqual({
      error: 'you do not own this bundle: get_tabs reads what its link shows',
      code: 'FORBIDDEN',
      ...told,
    })
    const { status, body } = await bob.api('PATCH', `/api/links/${unclaimed.slug}`, { title: 'x' })
    expect(status).toBe(403)
    expect(body.error).toContain('claim it first')
  })

  test('an edit without changes or with an unknown field is refused, and the error names it', async () => {
    const { slug } = await ann.makeBundle()
    expect(await ann.api('PATCH', `/api/links/${slug}`, {})).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    })
    const typo = await ann.api('PATCH', `/api/links/${slug}`, { titel: 'x' })
    expect(typo.status).toBe(400)
    expect(typo.body.error).toContain('titel')
    expect((await ann.api('GET', `/api/links/${slug}`)).headers.get('etag')).toBe('"v1"')
  })

  test('the slug in the path wins over one in the body', async () => {
    const { slug } = await ann.makeBundle()
    const other = await ann.makeBundle({ title: 'untouched' })
    await ann.api('PATCH', `/api/links/${slug}`, { slug: other.slug, title: 'x' })
    expect((await ann.api('GET', `/api/links/${other.slug}`)).body.title).toBe('untouched')
  })

  test('a missing version is 404, and an invalid number 400', async () => {
    const { slug } = await ann.makeBundle()
    const restore = async (version: string) =>
      (await ann.api('POST', `/api/links/${slug}/versions/${version}/restore`)).status
    expect([await restore('2'), await restore('0'), await restore('-1'), await restore('one')]).toEqual([
      404, 400, 400, 400,
    ])
  })

  test('a slug chosen by a signed-in maker is used, refused if invalid, and usable once', async () => {
    const slug = `chosen-${ann.userId.slice(0, 6).toLowerCase()}`
    expect((await ann.makeBundle({ slug })).slug).toBe(slug)
    expect(await ann.api('POST', '/api/links', { urls: [URL_A], slug })).toMatchObject({ status: 409 })
    expect(await ann.api('POST', '/api/links', { urls: [URL_A], slug: 'dashboard' })).toMatchObject({ status: 409 })
    for (const bad of ['ab', 'Big', 'a--b', '-ab', 'ab-', 'a_b', 'x'.repeat(65)]) {
      expect([bad, (await ann.api('POST', '/api/links', { urls: [URL_A], slug: bad })).status]).toEqual([bad, 400])
    }
  })

  test('an email address for a claim is refused from signed-in makers', async () => {
    const refused = await ann.api('POST', '/api/links', { urls: [URL_A], email: 'a@b.example' })
    expect(refused).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
  })
})
