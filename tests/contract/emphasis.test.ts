import { beforeAll, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { unescaped } from './html.ts'

// Descriptions and notes may stress words; everything else in them is text.

const DESCRIPTION =
  'Until **Thursday**, *please*: ***all*** of {who}\nand <b> 2*3*4 * 5 * snake_case **no\nend** https://a.example/*x*'
const NOTE = 'Read **this** first\n*then* that of **{who}**'
const BUNDLE = {
  title: '**Not** in titles',
  description: DESCRIPTION,
  urls: ['https://crm.example/{who}'],
  urlMetadata: [{ note: NOTE }],
  variables: [{ name: 'who' }],
}

onEveryTarget({}, (at) => {
  let owner: Person
  let slug: string
  beforeAll(async () => {
    owner = await newPerson(at())
    slug = (await owner.makeBundle(BUNDLE)).slug
  })
  const read = async (below: string) =>
    (await new Visitor(at(), { accept: 'text/html' }).fetch(`/l/${slug}${below}`)).text()
  const partOf = (html: string, tag: string, name: string) =>
    new RegExp(`<${tag} class="${name}"[^>]*>(.*?)</${tag}>`, 's')
      .exec(html)?.[1]
      ?.replace(/<bdi[^>]*>|<\/bdi>/g, '')
      .replaceAll('&gt;', '>')
  const inHtml = (who: string) =>
    `Until <strong>Thursday</strong>, <em>please</em>: <strong><em>all</em></strong> of ${who}\nand &lt;b> 2*3*4 * 5 * snake_case **no\nend** https://a.example/*x*`

  test.each([
    ['', '{who}'],
    ['/ann', 'ann'],
    ['?who=**ann**', '**ann**'],
    ['?who=*', '*'],
  ])('on the page at /l/x%s, whose values stress nothing', async (below, who) => {
    for (const _ of ['rendered', 'kept']) {
      const page = await read(below)
      expect(partOf(page, 'p', 'description')).toBe(inHtml(who))
      expect(partOf(page, 'span', 'name')).toBe('Read <strong>this</strong> first')
      expect(partOf(page, 'p', 'note')).toBe(`<em>then</em> that of <strong>${who}</strong>`)
      expect(page).toContain('**Not** in titles')
      expect(page).toMatch(/<meta name="description" content="Until Thursday, please: all of …/)
    }
  })

  test('in the editor’s preview as on the page', async () => {
    const body = new URLSearchParams({
      title: '',
      description: DESCRIPTION,
      url: 'https://crm.example/',
      note: NOTE,
      tags: '',
      openPolicy: 'auto',
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const path = '/dashboard/links/new/preview'
    const html = await (await owner.fetch(path, { method: 'POST', body: body.toString(), headers })).text()
    expect(partOf(html, 'p', 'description')).toBe(inHtml('{who}'))
    expect(partOf(html, 'span', 'name')).toBe('Read <strong>this</strong> first')
  })

  test('for members who may only read, in versions and in suggestions, where no asterisks are left', async () => {
    const [admin, viewer] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(admin, [[viewer, 'viewer']])
    await actFor(admin, id)
    const { slug } = await admin.makeBundle({
      description: 'Until **Thursday** at noon, all of it',
      urls: ['https://crm.example/'],
      urlMetadata: [{ note: 'Read **this** first\n*then* that' }],
    })
    const shown = async (path: string, by: Person) => {
      const html = await (await by.fetch(`/dashboard/links/${slug}${path}`)).text()
      const main = html.slice(html.indexOf('<main'))
      expect(main).not.toMatch(/\*\*|\*then/)
      return main
    }
    const read = await shown('', viewer)
    for (const text of ['<strong>Thursday</strong>', '<strong>this</strong>', '<em>then</em> that'])
      expect(read).toContain(text)
    const change = {
      description: 'Until **Friday** at noon, *all* of it',
      setMetadata: { 'https://crm.example/': { note: 'Read **that** first\n*then* this' } },
    }
    const made = await viewer.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, change)
    expect(made.status).toBe(201)
    const marked = [/<del><strong>Thursday ?<\/strong>/, /<ins><strong>Friday ?<\/strong>/, /<ins>.*<em>all<\/em>/]
    const proposed = await shown(`/proposals/${made.body.id}`, admin)
    for (const text of marked) expect(proposed).toMatch(text)
    expect((await admin.api('POST', `/api/links/${slug}/proposals/${made.body.id}/accept`)).status).toBe(200)
    const versions = await shown('/versions', admin)
    for (const text of marked) expect(versions).toMatch(text)
  })

  test('in .md, where whatever else could be markup is text', async () => {
    const text = await read('.md?who=**ann**')
    const [, first, second, third] = /^# .*\n\n(.*) {2}\n(.*) {2}\n(.*)\n/.exec(text) ?? []
    expect(first).toBe('Until **Thursday**, *please*: ***all*** of \\*\\*ann\\*\\*')
    expect(second).toBe('and \\<b> 2\\*3\\*4 \\* 5 \\* snake\\_case \\*\\*no')
    expect(third).toBe('end\\*\\* https\\://a.example/\\*x\\*')
    expect(text).toContain(': Read **this** first  \n  *then* that of **\\*\\*ann\\*\\***\n')
  })

  test('in the feed, as HTML', async () => {
    const feed = await read('/feed')
    const subtitle = unescaped(/<subtitle type="html">(.*?)<\/subtitle>/s.exec(feed)?.[1] ?? '')
    expect(subtitle.replaceAll('&gt;', '>')).toBe(inHtml('{who}').replaceAll('\n', '<br>'))
    expect(unescaped(feed)).toContain(
      'Read <strong>this</strong> first<br><em>then</em> that of <strong>{who}</strong>',
    )
  })

  test('programs get what was written', async () => {
    const told = JSON.parse(await read('.json?who=ann'))
    expect(told).toMatchObject({
      description: DESCRIPTION.replace('{who}', 'ann'),
      tabs: [{ note: NOTE.replace('{who}', 'ann') }],
    })
  })

  test('the editor says so beside the field', async () => {
    const page = await (await owner.fetch(`/dashboard/links/${slug}`)).text()
    expect(page).toMatch(
      /<label class="visually-hidden" for="description">Description, with \*\*bold\*\* and \*italic\*</,
    )
    expect(page).toContain('placeholder="Add a description: **bold**, *italic*"')
  })

  test('reading takes a time that grows with the length alone', async () => {
    const description = ['*a '.repeat(160), '**'.repeat(240), `*${' '.repeat(480)}`].map((text) => text.slice(0, 500))
    for (const text of description) {
      const made = await owner.makeBundle({ urls: ['https://a.example/'], description: text })
      const page = await (await new Visitor(at(), { accept: 'text/html' }).fetch(`/l/${made.slug}`)).text()
      expect(page).not.toMatch(/<em>|<strong>/)
    }
  })
})
