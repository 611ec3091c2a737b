import { expect, test } from 'bun:test'
import { startServer } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf, unescaped } from './html.ts'
import { countBundles, publish, storedBundle, submit } from './support.ts'

/** The fields of the page's form with their values, in order, as a browser would send them again. */
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

/** The text next to a field. */
const errorOf = (html: string, id: string) =>
  unescaped(new RegExp(`id="${id}-error">([^<]*)<`).exec(html)?.[1] ?? 'none')

const PASTED = `
- [Agenda](https://a.example/agenda "today")
* Team notes | https://b.example/notes?x=1&y=2
3. https://c.example/paper.pdf.
https://d.example/one | One tab

   e.example
`

/** A form whose list has been seen. */
const SEEN = { urls: 'https://a.example', url: 'https://a.example' }

onEveryTarget({}, (server, runtime) => {
  test('the home page is a form that works without JavaScript, with a key against double submission', async () => {
    const html = await (await fetch(server().origin)).text()
    const form = elementsOf(html).find(({ tag }) => tag === 'form')
    expect(form?.attributes).toMatchObject({ method: 'post', action: '/' })
    expect(fieldsOf(html).map(([name]) => name)).toEqual(['title', 'idempotencyKey', 'urls', 'description'])
    expect(valuesOf(html, 'idempotencyKey')[0]).toMatch(/^[0-9a-f-]{36}$/)
    const other = await (await fetch(server().origin)).text()
    expect(valuesOf(other, 'idempotencyKey')).not.toEqual(valuesOf(html, 'idempotencyKey'))
  })

  test('the bookmarks of the launcher on the home page, which has no slug, are a file with a name', async () => {
    const [frame] = elementsOf(await (await fetch(server().origin)).text()).filter(({ tag }) => tag === 'iframe')
    const file = elementsOf(frame?.attributes.srcdoc ?? '').find(({ attributes }) => attributes.id === 'bookmarks')
    expect(file?.attributes.download).toBe('links.html')
  })

  test('a pasted list is cleaned up, its titles become notes, and the page shows the link and the claim link', async () => {
    const { status, html } = await publish(server(), { urls: PASTED, title: ' Our week ', description: 'One\r\ntwo' })
    expect(status).toBe(200)
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
    expect(html).toContain(`class="shared" href="${server().origin}/l/${stored.slug}"`)
    expect(html).toMatch(new RegExp(`data-text="${server().origin}/claim/[A-Za-z0-9_-]{43}"`))
  })

  test('text that is not a link is skipped and reported, without an error', async () => {
    const urls =
      'Reading for Monday:\n\nhttps://a.example/?x=1\nnot a link\nftp://b.example\nc.example\nhttps://a.example/?x=1'
    const { status, html } = await publish(server(), { urls })
    expect(status).toBe(200)
    const stored = await storedBundle(server(), slugOf(html))
    expect([stored.title, stored.urls]).toEqual(['Reading for Monday', ['https://a.example/?x=1', 'https://c.example']])
    expect(unescaped(html)).toContain('We left out 1 duplicate and 2 lines without a link.')
  })

  test('the contents of a list are reported while typing, and charged before they are read', async () => {
    const ask = (urls: string, more = {}) =>
      fetch(`${server().origin}/found`, { method: 'POST', body: new URLSearchParams({ urls, ...more }) })
    const text = '# Week <1>\na.example b.example\nhttps://a.example/\u0001x\n<b>\nnothing\nhttps://b.example'
    const answer = await ask(text)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store, no-transform'])
    const html = await answer.text()
    expect(html).toContain('2 links found, 3 lines without a link, 1 duplicate left out')
    expect(valuesOf(await (await ask(text, { listed: 'yes' })).text(), 'found-title')).toEqual(['Week <1>'])
    expect(unescaped(html)).toContain('Line 3 must be free of control characters')
    expect(html).not.toContain('<b>')
    expect(await (await ask(' \n')).text()).toBe('')
    const many = await (
      await ask(
        'a.example/1 a.example/2 '.repeat(1) + Array.from({ length: 28 }, (_, n) => `b.example/${n}`).join('\n'),
      )
    ).text()
    expect(unescaped(many)).toContain('That’s 30 links; the limit is 25. Remove 5.')
    const body = 'urls=%FF'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answers = await Promise.all(
      Array.from({ length: 125 }, () =>
        fetch(`${server().origin}/found`, { method: 'POST', headers, body: Buffer.from(body) }),
      ),
    )
    expect(answers.some(({ status }) => status === 429)).toBe(true)
  })

  test('a refused form keeps everything that was typed', async () => {
    const typed = {
      urls: 'https://a.example/?x=1&amp;y="2"\r\n</textarea>',
      title: `<b>"Mine" &amp; yours</b>${'x'.repeat(200)}`,
      description: '\n\nfirst\n</textarea>',
    }
    const { status, html } = await publish(server(), { ...typed, idempotencyKey: 'typed' })
    expect(status).toBe(400)
    expect(valuesOf(html, 'urls')).toEqual([typed.urls])
    expect(valuesOf(html, 'title')).toEqual([typed.title])
    expect(valuesOf(html, 'description')).toEqual([typed.description.trim()])
    const described = elementsOf(html).filter(({ attributes }) => attributes['aria-invalid'] === 'true')
    expect(described.map(({ attributes }) => attributes['aria-describedby'])).toEqual(['title-error'])
  })

  test('a list that is too long for one bundle becomes several if its maker wants that', async () => {
    const urls = Array.from({ length: 30 }, (_, n) => `https://a.example/${n}`).join('\n')
    const { html } = await submit(server(), { urls, title: 'Long', idempotencyKey: 'split' })
    expect(unescaped(html)).toContain('Create 2 bundles instead')
    const { status, html: made } = await submit(server(), [...fieldsOf(html), ['do', 'split']])
    expect(status).toBe(200)
    const slugs = [...made.matchAll(/class="shared" href="[^"]*\/l\/([a-z0-9]{10})"/g)].map(([, slug]) => slug ?? '')
    const stored = await Promise.all(slugs.map((slug) => storedBundle(server(), slug)))
    expect(stored.map(({ title, urls: all }) => [title, all.length])).toEqual([
      ['Long (1 of 2)', 25],
      ['Long (2 of 2)', 5],
    ])
    expect(made.match(/\/claim\/[\w-]{43}"/g)?.length).toBe(4)
  })

  test('if the rest of a split list is refused, the bundles made so far keep their claim links', async () => {
    const small = await startServer({ runtime, env: { SERVICE_PLAN_ANONYMOUS_MAX_BUNDLES: '1' } })
    const urls = Array.from({ length: 30 }, (_, n) => `https://a.example/${n}`).join('\n')
    const { html: listed } = await submit(small, { urls, idempotencyKey: 'half' })
    const { status, html } = await submit(small, [...fieldsOf(listed), ['do', 'split']])
    expect(status).toBe(403)
    expect(valuesOf(html, 'urls')).toEqual([urls])
    const path = elementsOf(html).find(({ attributes }) => attributes.href?.startsWith('/made/'))?.attributes.href
    const made = await (await fetch(small.origin + path)).text()
    expect((await storedBundle(small, slugOf(made))).urls).toHaveLength(25)
    expect(made).toMatch(/\/claim\/[\w-]{43}"/)
    await small.stop()
  })

  test('a form sent twice makes one bundle, and both pages show its claim link', async () => {
    const before = await countBundles(server())
    const fields = { ...SEEN, idempotencyKey: 'as-long-as-the-own-one-of-the-form' }
    const pages = await Promise.all([submit(server(), fields), submit(server(), fields)])
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
    expect(pages[0]?.html).toMatch(/\/claim\/[\w-]{43}"/)
    expect(pages[0]?.html).toBe(pages[1]!.html)
    expect(await countBundles(server())).toBe(before + 1)
  })

  test('a form changed after it was sent keeps its text and gets a new key', async () => {
    await submit(server(), { ...SEEN, idempotencyKey: 'changed' })
    const other = { urls: 'https://b.example', url: 'https://b.example', idempotencyKey: 'changed' }
    const { status, html } = await submit(server(), other)
    expect([status, valuesOf(html, 'urls')]).toEqual([409, ['https://b.example']])
    expect((await submit(server(), fieldsOf(html))).status).toBe(200)
  })

  test('a title that is too long is reported next to its field', async () => {
    const title = 'x'.repeat(201)
    const { status, html } = await submit(server(), { ...SEEN, title, description: 'y'.repeat(2001) })
    expect(status).toBe(400)
    expect(errorOf(html, 'title')).toBe('This must be at most 200 characters.')
    expect(errorOf(html, 'description')).toBe('This must be at most 2000 characters.')
    expect([valuesOf(html, 'title'), valuesOf(html, 'urls')]).toEqual([[title], ['https://a.example']])
  })

  test('a list of 26, of ten thousand and of no links is reported and kept', async () => {
    for (const count of [26, 10_000]) {
      const urls = Array.from({ length: count }, (_, index) => `a.example/${index}`).join('\n')
      const { status, html } = await submit(server(), { urls })
      expect(status).toBe(400)
      expect(unescaped(html)).toContain(
        `That’s ${Math.min(count, 2500)} links; the limit is 25. Remove ${Math.min(count, 2500) - 25}.`,
      )
      expect(valuesOf(html, 'urls').join('\n')).toBe(urls)
    }
    const none = await submit(server(), { urls: ' \n \n', title: 'kept' })
    expect([none.status, valuesOf(none.html, 'title')]).toEqual([400, ['kept']])
  })

  test('an invalid idempotency key is refused, and everything typed is kept', async () => {
    for (const idempotencyKey of ['k'.repeat(256), 'k'.repeat(100_000), 'ä']) {
      const { status, html } = await submit(server(), { ...SEEN, idempotencyKey })
      expect([status, valuesOf(html, 'urls')]).toEqual([400, ['https://a.example']])
    }
  })

  test('text designed to be slow is read like any other', async () => {
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
      expect([text.slice(0, 20), status === 400 || status === 200]).toEqual([text.slice(0, 20), true])
    }
  })

  test('a form with another encoding is 415, and one with invalid bytes 400', async () => {
    const data = new FormData()
    data.set('urls', 'https://a.example')
    expect((await fetch(server().origin, { method: 'POST', body: data })).status).toBe(415)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const broken = await fetch(server().origin, { method: 'POST', headers, body: Buffer.from([0x75, 0x3d, 0xff]) })
    expect(broken.status).toBe(400)
  })

  test('an invalid credential is 401 here too, and nothing typed is lost', async () => {
    const { status, html } = await submit(server(), SEEN, { authorization: 'Bearer x' })
    expect([status, valuesOf(html, 'urls')]).toEqual([401, ['https://a.example']])
  })
})
