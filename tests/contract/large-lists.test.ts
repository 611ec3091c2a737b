import { expect, test } from 'bun:test'
import { callOf, send } from '../mcp/support.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'

const COUNT = 12

/** A link as long as one may be, in the store four bytes a character. */
const URLS = Array.from({ length: 25 }, (_, at) => `https://${at}.example/${'🚀'.repeat(2000)}`)

interface Page {
  bundles: { slug: string; urls: string[] }[]
  pagination: { limit: number; offset: number }
  hasMore: boolean
  nextCursor?: string
}

/** A person whose dozen bundles are 2.4 MB together, newest first. */
async function furnish(server: Server): Promise<{ ann: Person; slugs: string[] }> {
  const ann = await newPerson(server)
  const slugs: string[] = []
  for (let made = 0; made < COUNT; made += 1) {
    const { slug } = await ann.makeBundle({
      urls: URLS,
      title: `Bundle ${made}`,
      urlMetadata: [{ tags: [`no-${made}`] }],
    })
    slugs.unshift(slug)
  }
  return { ann, slugs }
}

onEveryTarget({}, (at) => {
  test('a page of large bundles has as many as asked for, and leads on', async () => {
    const { ann, slugs } = await furnish(at())
    const whole = await ann.api<Page>('GET', '/api/me/links')
    expect(whole.status).toBe(200)
    expect(whole.body.bundles.map(({ slug }) => slug)).toEqual(slugs)
    expect(whole.body.bundles.every(({ urls }) => Bun.deepEquals(urls, URLS))).toBe(true)
    expect([whole.body.pagination, whole.body.hasMore]).toEqual([{ limit: 20, offset: 0 }, false])
    expect(whole.headers.get('link')).toBeNull()
    const first = await ann.api<Page>('GET', '/api/me/links?limit=10')
    expect(first.body.bundles.map(({ slug }) => slug)).toEqual(slugs.slice(0, 10))
    expect([first.body.pagination, first.body.hasMore]).toEqual([{ limit: 10, offset: 0 }, true])
    expect(first.headers.get('link')).toBe('</api/me/links?limit=10&offset=10>; rel="next"')
    const second = await ann.api<Page>('GET', `/api/me/links?limit=10&cursor=${first.body.nextCursor}`)
    expect(second.body.bundles.map(({ slug }) => slug)).toEqual(slugs.slice(10))
    // Each entry is as in a page that is sent in one piece.
    const one = await ann.api<Page>('GET', '/api/me/links?limit=1&offset=3')
    expect(one.body.bundles).toEqual([whole.body.bundles[3]!])
  })

  test('searches and tags find the same among large bundles', async () => {
    const { ann, slugs } = await furnish(at())
    const found = async (query: string) => (await ann.api<Page>('GET', `/api/me/links?${query}`)).body
    expect((await found('q=bundle%203')).bundles.map(({ slug }) => slug)).toEqual([slugs[COUNT - 1 - 3]!])
    expect((await found('tag=no-4')).bundles.map(({ slug }) => slug)).toEqual([slugs[COUNT - 1 - 4]!])
    expect((await found('tag=no')).bundles).toEqual([])
    const last = await found('q=24.EXAMPLE&sort=title&limit=2&offset=10')
    expect([last.bundles.length, last.hasMore]).toEqual([2, false])
    const page = await (await ann.fetch('/dashboard?q=24.example&limit=2')).text()
    expect(page).toContain(`1 to 2 of ${COUNT}`)
  })

  test('a tool gets as many large bundles as fit into a message, and is told where to continue', async () => {
    const { ann, slugs } = await furnish(at())
    const { body } = await ann.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'k', scopes: ['links:read'] })
    const key = { authorization: `Bearer ${body.rawKey}` }
    const seen: string[] = []
    for (let offset = 0, hasMore = true; hasMore; ) {
      const { result } = (await send(at(), callOf('list_bundles', { limit: 100, offset }), key)).body
      const page = result.structuredContent as unknown as Page
      seen.push(...page.bundles.map(({ slug }) => slug))
      expect(result.content[0]!.text.length).toBeLessThan(2 ** 20)
      hasMore = page.hasMore
      offset = page.pagination.offset + page.pagination.limit
      if (hasMore) expect(result.content[1]!.text).toEndWith(`call list_bundles again with "offset": ${offset}.`)
      else expect(result.content[1]).toBeUndefined()
    }
    expect(seen).toEqual(slugs)
    const byCursor: string[] = []
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const input = { limit: 100, ...(cursor === undefined ? {} : { cursor }) }
      const { result } = (await send(at(), callOf('list_bundles', input), key)).body
      const page = result.structuredContent as unknown as Page
      byCursor.push(...page.bundles.map(({ slug }) => slug))
      cursor = page.nextCursor
      if (!isFirst && cursor !== undefined) expect(result.content[1]!.text).toEndWith(`"cursor": "${cursor}".`)
    }
    expect(byCursor).toEqual(slugs)
    // Resources show no links, so all fit.
    const listed = await send(at(), { jsonrpc: '2.0', id: 1, method: 'resources/list', params: {} }, key)
    const { resources } = listed.body.result as unknown as { resources: { name: string }[] }
    expect(resources.map(({ name }) => name)).toEqual(slugs)
  })
})
