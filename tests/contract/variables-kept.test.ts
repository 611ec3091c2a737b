import { beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Told {
  slug: string
  versionNumber: number
  urls: string[]
  variables: object[]
  code: string
}

const LINK = 'https://a.example/{x}'
const X = { name: 'x' }

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const create = (fields: object, headers?: Record<string, string>) =>
    owner.api<Told>('POST', '/api/links', { urls: [LINK], ...fields }, headers)
  const patch = (slug: string, fields: object) => owner.api<Told>('PATCH', `/api/links/${slug}`, fields)
  const read = async (slug: string) => (await owner.api<Told>('GET', `/api/links/${slug}`)).body

  describe('what holds for content holds for variables', () => {
    const VARIABLES = [
      { name: 'x', label: 'Zweck', default: '1' },
      { name: 'y', options: ['a', 'b'] },
    ]

    test('an idempotency key answers the same create, and refuses another', async () => {
      const headers = { 'idempotency-key': randomUUID() }
      const [first, again] = [
        await create({ variables: VARIABLES }, headers),
        await create({ variables: VARIABLES }, headers),
      ]
      expect([first.status, again.body]).toEqual([201, first.body])
      expect((await create({ variables: [X] }, headers)).status).toBe(409)
    })

    test('a dry run says what would be saved, and refuses what an edit refuses', async () => {
      const { status, body } = await owner.api<{ bundle: Told }>('POST', '/api/links', {
        urls: [LINK],
        variables: VARIABLES,
        dryRun: true,
      })
      expect([status, body.bundle.variables]).toEqual([200, VARIABLES])
      const { body: made } = await create({ variables: [] })
      expect((await patch(made.slug, { variables: [{ ...X, default: '..' }], dryRun: true })).status).toBe(400)
      expect((await patch(made.slug, { variables: VARIABLES, dryRun: true })).status).toBe(200)
      expect(await read(made.slug)).toMatchObject({ versionNumber: 1, variables: [] })
    })

    test('versions have them, a restored one brings them back, and an edit of something else keeps them', async () => {
      const { body: made } = await create({ variables: VARIABLES })
      await patch(made.slug, { title: 'Of {x}' })
      await patch(made.slug, { variables: [] })
      const { body } = await owner.api<{ versions: Told[] }>('GET', `/api/links/${made.slug}/versions`)
      expect(body.versions.map(({ variables }) => variables)).toEqual([[], VARIABLES, VARIABLES])
      const page = await (await owner.fetch(`/dashboard/links/${made.slug}/versions`)).text()
      expect(page).toContain('Zweck')
      await owner.api('POST', `/api/links/${made.slug}/versions/1/restore`)
      expect(await read(made.slug)).toMatchObject({ versionNumber: 4, variables: VARIABLES })
    })

    test('copies, exports, bundles found by label, and what is imported have them', async () => {
      const { body: made } = await create({ variables: [{ name: 'x', label: 'Quittungsnummer' }] })
      const copy = await owner.api<Told>('POST', `/api/links/${made.slug}/duplicate`, {})
      expect([copy.status, (await read(copy.body.slug)).variables]).toEqual([
        201,
        [{ name: 'x', label: 'Quittungsnummer' }],
      ])
      const found = async (text: string) => {
        const { body } = await owner.api<{ bundles: Told[] }>('GET', `/api/me/links?q=${text}`)
        return body.bundles.map(({ slug }) => slug).sort()
      }
      expect(await found('quittungs')).toEqual([made.slug, copy.body.slug].sort())
      await patch(copy.body.slug, { variables: [{ name: 'x', label: 'Beleg' }] })
      expect(await found('quittungs')).toEqual([made.slug])
      const { body: all } = await owner.api<{ bundles: Told[] }>('GET', '/api/me/export')
      expect(all.bundles.find(({ slug }) => slug === made.slug)?.variables).toEqual([
        { name: 'x', label: 'Quittungsnummer' },
      ])
    })
  })

  describe('proposals', () => {
    const propose = async (slug: string, fields: object) => {
      const { status, body } = await owner.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, fields)
      expect(status).toBe(201)
      return body.id
    }
    const accept = (slug: string, id: string) => owner.api<Told>('POST', `/api/links/${slug}/proposals/${id}/accept`)

    test('two that touch different variables are both accepted', async () => {
      const {
        body: { slug },
      } = await create({ urls: [`${LINK}/{y}`], variables: [X, { name: 'y' }] })
      const labelled = await propose(slug, { variables: [{ ...X, label: 'The X' }, { name: 'y' }] })
      const added = await propose(slug, { variables: [X, { name: 'y', default: '1' }, { name: 'z' }] })
      for (const id of [labelled, added]) expect((await accept(slug, id)).status).toBe(200)
      expect((await read(slug)).variables).toEqual([
        { ...X, label: 'The X' },
        { name: 'y', default: '1' },
        { name: 'z' },
      ])
    })

    test('two that change the same field of one are in conflict', async () => {
      const {
        body: { slug },
      } = await create({ variables: [X] })
      const [one, other] = [
        await propose(slug, { variables: [{ ...X, label: 'One' }] }),
        await propose(slug, { variables: [{ ...X, label: 'Other' }] }),
      ]
      expect((await accept(slug, one)).status).toBe(200)
      const refused = await accept(slug, other)
      const { body } = await owner.api<{ conflicts: unknown[] }>('GET', `/api/links/${slug}/proposals/${other}`)
      expect([refused.status, body.conflicts.length]).toEqual([409, 1])
      expect((await read(slug)).variables).toEqual([{ ...X, label: 'One' }])
    })

    test('a link and a variable that together would lead elsewhere are refused', async () => {
      const {
        body: { slug },
      } = await create({ variables: [] })
      const [link, variable] = [
        await propose(slug, { urls: ['https://{y}.example/'] }),
        await propose(slug, { variables: [{ name: 'y' }] }),
      ]
      expect((await accept(slug, link)).status).toBe(200)
      expect((await accept(slug, variable)).body.code).toBe('INVALID_URLS')
      expect((await read(slug)).variables).toEqual([])
    })
  })
})
