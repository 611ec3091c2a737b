import { beforeAll, describe, expect, test } from 'bun:test'
import { NOWHERE } from '../parity/world.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Lists read page by page by their cursors, while entries come and go.

type Entry = Record<string, unknown>
type Page = Record<string, Entry[]> & { nextCursor?: string; hasMore?: boolean; error: string; code: string }

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  })

  const read = async (path: string, query: Record<string, string | number> = {}, by = person) => {
    const parts = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    const answer = await by.api<Page>('GET', `${path}?${parts}`)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.error}`)
    return answer
  }

  /** The entries of all pages. */
  async function all(path: string, list: string, query: Record<string, string | number>, by = person) {
    const entries: Entry[] = []
    for (let more = {}; ; ) {
      const { body } = await read(path, { ...query, ...more }, by)
      entries.push(...body[list]!)
      if (body.nextCursor === undefined) return entries
      if (entries.length > 1000) throw new Error('there is no end')
      more = { cursor: body.nextCursor }
    }
  }

  describe('bundles', () => {
    let owner: Person
    const TITLES = ['b', 'A', 'ä', 'B', '🚀', 'a', 'c']
    beforeAll(async () => {
      owner = await newPerson(server())
      for (const title of TITLES) await owner.makeBundle({ title, urlMetadata: [{ tags: ['x'] }] })
      const { slug } = await owner.makeBundle({ urlMetadata: [{ tags: ['x'] }] })
      const { slug: other } = await owner.makeBundle({ urlMetadata: [{ tags: ['x'] }] })
      for (const pinned of [slug, other]) await owner.api('POST', `/api/links/${pinned}/pin`)
    })

    const queries: Record<string, string>[] = [
      {},
      { sort: 'updated' },
      { sort: 'title' },
      { tag: 'x' },
      { q: 'example', sort: 'title' },
    ]
    for (const query of queries) {
      for (const limit of [1, 2, 4]) {
        test(`${JSON.stringify(query)}, ${limit} on a page, are those of one page, in its order`, async () => {
          const whole = (await read('/api/me/links', { ...query, limit: 100 }, owner)).body.bundles!
          expect(whole.length).toBe(TITLES.length + 2)
          const paged = await all('/api/me/links', 'bundles', { ...query, limit }, owner)
          expect(paged.map(({ slug }) => slug)).toEqual(whole.map(({ slug }) => slug))
          expect(paged.filter(({ isPinned }) => isPinned).length).toBe(2)
        })
      }
    }

    test('neither come twice nor are left out while others are created and deleted', async () => {
      const owner = await newPerson(server())
      const made: string[] = []
      for (let at = 0; at < 6; at += 1) made.unshift((await owner.makeBundle()).slug)
      const first = (await read('/api/me/links', { limit: 3 }, owner)).body
      expect(first.bundles!.map(({ slug }) => slug)).toEqual(made.slice(0, 3))
      await owner.makeBundle()
      // The last of the page too, at which the cursor points.
      for (const slug of [made[0], made[2]]) await owner.api('DELETE', `/api/links/${slug}`)
      const second = await read('/api/me/links', { limit: 3, cursor: first.nextCursor! }, owner)
      expect(second.body.bundles!.map(({ slug }) => slug)).toEqual(made.slice(3))
      expect([second.body.hasMore, second.body.nextCursor]).toEqual([false, undefined])
    })

    test('have a Link header that goes on with the cursor', async () => {
      const first = await read('/api/me/links', { limit: 2 }, owner)
      expect(first.headers.get('link')).toContain('offset=2')
      const second = await read('/api/me/links', { limit: 2, cursor: first.body.nextCursor! }, owner)
      const [, next = ''] = /<(.*)>/.exec(second.headers.get('link') ?? '') ?? []
      const third = await owner.api<Page>('GET', next)
      expect(third.body.bundles).toEqual(
        (await read('/api/me/links', { limit: 2, cursor: second.body.nextCursor! }, owner)).body.bundles,
      )
    })

    for (const [title, query] of [
      ['no cursor', { cursor: 'nonsense' }],
      ['one with other characters', { cursor: 'a b' }],
      ['one that is too long', { cursor: 'a'.repeat(2001) }],
      ['one of another list', { cursor: Buffer.from('[4]').toString('base64url') }],
      ['one of another order', { cursor: Buffer.from('["title",false,"a",4]').toString('base64url') }],
      // JSON has larger numbers than the store.
      ['one of a number without end', { cursor: Buffer.from('["created",false,1e999,4]').toString('base64url') }],
      ['one beside an offset', { cursor: Buffer.from('["created",false,1,4]').toString('base64url'), offset: 1 }],
    ] as const) {
      test(`refuse ${title}`, async () => {
        const parts = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
        const { status, body } = await owner.api<Page>('GET', `/api/me/links?${parts}`)
        expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
        expect(body.error).toMatch(/^(cursor|offset) must/)
      })
    }
  })

  test('a cursor with a text that no store takes is none', async () => {
    const cursor = Buffer.from(JSON.stringify(['title', false, '\0', 1])).toString('base64url')
    const { status, body } = await person.api<Page>('GET', `/api/me/links?sort=title&cursor=${cursor}`)
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
  })

  test('versions, proposals, keys, webhooks, deliveries and claims are read by cursors too', async () => {
    const { slug } = await person.makeBundle()
    for (let at = 0; at < 4; at += 1) await person.api('PATCH', `/api/links/${slug}`, { title: `${at}` })
    for (let at = 0; at < 5; at += 1) {
      await person.api('POST', `/api/links/${slug}/proposals`, { title: `proposed ${at}` })
      await person.mint({ name: `${at}` })
    }
    const { body } = await person.api<{ webhook: { id: string } }>('POST', '/api/me/webhooks', {
      url: NOWHERE,
      events: ['bundle.claimed'],
    })
    for (let at = 0; at < 4; at += 1)
      await person.api('POST', '/api/me/webhooks', { url: `${NOWHERE}${at}`, events: ['bundle.claimed'] })
    for (let at = 0; at < 5; at += 1) {
      await server().sql(
        `INSERT INTO outbox (webhook_id, message_id, event, at, attempts, attempted_at, status, sent_at)
          VALUES (?, ?, 'webhook.test', 1, 1, 2, 204, 2)`,
        [body.webhook.id, `msg_${at}_${body.webhook.id}`],
      )
    }
    const lists: [path: string, list: string, id: string, count: number][] = [
      [`/api/links/${slug}/versions`, 'versions', 'versionNumber', 5],
      [`/api/links/${slug}/proposals`, 'proposals', 'id', 5],
      ['/api/me/proposals', 'proposals', 'id', 5],
      ['/api/me/keys', 'apiKeys', 'id', 5],
      ['/api/me/webhooks', 'webhooks', 'id', 5],
      [`/api/me/webhooks/${body.webhook.id}/deliveries`, 'deliveries', 'id', 5],
    ]
    for (const [path, list, id, count] of lists) {
      const whole = (await read(path)).body[list]!.map((entry) => entry[id])
      expect([list, whole.length]).toEqual([list, count])
      for (const limit of [1, 2, 5]) {
        const paged = (await all(path, list, { limit })).map((entry) => entry[id])
        expect([list, limit, paged]).toEqual([list, limit, whole])
      }
      const { status } = await person.api('GET', `${path}?cursor=${Buffer.from('["x"]').toString('base64url')}`)
      expect([path, status]).toEqual([path, 400])
    }
  })
})
