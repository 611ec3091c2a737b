import { beforeEach, describe, expect, test } from 'bun:test'
import { fieldsOf } from '../form.ts'
import { actFor, newOrganization, newPerson, type Person, URL_A } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// The editor shows and edits a bundle’s ID and metadata, without a script.

interface Told {
  slug: string
  versionNumber: number
  title: string | null
  externalId: string | null
  metadata: Record<string, string> | null
}

onEveryTarget({}, (at) => {
  let ann: Person
  beforeEach(async () => {
    ann = await newPerson(at())
  })
  const make = async (more: object = {}) =>
    (await ann.api<Told>('POST', '/api/links', { urls: [URL_A], title: 'one', ...more })).body.slug
  const told = async (slug: string) => (await ann.api<Told>('GET', `/api/links/${slug}`)).body
  const page = async (slug: string) => (await ann.fetch(`/dashboard/links/${slug}`)).text()
  /** Sends the form of a bundle as a browser does, with rows of metadata in place of its own. */
  const post = (slug: string, html: string, fields: Record<string, string>, rows?: [string, string][]) => {
    const body = new URLSearchParams({ ...Object.fromEntries(fieldsOf(html, 'editor')), ...fields })
    if (rows !== undefined) {
      body.delete('metadata.key')
      body.delete('metadata.value')
      for (const [key, value] of rows) {
        body.append('metadata.key', key)
        body.append('metadata.value', value)
      }
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return ann.fetch(`/dashboard/links/${slug}`, { method: 'POST', body: body.toString(), headers })
  }

  describe('ID and metadata in the editor', () => {
    test('are folded away where both are empty, and open where they are not', async () => {
      expect(await page(await make())).toContain('<details class="own">')
      const html = await page(await make({ externalId: 'crm-1', metadata: { team: 'sales' } }))
      expect(html).toMatch(/<details class="own" open/)
      for (const shown of [`value="crm-1"`, `value="team"`, '>sales</textarea>']) expect(html).toContain(shown)
    })

    test('are saved, changed and removed', async () => {
      const slug = await make()
      const saved = await post(slug, await page(slug), { externalId: 'crm-2' }, [
        ['team', 'sales'],
        ['stage', 'won'],
        ['', ''],
      ])
      expect(saved.status).toBe(303)
      expect(await told(slug)).toMatchObject({ externalId: 'crm-2', metadata: { team: 'sales', stage: 'won' } })
      await post(slug, await page(slug), {}, [
        ['', ''],
        ['stage', 'lost'],
      ])
      expect(await told(slug)).toMatchObject({ externalId: 'crm-2', metadata: { stage: 'lost' } })
      await post(slug, await page(slug), { externalId: '' }, [['', '']])
      expect(await told(slug)).toMatchObject({ externalId: null, metadata: null })
    })

    test('a form without them leaves them, and so does one that did not touch them', async () => {
      const slug = await make({ externalId: 'crm-3', metadata: { a: '1' } })
      const { versionNumber } = await told(slug)
      await ann.form(`/dashboard/links/${slug}`, { version: String(versionNumber), url: URL_A, title: 'two' })
      expect(await told(slug)).toMatchObject({ title: 'two', externalId: 'crm-3', metadata: { a: '1' } })
      const html = await page(slug)
      await ann.api('PATCH', `/api/links/${slug}`, { metadata: { a: '2' } })
      const { versionNumber: now } = await told(slug)
      await post(slug, html, { title: 'three', version: String(now) }, [
        ['a', '1'],
        ['', ''],
      ])
      expect(await told(slug)).toMatchObject({ title: 'three', externalId: 'crm-3', metadata: { a: '2' } })
    })

    test('what is wrong stands beside its field, and nothing is lost', async () => {
      await make({ externalId: 'taken' })
      const slug = await make()
      const taken = await post(slug, await page(slug), { externalId: 'taken' })
      expect(taken.status).toBe(409)
      expect(await taken.text()).toMatch(/id="externalId-error">Another of your bundles has this ID/)
      const unfit = await (
        await post(slug, await page(slug), {}, [
          ['fine', '1'],
          ['not fine', '2'],
        ])
      ).text()
      expect(unfit).toMatch(/id="metadata\.1-error">/)
      expect(unfit).toContain('value="not fine"')
      const twice = await post(slug, await page(slug), {}, [
        ['same', '1'],
        ['same', '2'],
      ])
      expect(twice.status).toBe(400)
      expect(await twice.text()).toMatch(/id="metadata\.1-error">This must be different from the key of entry 1\./)
      const many = Array.from({ length: 51 }, (_, n): [string, string] => [`k${n}`, 'v'])
      expect(await (await post(slug, await page(slug), {}, many)).text()).toMatch(/id="metadata-error">/)
      expect(await told(slug)).toMatchObject({ externalId: null, metadata: null })
    })

    test('neither a new bundle nor a copy has fields for them: they are given once it is saved', async () => {
      const original = await make({ externalId: 'crm-8', metadata: { team: 'sales' } })
      for (const path of ['new', `new?from=${original}`]) {
        const html = await page(path)
        expect(html).toContain('<form')
        expect(html).not.toMatch(/name="(?:externalId|metadata\.key)"|crm-8|sales/)
      }
    })

    test('rows are added and removed by buttons', async () => {
      const slug = await make({ metadata: { a: '1', b: '2' } })
      const rows: [string, string][] = [
        ['a', '1'],
        ['b', '2'],
        ['', ''],
      ]
      const keysOf = (html: string) => [...html.matchAll(/name="metadata\.key" value="([^"]*)"/g)].map(([, key]) => key)
      const removed = await (await post(slug, await page(slug), { do: 'drop-0' }, rows)).text()
      expect(keysOf(removed)).toEqual(['b', ''])
      const added = await (
        await post(slug, await page(slug), { do: 'entry' }, [...rows.slice(0, 2), ['c', '3']])
      ).text()
      expect(keysOf(added)).toEqual(['a', 'b', 'c', ''])
      expect(await told(slug)).toMatchObject({ metadata: { a: '1', b: '2' } })
    })

    test('members who cannot edit read them, and suggestions have no fields for them', async () => {
      const viewer = await newPerson(at())
      const team = await newOrganization(ann, [[viewer, 'viewer']])
      await actFor(ann, team.id)
      const slug = await make({ externalId: 'crm-9', metadata: { team: 'sales' } })
      await actFor(viewer, team.id)
      const read = await (await viewer.fetch(`/dashboard/links/${slug}`)).text()
      for (const text of ['ID and metadata', 'crm-9', 'team', 'sales']) expect(read).toContain(text)
      expect(await (await viewer.fetch(`/dashboard/links/${slug}/suggest`)).text()).not.toContain('metadata.key')
    })
  })
})
