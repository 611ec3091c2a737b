import { beforeEach, describe, expect, test } from 'bun:test'
import { confirmImport, sendImport } from '../form.ts'
import { actFor, newOrganization, newPerson, type Person, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// A bundle’s name in another system, and what its owner notes about it: for the owner alone.

interface Told {
  slug: string
  url: string
  versionNumber: number
  title: string | null
  urls: string[]
  urlMetadata: object[]
  externalId: string | null
  metadata: Record<string, string> | null
  error: string
  code: string
  bundles: { slug: string; externalId: string | null }[]
  bundle: { externalId: string | null; metadata: Record<string, string> | null }
  results: { status: number; code?: string; bundle?: { slug: string } }[]
}

onEveryTarget({}, (at) => {
  let [ann, editor]: Person[] = []
  beforeEach(async () => {
    ;[ann, editor] = await Promise.all([newPerson(at()), newPerson(at())])
  })
  const call = (method: string, path: string, body?: unknown, by: Visitor = ann!, headers = {}) =>
    by.api<Told>(method, `/api/links${path}`, body, headers)
  const put = (id: string, body: object, by: Visitor = ann!, headers = {}) =>
    call('PUT', `/ext:${encodeURIComponent(id)}`, { urls: [URL_A], ...body }, by, headers)
  const refusal = ({ status, body }: { status: number; body: Told }) => [status, body.code]

  describe('PUT /api/links/ext:<externalId>', () => {
    test('creates the bundle, and then makes it what the body says', async () => {
      const first = await put('crm 4711/ä', { title: 'one', urlMetadata: [{ note: 'n' }], metadata: { team: 'sales' } })
      expect([first.status, first.headers.get('etag')]).toEqual([201, '"v1"'])
      expect(first.body).toMatchObject({ externalId: 'crm 4711/ä', title: 'one', metadata: { team: 'sales' } })
      const second = await put('crm 4711/ä', { urls: [URL_A, URL_B] })
      expect(second.status).toBe(200)
      const { slug, title, urlMetadata, metadata, versionNumber } = second.body
      expect([slug, title, urlMetadata, metadata, versionNumber]).toEqual([first.body.slug, null, [{}, {}], null, 2])
      expect((await call('GET', `/${slug}`)).body).toEqual(second.body)
      expect((await call('GET', `/ext:${encodeURIComponent('crm 4711/ä')}`)).body).toEqual(second.body)
    })

    test('an equal body changes nothing, and its rules keep their ids', async () => {
      const rules = [
        { name: 'Phones', when: { op: 'equals', field: 'device', value: 'mobile' }, tabs: [{ url: URL_B }] },
      ]
      const body = { title: 'same', resolutionPolicy: { version: 1, rules }, metadata: { a: '1', b: '2' } }
      const first = await put('same', body)
      const again = await put('same', { ...body, metadata: { b: '2', a: '1' } })
      expect([again.status, again.body]).toEqual([200, first.body])
      expect((await put('same', { ...body, title: 'other' })).body).toMatchObject({ versionNumber: 2 })
    })

    test('of eight at once one creates', async () => {
      for (const more of [{}, { slug: `at-once-${crypto.randomUUID().slice(0, 8)}` }]) {
        const id = `eight ${Object.keys(more).length}`
        const answers = await Promise.all(Array.from({ length: 8 }, () => put(id, { title: 'x', ...more })))
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
        expect(new Set(answers.map(({ body }) => body.slug)).size).toBe(1)
      }
      expect((await ann!.api<Told>('GET', '/api/me/links')).body.bundles).toHaveLength(2)
    })

    test('it refuses another slug, a stale version, another id in the body, and a path without an id', async () => {
      const made = await put('x', { slug: `slug-${crypto.randomUUID().slice(0, 8)}` })
      expect((await put('x', { slug: made.body.slug })).status).toBe(200)
      expect(refusal(await put('x', { slug: 'another-slug' }))).toEqual([400, 'BAD_REQUEST'])
      expect(refusal(await put('x', { title: 'y' }, ann, { 'if-match': '"v9"' }))).toEqual([412, 'VERSION_CONFLICT'])
      expect(refusal(await put('none', {}, ann, { 'if-match': '"v1"' }))).toEqual([412, 'VERSION_CONFLICT'])
      expect(refusal(await put('x', { externalId: 'y' }))).toEqual([400, 'BAD_REQUEST'])
      expect((await put('x', { externalId: 'x' })).status).toBe(200)
      const { status, body } = await call('PUT', `/${made.body.slug}`, { urls: [URL_A] })
      expect([status, body.error]).toEqual([400, expect.stringContaining('PATCH edits a bundle by its slug') as never])
    })

    test('a password stays unless another is sent', async () => {
      const secret = { access: 'password', password: 'four stairs down' }
      expect((await put('secret', secret)).status).toBe(201)
      const kept = await put('secret', { access: 'password', title: 'kept' })
      expect([kept.status, kept.body.title]).toEqual([200, 'kept'])
      expect((await call('PUT', '/ext:fresh', { urls: [URL_A], access: 'password' })).status).toBe(400)
    })

    test('a dry run says what it would save, and saves nothing', async () => {
      const dry = await put('dry', { metadata: { a: 'b' }, dryRun: true })
      expect(dry.body.bundle).toMatchObject({ externalId: 'dry', metadata: { a: 'b' } })
      expect((await call('GET', '/ext:dry')).status).toBe(404)
      await put('dry', {})
      expect((await put('dry', { title: 'x', dryRun: true })).body.bundle).toMatchObject({
        title: 'x',
        versionNumber: 2,
      })
      expect((await call('GET', '/ext:dry')).body.title).toBeNull()
    })
  })

  test('an id is of one bundle of an owner, and others may have the same', async () => {
    const { slug } = (await put('one', {})).body
    expect(refusal(await call('POST', '', { urls: [URL_A], externalId: 'one' }))).toEqual([409, 'EXTERNAL_ID_TAKEN'])
    const other = (await call('POST', '', { urls: [URL_A], externalId: 'two', dryRun: true })).body
    expect(other.bundle.externalId).toBe('two')
    const two = await ann!.makeBundle()
    expect(refusal(await call('PATCH', `/${two.slug}`, { externalId: 'one' }))).toEqual([409, 'EXTERNAL_ID_TAKEN'])
    expect(refusal(await call('PATCH', `/${two.slug}`, { externalId: 'one', dryRun: true }))).toEqual([
      409,
      'EXTERNAL_ID_TAKEN',
    ])
    expect((await call('GET', `/${two.slug}`)).body).toMatchObject({ versionNumber: 1, externalId: null })
    expect((await call('PATCH', `/${slug}`, { externalId: null })).body.externalId).toBeNull()
    expect((await call('PATCH', `/${two.slug}`, { externalId: 'one' })).body.externalId).toBe('one')
    const theirs = await put('one', {}, editor)
    expect([theirs.status, theirs.body.slug === two.slug]).toEqual([201, false])
  })

  test('ext:<externalId> stands for a slug in every call, of the acting subject alone', async () => {
    const { slug } = (await put('crm', {})).body
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/tabs'],
      ['GET', '/versions'],
      ['GET', '/insights'],
      ['GET', '/proposals'],
      ['PATCH', '', { title: 'x' }],
      ['POST', '/pin'],
      ['DELETE', '/pin'],
      ['POST', '/proposals', { title: 'y' }],
      ['POST', '/policy/preview', { viewer: {} }],
      ['POST', '/versions/1/restore'],
      ['POST', '/duplicate', {}],
    ]
    const organization = await newOrganization(ann!, [[editor!, 'editor']])
    for (const [method, below, body] of calls) {
      expect([method, below, refusal(await call(method, `/ext:crm${below}`, body, ann))]).toEqual([
        method,
        below,
        [404, 'NOT_FOUND'],
      ])
      expect((await call(method, `/ext:crm${below}`, body, editor)).status).toBe(404)
      await actFor(ann!, null)
      expect([method, below, (await call(method, `/ext:crm${below}`, body)).status < 300]).toEqual([
        method,
        below,
        true,
      ])
      await actFor(ann!, organization.id)
    }
    await actFor(ann!, null)
    const bulk = await call('PATCH', '/bulk', {
      edits: [
        { slug: 'ext:crm', title: 'bulk' },
        { slug: 'ext:no', title: 'x' },
      ],
    })
    expect(bulk.body.results.map(({ status, bundle }) => bundle?.slug ?? status)).toEqual([slug, 404])
    expect((await call('DELETE', '/ext:crm')).body.slug).toBe(slug)
    expect((await call('POST', '/ext:crm/restore')).body.slug).toBe(slug)
    expect(refusal(await call('GET', '/ext:crm/tabs', undefined, new Visitor(at())))).toEqual([404, 'NOT_FOUND'])
  })

  test('a deleted bundle frees its id, and gets it back unless another has it', async () => {
    const first = (await put('again', { title: 'first' })).body
    await call('DELETE', `/${first.slug}`)
    expect((await call('GET', '/ext:again')).status).toBe(404)
    const second = await put('again', {})
    expect([second.status, second.body.slug === first.slug]).toEqual([201, false])
    expect(refusal(await call('POST', `/${first.slug}/restore`))).toEqual([409, 'EXTERNAL_ID_TAKEN'])
    await call('PATCH', `/${second.body.slug}`, { externalId: null })
    expect((await call('POST', '/ext:again/restore')).body).toMatchObject({ slug: first.slug, externalId: 'again' })
  })

  test('it goes along to another owner, unless a bundle there has it', async () => {
    const { slug } = (await put('along', { metadata: { a: 'b' } })).body
    const team = await newOrganization(ann!)
    const to = { to: { type: 'organization', organizationId: team.id } }
    const there = (await put('along', {})).body
    await actFor(ann!, null)
    expect(refusal(await call('POST', `/${slug}/transfer`, to))).toEqual([409, 'EXTERNAL_ID_TAKEN'])
    await actFor(ann!, team.id)
    await call('PATCH', `/${there.slug}`, { externalId: 'other' })
    await actFor(ann!, null)
    expect((await call('POST', `/${slug}/transfer`, to)).body).toMatchObject({
      externalId: 'along',
      metadata: { a: 'b' },
    })
    expect((await call('GET', '/ext:along')).status).toBe(404)
    await actFor(ann!, team.id)
    expect((await call('GET', '/ext:along')).body.slug).toBe(slug)
  })

  test('lists have the id, and one finds the bundle by it', async () => {
    const { slug } = (await put('found', {})).body
    await put('found too', {})
    await ann!.makeBundle()
    const list = async (query: string) => (await ann!.api<Told>('GET', `/api/me/links?${query}`)).body.bundles
    expect((await list('')).map(({ externalId }) => externalId).sort()).toEqual(['found', 'found too', null])
    for (const query of ['', '&q=a.example', '&sort=title', '&sort=updated', '&limit=1'])
      expect((await list(`externalId=found${query}`)).map((one) => one.slug)).toEqual([slug])
    await call('POST', `/${slug}/pin`)
    expect((await list('externalId=found')).map((one) => one.slug)).toEqual([slug])
    expect(await list('externalId=found%20too&q=nothing')).toEqual([])
    await call('DELETE', `/${slug}`)
    expect([await list('externalId=found'), (await list('externalId=found&state=deleted')).length]).toEqual([[], 1])
  })

  test('metadata is replaced as a whole, keeps the label of the client, and is in no version', async () => {
    const made = await call('POST', '', { urls: [URL_A], metadata: { a: '1' } }, ann, { 'service-client': 'acme/1' })
    const { slug } = made.body
    const read = async () => (await call('GET', `/${slug}`)).body.metadata
    expect(await read()).toEqual({ a: '1', client: 'acme/1' })
    await call('PATCH', `/${slug}`, { title: 'x' })
    expect(await read()).toEqual({ a: '1', client: 'acme/1' })
    await call('PATCH', `/${slug}`, { metadata: { b: 'two\nlines', client: 'acme/1' } })
    expect(await read()).toEqual({ b: 'two\nlines', client: 'acme/1' })
    const other = await call('PATCH', `/${slug}`, { metadata: { client: 'other/1' } })
    expect([...refusal(other), other.body.error.split(' ')[0]]).toEqual([400, 'BAD_REQUEST', 'metadata.client'])
    await call('POST', `/${slug}/versions/1/restore`)
    expect(await read()).toEqual({ b: 'two\nlines', client: 'acme/1' })
    await call('PATCH', `/${slug}`, { metadata: null })
    expect(await read()).toEqual({ client: 'acme/1' })
  })

  test('what is no id or no metadata is refused with its place', async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']))
    const bad: [string, object][] = [
      ['externalId', { externalId: '' }],
      ['externalId', { externalId: ' ' }],
      ['externalId', { externalId: 'x'.repeat(129) }],
      ['externalId', { externalId: 'a\nb' }],
      ['externalId', { externalId: 7 }],
      ['metadata', { metadata: many }],
      ['metadata["a b"]', { metadata: { 'a b': 'x' } }],
      [`metadata.${'k'.repeat(41)}`, { metadata: { ['k'.repeat(41)]: 'x' } }],
      ['metadata.__proto__', { metadata: JSON.parse('{"__proto__":"x"}') }],
      ['metadata.k', { metadata: { k: 7 } }],
      ['metadata.k', { metadata: { k: 'x'.repeat(501) } }],
    ]
    const { slug } = await ann!.makeBundle()
    for (const [place, fields] of bad) {
      for (const [method, path, more] of [
        ['POST', '', { urls: [URL_A] }],
        ['PATCH', `/${slug}`, {}],
      ] as const) {
        const { status, body } = await call(method, path, { ...more, ...fields })
        expect([status, body.code, body.error.slice(0, place.length)]).toEqual([400, 'BAD_REQUEST', place])
      }
    }
    for (const [fields, error] of [
      [{ metadata: many }, 'metadata must have at most 50 entries'],
      [{ externalId: ' ' }, 'externalId must be a text that is not blank'],
    ] as const)
      expect((await call('PATCH', `/${slug}`, fields)).body.error).toStartWith(error)
    const full = { externalId: 'ä'.repeat(128), metadata: { ...many, k50: undefined, k0: 'é'.repeat(500) } }
    expect((await call('PATCH', `/${slug}`, full)).status).toBe(200)
    for (const fields of [{ externalId: 'x' }, { metadata: { a: 'b' } }]) {
      const { status, body } = await call('POST', '', { urls: [URL_A], ...fields }, new Visitor(at()))
      expect([status, body.code, body.error.includes('sign in')]).toEqual([400, 'BAD_REQUEST', true])
    }
  })

  test('nobody but the owner sees them, and no copy, version, proposal or form of the launcher has them', async () => {
    const MARK = 'zebra-mark'
    const { slug } = (await put(MARK, { title: 'public', copyable: true, metadata: { [MARK]: MARK } })).body
    await call('PATCH', `/${slug}`, { title: 'edited' })
    const seen: string[] = []
    const anyone = new Visitor(at())
    for (const path of [
      `/l/${slug}`,
      `/l/${slug}.json`,
      `/l/${slug}.md`,
      `/l/${slug}/feed`,
      `/l/${slug}/bookmarks.html`,
      `/api/links/${slug}/tabs`,
    ])
      seen.push(await (await anyone.fetch(path)).text())
    const copy = (await call('POST', `/${slug}/duplicate`, {}, editor)).body
    seen.push(JSON.stringify((await call('GET', `/${copy.slug}`, undefined, editor)).body))
    const own = (await call('POST', `/${slug}/duplicate`, {})).body
    seen.push(JSON.stringify((await call('GET', `/${own.slug}`)).body))
    seen.push(JSON.stringify((await call('GET', `/${slug}/versions`)).body))
    seen.push(JSON.stringify((await call('GET', `/${slug}`, undefined, editor)).body))
    for (const [index, text] of seen.entries()) expect([index, text.includes(MARK)]).toEqual([index, false])
    const proposed = await call('POST', `/${slug}/proposals`, { externalId: 'x' })
    expect(refusal(proposed)).toEqual([400, 'BAD_REQUEST'])
  })

  test('an export that is imported keeps both; where the ID is taken, the bundle is made without, and it is said', async () => {
    await put('crm 4711', { title: 'Kept', metadata: { team: 'sales' } })
    const file = await (await ann!.fetch('/api/me/export')).text()
    const imported = async (by: Person) => {
      const page = await (await by.form('/dashboard/links/import', { text: file })).text()
      const slug = await confirmImport(by, page, file)
      return (await call('GET', `/${slug}`, undefined, by)).body
    }
    expect(await imported(editor!)).toMatchObject({
      title: 'Kept',
      externalId: 'crm 4711',
      metadata: { team: 'sales' },
    })
    expect(await imported(ann!)).toMatchObject({ title: 'Kept', externalId: null, metadata: { team: 'sales' } })
    const page = await (await ann!.form('/dashboard/links/import', { text: file })).text()
    expect(await sendImport(ann!, page, file)).toContain('Without its ID, crm 4711: another bundle has it.')
  })

  test('they count towards the owner’s history, with whatever becomes of the bundle', async () => {
    const miscounted = () =>
      at().sql(`SELECT id FROM owners WHERE history_bytes <>
        (SELECT coalesce(sum(s.bytes), 0) FROM bundle_sizes s JOIN bundles b ON b.id = s.id WHERE b.owner_id = owners.id)`)
    const bytes = async () =>
      Number((await at().sql('SELECT history_bytes AS bytes FROM owners WHERE user_id = ?', [ann!.userId]))[0]?.bytes)
    const { slug } = (await put('counted', {})).body
    const before = await bytes()
    await call('PATCH', `/${slug}`, { metadata: { k: 'x'.repeat(400) } })
    expect((await bytes()) - before).toBeGreaterThan(800)
    await put('counted', { title: 'x' })
    const team = await newOrganization(ann!)
    await actFor(ann!, null)
    await call('POST', `/${slug}/transfer`, { to: { type: 'organization', organizationId: team.id } })
    expect(await miscounted()).toEqual([])
  })
})
