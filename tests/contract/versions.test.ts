import { beforeAll, describe, expect, test } from 'bun:test'
import { addMember, newOrganization, newPerson, type Person, PLAIN, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'

onEveryTarget({}, (server) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(server())
  })

  /** A bundle with this many versions, titled by their numbers. */
  async function history(versions: number, by: Visitor = owner): Promise<string> {
    const { slug } = await by.makeBundle({ title: 'Version 1' })
    for (let n = 2; n <= versions; n += 1) await by.api('PATCH', `/api/links/${slug}`, { title: `Version ${n}` })
    return slug
  }

  const page = async (path: string, by: Visitor = owner) => {
    const answer = await by.fetch(path)
    return { status: answer.status, html: await answer.text() }
  }

  describe('GET /api/links/:slug/versions', () => {
    const listed = async (slug: string, query: string) =>
      (await owner.api<{ versions: { versionNumber: number }[] }>('GET', `/api/links/${slug}/versions${query}`)).body
        .versions

    test('lists all, or a limited number from an offset', async () => {
      const slug = await history(5)
      const numbers = async (query: string) => (await listed(slug, query)).map(({ versionNumber }) => versionNumber)
      expect(await numbers('')).toEqual([5, 4, 3, 2, 1])
      expect(await numbers('?limit=2')).toEqual([5, 4])
      expect(await numbers('?limit=2&before=4')).toEqual([3, 2])
      expect(await numbers('?before=2')).toEqual([1])
      expect(await numbers('?before=1')).toEqual([])
      expect(await numbers('?limit=100&before=900')).toEqual([5, 4, 3, 2, 1])
    })

    test('reveals no name or address of the editor', async () => {
      const [version] = await listed(await history(1), '')
      const own = ['editedAt', 'editedByIdentityUserId', 'proposedBy', 'versionNumber']
      const content = ['urls', 'urlMetadata', ...Object.keys(PLAIN), 'resolutionPolicy']
      expect(Object.keys(version ?? {}).sort()).toEqual([...own, ...content].sort())
    })

    for (const query of ['limit=0', 'limit=101', 'limit=1.5', 'limit=all', 'before=0', 'before=x', 'after=1']) {
      test(`refuses ${query}`, async () => {
        const slug = await history(1)
        const answer = await owner.api('GET', `/api/links/${slug}/versions?${query}`)
        expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
      })
    }
  })

  describe('the history on the dashboard', () => {
    test('is refused to strangers, and signed-out people go to sign in', async () => {
      const slug = await history(1)
      const stranger = await newPerson(server())
      expect((await page(`/dashboard/links/${slug}/versions`, stranger)).status).toBe(403)
      const answer = await fetch(`${server().origin}/dashboard/links/${slug}/versions`, { redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        `/sign-in?next=${encodeURIComponent(`/dashboard/links/${slug}/versions`)}`,
      ])
    })

    test('of a missing or deleted bundle is not found', async () => {
      const slug = await history(1)
      await owner.api('DELETE', `/api/links/${slug}`)
      expect((await page(`/dashboard/links/${slug}/versions`)).status).toBe(404)
      expect((await page('/dashboard/links/nothing-here/versions')).status).toBe(404)
    })

    test('reports an invalid comparison, and lists the versions to choose from', async () => {
      const slug = await history(3)
      for (const [from, to] of [
        ['0', '2'],
        ['1', '4'],
        ['<b>"', '1e3'],
        ['99999999999999999999', '1'],
        ['1', ''],
      ] as const) {
        const query = new URLSearchParams({ from, to })
        const { status, html } = await page(`/dashboard/links/${slug}/versions?${query}`)
        expect(status).toBe(400)
        const ids = elementsOf(html).map(({ attributes }) => attributes.id)
        expect(ids).toContain('alert')
        expect(ids).toContain('dot-3')
        expect(html).toContain('This bundle has versions 1 to 3.')
      }
    })

    test('refuses an invalid page', async () => {
      const slug = await history(1)
      expect((await page(`/dashboard/links/${slug}/versions?before=x`)).status).toBe(400)
      expect((await page(`/dashboard/links/${slug}/versions?version=x`)).status).toBe(200)
    })

    test('shows each role what it may do, and refuses forced requests', async () => {
      const admin = await newPerson(server())
      const [viewer, editor] = [await newPerson(server()), await newPerson(server())]
      const { id } = await newOrganization(admin)
      const slug = await history(2, admin)
      await addMember(admin, id, viewer, 'viewer')
      await addMember(admin, id, editor, 'editor')
      // Neither acts for the organisation: the role over the bundle is what counts.
      const restorable = async (by: Visitor) =>
        (await page(`/dashboard/links/${slug}/versions?version=1`, by)).html.includes('/versions/1/restore')
      expect([await restorable(viewer), await restorable(editor), await restorable(admin)]).toEqual([false, true, true])
      const forced = await viewer.form(`/dashboard/links/${slug}/versions/1/restore`, { expectedVersion: '2' })
      expect([forced.status, await forced.text()]).toEqual([
        403,
        expect.stringContaining('You need the editor role to do this'),
      ])
    })
  })

  describe('restoring on the dashboard', () => {
    const restore = (slug: string, version: string, fields: Record<string, string>) =>
      owner.form(`/dashboard/links/${slug}/versions/${version}/restore`, fields)
    const titles = async (slug: string) =>
      (await owner.api<{ versions: { title: string }[] }>('GET', `/api/links/${slug}/versions`)).body.versions.map(
        ({ title }) => title,
      )

    test('saves a new version equal to the old one', async () => {
      const slug = await history(3)
      const answer = await restore(slug, '1', { expectedVersion: '3' })
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        `/dashboard/links/${slug}/versions?notice=reverted&slug=${slug}&version=4`,
      ])
      expect(await titles(slug)).toEqual(['Version 1', 'Version 3', 'Version 2', 'Version 1'])
    })

    test('changes nothing if the bundle changed meanwhile, and shows what was saved', async () => {
      const slug = await history(2)
      await owner.api('PATCH', `/api/links/${slug}`, { urls: ['https://c.example/'] })
      const answer = await restore(slug, '1', { expectedVersion: '2' })
      const html = await answer.text()
      expect(answer.status).toBe(412)
      expect(html).toContain('Nothing was restored: version 3 was saved in the meantime.')
      expect(html).toContain('c.example')
      expect(await titles(slug)).toEqual(['Version 2', 'Version 2', 'Version 1'])
    })

    for (const fields of [{}, { expectedVersion: '' }, { expectedVersion: '-1' }, { expectedVersion: '2x' }]) {
      test(`is refused with ${JSON.stringify(fields)} as the version that was read`, async () => {
        const slug = await history(2)
        expect((await restore(slug, '1', fields as Record<string, string>)).status).toBe(400)
        expect(await titles(slug)).toHaveLength(2)
      })
    }

    test('is refused for an invalid version, and by a GET', async () => {
      const slug = await history(2)
      expect((await restore(slug, '7', { expectedVersion: '2' })).status).toBe(404)
      expect((await restore(slug, 'x', { expectedVersion: '2' })).status).toBe(400)
      const answer = await owner.fetch(`/dashboard/links/${slug}/versions/1/restore`)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    })
  })

  test('an address that says something was done offers undoing only if this service signed it', async () => {
    const slug = await history(1)
    for (const query of ['slug=..%2F..%2Fx&version=2', 'slug=%22%3E%3Cscript%3E&version=2', `slug=${slug}&version=x`]) {
      const { html } = await page(`/dashboard/links/${slug}/versions?notice=reverted&${query}`)
      expect(html).toContain('The earlier version is back')
      expect(html).not.toContain('>Undo<')
      expect(html).not.toContain('"><script>')
    }
  })
})
