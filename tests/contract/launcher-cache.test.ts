import { expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { newPerson, Visitor } from '../people.ts'
import { newSlug, URL_OK } from './support.ts'

setDefaultTimeout(180_000)

/** A launcher whose policy has this many conditions takes about 170 KB, so a megabyte holds six. */
const CONDITIONS = 249
const BUNDLES = 10
const TOKEN = 'a token of the tests'

async function missesOf(visitor: Visitor): Promise<number> {
  const text = await (await visitor.fetch('/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })).text()
  return Number(/openall_launcher_cache_total\{result="miss"\} (\d+)/.exec(text)?.[1])
}

/** How many of `BUNDLES` launchers are read from the database on their second view. */
async function readAgain(env: Record<string, string>): Promise<number> {
  const server = await startInProcess({ SERVICE_METRICS_TOKEN: TOKEN, ...env })
  try {
    const visitor = new Visitor(server)
    const read = () => missesOf(visitor)
    const when = { op: 'or', of: Array.from({ length: CONDITIONS }, () => ({ op: 'exists', field: 'language' })) }
    const rules = [{ name: 'German', when, tabs: [{ url: URL_OK }] }]
    const slugs: string[] = []
    for (let number = 0; number < BUNDLES; number += 1) {
      slugs.push(await newSlug(server, { urls: [URL_OK], resolutionPolicy: { version: 1, rules } }))
    }
    const viewAll = async () => {
      for (const slug of slugs) expect((await visitor.fetch(`/l/${slug}`)).status).toBe(200)
    }
    await viewAll()
    const before = await read()
    await viewAll()
    return (await read()) - before
  } finally {
    await server.stop()
  }
}

test('SERVICE_CACHE_MB bounds the launchers cached in memory', async () => {
  expect(await readAgain({ SERVICE_CACHE_MB: '1' })).toBeGreaterThan(0)
  expect(await readAgain({})).toBe(0)
})

test('the pages of a launcher count towards the bound of the cache', async () => {
  const server = await startInProcess({ SERVICE_METRICS_TOKEN: TOKEN, SERVICE_CACHE_MB: '1' })
  try {
    const visitor = new Visitor(server)
    // Hard to compress, so that pages are what a launcher takes.
    const description = Array.from({ length: 1900 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)))
    const slugs: string[] = []
    while (slugs.length < 60) slugs.push(await newSlug(server, { urls: [URL_OK], description: description.join('') }))
    const misses = async (encoding: string) => {
      const before = await missesOf(visitor)
      for (const slug of slugs) await visitor.fetch(`/l/${slug}`, { headers: { 'accept-encoding': encoding } })
      return (await missesOf(visitor)) - before
    }
    await misses('br')
    expect(await misses('br')).toBe(0)
    await misses('identity')
    await misses('gzip')
    expect(await misses('br')).toBeGreaterThan(0)
  } finally {
    await server.stop()
  }
})

test('a flood of links that miss is one read of a bundle each, however they are written, and leaves nothing behind', async () => {
  const server = await startInProcess({ SERVICE_METRICS_TOKEN: TOKEN })
  try {
    const visitor = new Visitor(server)
    const slug = await newSlug(server)
    const rows = async () => {
      const tables = await server.sql(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'bundle_index%'",
      )
      const names = tables.map(({ name }) => String(name))
      const counts = await server.sql(
        `SELECT ${names.map((name) => `(SELECT count(*) FROM "${name}")`).join(' + ')} AS rows`,
      )
      return counts[0]?.rows
    }
    const [before, kept] = [await missesOf(visitor), await rows()]
    const written = [
      (at: number) => `flood-${at}`,
      (at: number) => `FLOOD-${at}.`,
      (at: number) => `Flood${'!'.repeat(at)}`,
    ]
    for (let at = 0; at < 100; at += 1) {
      for (const path of written) expect((await visitor.fetch(`/l/${path(at)}`)).status).toBe(404)
    }
    expect((await missesOf(visitor)) - before).toBe(3 * 100)
    expect((await visitor.fetch(`/l/${slug.toUpperCase()}`)).status).toBe(307)
    expect((await missesOf(visitor)) - before).toBe(3 * 100 + 1)
    expect(await rows()).toBe(kept)
  } finally {
    await server.stop()
  }
})

test('what another process has closed is told of by none, even while this one still has it cached', async () => {
  const writer = await startInProcess()
  const reader = await startInProcess({ DATABASE_URL: `file:${writer.database}` })
  try {
    const owner = await newPerson(writer)
    const stranger = new Visitor(reader)
    const paths = ['.json', '.md', '/feed', '/bookmarks.html', '']
    for (const path of paths) {
      const { slug } = await owner.makeBundle({ title: 'Open to all' })
      // Shown once, a launcher is kept without what it was made from.
      await stranger.fetch(`/l/${slug}`, { headers: { 'accept-encoding': 'identity' } })
      const closed = { access: 'members', title: 'Very secret', urls: ['https://hidden.example/'] }
      expect((await owner.api('PATCH', `/api/links/${slug}`, closed)).status).toBe(200)
      const told = await stranger.fetch(`/l/${slug}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      expect([path, (await told.text()).match(/Very secret|hidden\.example/)]).toEqual([path, null])
    }
  } finally {
    await reader.stop()
    await writer.stop()
  }
})
