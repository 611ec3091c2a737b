import { beforeEach, expect, test } from 'bun:test'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { HISTORY_BYTES } from './history-bytes.ts'

/** The growth allowed in a test; storing every version separately would take more than ten times as much. */
const MOST_BYTES = 1_000_000
const EDITS = 100

interface Version {
  versionNumber: number
  urls: string[]
  title: string | null
  description: string | null
  resolutionPolicy: { rules: { name: string }[] } | null
}

/** Links of 5 KB. */
const LINKS = Array.from({ length: 25 }, (_, n) => `https://links.example/${n}/${'x'.repeat(180)}`)
const DESCRIPTION = 'é'.repeat(2000)

/** A policy of 99 KB, whose first rule has the given name. */
function policy(name: string) {
  const tabs = (rule: number) =>
    Array.from({ length: 20 }, (_, n) => ({ url: `https://tabs.example/${rule}/${n}/${'x'.repeat(205)}` }))
  const when = { op: 'equals', field: 'device', value: 'mobile' }
  const rules = Array.from({ length: 20 }, (_, rule) => ({ name: `${name} ${rule}`, when, tabs: tabs(rule) }))
  return { version: 1, rules }
}

onEveryTarget({}, (at) => {
  let ann: Person
  beforeEach(async () => {
    ann = await newPerson(at())
  })
  const large = (title: string) => ({ urls: LINKS, title, description: DESCRIPTION, resolutionPolicy: policy(title) })
  const edit = async (slug: string, changes: object) => {
    const { status, body } = await ann.api('PATCH', `/api/links/${slug}`, changes)
    expect({ status, body }).toMatchObject({ status: 200 })
  }
  const versions = async (slug: string) =>
    (await ann.api<{ versions: Version[] }>('GET', `/api/links/${slug}/versions`)).body.versions
  /** The size of the database without free pages. */
  const size = async () => {
    const [pages, free] = await Promise.all(['page_count', 'freelist_count'].map((name) => at().sql(`PRAGMA ${name}`)))
    return 4096 * (Number(pages?.[0]?.page_count) - Number(free?.[0]?.freelist_count))
  }
  const parts = (slug: string) =>
    at().sql('SELECT hash FROM version_parts WHERE bundle_id = (SELECT id FROM bundles WHERE slug = ?)', [slug])
  const counted = async () => {
    const [row] = await at().sql(
      `SELECT history_bytes AS told, ${HISTORY_BYTES} AS stored FROM owners WHERE user_id = ?`,
      [ann.userId],
    )
    return row ?? {}
  }

  test('a hundred edits of the title store a policy of 99 KB once, and every version reads in full', async () => {
    const { slug } = await ann.makeBundle(large('Version 1'))
    const before = await size()
    for (let n = 2; n <= EDITS; n += 1) await edit(slug, { title: `Version ${n}` })
    expect((await size()) - before).toBeLessThan(MOST_BYTES)
    const { body } = await ann.api<Version>('GET', `/api/links/${slug}`)
    const all = await versions(slug)
    expect(all.map(({ title }) => title)).toEqual(Array.from({ length: EDITS }, (_, n) => `Version ${EDITS - n}`))
    const { urls, description, resolutionPolicy } = body
    expect(JSON.stringify(resolutionPolicy).length).toBeGreaterThan(95_000)
    for (const version of all) expect(version).toMatchObject({ urls, description, resolutionPolicy })
    expect(await parts(slug)).toHaveLength(3)
    const { told, stored } = await counted()
    expect(told).toBe(stored)
    expect(Number(told)).toBeLessThan(420_000)
  })

  test('an old version is restored, compared and exported as saved', async () => {
    const { slug } = await ann.makeBundle(large('first'))
    await edit(slug, large('second'))
    const [second, first] = (await versions(slug)) as [Version, Version]
    expect(first.resolutionPolicy?.rules[0]?.name).toBe('first 0')
    const page = await (await ann.fetch(`/dashboard/links/${slug}/versions?from=1&to=2`)).text()
    expect(page).toContain('second 19')
    expect((await ann.api('POST', `/api/links/${slug}/versions/1/restore`)).status).toBe(200)
    const { body } = await ann.api<Version>('GET', `/api/links/${slug}`)
    const content = ({ urls, title, description, resolutionPolicy }: Version) => ({
      urls,
      title,
      description,
      resolutionPolicy,
    })
    expect(content(body)).toEqual(content(first))
    const exported = (await (await ann.fetch('/api/me/export')).json()) as { bundles: { versions: Version[] }[] }
    expect(exported.bundles[0]?.versions.map(content)).toEqual([first, second, first].map(content))
    // Two policies, and the links and description that both share.
    expect(await parts(slug)).toHaveLength(4)
  })

  test('bundles share nothing, not even within an account, and deleting one leaves nothing behind', async () => {
    const [one, other] = [await ann.makeBundle(large('same')), await ann.makeBundle(large('same'))]
    expect([await parts(one.slug), await parts(other.slug)]).toMatchObject([{ length: 3 }, { length: 3 }])
    await edit(one.slug, { resolutionPolicy: null })
    await edit(one.slug, { resolutionPolicy: null, title: 'third' })
    const remove = (slug: string, number: number) =>
      at().sql(
        'DELETE FROM bundle_versions WHERE bundle_id = (SELECT id FROM bundles WHERE slug = ?) AND version_number = ? RETURNING 1',
        [slug, number],
      )
    await remove(one.slug, 2)
    expect(await parts(one.slug)).toHaveLength(3)
    await remove(one.slug, 1)
    expect(await parts(one.slug)).toHaveLength(2)
    expect(await counted()).toMatchObject({ told: (await counted()).stored })
    expect((await versions(one.slug)).map(({ title, urls }) => [title, urls])).toEqual([['third', LINKS]])
    await at().sql('DELETE FROM bundles WHERE slug = ? RETURNING 1', [one.slug])
    expect(await counted()).toMatchObject({ told: (await counted()).stored })
    expect(await versions(other.slug)).toHaveLength(1)
    expect((await ann.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
    const [left] = await at().sql(
      'SELECT count(*) AS n FROM version_parts WHERE bundle_id NOT IN (SELECT id FROM bundles)',
    )
    expect(left?.n).toBe(0)
    expect(await at().sql('PRAGMA foreign_key_check')).toEqual([])
  })

  test('a part cannot be deleted while a version uses it', async () => {
    const { slug } = await ann.makeBundle(large('kept'))
    await expect(at().sql('DELETE FROM version_parts RETURNING 1')).rejects.toThrow('FOREIGN KEY')
    expect(await versions(slug)).toHaveLength(1)
  })

  test('a claimed bundle counts with its parts, and a small one has none', async () => {
    await ann.makeBundle()
    const { slug, claimToken } = await new Visitor(at()).makeBundle({ urls: LINKS, description: DESCRIPTION })
    expect((await ann.api('POST', '/api/claims', { token: claimToken })).status).toBe(200)
    const { told, stored } = await counted()
    expect([told, Number(told) > 9_000]).toEqual([stored, true])
    expect(await parts(slug)).toHaveLength(2)
    const small = await ann.makeBundle()
    expect(await parts(small.slug)).toEqual([])
  })
})
