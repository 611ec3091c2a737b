import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newPerson, type Person } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

const VERSIONS = 640
/** The memory that six readers of a large history may use in addition, in MiB. */
const MAX_GROWTH = 200
/** The share of all data that may be sent while one other request waits; with a blocked event loop it would be nearly all. */
const MAX_SHARE = 1 / 4

interface Snapshot {
  versionNumber: number
  urls: string[]
}

/** 50 KB of URLs, as the store has them. */
const LARGE = `(SELECT json_group_array('https://large.example/' || value || '/' || hex(zeroblob(1000))) FROM json_each('[${Array.from({ length: 25 }, (_, n) => n).join()}]'))`

/** Inserts this many versions of 50 KB with SQL, faster than the service would accept them. */
async function lengthen(server: Server, slug: string, versions: number): Promise<void> {
  await server.sql(
    `INSERT INTO bundle_versions (bundle_id, version_number, urls, url_metadata, edited_at, bytes)
     WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     SELECT id, n, large.urls, (SELECT json_group_array(json('{}')) FROM json_each(large.urls)), 1700000000000, octet_length(large.urls)
     FROM numbers, bundles, (SELECT ${LARGE} AS urls) AS large WHERE slug = ? RETURNING 1`,
    [versions, slug],
  )
  await server.sql('UPDATE bundles SET version_number = ? WHERE slug = ? RETURNING 1', [versions, slug])
}

describe.each(RUNTIMES)('a history of tens of megabytes on %s', (runtime) => {
  let server: Server
  let owner: Person
  let slug: string
  beforeAll(async () => {
    server = await startServer({ runtime })
    owner = await newPerson(server)
    slug = (await owner.makeBundle()).slug
    await lengthen(server, slug, VERSIONS)
  })
  afterAll(async () => {
    await server.stop()
  })

  /** Six clients read while others request /healthz: the share sent while the slowest of these waited. */
  async function readBySix(path: string) {
    const before = server.peakMemory()
    let isRead = false
    let passed = 0
    const sizes = Promise.all(
      Array.from({ length: 6 }, async () => {
        const reader = (await owner.fetch(path)).body?.getReader()
        let bytes = 0
        for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
          bytes += read.value.length
          passed += read.value.length
        }
        return bytes
      }),
    ).finally(() => (isRead = true))
    let longest = 0
    while (!isRead) {
      const passedBefore = passed
      expect((await fetch(`${server.origin}/healthz`)).status).toBe(200)
      longest = Math.max(longest, passed - passedBefore)
    }
    return { sizes: await sizes, longestShare: longest / passed, growth: server.peakMemory() - before }
  }

  test('is read in full by six clients at once with bounded memory, while others are answered', async () => {
    const { sizes, longestShare, growth } = await readBySix(`/api/links/${slug}/versions`)
    expect(new Set(sizes).size).toBe(1)
    expect(sizes[0]).toBeGreaterThan(VERSIONS * 50_000)
    expect(growth).toBeLessThan(MAX_GROWTH)
    expect(longestShare).toBeLessThan(MAX_SHARE)
  })

  test('is complete, newest first, and so is a page larger than one message', async () => {
    const text = await (await owner.fetch(`/api/links/${slug}/versions`)).text()
    const body = JSON.parse(text) as { versions: Snapshot[] }
    expect(JSON.stringify(body) === text).toBe(true)
    expect(Object.keys(body)).toEqual(['versions', 'hasMore'])
    const numbers = Array.from({ length: VERSIONS }, (_, index) => VERSIONS - index)
    expect(body.versions.map(({ versionNumber }) => versionNumber)).toEqual(numbers)
    expect(body.versions[0]?.urls).toHaveLength(25)
    const part = await owner.api<{ versions: Snapshot[] }>('GET', `/api/links/${slug}/versions?limit=70&before=200`)
    expect(part.body.versions.map(({ versionNumber }) => versionNumber)).toEqual(
      Array.from({ length: 70 }, (_, index) => 199 - index),
    )
  })

  test('is exported by six clients at once with bounded memory, while others are answered', async () => {
    const { sizes, longestShare, growth } = await readBySix('/api/me/export')
    expect(sizes[0]).toBeGreaterThan(VERSIONS * 50_000)
    expect(growth).toBeLessThan(MAX_GROWTH)
    expect(longestShare).toBeLessThan(MAX_SHARE)
  })

  test('reaches an agent in parts that fit into a message, with instructions for the next', async () => {
    const { rawKey } = (await owner.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'agent' })).body
    const call = async (input: object) => {
      const answer = await fetch(`${server.origin}/api/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${rawKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_versions', arguments: { slug, ...input } },
        }),
      })
      const { result } = (await answer.json()) as {
        result: { content: { text: string }[]; structuredContent: { versions: Snapshot[] } }
      }
      const numbers = result.structuredContent.versions.map(({ versionNumber }) => versionNumber)
      return { numbers, words: result.content.slice(1).map(({ text }) => text) }
    }
    // A mebibyte holds 20 of them.
    const first = await call({})
    expect(first.numbers).toEqual(Array.from({ length: 20 }, (_, index) => VERSIONS - index))
    expect(first.words).toEqual([expect.stringContaining(`"before": ${VERSIONS - 19}`)])
    const next = await call({ before: VERSIONS - 19, limit: 100 })
    expect(next.numbers[0]).toBe(VERSIONS - 20)
    expect(next.numbers.length).toBeLessThan(30)
    expect(next.words).toHaveLength(1)
    const last = await call({ before: 3 })
    expect(last).toEqual({ numbers: [2, 1], words: [] })
    const asked = await call({ limit: 2 })
    expect(asked.numbers).toEqual([VERSIONS, VERSIONS - 1])
    expect(asked.words).toEqual([expect.stringContaining(`"before": ${VERSIONS - 1}`)])
  })
})
