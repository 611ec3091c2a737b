import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { becomes } from '../eventually.ts'
import { runOperator } from '../operator.ts'
import { arriveByMail, newPerson, URL_A, Visitor } from '../people.ts'
import { onEveryProcess } from '../targets.ts'
import { HISTORY_BYTES } from './history-bytes.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const KEPT_DAYS = 3
const newSlug = () => `erased-${crypto.randomUUID().slice(0, 8)}`
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'

onEveryProcess({ SERVICE_KEEP_DELETED_DAYS: String(KEPT_DAYS) }, (at) => {
  /** Moves the deletion of a bundle to this many milliseconds ago. */
  const deletedSince = (slug: string, ms: number) =>
    at().sql('UPDATE bundles SET deleted_at = ? WHERE slug = ? RETURNING 1', [Date.now() - ms, slug])
  const sweep = async () => {
    await at().kill()
    await at().restart()
  }
  const rowsOf = async (slug: string) => (await at().sql('SELECT id FROM bundles WHERE slug = ?', [slug])).length
  const statusOf = async (slug: string) => (await new Visitor(at()).fetch(`/l/${slug}`)).status

  test('a deleted bundle can be restored for as long as it is kept, and is then erased with all it had', async () => {
    const person = await newPerson(at())
    const [early, late] = [await person.makeBundle({ title: 'early' }), await person.makeBundle({ title: 'late' })]
    const slug = newSlug()
    await person.makeBundle({ slug, title: 'erased', description: 'd'.repeat(2000) })
    for (const title of ['second', 'third']) await person.api('PATCH', `/api/links/${slug}`, { title })
    await at().sql(
      "INSERT INTO daily_counters SELECT id, '2026-01-01', '', 5, 1 FROM bundles WHERE slug = ? RETURNING 1",
      [slug],
    )
    const id = (await at().sql('SELECT id FROM bundles WHERE slug = ?', [slug]))[0]?.id as number
    await at().sql("INSERT INTO opened_links VALUES (?, zeroblob(16), 'https://a.example/') RETURNING 1", [id])
    await at().sql("INSERT INTO daily_opens VALUES (?, '2026-01-01', zeroblob(16), 5) RETURNING 1", [id])
    for (const deleted of [early.slug, late.slug, slug]) {
      expect((await person.api('DELETE', `/api/links/${deleted}`)).status).toBe(200)
    }
    const restore = (of: string) => person.api<{ error: string }>('POST', `/api/links/${of}/restore`)
    await deletedSince(early.slug, KEPT_DAYS * DAY_MS - MINUTE_MS)
    expect((await restore(early.slug)).status).toBe(200)
    await deletedSince(late.slug, KEPT_DAYS * DAY_MS + MINUTE_MS)
    const refused = await restore(late.slug)
    expect([refused.status, refused.body.error]).toEqual([404, 'This bundle was deleted for good.'])

    await deletedSince(slug, KEPT_DAYS * DAY_MS + 61 * MINUTE_MS)
    await sweep()
    await becomes(() => rowsOf(slug), 0)
    for (const table of [
      'bundle_versions',
      'version_parts',
      'daily_counters',
      'daily_opens',
      'opened_links',
      'bundle_search',
    ]) {
      const left = await at().sql(`SELECT count(*) AS n FROM ${table} WHERE bundle_id = ?`, [id])
      expect([table, left[0]?.n]).toEqual([table, 0])
    }
    // Processes with other clocks may still restore the one that was deleted a little later.
    expect(await rowsOf(late.slug)).toBe(1)
    expect([await statusOf(early.slug), await statusOf(slug)]).toEqual([200, 404])
    const [history] = await at().sql(
      `SELECT history_bytes AS counted, ${HISTORY_BYTES} AS real FROM owners WHERE user_id = ?`,
      [person.userId],
    )
    expect(history?.counted).toBe(history?.real)

    // Its slug stays taken, without being written anywhere.
    const other = await newPerson(at())
    for (const dryRun of ['', '?dryRun=true']) {
      const taken = await other.api<{ code: string }>('POST', `/api/links${dryRun}`, { slug, urls: [URL_A] })
      expect([taken.status, taken.body.code]).toEqual([409, 'SLUG_TAKEN'])
    }
    expect(await at().sql('SELECT 1 FROM retired_slugs WHERE slug_hash = ?', [slug])).toEqual([])
  })

  test('an unclaimed bundle that nobody viewed for a year is erased; viewed and claimed ones stay', async () => {
    const visitor = new Visitor(at())
    const [unviewed, viewed, young] = [
      await visitor.makeBundle(),
      await visitor.makeBundle(),
      await visitor.makeBundle(),
    ]
    const owned = await (await newPerson(at())).makeBundle()
    const created = (days: number, slug: string) =>
      at().sql('UPDATE bundles SET created_at = ? WHERE slug = ? RETURNING 1', [Date.now() - days * DAY_MS, slug])
    for (const { slug } of [unviewed, viewed, owned]) await created(800, slug)
    await created(364, young.slug)
    const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
    const view = (slug: string, ago: number) =>
      at().sql("INSERT INTO daily_counters SELECT id, ?, '', 1, 0 FROM bundles WHERE slug = ? RETURNING 1", [
        day(ago),
        slug,
      ])
    await view(unviewed.slug, 367)
    await view(viewed.slug, 300)
    expect(await statusOf(unviewed.slug)).toBe(200)
    await sweep()
    await becomes(() => rowsOf(unviewed.slug), 0)
    const left = [viewed, young, owned].map(({ slug }) => statusOf(slug))
    expect(await Promise.all(left)).toEqual([200, 200, 200])
    // The next look is due a year after the view that was found.
    expect(await at().sql('SELECT viewed_at FROM bundles WHERE slug = ?', [viewed.slug])).toEqual([
      { viewed_at: Date.parse(day(300)) },
    ])
    expect(await statusOf(unviewed.slug)).toBe(404)
  })

  test('what is erased is in no byte of the file, its log, or a backup made afterwards', async () => {
    const server = at()
    // A libSQL server keeps logs of its own.
    if (server.token !== undefined) return
    const kinds = ['title', 'note', 'version', 'rule', 'referrer', 'account', 'owned']
    const marks = kinds.map((kind) => [kind, `${kind}-${crypto.randomUUID()}`] as const)
    const { title, note, version, rule, referrer, account, owned } = Object.fromEntries(marks)
    const stays = await newPerson(server)
    const { slug } = await stays.makeBundle({ title, urls: [URL_A], urlMetadata: [{ note }] })
    const rules = [{ name: rule, when: { op: 'equals', field: 'device', value: 'mobile' }, tabs: [{ url: URL_A }] }]
    for (const change of [{ title: version }, { resolutionPolicy: { version: 1, rules } }]) {
      expect((await stays.api('PATCH', `/api/links/${slug}`, change)).status).toBe(200)
    }
    await fetch(`${server.origin}/l/${slug}`, { headers: { 'user-agent': FIREFOX, referer: `https://${referrer}/` } })
    const leaves = await arriveByMail(server, `${account}@people.example`)
    await leaves.makeBundle({ title: owned })
    const found = () => {
      const files = server.files().map((file) => readFileSync(file))
      return marks.filter(([, mark]) => files.some((bytes) => bytes.includes(mark))).map(([kind]) => kind)
    }
    await becomes(found, kinds)

    expect((await stays.api('DELETE', `/api/links/${slug}`)).status).toBe(200)
    await deletedSince(slug, KEPT_DAYS * DAY_MS + 61 * MINUTE_MS)
    expect((await leaves.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
    await sweep()
    await becomes(found, [])
    const folder = mkdtempSync(join(tmpdir(), 'openall-erased-'))
    try {
      const copy = join(folder, 'copy.db')
      await runOperator({ database: server.database }, ['backup', copy])
      const bytes = readFileSync(copy)
      expect(marks.filter(([, mark]) => bytes.includes(mark))).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
