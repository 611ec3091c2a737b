import { beforeAll, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// replace_url: a link becomes another in every bundle.

interface Replaced {
  dryRun?: boolean
  replaced: { slug: string; versionNumber?: number; places: number }[]
  skipped: { slug: string; reason: string }[]
  hasMore: boolean
  nextCursor?: string
  code?: string
}

const OLD = 'https://old.example/wiki/plan'
const NEW = 'https://new.example/plan'
const replace = (by: Visitor, input: Record<string, unknown>) => by.api<Replaced>('POST', '/api/me/replace', input)
const ruleTo = (...urls: string[]) => ({
  version: 1,
  rules: [
    { name: 'Phones', when: { op: 'equals', field: 'device', value: 'mobile' }, tabs: urls.map((url) => ({ url })) },
  ],
})
interface Whole {
  versionNumber: number
  urls: string[]
  urlMetadata: object[]
  resolutionPolicy: { rules: { id: string; tabs: { url: string }[] }[] } | null
}
const read = async (by: Visitor, slug: string) => (await by.api<Whole>('GET', `/api/links/${slug}`)).body

onEveryTarget(
  { SERVICE_WRITES_PER_MINUTE: '0', SERVICE_WRITES_PER_HOUR: '0', SERVICE_PLAN_FREE_MAX_BUNDLES: '500' },
  (at) => {
    let person: Person
    beforeAll(async () => {
      person = await newPerson(at())
    })

    test('a link becomes another in bundles and rules, a version for each, and what stands beside it stays', async () => {
      const other = 'https://other.example/'
      const both = await person.makeBundle({
        urls: [other, OLD],
        urlMetadata: [{ note: 'first' }, { note: 'the plan', tags: ['live'] }],
        resolutionPolicy: ruleTo(OLD, other),
      })
      const rules = await person.makeBundle({ urls: [other], resolutionPolicy: ruleTo(OLD) })
      const none = await person.makeBundle({ urls: [`${OLD}/2`, other], title: OLD })
      const before = await read(person, both.slug)

      const dry = await replace(person, { from: OLD, to: NEW, dryRun: true })
      const places = [
        { slug: both.slug, places: 2 },
        { slug: rules.slug, places: 1 },
      ]
      expect([dry.status, dry.body]).toEqual([200, { dryRun: true, replaced: places, skipped: [], hasMore: false }])
      expect(await read(person, both.slug)).toEqual(before)

      const done = await replace(person, { from: OLD, to: NEW })
      const replaced = places.map((place) => ({ ...place, versionNumber: 2 }))
      expect([done.status, done.body]).toEqual([200, { replaced, skipped: [], hasMore: false }])
      const after = await read(person, both.slug)
      expect(after).toMatchObject({ versionNumber: 2, urls: [other, NEW], urlMetadata: before.urlMetadata })
      expect(after.resolutionPolicy!.rules.map(({ id, tabs }) => [id, tabs.map(({ url }) => url)])).toEqual([
        [before.resolutionPolicy!.rules[0]!.id, [NEW, other]],
      ])
      expect((await read(person, none.slug)).versionNumber).toBe(1)
      expect(await (await fetch(`${at().origin}/l/${both.slug}`)).text()).toContain(NEW)
      expect((await replace(person, { from: OLD, to: NEW })).body).toEqual({
        replaced: [],
        skipped: [],
        hasMore: false,
      })
    })

    test('if both end in /, every link that begins with it changes; otherwise exactly the one', async () => {
      const owner = await newPerson(at())
      const urls = ['https://a.example/', 'https://a.example/x?y=1#z', 'https://a.example.com/', 'http://a.example/x']
      const { slug } = await owner.makeBundle({ urls })
      await replace(owner, { from: 'https://a.example/', to: 'https://b.example/home' })
      expect((await read(owner, slug)).urls).toEqual(['https://b.example/home', ...urls.slice(1)])
      await replace(owner, { from: 'https://a.example/', to: 'https://c.example/docs/' })
      expect((await read(owner, slug)).urls).toEqual([
        'https://b.example/home',
        'https://c.example/docs/x?y=1#z',
        ...urls.slice(2),
      ])
    })

    test('what cannot be changed is left out with its reason, and nothing else suffers', async () => {
      const owner = await newPerson(at())
      const long = `https://old.example/${'x'.repeat(2000)}`
      const [full, fine] = [await owner.makeBundle({ urls: [long] }), await owner.makeBundle({ urls: [OLD] })]
      const move = { from: 'https://old.example/', to: `https://new.example/${'y'.repeat(100)}/` }
      for (const dryRun of [true, false]) {
        const { body } = await replace(owner, { ...move, dryRun })
        expect(body.replaced.map(({ slug }) => slug)).toEqual([fine.slug])
        expect(body.skipped).toEqual([{ slug: full.slug, reason: expect.stringContaining('2048') }])
      }
      expect((await read(owner, full.slug)).urls).toEqual([long])
    })

    test('more bundles than a call changes come with the cursors of the calls that follow', async () => {
      const owner = await newPerson(at())
      for (let some = 0; some < 3; some += 1) {
        const bundles = Array.from({ length: some === 2 ? 30 : 100 }, () => ({ urls: [OLD] }))
        expect((await owner.api('POST', '/api/links/bulk', { bundles })).status).toBe(200)
      }
      const seen: string[] = []
      let cursor: string | undefined
      let calls = 0
      do {
        const { status, body } = await replace(owner, {
          from: OLD,
          to: NEW,
          ...(cursor === undefined ? {} : { cursor }),
        })
        expect([status, body.skipped]).toEqual([200, []])
        seen.push(...body.replaced.map(({ slug }) => slug))
        expect(body.hasMore).toBe(body.nextCursor !== undefined)
        cursor = body.nextCursor
        calls += 1
      } while (cursor !== undefined)
      expect([calls, seen.length, new Set(seen).size]).toEqual([3, 230, 230])
      expect(await replace(owner, { from: OLD, to: NEW, cursor: 'x' })).toMatchObject({ status: 400 })
    })

    test('it is over the bundles of whom one acts for, deleted ones aside, and viewers may not', async () => {
      const [admin, viewer] = [await newPerson(at()), await newPerson(at())]
      const { id } = await newOrganization(admin, [[viewer, 'viewer']])
      await actFor(admin, null)
      const own = await admin.makeBundle({ urls: [OLD] })
      await actFor(admin, id)
      const ours = await admin.makeBundle({ urls: [OLD] })
      const gone = await admin.makeBundle({ urls: [OLD] })
      await admin.api('DELETE', `/api/links/${gone.slug}`)
      await actFor(viewer, id)
      expect(await replace(viewer, { from: OLD, to: NEW })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
      expect((await replace(admin, { from: OLD, to: NEW })).body.replaced.map(({ slug }) => slug)).toEqual([ours.slug])
      expect((await read(admin, own.slug)).urls).toEqual([OLD])
    })

    test('two at once change each bundle once', async () => {
      const owner = await newPerson(at())
      const made = await Promise.all(Array.from({ length: 8 }, () => owner.makeBundle({ urls: [OLD] })))
      const both = await Promise.all([1, 2].map(() => replace(owner, { from: OLD, to: NEW })))
      expect(both.flatMap(({ body }) => body.skipped)).toEqual([])
      expect(both.flatMap(({ body }) => body.replaced.map(({ slug }) => slug)).sort()).toEqual(
        made.map(({ slug }) => slug).sort(),
      )
      for (const { slug } of made) expect((await read(owner, slug)).versionNumber).toBe(2)
    })
  },
)

onEveryTarget({ SERVICE_WRITES_PER_MINUTE: '8' }, (at) => {
  test('each version counts as a write: where there is none left, it says where to go on', async () => {
    const owner = await newPerson(at())
    for (let some = 0; some < 5; some += 1) await owner.makeBundle({ urls: [OLD] })
    const { status, body } = await replace(owner, { from: OLD, to: NEW })
    expect([status, body.replaced.length, body.hasMore, typeof body.nextCursor]).toEqual([200, 3, true, 'string'])
    expect((await replace(owner, { from: OLD, to: NEW, cursor: body.nextCursor! })).status).toBe(429)
  })
})
