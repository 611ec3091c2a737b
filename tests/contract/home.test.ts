import { expect, test } from 'bun:test'
import { elementsOf, unescaped } from './html.ts'
import { countBundles, onEveryRuntime, storedBundle, submit } from './support.ts'

/** The value of each field of the page's form, in order, as a browser would send it again. */
function fieldsOf(html: string): [string, string][] {
  const inputs = elementsOf(html)
    .filter(({ tag, attributes }) => tag === 'input' && attributes.name !== undefined)
    .map(({ attributes }): [string, string] => [attributes.name!, attributes.value ?? ''])
  const areas = [...html.matchAll(/<textarea[^>]* name="(\w+)"[^>]*>([^<]*)<\/textarea>/g)]
  return [...inputs, ...areas.map(([, name, text]): [string, string] => [name!, unescaped(text!.replace(/^\n/, ''))])]
}

const valuesOf = (html: string, name: string) =>
  fieldsOf(html)
    .filter(([field, value]) => field === name && value !== '')
    .map(([, value]) => value)

const slugOf = (html: string) => /\/l\/([a-z0-9]{10})"/.exec(html)?.[1] ?? ''

/** The text beside a field. */
const errorOf = (html: string, id: string) =>
  unescaped(new RegExp(`id="${id}-error">([^<]*)<`).exec(html)?.[1] ?? 'none')

const PASTED = `
- [Agenda](https://a.example/agenda "today")
* Team notes | https://b.example/notes?x=1&y=2
3. https://c.example/paper.pdf.
https://d.example/one | One tab

   e.example
`

onEveryRuntime({}, (server) => {
  test('the home page is a form that works without JavaScript, with a key against double sends', async () => {
    const html = await (await fetch(server().origin)).text()
    const form = elementsOf(html).find(({ tag }) => tag === 'form')
    expect(form?.attributes).toMatchObject({ method: 'post', action: '/' })
    expect(fieldsOf(html).map(([name]) => name)).toEqual(['title', 'idempotencyKey', 'urls', 'description'])
    expect(valuesOf(html, 'idempotencyKey')[0]).toMatch(/^[0-9a-f-]{36}$/)
    const other = await (await fetch(server().origin)).text()
    expect(valuesOf(other, 'idempotencyKey')).not.toEqual(valuesOf(html, 'idempotencyKey'))
  })

  test('a pasted list is cleaned, its titles become notes, and the page tells the link and the claim link', async () => {
    const { status, html } = await submit(server(), { urls: PASTED, title: ' Our week ', description: 'One\r\ntwo' })
    expect(status).toBe(201)
    const stored = await storedBundle(server(), slugOf(html))
    expect(stored).toMatchObject({ title: 'Our week', description: 'One\ntwo', source: 'web' })
    expect(stored.urls).toEqual([
      'https://a.example/agenda',
      'https://b.example/notes?x=1&y=2',
      'https://c.example/paper.pdf',
      'https://d.example/one',
      'https://e.example',
    ])
    expect(stored.urlMetadata).toEqual([{ note: 'Agenda' }, { note: 'Team notes' }, {}, { note: 'One tab' }, {}])
    expect(html).toContain(`value="${server().origin}/l/${stored.slug}"`)
    expect(html).toMatch(new RegExp(`value="${server().origin}/claim/[A-Za-z0-9_-]{43}"`))
  })

  test('an error stands beside its line, and everything that was typed is still there', async () => {
    const lines = ['https://a.example/?x=1&amp;y="2"', 'not a link', '- ftp://b.example', 'c.example']
    const typed = {
      urls: lines.join('\r\n'),
      title: '<b>"Mine" &amp; yours</b>',
      description: '\n\nfirst\n</textarea>',
    }
    const { status, html } = await submit(server(), { ...typed, idempotencyKey: 'typed' })
    expect(status).toBe(400)
    expect(valuesOf(html, 'urls')).toEqual(lines)
    expect(valuesOf(html, 'title')).toEqual([typed.title])
    expect(valuesOf(html, 'description')).toEqual([typed.description.trim()])
    expect(['line-1', 'line-2', 'line-3', 'line-4'].map((id) => errorOf(html, id))).toEqual([
      'none',
      'This must be an http: or https: URL.',
      'This must be an http: or https: URL.',
      'none',
    ])
    const described = elementsOf(html).filter(({ attributes }) => attributes['aria-invalid'] === 'true')
    expect(described.map(({ attributes }) => attributes['aria-describedby'])).toEqual(['line-2-error', 'line-3-error'])
  })

  test('the corrected form, sent as it stands, makes the bundle', async () => {
    const { html } = await submit(server(), {
      urls: 'https://a.example\nwrong',
      title: 'T',
      idempotencyKey: 'corrected',
    })
    const fields = fieldsOf(html).map(([name, value]): [string, string] => [
      name,
      value === 'wrong' ? 'b.example' : value,
    ])
    const { status, html: created } = await submit(server(), fields)
    expect(status).toBe(201)
    const stored = await storedBundle(server(), slugOf(created))
    expect([stored.title, stored.urls]).toEqual(['T', ['https://a.example', 'https://b.example']])
  })

  test('a form that is sent twice makes one bundle, and both pages tell its claim link', async () => {
    const before = await countBundles(server())
    const fields = { urls: 'https://a.example', idempotencyKey: 'sent twice' }
    const pages = await Promise.all([submit(server(), fields), submit(server(), fields)])
    expect(pages.map(({ status }) => status)).toEqual([201, 201])
    expect(pages[0]?.html).toBe(pages[1]?.html)
    expect(await countBundles(server())).toBe(before + 1)
  })

  test('a form that was changed after it was sent keeps its text and gets a new key', async () => {
    await submit(server(), { urls: 'https://a.example', idempotencyKey: 'changed' })
    const { status, html } = await submit(server(), { urls: 'https://b.example', idempotencyKey: 'changed' })
    expect([status, valuesOf(html, 'urls')]).toEqual([409, ['https://b.example']])
    expect((await submit(server(), fieldsOf(html))).status).toBe(201)
  })

  test('a title that is too long is told beside its field', async () => {
    const title = 'x'.repeat(201)
    const { status, html } = await submit(server(), { urls: 'https://a.example', title, description: 'y'.repeat(2001) })
    expect(status).toBe(400)
    expect(errorOf(html, 'title')).toBe('This must be at most 200 characters.')
    expect(errorOf(html, 'description')).toBe('This must be at most 2000 characters.')
    expect([valuesOf(html, 'title'), valuesOf(html, 'urls')]).toEqual([[title], ['https://a.example']])
  })

  test('a list of 26, of ten thousand and of none says so, and is all still there', async () => {
    for (const count of [26, 10_000]) {
      const urls = Array.from({ length: count }, (_, index) => `a.example/${index}`).join('\n')
      const { status, html } = await submit(server(), { urls })
      expect(status).toBe(400)
      expect(html).toContain(`at most 25 entries. It has ${count}.`)
      expect(valuesOf(html, 'urls').join('\n')).toBe(urls)
    }
    const none = await submit(server(), { urls: ' \n \n', title: 'kept' })
    expect([none.status, valuesOf(none.html, 'title')]).toEqual([400, ['kept']])
  })

  test('a key that cannot be one is refused with everything typed still there', async () => {
    for (const idempotencyKey of ['k'.repeat(256), 'k'.repeat(100_000), 'ä']) {
      const { status, html } = await submit(server(), { urls: 'https://a.example', idempotencyKey })
      expect([status, valuesOf(html, 'urls')]).toEqual([400, ['https://a.example']])
    }
  })

  test('text made to be slow to read is read like any other', async () => {
    const runs = [
      '[',
      '[](',
      '![](<',
      '[x](',
      '[](https://a',
      '[](a "',
      `http://a${'.'.repeat(9)}`,
      'http://a.example ',
      '- ',
      'a.',
      ' | ',
      '(',
    ]
    const texts = runs.map((run) => run.repeat(Math.floor(80_000 / run.length)))
    for (const text of [...texts, `http://a${'.'.repeat(200_000)}x`, `http://a.example${' '.repeat(200_000)}x`]) {
      const { status } = await submit(server(), { urls: text })
      expect([text.slice(0, 20), status === 400 || status === 201]).toEqual([text.slice(0, 20), true])
    }
  })

  test('a form in another encoding than a plain form’s is 415, and bytes that are no text 400', async () => {
    const data = new FormData()
    data.set('urls', 'https://a.example')
    expect((await fetch(server().origin, { method: 'POST', body: data })).status).toBe(415)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const broken = await fetch(server().origin, { method: 'POST', headers, body: Buffer.from([0x75, 0x3d, 0xff]) })
    expect(broken.status).toBe(400)
  })

  test('a credential that is not valid is 401 here as well, and nothing typed is lost', async () => {
    const { status, html } = await submit(server(), { urls: 'https://a.example' }, { authorization: 'Bearer x' })
    expect([status, valuesOf(html, 'urls')]).toEqual([401, ['https://a.example']])
  })
})
