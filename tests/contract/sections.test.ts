import { beforeAll, expect, test } from 'bun:test'
import { confirmImport, fieldsIn, multipart } from '../form.ts'
import { type BundleBody, newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'

const url = (at: number) => `https://host-${at}.example/`
const URLS = Array.from({ length: 5 }, (_, at) => url(at))
/** Two links before the first section, and one name twice, apart. */
const SECTIONS = [undefined, 'Before', 'Before', 'After <b>', 'Before']
const METADATA = SECTIONS.map((section) => (section === undefined ? {} : { section }))

interface Told extends BundleBody {
  error: string
  code: string
  matchedRuleName: string | null
  tabs: { url: string; section?: string }[]
}

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const made = async (fields: object = {}) =>
    (await owner.makeBundle({ urls: URLS, urlMetadata: METADATA, ...fields })).slug
  const read = async (slug: string) => (await owner.api<Told>('GET', `/api/links/${slug}`)).body
  const sectionsOf = ({ urlMetadata }: Told) => urlMetadata.map(({ section }) => section)
  const page = async (slug: string, by: Visitor = new Visitor(at())) => (await by.fetch(`/l/${slug}`)).text()
  const headingsOf = (html: string) => [...html.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, text]) => text)

  test('sections survive create, edit, copy and restore, and are found', async () => {
    const slug = await made()
    expect(sectionsOf(await read(slug))).toEqual(SECTIONS)
    const turned = URLS.toReversed()
    await owner.api('PATCH', `/api/links/${slug}`, { urls: turned })
    expect(sectionsOf(await read(slug))).toEqual(SECTIONS.toReversed())
    await owner.api('POST', `/api/links/${slug}/versions/1/restore`)
    expect(sectionsOf(await read(slug))).toEqual(SECTIONS)
    const { body } = await owner.api<Told>('POST', `/api/links/${slug}/duplicate`, {})
    expect(sectionsOf(await read(body.slug))).toEqual(SECTIONS)
    const found = await owner.api<{ bundles: { slug: string }[] }>('GET', '/api/me/links?q=after%20%3Cb%3E')
    expect(found.body.bundles.map((bundle) => bundle.slug).sort()).toEqual([slug, body.slug].sort())
  })

  test('a section is a line of 1 to 60 characters', async () => {
    const slug = await made()
    for (const section of ['', '   ', 'x'.repeat(61), 'two\nlines', 1]) {
      const { status, body } = await owner.api<Told>('PATCH', `/api/links/${slug}`, { urlMetadata: [{ section }] })
      expect([status, body.code, body.error.split(' ')[0]]).toEqual([400, 'BAD_REQUEST', 'urlMetadata[0].section'])
    }
    const { status } = await owner.api('PATCH', `/api/links/${slug}`, { urlMetadata: [{ section: '🎉'.repeat(60) }] })
    expect(status).toBe(200)
  })

  test('a launcher has a heading and a button for each section, and stays a list without any', async () => {
    const html = await page(await made())
    expect(headingsOf(html).map((text) => text?.replace('&gt;', '>'))).toEqual(['Before', 'After &lt;b>', 'Before'])
    // A link until its script has run.
    const buttons = [...html.matchAll(/>(Open \d)<\/a>/g)].map(([, text]) => text)
    expect(buttons).toEqual(['Open 2', 'Open 1', 'Open 1'])
    expect(html.match(/<details open>/g)).toHaveLength(3)
    const plain = await page(await made({ urlMetadata: [] }))
    expect(plain).not.toMatch(/<h2|class="part/)
    expect(elementsOf(plain).filter(({ tag }) => tag === 'ol')).toHaveLength(1)
  })

  test('with more than 12 links only the first section starts open; every link is in the page', async () => {
    const many = (count: number, sections: number) =>
      made({
        urls: Array.from({ length: count }, (_, index) => url(index)),
        urlMetadata: Array.from({ length: count }, (_, index) => ({ section: `S${index % sections}` })).sort((a, b) =>
          a.section.localeCompare(b.section),
        ),
      })
    const open = async (count: number, sections: number) => {
      const html = await page(await many(count, sections))
      expect(html.match(/class="tab"/g)).toHaveLength(count)
      return [...html.matchAll(/<details( open)?>/g)].map(([, open]) => open !== undefined)
    }
    expect(await open(13, 3)).toEqual([true, false, false])
    expect(await open(12, 3)).toEqual([true, true, true])
    expect(await open(13, 2)).toEqual([true, false])
  })

  test('a rule’s tabs have sections of their own', async () => {
    const tabs = [{ url: url(7), section: 'Ruled' }, { url: url(8) }]
    const rules = [{ name: 'Signed in', when: { op: 'signedIn' }, tabs }]
    const slug = await made({ resolutionPolicy: { version: 1, rules } })
    expect(headingsOf(await page(slug, owner))).toEqual(['Ruled'])
    const preview = (viewer: object) => owner.api<Told>('POST', `/api/links/${slug}/policy/preview`, { viewer })
    expect((await preview({ signedIn: true })).body.tabs).toEqual(tabs)
    expect((await preview({})).body.tabs.map(({ section }) => section)).toEqual(SECTIONS)
  })

  test('the bookmarks file has a folder for each section', async () => {
    const file = await (await fetch(`${at().origin}/l/${await made()}/bookmarks.html`)).text()
    expect([...file.matchAll(/<H3>(.*?)<\/H3>/g)].map(([, name]) => name?.replace('&gt;', '>'))).toEqual([
      '5 links',
      'Before',
      'After &lt;b>',
      'Before',
    ])
    expect(file.match(/<DL>/g)).toHaveLength(file.match(/<\/DL>/g)?.length ?? 0)
  })

  test('without its script, the editor changes sections, and a moved link takes the one it comes to', async () => {
    const slug = await made({
      urls: URLS.slice(0, 4),
      urlMetadata: ['A', 'A', 'B', 'B'].map((section) => ({ section })),
    })
    const path = `/dashboard/links/${slug}`
    const fields = fieldsIn(await (await owner.fetch(path)).text())
    const press = (button: string, sent: readonly [string, string][]) =>
      owner.fetch(path, { method: 'POST', ...multipart([...sent, ['do', button]]) })
    const moved = fieldsIn(await (await press('up-3', fields)).text())
    const valuesOf = (sent: readonly [string, string][]) =>
      sent.filter(([name]) => name === 'section').map(([, value]) => value)
    expect(valuesOf(moved)).toEqual(['A', 'A', 'A', 'B'])
    expect((await press('save', moved)).status).toBe(303)
    expect(sectionsOf(await read(slug))).toEqual(['A', 'A', 'A', 'B'])
    const tooLong = moved.map(([name, value]): [string, string] => [name, name === 'section' ? 'x'.repeat(61) : value])
    const refused = await press('save', [...tooLong.filter(([name]) => name !== 'version'), ['version', '2']])
    expect([refused.status, /at most 60 characters|60 or fewer/.test(await refused.text())]).toEqual([400, true])
  })

  test('the name above a section renames it in all of its links, not while it is half typed, and never to nothing', async () => {
    const slug = await made({
      urls: URLS.slice(0, 4),
      urlMetadata: ['A', 'B', 'B', 'A'].map((section) => ({ section })),
    })
    const path = `/dashboard/links/${slug}`
    const fields = fieldsIn(await (await owner.fetch(path)).text())
    const named = async (heading: string, button: string) => {
      const sent = fields.map(([name, value]): [string, string] => [name, name === 'heading-2' ? heading : value])
      const answer = await owner.fetch(path, { method: 'POST', ...multipart([...sent, ['do', button]]) })
      const shown = fieldsIn(await answer.text())
      const valuesOf = (pattern: RegExp) => shown.filter(([name]) => pattern.test(name)).map(([, value]) => value)
      return [answer.status, valuesOf(/^section$/), valuesOf(/^heading-/)]
    }
    expect(await named('A', 'check')).toEqual([200, ['A', 'B', 'B', 'A'], ['A', 'A', 'A']])
    expect(await named('', 'check')).toEqual([200, ['A', 'B', 'B', 'A'], ['A', '', 'A']])
    expect(await named('', 'refresh')).toEqual([200, ['A', 'B', 'B', 'A'], ['A', 'B', 'A']])
    expect(await named('C', 'refresh')).toEqual([200, ['A', 'C', 'C', 'A'], ['A', 'C', 'A']])
    expect((await named('C', 'save'))[0]).toBe(303)
    expect(sectionsOf(await read(slug))).toEqual(['A', 'C', 'C', 'A'])
  })

  test('an import makes a bundle of each group, or one with sections', async () => {
    const text = '## Before\nhttps://a.example/\n## After\nhttps://b.example/'
    const first = await (await owner.form('/dashboard/links/import', { text })).text()
    expect(first).toContain('2 bundles with 2 links')
    const second = await (await owner.form('/dashboard/links/import', { text, as: 'bundles', do: 'sections' })).text()
    expect(second).toContain('1 bundle with 2 links')
    const slug = await confirmImport(owner, second, text)
    expect(sectionsOf(await read(slug))).toEqual(['Before', 'After'])
  })
})
