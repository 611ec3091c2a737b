import { beforeAll, describe, expect, test } from 'bun:test'
import { newPerson, type Person, URL_A, URL_B, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Edits of single links, beside those of whole lists.

const URL_C = 'https://c.example/'
const URL_D = 'https://d.example/'

interface Told {
  urls: string[]
  urlMetadata: object[]
  title: string | null
  versionNumber: number
  bundle: { urls: string[]; versionNumber: number }
  changes: { urls?: string[]; urlMetadata?: object[]; title?: string }
  id: string
  error: string
  code: string
  errors?: { path: string }[]
}

onEveryTarget({}, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(server())
  })

  const patch = (slug: string, body: object, headers = {}) =>
    owner.api<Told>('PATCH', `/api/links/${slug}`, body, headers)
  const linksOf = async (slug: string, by: Visitor = owner) => {
    const { urls, urlMetadata } = (await by.api<Told>('GET', `/api/links/${slug}`)).body
    return urls.map((url, at): { url: string; [field: string]: unknown } => ({ url, ...urlMetadata[at] }))
  }

  describe('PATCH /api/links/:slug with changes of single links', () => {
    test('adds links at the end or at a place, with their metadata; the others keep theirs', async () => {
      const { slug } = await owner.makeBundle({ urlMetadata: [{ note: 'first' }, { tags: ['live'] }] })
      const added = await patch(slug, {
        addUrls: [
          { url: ` ${URL_C} `, note: 'new' },
          { url: URL_D, at: 1 },
        ],
      })
      expect([added.status, added.body.versionNumber, added.headers.get('etag')]).toEqual([200, 2, '"v2"'])
      expect(await linksOf(slug)).toEqual([
        { url: URL_A, note: 'first' },
        { url: URL_D },
        { url: URL_B, tags: ['live'] },
        { url: URL_C, note: 'new' },
      ])
      const put = await patch(slug, { addUrls: [{ url: 'https://e.example/', at: 24 }], title: 'Five' })
      expect([put.body.urls.at(-1), put.body.title]).toEqual(['https://e.example/', 'Five'])
    })

    test('removes links by their URL, and moves one that is added again', async () => {
      const { slug } = await owner.makeBundle({ urls: [URL_A, URL_B, URL_A, URL_C], urlMetadata: [{}, { note: 'b' }] })
      await patch(slug, { removeUrls: [URL_A] })
      expect(await linksOf(slug)).toEqual([{ url: URL_B, note: 'b' }, { url: URL_C }])
      await patch(slug, { removeUrls: [URL_C], addUrls: [{ url: URL_C, at: 0 }] })
      expect((await linksOf(slug)).map(({ url }) => url)).toEqual([URL_C, URL_B])
    })

    test('sets what is sent of a link’s metadata, and null removes it', async () => {
      const metadata = [{ note: 'first', tags: ['live'], openPolicy: 'manual' }, { section: 'Later' }]
      const { slug } = await owner.makeBundle({ urlMetadata: metadata })
      const set = { [URL_A]: { note: 'changed', openPolicy: null }, [URL_B]: { section: null, tags: ['x'] } }
      expect((await patch(slug, { setMetadata: set })).status).toBe(200)
      expect(await linksOf(slug)).toEqual([
        { url: URL_A, note: 'changed', tags: ['live'] },
        { url: URL_B, tags: ['x'] },
      ])
    })

    test('those of many at once all take effect, without a version', async () => {
      const { slug } = await owner.makeBundle({ urls: [URL_A] })
      const urls = Array.from({ length: 8 }, (_, at) => `https://${at}.example/`)
      const answers = await Promise.all(urls.map((url) => patch(slug, { addUrls: [{ url }] })))
      expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200))
      expect((await linksOf(slug)).map(({ url }) => url).sort()).toEqual([...urls, URL_A].sort())
    })

    test('are refused at an old version, like any edit, and tried by a dry run', async () => {
      const { slug } = await owner.makeBundle()
      await patch(slug, { title: 'two' })
      expect((await patch(slug, { addUrls: [{ url: URL_C }] }, { 'if-match': '"v1"' })).status).toBe(412)
      const dry = await patch(slug, { addUrls: [{ url: URL_C }], dryRun: true })
      expect(dry.body.bundle).toMatchObject({ urls: [URL_A, URL_B, URL_C], versionNumber: 3 })
      expect((await linksOf(slug)).length).toBe(2)
    })

    const many = Array.from({ length: 24 }, (_, at) => ({ url: `https://n${at}.example/` }))
    const refused: [title: string, body: object, path: string, code: string, says: string][] = [
      [
        'a link that is there',
        { addUrls: [{ url: URL_C }, { url: URL_A }] },
        'addUrls[1].url',
        'INVALID_URLS',
        'already',
      ],
      ['a link twice', { addUrls: [{ url: URL_C }, { url: URL_C }] }, 'addUrls[1].url', 'INVALID_URLS', 'earlier'],
      ['more than 25 links', { addUrls: many }, 'addUrls', 'INVALID_URLS', 'the limit is 25'],
      ['no URL', { addUrls: [{ url: 'c.example' }] }, 'addUrls[0].url', 'INVALID_URLS', 'did you mean'],
      [
        'metadata that is too long',
        { addUrls: [{ url: URL_C, note: 'x'.repeat(2001) }] },
        'addUrls[0].note',
        'INVALID_URLS',
        'at most',
      ],
      ['an unknown field', { addUrls: [{ url: URL_C, notes: 'x' }] }, 'addUrls[0].notes', 'INVALID_URLS', 'note'],
      [
        'a place that no list has',
        { addUrls: [{ url: URL_C, at: 25 }] },
        'addUrls[0].at',
        'INVALID_URLS',
        'at most 24',
      ],
      ['nothing to add', { addUrls: [] }, 'addUrls', 'INVALID_URLS', 'at least'],
      [
        'the removal of what is not there',
        { removeUrls: [URL_A, URL_C] },
        'removeUrls[1]',
        'INVALID_URLS',
        'is not a link',
      ],
      ['the removal of every link', { removeUrls: [URL_A, URL_B] }, 'removeUrls', 'INVALID_URLS', 'at least one'],
      [
        'metadata of what is not there',
        { setMetadata: { [URL_C]: { note: 'x' } } },
        `setMetadata["${URL_C}"]`,
        'BAD_REQUEST',
        'is not a link',
      ],
      [
        'metadata of what is removed',
        { removeUrls: [URL_A], setMetadata: { [URL_A]: {} } },
        `setMetadata["${URL_A}"]`,
        'BAD_REQUEST',
        'is not a link',
      ],
      [
        'metadata of the wrong type',
        { setMetadata: { [URL_A]: { tags: 'x' } } },
        `setMetadata["${URL_A}"].tags`,
        'BAD_REQUEST',
        'must be',
      ],
      ['a list of metadata', { setMetadata: { [URL_A]: [] } }, `setMetadata["${URL_A}"]`, 'BAD_REQUEST', 'object'],
      ['metadata of nothing', { setMetadata: {} }, 'setMetadata', 'BAD_REQUEST', 'at least 1'],
      [
        'whole lists beside them',
        { urls: [URL_C], addUrls: [{ url: URL_D }] },
        'addUrls',
        'INVALID_URLS',
        'without urls',
      ],
      [
        'whole metadata beside them',
        { urlMetadata: [{}], removeUrls: [URL_A] },
        'removeUrls',
        'INVALID_URLS',
        'without urls',
      ],
    ]
    for (const [title, body, path, code, says] of refused) {
      test(`refuses ${title}, and says where`, async () => {
        const { slug } = await owner.makeBundle()
        const answer = await patch(slug, body)
        expect([answer.status, answer.body.code]).toEqual([400, code])
        expect(answer.body.error).toStartWith(`${path} `)
        expect(answer.body.error).toContain(says)
        expect((await linksOf(slug)).map(({ url }) => url)).toEqual([URL_A, URL_B])
      })
    }

    test('says of a check of the whole bundle where the link was sent', async () => {
      const { slug } = await owner.makeBundle({ variables: [{ name: 'host' }] })
      const added = await patch(slug, { addUrls: [{ url: 'https://{host}.example/', at: 0 }] })
      expect([added.body.code, added.body.error.split(' ')[0]]).toEqual(['INVALID_URLS', 'addUrls[0].url'])
      const set = await patch(slug, { setMetadata: { [URL_B]: { note: '{host}'.repeat(11) } } })
      expect([set.body.code, set.body.error.split(' ')[0]]).toEqual(['BAD_REQUEST', `setMetadata["${URL_B}"].note`])
    })

    test('are no fields of a new bundle', async () => {
      const { status, body } = await owner.api<Told>('POST', '/api/links', { urls: [URL_A], addUrls: [{ url: URL_B }] })
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
    })
  })

  describe('a proposal with changes of single links', () => {
    const propose = (slug: string, body: object, headers = {}) =>
      owner.api<Told>('POST', `/api/links/${slug}/proposals`, body, headers)

    test('is merged with what others change meanwhile, and repeated as it was', async () => {
      const { slug } = await owner.makeBundle({ urlMetadata: [{ note: 'first' }] })
      const body = { addUrls: [{ url: URL_C, at: 0 }], removeUrls: [URL_B], setMetadata: { [URL_A]: { tags: ['x'] } } }
      const sent = () => propose(slug, { ...body, title: 'Three' }, { 'idempotency-key': 'the same' })
      const first = await sent()
      const links = { urls: [URL_C, URL_A], urlMetadata: [{}, { note: 'first', tags: ['x'] }] }
      expect([first.status, first.body.changes]).toEqual([201, { ...links, title: 'Three' }] as never)
      await patch(slug, { addUrls: [{ url: URL_D }] })
      expect((await sent()).body).toEqual(first.body)
      const accepted = await owner.api('POST', `/api/links/${slug}/proposals/${first.body.id}/accept`)
      expect(accepted.status).toBe(200)
      expect((await linksOf(slug)).map(({ url }) => url)).toEqual([URL_C, URL_A, URL_D])
    })

    test('is refused where the link was sent', async () => {
      const { slug } = await owner.makeBundle()
      const { status, body } = await propose(slug, { removeUrls: [URL_C] })
      expect([status, body.error.split(' ')[0]]).toEqual([400, 'removeUrls[0]'])
    })
  })
})
