import { expect, setDefaultTimeout, test } from 'bun:test'
import { createClient } from '@libsql/client'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { startSqld } from '../sqld.ts'
import { onEveryTarget } from '../targets.ts'

// Only guards against hanging: thousands of bundles are indexed in the background.
setDefaultTimeout(120_000)

async function slugsFor(person: Person, query: Record<string, string>): Promise<string[]> {
  const path = `/api/me/links?${new URLSearchParams(query)}`
  const { status, body } = await person.api<{ bundles: { slug: string }[] }>('GET', path)
  expect([path, status]).toEqual([path, 200])
  return body.bundles.map(({ slug }) => slug)
}

/** Resolves once every bundle's entry in the index is as its text. */
async function indexed(server: Server): Promise<void> {
  await becomes(
    async () => Number((await server.sql('SELECT count(*) AS n FROM bundle_changes WHERE for_search = 1'))[0]?.n),
    0,
  )
}

const PLANS = { title: 'Ärger im Büro', description: 'Über "Straße" *und* Œuvre', tags: ['ЗАДАЧИ'] }
const TRAVEL = { title: '東京都の旅行', description: 'a𝒳b two\nlines', tags: ['on-call'] }

onEveryTarget({}, (at) => {
  test('what is in the index is found inside words, in any case, in any script, and for the owner alone', async () => {
    const [ann, ben] = [await newPerson(at()), await newPerson(at())]
    const make = (by: Person, { tags, ...texts }: typeof PLANS) =>
      by.makeBundle({ ...texts, urlMetadata: [{}, { note: `Note of ${texts.title}`, tags }] })
    const plans = await make(ann, PLANS)
    const travel = await make(ann, TRAVEL)
    await make(ben, PLANS)
    await make(ben, TRAVEL)
    await indexed(at())
    for (const q of ['ärg', 'GER IM', 'büro', 'ÜBER', '"STRASSE"', 'raße" *UND', 'œuvre', 'задач', 'Ä', 'ЧИ', '"']) {
      expect([q, await slugsFor(ann, { q })]).toEqual([q, [plans.slug]])
    }
    for (const q of ['東京都', '旅行', '京', 'の旅行', 'A𝒳B', '𝒳', 'b two', 'on-call']) {
      expect([q, await slugsFor(ann, { q })]).toEqual([q, [travel.slug]])
    }
    // The same pieces in another order, across fields, and what the index would take for its own syntax.
    for (const q of ['büro im ärger', 'two lines', 'ärger OR tokyo', 'text:ärger', 'ärg*', 'xyzzy']) {
      expect([q, await slugsFor(ann, { q })]).toEqual([q, []])
    }
    expect(await slugsFor(ann, { q: 'note of', limit: '1', offset: '1' })).toEqual([plans.slug])
    expect(await slugsFor(ann, { q: 'note of', sort: 'title' })).toEqual([plans.slug, travel.slug])
    expect(await slugsFor(ann, { tag: 'on-call' })).toEqual([travel.slug])
    expect(await slugsFor(ann, { tag: 'On-Call' })).toEqual([])
    expect(await slugsFor(ann, { tag: 'on-call', q: 'büro' })).toEqual([])
  })

  test('a bundle is found by its new text at once and never by the old one, before and after it is indexed again', async () => {
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle({ title: 'Apples and pears' })
    const kept = await ann.makeBundle({ title: 'Apples only' })
    await indexed(at())
    await ann.api('PATCH', `/api/links/${slug}`, { title: 'Plums' })
    const isRight = async () => {
      expect(await slugsFor(ann, { q: 'apples' })).toEqual([kept.slug])
      expect(await slugsFor(ann, { q: 'plums' })).toEqual([slug])
    }
    await isRight()
    await indexed(at())
    await isRight()
    const anonymous = new Visitor(at())
    const made = await anonymous.api<{ claimToken: string; slug: string }>('POST', '/api/links', {
      urls: ['https://example.com/'],
      title: 'Plums of nobody',
    })
    await indexed(at())
    await isRight()
    expect((await ann.api('POST', '/api/claims', { token: made.body.claimToken })).status).toBeLessThan(300)
    expect(await slugsFor(ann, { q: 'plums' })).toEqual([made.body.slug, slug])
    await indexed(at())
    expect(await slugsFor(ann, { q: 'plums' })).toEqual([made.body.slug, slug])
  })
})

/** Adds bundles to those of a person, with SQL. */
async function addBundles(server: Server, person: Person, count: number): Promise<void> {
  const added = await server.sql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO bundles (slug, slug_hash, owner_id, title, urls, url_metadata, source, created_at, updated_at)
     SELECT 'added-' || i, '#added-' || i, owners.id, 'Report ' || i || ' of many', '["https://a.example/"]', '[{}]', 'api', i, i
     FROM n, owners WHERE owners.user_id = ?2 RETURNING 1`,
    [count, person.userId],
  )
  expect(added).toHaveLength(count)
  await server.sql(
    `INSERT INTO bundle_search SELECT id, slug || char(10) || lower(title) || char(10) || ?1
     FROM bundles WHERE slug LIKE 'added-%' RETURNING 1`,
    ['https://a.example/'.repeat(40)],
  )
}

test('a search costs little more with thousands of bundles, and one that most of them match is complete', async () => {
  const server = await startInProcess({ SERVICE_PLAN_FREE_MAX_BUNDLES: '10000' })
  const ann = await newPerson(server)
  const { slug } = await ann.makeBundle({ title: 'Report 0 of one' })
  await indexed(server)
  /** For one search, in ms: the least of five rounds, since other tests and garbage only add to it. */
  const processorMs = async (expected: (time: number) => [slug: string, report: number]) => {
    const rounds: number[] = []
    for (let round = 0; round < 5; round += 1) {
      const before = process.cpuUsage()
      for (let time = 0; time < 20; time += 1) {
        const [found, report] = expected(round * 20 + time)
        expect(await slugsFor(ann, { q: `REPORT ${report} of` })).toEqual([found])
      }
      const { user, system } = process.cpuUsage(before)
      rounds.push((user + system) / 1_000 / 20)
    }
    return Math.min(...rounds)
  }
  for (let warming = 0; warming < 2; warming += 1) await processorMs(() => [slug, 0])
  const alone = await processorMs(() => [slug, 0])
  await addBundles(server, ann, 5_000)
  await indexed(server)
  // Nothing else is at work: the links of so many new bundles are read in the background.
  await becomes(() => server.sql('SELECT 1 FROM bundle_changes WHERE for_links = 1 LIMIT 1'), [], 150_000)
  const among = await processorMs((time) => [`added-${2_000 + time}`, 2_000 + time])
  // Looking at every text takes five times as long.
  expect(among / alone).toBeLessThan(3)
  // More than the index is asked for.
  expect(await slugsFor(ann, { q: 'of many', limit: '2', offset: '4990' })).toEqual(['added-10', 'added-9'])
  expect(await slugsFor(ann, { q: 'of many', limit: '2', sort: 'title' })).toEqual(['added-1', 'added-10'])
  const page = await (await ann.fetch('/dashboard?q=of+many')).text()
  expect(/ of (\d+)<\/span>/.exec(page)?.[1]).toBe('5000')
  await server.stop()
})

test('no piece of a text stays in the index once its bundle is erased', async () => {
  const server = await startInProcess({ SERVICE_PLAN_FREE_MAX_BUNDLES: '10000' })
  const [ann, ben] = [await newPerson(server), await newPerson(server)]
  const pieces = ['rep', 'zyq', 'yqw', 'qwx']
  await ben.makeBundle({ title: 'Zyqwx' })
  await ann.makeBundle()
  await addBundles(server, ann, 150)
  await indexed(server)
  // In one part, which SQLite does not rewrite by itself because of one entry.
  await server.sql("INSERT INTO bundle_index (bundle_index) VALUES ('optimize')")
  expect(await terms(server, ...pieces)).toEqual(pieces.toSorted())
  await server.sql('DELETE FROM bundles WHERE owner_id = (SELECT id FROM owners WHERE user_id = ?) RETURNING 1', [
    ben.userId,
  ])
  // A commit has the index looked at.
  await ann.makeBundle()
  await becomes(() => server.sql('SELECT erased_at - rewritten_for AS left FROM search_erasure'), [{ left: 0 }])
  expect(await terms(server, ...pieces)).toEqual(['rep'])
  await server.stop()
})

test('what sqld dumps can be restored with the index', async () => {
  const sqld = await startSqld()
  const { openStore } = await import('../../db/client.ts')
  const store = await openStore({ url: sqld.url, authToken: sqld.token })
  await store.writeCounters([
    { sql: 'INSERT INTO bundle_index (rowid, owner, text) VALUES (?, ?, ?)', args: [7, '', 'abcd'] },
  ])
  const dump = await (await fetch(`${sqld.url}/dump`, { headers: { authorization: `Bearer ${sqld.token}` } })).text()
  await store.close()
  await sqld.stop()
  const restored = createClient({ url: ':memory:' })
  // The dump writes the table's definition, which is read again.
  await restored.executeMultiple(`${dump}; PRAGMA writable_schema = RESET`)
  const found = await restored.execute(`SELECT rowid FROM bundle_index WHERE bundle_index MATCH '"bcd"'`)
  expect(found.rows.map(({ rowid }) => rowid)).toEqual([7])
  restored.close()
})

/** Which of these pieces of text the index has, in deleted entries too. */
async function terms(server: Server, ...pieces: string[]): Promise<string[]> {
  await server.sql('CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5vocab(bundle_index, row)')
  const found = await server.sql(
    'SELECT term FROM terms WHERE term IN (SELECT value FROM json_each(?)) ORDER BY term',
    [JSON.stringify(pieces)],
  )
  return found.map(({ term }) => String(term))
}
