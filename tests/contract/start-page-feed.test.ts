import { beforeEach, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_A, URL_B, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { unescaped } from './html.ts'

let nth = 0

onEveryTarget({}, (at) => {
  let admin: Person
  let id: string
  let handle: string
  beforeEach(async () => {
    admin = await newPerson(at())
    ;({ id } = await newOrganization(admin))
    await actFor(admin, id)
    handle = `feed-${process.pid}-${(nth += 1)}`
    await admin.api('PATCH', `/api/organizations/${id}`, { handle, name: 'R&D <b>' })
  })
  const list = async (title: string, fields: object = {}) =>
    (await admin.makeBundle({ listed: true, title, ...fields })).slug
  const edit = (slug: string, fields: object) => admin.api('PATCH', `/api/links/${slug}`, fields)
  const read = async (query = '', by = new Visitor(at()), of = handle) => {
    const answer = await by.fetch(`/o/${of}/feed${query}`)
    const xml = await answer.text()
    const textsOf = (tag: string) =>
      Array.from(xml.matchAll(new RegExp(`<${tag}\\b[^>]*>([^<]*)</${tag}>`, 'g')), ([, text = '']) => unescaped(text))
    return { answer, xml, textsOf, titles: textsOf('title').slice(1) }
  }

  test('tells of the bundles that are new or changed, newest first, as text', async () => {
    const first = await list('First', { description: 'With *care* & <i>', urlMetadata: [{ tags: ['on"call'] }, {}] })
    await list('Second ]]> \uffff<script>')
    const { answer, xml, textsOf, titles } = await read()
    expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    expect([textsOf('title')[0], textsOf('name')]).toEqual(['R&D <b>', ['R&D <b>']])
    expect(titles).toEqual(['Second ]]> <script>', 'First'])
    const content = textsOf('content')[1]?.replace('&gt;', '>')
    expect(content).toBe('<p>With <em>care</em> &amp; &lt;i></p><p>2 tabs</p>')
    // Bun and Deno escape a quotation mark in two ways.
    expect(xml).toMatch(/<category term="on&(quot|#34);call"\/>/)
    expect(xml).toContain(`<link rel="self" type="application/atom+xml" href="${at().origin}/o/${handle}/feed"/>`)
    expect(xml).not.toContain('<script')
    await edit(first, { urls: [URL_A, URL_B, 'https://c.example/'] })
    const changed = await read()
    expect(changed.titles).toEqual(['First', 'Second ]]> <script>'])
    const times = changed.textsOf('updated')
    expect([times[0], times.slice(1)]).toEqual([times[1]!, times.slice(1).toSorted().toReversed()])
    // A reader shows a changed bundle again, and knows the feed by its id whatever the handle.
    expect(changed.textsOf('id')[0]).toBe(textsOf('id')[0]!)
    expect(new Set([...changed.textsOf('id'), ...textsOf('id')]).size).toBe(4)
  })

  test('does not tell of edits that the page does not show; an open bundle is new when it opens', async () => {
    const [first, second] = [await list('First'), await list('Second')]
    const before = await read()
    const etag = before.answer.headers.get('etag') ?? ''
    await edit(first, { closedNote: 'Later', externalId: 'hidden', metadata: { of: 'the owner' } })
    await edit(first, { copyable: true })
    const again = await new Visitor(at()).fetch(`/o/${handle}/feed`, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    await edit(first, { access: 'members', title: 'Not for everybody yet' })
    expect((await read()).titles).toEqual(['Second'])
    await edit(second, { opensAt: new Date(Date.now() - 1000).toISOString().replace(/\.\d+/, '') })
    await edit(first, { access: 'link', title: 'First' })
    expect((await read()).titles).toEqual(['First', 'Second'])
  })

  test('tells strangers of no edit of links that a rule may replace, save of their number', async () => {
    const rule = { name: 'all', when: { op: 'not', of: { op: 'signedIn' } }, tabs: [{ url: 'https://lobby.example/' }] }
    const slug = await list('Ruled', { resolutionPolicy: { version: 1, rules: [rule] } })
    const ids = async (by?: Visitor) => (await read('', by)).textsOf('id')
    const [theirs, ours] = [await ids(), await ids(admin)]
    // Long values are stored apart.
    const long = `https://c.example/?${'x'.repeat(1900)}`
    for (const fields of [
      { urls: ['https://c.example/', 'https://d.example/'] },
      { urls: [long, `${long}y`], urlMetadata: [{ note: 'Hidden', tags: ['hush'] }, {}] },
      { resolutionPolicy: { version: 1, rules: [{ ...rule, name: 'everybody' }] } },
    ])
      expect((await edit(slug, fields)).status).toBe(200)
    expect(await ids()).toEqual(theirs)
    expect(await ids(admin)).not.toEqual(ours)
    await edit(slug, { urls: [URL_A, URL_B, 'https://c.example/'] })
    const more = await ids()
    expect(more).not.toEqual(theirs)
    await edit(slug, { resolutionPolicy: null })
    expect(await ids()).not.toEqual(more)
  })

  test('finds by text and tag, names at most fifty, and is offered on the page that it follows', async () => {
    await list('Lunch', { urlMetadata: [{ tags: ['food'] }, {}] })
    for (let number = 1; number <= 50; number += 1) await list(`Plan ${number}`)
    expect((await read()).titles).toHaveLength(50)
    expect((await read()).titles).not.toContain('Lunch')
    for (const query of ['?tag=food', '?q=lunch', '?q=+&tag=food&cursor=x'])
      expect([query, (await read(query)).titles]).toEqual([query, ['Lunch']])
    const { status } = (await read(`?tag=${'x'.repeat(1900)}`)).answer
    expect(status).toBe(400)
    const offered = async (path: string, by = new Visitor(at())) =>
      /<link rel="alternate" type="application\/atom\+xml" href="([^"]*)"/.exec(
        await (await by.fetch(path)).text(),
      )?.[1]
    expect(await offered(`/o/${handle}?tag=food`)).toBe(`/o/${handle}/feed?tag=food`)
    expect(await offered(`/o/${handle}`, admin)).toBe(`/o/${handle}/feed`)
  })

  test('a page of which a feed reader would see nothing offers none; an error has the form that was asked for', async () => {
    await list('Inside', { access: 'members' })
    expect(await (await admin.fetch(`/o/${handle}`)).text()).not.toContain('atom+xml')
    for (const [form, type] of [
      ['/feed', 'text/plain; charset=utf-8'],
      ['.json', 'application/json; charset=utf-8'],
      ['.md', 'text/markdown; charset=utf-8'],
      ['', 'text/html; charset=utf-8'],
    ]) {
      const answer = await new Visitor(at()).fetch(`/o/${handle}${form}`)
      expect([form, answer.status, answer.headers.get('content-type')]).toEqual([form, 404, type])
    }
  })

  test('follows its organisation to a new handle', async () => {
    await list('First')
    await admin.api('PATCH', `/api/organizations/${id}`, { handle: `${handle}-next` })
    const answer = await new Visitor(at()).fetch(`/o/${handle}/feed?tag=x`)
    expect([answer.status, answer.headers.get('location')]).toEqual([307, `/o/${handle}-next/feed?tag=x`])
  })
})
