import { beforeAll, describe, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_A, URL_B, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Several bundles in one call; that a key makes it take effect once, flags.test.ts tests.

interface Result {
  status: number
  bundle?: { slug: string; url: string; versionNumber: number }
  error?: string
  code?: string
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

    test('creates none if one of them is invalid, and says where', async () => {
      const other = await newPerson(server())
      const { status, body } = await create([{ urls: [URL_A] }, { urls: [URL_A, 'ftp://a.example'] }], {}, other)
      expect([status, body.code, body.error.split(' ')[0]]).toEqual([400, 'BAD_REQUEST', 'bundles[1].urls[1]'])
      for (const bundles of [[], Array(101).fill({ urls: [URL_A] })])
        expect((await create(bundles, {}, other)).status).toBe(400)
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

    test('of nothing, or of a change of nothing, is refused', async () => {
      const { slug } = await person.makeBundle()
      for (const edits of [[], [{ slug, expectedVersion: 1 }], [{ title: 'x' }], Array(101).fill({ slug, title: 'x' })])
        expect((await update(edits)).status).toBe(400)
    })
  })
})
