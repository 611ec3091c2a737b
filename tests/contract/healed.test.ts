import { expect, test } from 'bun:test'
import { Documented } from '../openapi/document.ts'
import { newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const URLS = ['https://a.example/', 'https://b.example/']
/** Long enough for versions to store it once, in a part. */
const NOTE = 'x'.repeat(400)

onEveryTarget({}, (at) => {
  test('metadata that was stored as a list, when that was accepted, reads as an object everywhere', async () => {
    const documented = await Documented.of(at())
    const ann = await newPerson(at())
    const urls = [...URLS, 'https://c.example/', 'https://d.example/']
    const urlMetadata = [{ tags: ['odd'] }, { note: NOTE }, { note: NOTE }, { note: NOTE }]
    const { slug } = await ann.makeBundle({ urls, urlMetadata })
    await ann.api('PATCH', `/api/links/${slug}`, { urls: URLS, urlMetadata: [{ tags: ['odd'] }, { note: 'x' }] })
    const proposed = { urls: URLS, urlMetadata: [{ tags: ['odd'] }, { note: 'y' }] }
    const proposal = await ann.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, proposed)
    const places = [
      ['bundles', 'url_metadata'],
      ['bundle_versions', 'url_metadata'],
      ['version_parts', 'content'],
      ['proposals', 'changes'],
    ]
    for (const [table, column] of places) {
      const change = `UPDATE ${table} SET ${column} = replace(${column}, '{"tags":["odd"]}', '[]')`
      expect([table, (await at().sql(`${change} WHERE ${column} LIKE '%"odd"%' RETURNING 1`)).length > 0]).toEqual([
        table,
        true,
      ])
    }
    const read = async (below: string) => {
      const answer = await ann.fetch(`/api/links/${slug}${below}`)
      const path = `/api/links/{slug}${below.replace(proposal.body.id, '{id}')}`
      expect(await documented.wrongWith({ path, method: 'get' }, answer.clone())).toBeNull()
      return answer.text()
    }
    for (const below of ['', '/versions', `/proposals/${proposal.body.id}`])
      expect(await read(below)).not.toContain('[[]')
    for (const path of ['/api/me/export', '/api/me/links']) {
      const answer = await ann.fetch(path)
      expect(await documented.wrongWith({ path, method: 'get' }, answer)).toBeNull()
    }
    expect((await ann.fetch(`/l/${slug}`)).status).toBe(200)
    // What is written next is whole again.
    expect((await ann.api('PATCH', `/api/links/${slug}`, { title: 'Again' })).status).toBe(200)
    const [row] = await at().sql('SELECT url_metadata AS metadata FROM bundles WHERE slug = ?', [slug])
    expect(row?.metadata).toBe('[{},{"note":"x"}]')
  })
})
