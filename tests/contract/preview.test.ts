import { beforeAll, describe, expect, test } from 'bun:test'
import { newPerson, type Person, URL_A, URL_B } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const FORM = 'application/x-www-form-urlencoded'
const PATH = '/dashboard/links/new/preview'

interface Row {
  url: string
  note?: string
  tags?: string
  openPolicy?: string
}

/** A form as the editor sends it. */
function formOf(title: string, rows: readonly Row[], more: Record<string, string> = {}): URLSearchParams {
  const form = new URLSearchParams({ title, description: '', ...more })
  for (const { url, note = '', tags = '', openPolicy = 'auto' } of rows) {
    for (const [name, value] of Object.entries({ url, note, tags, openPolicy })) form.append(name, value)
  }
  return form
}

onEveryTarget({}, (server) => {
  let ann: Person
  let bob: Person
  beforeAll(async () => {
    ;[ann, bob] = [await newPerson(server()), await newPerson(server())]
  })

  const send = (person: Pick<Person, 'fetch'>, body: URLSearchParams, headers: Record<string, string> = {}) =>
    person.fetch(PATH, { method: 'POST', body: body.toString(), headers: { 'content-type': FORM, ...headers } })

  describe('the preview of a form', () => {
    test('has the tabs of the launcher that saving it makes, and nothing in it can be pressed or runs', async () => {
      const rows: Row[] = [
        { url: URL_A, note: 'First\nwith more', tags: 'read first, "a, b"' },
        { url: URL_B, openPolicy: 'manual' },
        { url: '' },
        { url: 'Notes | https://notes.example/a?b=c&d=e' },
      ]
      const answer = await send(ann, formOf('Everything', rows))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-store, no-transform')
      const preview = await answer.text()
      const { slug } = await ann.makeBundle({
        title: 'Everything',
        urls: [URL_A, URL_B, 'https://notes.example/a?b=c&d=e'],
        urlMetadata: [
          { note: 'First\nwith more', tags: ['read first', 'a, b'] },
          { openPolicy: 'manual' },
          { note: 'Notes' },
        ],
      })
      const launcher = await (await ann.fetch(`/l/${slug}`)).text()
      const listOf = (html: string) => /<ol class="tabs">.*<\/ol>/s.exec(html)?.[0] ?? 'none'
      expect(listOf(preview)).toBe(listOf(launcher))
      expect(preview).toMatch(/<main [^>]*\binert\b/)
      expect(preview).not.toMatch(/<script|<noscript|<img|<form/)
    })

    test('shows text as text', async () => {
      const attack = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'</main>'
      const rows = [{ url: `https://a.example/"><script>alert(1)</script>`, note: attack, tags: '<script>x</script>' }]
      const html = await (await send(ann, formOf(attack, rows, { description: attack }))).text()
      expect(html).toContain('&lt;script')
      expect(html).not.toMatch(/<script|<img/)
      expect(html.match(/<\/main>/g)).toHaveLength(1)
    })

    test.each([
      ['no link', formOf('Empty', [{ url: '' }])],
      ['an address that is none', formOf('Wrong', [{ url: URL_A }, { url: 'ftp://a.example/' }])],
      ['a title that is too long', formOf('T'.repeat(201), [{ url: URL_A }])],
      [
        'more links than a bundle takes',
        formOf(
          'Many',
          Array.from({ length: 26 }, () => ({ url: URL_A })),
        ),
      ],
    ])('is none for %s', async (_, form) => {
      const answer = await send(ann, form)
      expect([answer.status, await answer.text()]).toEqual([204, ''])
    })

    test('marks the tab that is edited, empty rows not counted', async () => {
      const rows = [{ url: URL_A }, { url: '' }, { url: URL_B }]
      const marked = async (at: string) => {
        const html = await (await send(ann, formOf('', rows, { at }))).text()
        return [...html.matchAll(/<li(?: class="edited")?><span class="tile/g)].map(([item]) => item.includes('edited'))
      }
      expect(await marked('2')).toEqual([false, true])
      for (const at of ['1', '-1', '99', 'x', '']) expect([at, await marked(at)]).toEqual([at, [false, false]])
    })

    test('reads nobody’s bundle, counts nothing and writes nothing', async () => {
      const { slug } = await bob.makeBundle({ title: 'Bob’s secret', slug: 'bobs-secret' })
      // Bundles are indexed for search in the background.
      const tables = (await server().sql("SELECT name FROM sqlite_master WHERE type = 'table'"))
        .map(({ name }) => String(name))
        .filter((name) => !/^(bundle_index|search_)/.test(name))
      const counts = async () =>
        Promise.all(tables.map(async (name) => [name, (await server().sql(`SELECT * FROM "${name}"`)).length]))
      const before = await counts()
      const html = await (await send(ann, formOf('', [{ url: URL_A }], { slug, from: slug, version: '1' }))).text()
      expect(html).not.toMatch(/secret/i)
      expect(await counts()).toEqual(before)
      const insights = await bob.api<{ totals: { views: number } }>('GET', `/api/links/${slug}/insights`)
      expect(insights.body.totals.views).toBe(0)
    })

    test('is for signed-in people, from our own pages, and bounded', async () => {
      const form = formOf('x', [{ url: URL_A }])
      const out = await fetch(server().origin + PATH, { method: 'POST', body: form, redirect: 'manual' })
      expect(out.status).toBe(401)
      const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]
      for (const headers of foreign) {
        expect((await send(ann, form, headers)).status).toBe(403)
      }
      expect((await ann.fetch(PATH)).status).toBe(405)
      expect(
        (
          await send(
            ann,
            formOf(
              'x',
              Array.from({ length: 201 }, () => ({ url: URL_A })),
            ),
          )
        ).status,
      ).toBe(400)
      expect((await send(ann, formOf('x'.repeat(300 * 1024), []))).status).toBe(413)
    })

    test('of much text is limited like any other reading of it', async () => {
      const person = await newPerson(server())
      const form = formOf(
        '',
        Array.from({ length: 10 }, (_, n) => ({ url: `https://a.example/${n}/${'x'.repeat(1800)}` })),
      )
      const statuses = await Promise.all(Array.from({ length: 125 }, async () => (await send(person, form)).status))
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5)
      expect(new Set(statuses)).toEqual(new Set([200, 429]))
    })
  })

  test('a browser remembers that the preview is hidden, until it is shown again', async () => {
    const person = await newPerson(server())
    const { slug } = await person.makeBundle()
    const isHidden = async (path: string) => /<aside [^>]*\bhidden\b/.test(await (await person.fetch(path)).text())
    for (const [hidden, path] of [
      ['yes', `/dashboard/links/${slug}`],
      ['yes', `/dashboard/links/new?from=${slug}`],
      ['no', `/dashboard/links/${slug}`],
    ] as const) {
      const answer = await person.fetch('/dashboard/preview', {
        method: 'POST',
        body: `hidden=${hidden}`,
        headers: { 'content-type': FORM },
      })
      expect(answer.status).toBe(204)
      expect(answer.headers.get('set-cookie')).toMatch(/Path=\/dashboard; HttpOnly;.* SameSite=Lax/)
      expect(await isHidden(path)).toBe(hidden === 'yes')
    }
  })

  test('only the styles of the preview may be loaded by a frame of another origin', async () => {
    const html = await (await send(ann, formOf('x', [{ url: URL_A }]))).text()
    const policyOf = async (path: string) => (await ann.fetch(path)).headers.get('cross-origin-resource-policy')
    const [style = ''] = /\/static\/preview\.[^"]+\.css/.exec(html) ?? []
    expect(await policyOf(style)).toBe('cross-origin')
    const page = await (await ann.fetch('/dashboard')).text()
    for (const [file] of page.matchAll(/\/static\/[^"]+/g))
      expect([file, await policyOf(file)]).toEqual([file, 'same-origin'])
  })
})
