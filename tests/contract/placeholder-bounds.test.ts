import { beforeAll, expect, test } from 'bun:test'
import { fieldsIn, multipart } from '../form.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { unescaped } from './html.ts'

// How many placeholders texts and links may have: each may become a value of 200 characters, shown several times.

interface Told {
  slug: string
  versionNumber: number
  title: string
  code: string
  error: string
}

const X = { name: 'x' }
const times = (count: number, name = 'x') => `{${name}}`.repeat(count)
const when = { op: 'exists', field: 'language' }
const rule = (name: string, ...tabs: { url: string; note?: string; section?: string }[]) => ({ name, when, tabs })
const policy = (...rules: ReturnType<typeof rule>[]) => ({ version: 1, rules })
const links = (count: number, placeholders: number) =>
  Array.from({ length: count }, (_, at) => `https://a.example/${at}/${times(placeholders)}`)

/** Content with too many placeholders, and the path of what is wrong with it. */
const OVERFULL: [what: string, fields: Record<string, unknown>, path: string][] = [
  ['a title', { title: times(11) }, 'title'],
  ['a description', { description: `${times(11)}\n` }, 'description'],
  ['a link', { urls: ['https://b.example/', `https://a.example/${times(11)}`] }, 'urls[1]'],
  ['a note', { urlMetadata: [{ note: times(11) }] }, 'urlMetadata[0].note'],
  ['a section', { urlMetadata: [{ section: times(11) }] }, 'urlMetadata[0].section'],
  [
    'a rule’s link',
    { resolutionPolicy: policy(rule('A', { url: `https://a.example/${times(11)}` })) },
    'resolutionPolicy.rules[0].tabs[0].url',
  ],
  [
    'a rule’s note',
    { resolutionPolicy: policy(rule('A', { url: 'https://a.example/', note: times(11) })) },
    'resolutionPolicy.rules[0].tabs[0].note',
  ],
  ['a bundle with its title', { title: times(1), urls: links(10, 10) }, 'variables'],
  [
    'a bundle with its notes',
    { urls: links(9, 10), urlMetadata: [{ note: times(10) }, { section: 'x{x}' }] },
    'variables',
  ],
  [
    'the tabs of a rule with the description',
    {
      description: times(1),
      resolutionPolicy: policy(
        rule('A', { url: 'https://b.example/' }),
        rule('B', ...links(10, 10).map((url) => ({ url }))),
      ),
    },
    'resolutionPolicy.rules[1].tabs',
  ],
]

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const create = (fields: object) => owner.api<Told>('POST', '/api/links', { urls: ['https://a.example/'], ...fields })
  const patch = (slug: string, fields: object) => owner.api<Told>('PATCH', `/api/links/${slug}`, fields)
  const read = async (slug: string) => (await owner.api<Told>('GET', `/api/links/${slug}`)).body

  test.each(OVERFULL)(
    '%s with too many is refused, whichever comes later, the variable or the text',
    async (_, fields, path) => {
      const words =
        path === 'variables' || path.endsWith('tabs') ? 'at most 100 placeholders' : 'at most 10 placeholders'
      const { body: plain } = await create({ variables: [X] })
      const { body: text } = await create(fields)
      expect(text.slug).toBeString()
      for (const { status, body } of [
        await create({ ...fields, variables: [X] }),
        await patch(plain.slug, fields),
        await patch(text.slug, { variables: [X] }),
        await create({ ...fields, variables: [X], dryRun: true }),
      ]) {
        expect([status, body.code]).toEqual([400, path.startsWith('urls') ? 'INVALID_URLS' : 'BAD_REQUEST'])
        expect(body.error).toStartWith(`${path} must have ${words}`)
      }
      expect((await read(text.slug)).versionNumber).toBe(1)
      // Other names in braces are text.
      expect((await create({ ...fields, variables: [{ name: 'y' }] })).status).toBe(201)
    },
  )

  test('at both bounds everything is saved, for each rule anew, and filled in', async () => {
    const fields = {
      title: times(5),
      description: `${times(4)}${times(1, 'y')}`,
      urls: links(9, 10),
      variables: [X, { name: 'y', default: 'all' }],
      resolutionPolicy: policy(
        rule('A', ...links(9, 10).map((url) => ({ url }))),
        rule('B', ...links(5, 10).map((url) => ({ url, note: times(8) }))),
      ),
    }
    const { status, body } = await create(fields)
    expect(status).toBe(201)
    const told = await new Visitor(at()).api<{ title: string; tabs: { url: string }[] }>(
      'GET',
      `/l/${body.slug}.json?x=1`,
    )
    expect([told.body.title, told.body.tabs[8]?.url]).toEqual(['11111', `https://a.example/8/${'1'.repeat(10)}`])
  })

  test('a filled page is bounded, whatever is filled in', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const { body } = await create({
      title: times(10, 'a'),
      description: times(10, 'b'),
      urls: Array.from({ length: 25 }, (_, link) => `https://a.example/${link}`),
      urlMetadata: Array.from({ length: 8 }, (_, link) => ({ note: times(10, names[link % 5]) })),
      variables: names.map((name) => ({ name })),
    })
    const page = async (value: string) => {
      const query = new URLSearchParams(names.map((name) => [name, value]))
      const answer = await new Visitor(at()).fetch(`/l/${body.slug}?${query}`, { headers: { accept: 'text/html' } })
      const html = await answer.text()
      expect(html).toContain('class="value"')
      return Buffer.byteLength(html)
    }
    const least = await page('1')
    for (const value of ['"'.repeat(200), '漢'.repeat(200), '😀'.repeat(200), '&'.repeat(200)]) {
      expect((await page(value)) - least).toBeLessThan(300_000)
    }
  })

  test('proposing too many is refused, and accepting looks at what becomes of the bundle', async () => {
    const { body: made } = await create({ title: times(10), urls: links(8, 10), variables: [X] })
    const propose = (fields: object) =>
      owner.api<{ id: string } & Told>('POST', `/api/links/${made.slug}/proposals`, fields)
    const refused = await propose({ description: times(11) })
    expect([refused.status, refused.body.error.split(' ')[0]]).toEqual([400, 'description'])
    const { status, body: proposal } = await propose({ description: times(10) })
    expect(status).toBe(201)
    expect((await patch(made.slug, { urls: links(9, 10) })).status).toBe(200)
    const accept = () => owner.api<Told>('POST', `/api/links/${made.slug}/proposals/${proposal.id}/accept`, {})
    const accepted = await accept()
    expect([accepted.status, accepted.body.error.split(' ')[0]]).toEqual([400, 'variables'])
    expect((await read(made.slug)).versionNumber).toBe(2)
    expect((await patch(made.slug, { urls: links(8, 10) })).status).toBe(200)
    expect((await accept()).status).toBe(200)
  })

  test('an old version with too many is not restored', async () => {
    const { body: made } = await create({ variables: [X] })
    await patch(made.slug, { title: 'Newer' })
    await at().sql(
      'UPDATE bundle_versions SET title = ? WHERE version_number = 1 AND bundle_id = (SELECT id FROM bundles WHERE slug = ?)',
      [times(11), made.slug],
    )
    const { status, body } = await owner.api<Told>('POST', `/api/links/${made.slug}/versions/1/restore`)
    expect([status, body.code, body.error.split(' ')[0]]).toEqual([400, 'BAD_REQUEST', 'title'])
    expect(await read(made.slug)).toMatchObject({ versionNumber: 2, title: 'Newer' })
  })

  /** Sends a page’s form as a browser without JavaScript does, with some fields changed. */
  const send = async (path: string, form: string, changed: Record<string, string>, button: string) => {
    const fields = fieldsIn(form).map(([name, value]): [string, string] => [name, changed[name] ?? value])
    const answer = await owner.fetch(path, { method: 'POST', ...multipart([...fields, ['do', button]]) })
    return { status: answer.status, html: unescaped(await answer.text()) }
  }
  const formAt = async (path: string, id: string) => {
    const html = await (await owner.fetch(path)).text()
    return html.slice(html.lastIndexOf('<', html.indexOf(`id="${id}"`)))
  }

  test('the editor says which text has too many, or that there are too many in all, and keeps what was typed', async () => {
    const { body: made } = await create({ title: 'Of {x}', urls: links(9, 10), variables: [X] })
    const path = `/dashboard/links/${made.slug}`
    const form = await formAt(path, 'title')
    const titled = await send(path, form, { title: times(11) }, 'save')
    expect([titled.status, titled.html.includes('This must have at most 10 placeholders')]).toEqual([400, true])
    expect(titled.html).toContain(`value="${times(11)}"`)
    const filled = await send(path, form, { title: times(10), description: times(1) }, 'save')
    expect([filled.status, filled.html.includes('must have at most 100 placeholders')]).toEqual([400, true])
    expect((await send(path, form, { title: times(10) }, 'save')).status).toBe(303)
  })

  test('the page of rules says which tab has too many, or which rule in all', async () => {
    const { body: made } = await create({
      variables: [X],
      resolutionPolicy: policy(rule('A', ...links(10, 9).map((url) => ({ url })))),
    })
    const path = `/dashboard/links/${made.slug}/policy`
    const opened = await send(path, await formAt(path, 'policy'), {}, 'rule.open 0')
    const form = opened.html.slice(opened.html.indexOf('id="policy"'))
    const save = (changed: Record<string, string>) => send(path, form, changed, 'save')
    const tab = await save({ 'rules.0.tabs.3.url': `https://a.example/${times(11)}` })
    expect([tab.status, tab.html.includes('must have at most 10 placeholders')]).toEqual([400, true])
    const all = await save(Object.fromEntries([0, 1].map((at) => [`rules.0.tabs.${at}.note`, times(6)])))
    expect([all.status, all.html.includes('must have at most 100 placeholders')]).toEqual([400, true])
    expect((await save({ 'rules.0.tabs.0.note': times(6) })).status).toBe(303)
  })

  test('an import says which bundle has too many before it makes any', async () => {
    const bundles = [
      { title: 'Fine', urls: ['https://a.example/'] },
      { title: 'Overfull', urls: links(11, 10), variables: [X] },
    ]
    const fresh = await newPerson(at())
    const sendImport = async (fields: [string, string][]) => {
      const path = '/dashboard/links/import'
      const answer = await fresh.fetch(path, { method: 'POST', ...multipart(fields) })
      return { status: answer.status, html: unescaped(await answer.text()) }
    }
    const text = JSON.stringify({ bundles })
    const read = await sendImport([
      ['text', text],
      ['do', 'read'],
    ])
    const kept = fieldsIn(read.html.slice(read.html.indexOf('<main')))
    const made = await sendImport([...kept.filter(([name]) => name !== 'text'), ['text', text], ['do', 'make']])
    expect([made.status, made.html.includes('must have at most 100 placeholders')]).toEqual([400, true])
    const { body } = await fresh.api<{ bundles: Told[] }>('GET', '/api/me/links')
    expect(body.bundles).toEqual([])
  })
})
