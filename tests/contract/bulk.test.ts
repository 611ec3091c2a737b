import { beforeAll, describe, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_A, URL_B, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Several bundles in one call; that a key makes it take effect once, flags.test.ts tests.

interface Result {
  status: number
  bundle?: { slug: string; url: string; versionNumber: number }
  error?: string
  code?: string
  errors?: { path: string; message: string }[]
}
interface Told {
  results: Result[]
  error: string
  code: string
}

onEveryTarget({}, (server) => {
  let person: Person
  let foreign: string
  beforeAll(async () => {
    person = await newPerson(server())
    foreign = (await (await newPerson(server())).makeBundle()).slug
  })

  const create = (bundles: object[], headers = {}, by: Visitor = person) =>
    by.api<Told>('POST', '/api/links/bulk', { bundles }, headers)
  const update = (edits: object[], headers = {}, by: Visitor = person) =>
    by.api<Told>('PATCH', '/api/links/bulk', { edits }, headers)
  const read = async (slug: string) =>
    (await person.api<{ title: string; urls: string[]; versionNumber: number }>('GET', `/api/links/${slug}`)).body
  const statuses = ({ body }: { body: Told }) => body.results.map(({ status, code }) => code ?? status)
  const links = async (by: Visitor) =>
    (await by.api<{ bundles: object[] }>('GET', '/api/me/links?limit=100')).body.bundles

  describe('POST /api/links/bulk', () => {
    test('creates each by itself, in order', async () => {
      const answer = await create([
        { urls: [URL_A], title: 'one' },
        { urls: [URL_B], slug: foreign },
        { urls: [URL_B] },
      ])
      expect([answer.status, ...statuses(answer)]).toEqual([200, 201, 'SLUG_TAKEN', 201])
      const [first, taken] = answer.body.results
      expect(await read(first!.bundle!.slug)).toMatchObject({ title: 'one', urls: [URL_A], versionNumber: 1 })
      expect(first!.bundle!.url).toEndWith(`/l/${first!.bundle!.slug}`)
      expect(taken).toEqual({
        status: 409,
        code: 'SLUG_TAKEN',
        error: expect.stringContaining('slug is taken') as never,
      })
    })

    test('says of each that is wrong what it would have been told alone, and creates the others', async () => {
      const other = await newPerson(server())
      const wrong = [
        { urls: [URL_A, 'ftp://a.example'], title: 1 },
        { urls: [URL_A], titel: 'x' },
        {},
        { urls: [URL_A], title: 'x'.repeat(201), closesAt: 'noon' },
      ]
      const answer = await create([{ urls: [URL_A] }, ...wrong, { urls: [URL_B] }], {}, other)
      expect([answer.status, answer.body.results.map(({ status }) => status)]).toEqual([
        200,
        [201, 400, 400, 400, 400, 201],
      ])
      for (const [at, entry] of wrong.entries()) {
        const alone = await other.api<Result>('POST', '/api/links', entry)
        const { error, code, errors } = alone.body
        expect(answer.body.results[at + 1]).toEqual({ status: 400, error, code, ...(errors && { errors }) } as never)
      }
      expect(statuses(answer)).toEqual([201, 'INVALID_URLS', 'BAD_REQUEST', 'INVALID_URLS', 'BAD_REQUEST', 201])
      expect(answer.body.results[1]!.errors?.map(({ path }) => path)).toEqual(['urls[1]', 'title'])
      expect((await links(other)).length).toBe(2)
    })

    test('refuses whole what is no list of 1 to 100 objects', async () => {
      const other = await newPerson(server())
      const entry = { urls: [URL_A] }
      for (const bundles of [[], Array(101).fill(entry), [entry, 1], [entry, []], [entry, null], entry, null, 'x']) {
        const { status, body } = await other.api<Told>('POST', '/api/links/bulk', { bundles })
        expect([status, body.code, body.error.startsWith('bundles')]).toEqual([400, 'BAD_REQUEST', true])
      }
      expect(await links(other)).toEqual([])
    })

    test('done again with the same key, creates what was wrong and is mended', async () => {
      const other = await newPerson(server())
      const key = { 'idempotency-key': 'mended' }
      const first = await create([{ urls: [URL_A] }, { urls: ['x'] }], key, other)
      const again = await create([{ urls: [URL_A] }, { urls: [URL_B] }], key, other)
      expect([statuses(first), statuses(again)]).toEqual([
        [201, 'INVALID_URLS'],
        [201, 201],
      ])
      expect(again.body.results[0]).toEqual(first.body.results[0]!)
      expect((await links(other)).length).toBe(2)
    })

    test('counts the wrong ones too, and tries none that follow once the limit is reached', async () => {
      const other = await newPerson(server())
      const program = await other.program({ rateLimitPerHour: 3 })
      const answer = await create([{}, {}, {}, { urls: [URL_A] }], {}, program)
      expect(statuses(answer)).toEqual(['INVALID_URLS', 'INVALID_URLS', 'INVALID_URLS', 'RATE_LIMITED'])
      expect(await links(other)).toEqual([])
    })

    test('counts each against the limit of its key; what is beyond it is not done', async () => {
      const other = await newPerson(server())
      const program = await other.program({ rateLimitPerHour: 3 })
      const answer = await create(Array(5).fill({ urls: [URL_A] }), { 'idempotency-key': 'limited' }, program)
      expect(statuses(answer)).toEqual([201, 201, 201, 'RATE_LIMITED', 'RATE_LIMITED'])
      expect(answer.headers.get('ratelimit')).toContain('r=0')
      expect((await links(other)).length).toBe(3)
    })

    test('has other requests answered in between', async () => {
      const other = await newPerson(server())
      const order: string[] = []
      const many = create(Array(100).fill({ urls: [URL_A] }), {}, await other.program({ rateLimitPerHour: 0 }))
      const done = many.then(() => order.push('all of them'))
      await other.api('GET', '/api/me').then(() => order.push('another'))
      await done
      expect(order).toEqual(['another', 'all of them'])
      expect(new Set(statuses(await many))).toEqual(new Set([201]))
    })
  })

  describe('PATCH /api/links/bulk', () => {
    test('edits each by itself, in order, and viewers see it at once', async () => {
      const { slug, url } = await person.makeBundle({ title: 'before' })
      await fetch(url)
      const answer = await update([
        { slug: url, title: 'after' },
        { slug, addUrls: [{ url: 'https://c.example/' }], expectedVersion: 2 },
        { slug, title: 'late', expectedVersion: 2 },
        { slug: foreign, title: 'x' },
        { slug: 'there-is-none', title: 'x' },
        { slug, removeUrls: ['https://d.example/'] },
      ])
      expect(statuses(answer)).toEqual([200, 200, 'VERSION_CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'INVALID_URLS'])
      expect(answer.body.results[1]!.bundle).toEqual({ slug, url, versionNumber: 3 })
      expect(await read(slug)).toMatchObject({
        title: 'after',
        urls: [URL_A, URL_B, 'https://c.example/'],
        versionNumber: 3,
      })
      expect(await (await fetch(url)).text()).toContain('after')
    })

    test('with a key, called again, does only what failed', async () => {
      const [one, two] = [await person.makeBundle(), await person.makeBundle()]
      const edits = [
        { slug: one.slug, title: 'edited' },
        { slug: two.slug, title: 'edited', expectedVersion: 2 },
      ]
      const send = (sent: object[] = edits) => update(sent, { 'idempotency-key': 'again' })
      expect(statuses(await send())).toEqual([200, 'VERSION_CONFLICT'])
      expect(await send([{ slug: one.slug, title: 'other' }])).toMatchObject({
        status: 409,
        body: { code: 'IDEMPOTENCY_CONFLICT' },
      })
      await person.api('PATCH', `/api/links/${two.slug}`, { title: 'two' })
      const second = await send()
      expect([...statuses(second), second.headers.get('idempotency-replayed')]).toEqual([200, 200, null])
      expect([(await read(one.slug)).versionNumber, (await read(two.slug)).versionNumber]).toEqual([2, 3])
      const third = await send()
      expect([third.body, third.headers.get('idempotency-replayed')]).toEqual([second.body, 'true'])
    })

    test('is, of each bundle, only for who may edit it', async () => {
      const [admin, viewer] = [await newPerson(server()), await newPerson(server())]
      const { id } = await newOrganization(admin, [[viewer, 'viewer']])
      const { slug } = await admin.makeBundle({ title: 'before' })
      await actFor(viewer, id)
      expect(statuses(await update([{ slug, title: 'x' }], {}, viewer))).toEqual(['FORBIDDEN'])
      expect(statuses(await create([{ urls: [URL_A] }], {}, viewer))).toEqual(['FORBIDDEN'])
      expect((await admin.api<{ title: string }>('GET', `/api/links/${slug}`)).body.title).toBe('before')
    })

    test('says of each that is wrong what it would have been told alone, and edits the others', async () => {
      const { slug } = await person.makeBundle({ title: 'before' })
      const wrong = [
        { addUrls: [{ url: 'x' }], removeUrls: [1] },
        { title: 1, urls: [URL_A], addUrls: [{ url: URL_B }] },
        {},
      ]
      const { body } = await update([...wrong.map((entry) => ({ slug, ...entry })), { slug, title: 'after' }])
      for (const [at, entry] of wrong.entries()) {
        const { error, code, errors } = (await person.api<Result>('PATCH', `/api/links/${slug}`, entry)).body
        expect(body.results[at]).toEqual({ status: 400, error, code, ...(errors && { errors }) } as never)
      }
      expect(body.results[0]).toMatchObject({ code: 'INVALID_URLS', errors: [{ path: 'addUrls[0].url' }, {}] as never })
      expect((await read(slug)).title).toBe('after')
    })

    test('of nothing is refused; a change of nothing, or of no bundle, is the result of its entry', async () => {
      const { slug } = await person.makeBundle()
      for (const edits of [[], Array(101).fill({ slug, title: 'x' })]) expect((await update(edits)).status).toBe(400)
      const edits = [
        { slug, expectedVersion: 1 },
        { title: 'x' },
        { slug: 'https://elsewhere.example/l/a', title: 'x' },
      ]
      expect(statuses(await update(edits))).toEqual(['BAD_REQUEST', 'BAD_REQUEST', 'BAD_REQUEST'])
    })
  })
})
