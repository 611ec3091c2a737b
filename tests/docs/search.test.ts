import { afterAll, beforeAll, expect, test } from 'bun:test'
import { operations } from '../../src/api/implementations.ts'
import { elementsOf } from '../contract/html.ts'
import { startInProcess } from '../in-process.ts'
import type { Server } from '../server.ts'

let server: Server
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

const get = async (path: string) => (await fetch(server.origin + path)).text()
const search = (asked: string) => get(`/docs?${new URLSearchParams({ q: asked })}`)
const mainOf = (html: string) => /<main.*<\/main>/s.exec(html)?.[0] ?? ''
/** What was found: the address, the words of the heading, and the whole entry as text. */
const foundIn = (html: string) =>
  Array.from(
    mainOf(html).matchAll(/<li><a href="([^"]+)">(.*?)<\/a>(.*?)<\/li>/gs),
    ([, href = '', heading = '', rest = '']) => ({
      href,
      heading: textOf(heading),
      rest: textOf(rest),
    }),
  )
const textOf = (html: string) => html.replace(/<[^>]+>/g, '').trim()

test('every page of the documentation has a form for the search, which needs no script', async () => {
  for (const path of ['/docs', '/docs/variables', '/docs?q=slug']) {
    const html = await get(path)
    const form = /<form[^>]*action="\/docs"[^>]*>.*?<\/form>/s.exec(html)?.[0] ?? ''
    const [input] = elementsOf(form).filter(({ tag }) => tag === 'input')
    expect([path, form.includes('method='), input?.attributes.name]).toEqual([path, false, 'q'])
    expect([path, input?.attributes.value]).toEqual([path, path.endsWith('slug') ? 'slug' : ''])
  }
})

test('it finds headings, words of guides, settings and operations, and each result leads there', async () => {
  for (const [asked, href, words] of [
    ['percent-encoded', '/docs/variables#what-a-value-becomes', 'is percent-encoded as UTF-8'],
    ['SERVICE_SHORT_PATHS', '/docs/settings', 'SERVICE_SHORT_PATHS'],
    ['rename a bundle', '/docs#rename_bundle', ''],
    ['Suggestions', '/docs/proposals', ''],
    ['litestream', '/docs/self-hosting', ''],
  ] as const) {
    const found = foundIn(await search(asked))
    const one = found.find((place) => place.href.startsWith(href))
    expect([asked, one?.href ?? found.map((place) => place.href)]).toEqual([asked, expect.stringContaining(href)])
    expect([asked, one?.rest]).toEqual([asked, expect.stringContaining(words)])
    for (const place of found) {
      const [path = '', anchor] = place.href.split('#')
      const target = await get(path)
      expect([place.href, anchor === undefined || target.includes(`id="${anchor}"`)]).toEqual([place.href, true])
    }
  }
})

test('a heading with the words stands first, and each operation is found by its name', async () => {
  expect(foundIn(await search('idempotency keys'))[0]?.heading).toBe('Idempotency keys')
  for (const { name, summary } of operations)
    expect([name, foundIn(await search(name)).map(({ heading }) => heading)]).toEqual([
      name,
      expect.arrayContaining([summary]),
    ])
})

test('a search is bounded, and what is typed is text', async () => {
  const found = await search('<b onclick=x>& "of"')
  expect(mainOf(found)).toContain('&lt;b onclick=x>'.replace('>', '&gt;'))
  expect(mainOf(found)).not.toContain('<b ')
  expect(foundIn(found)).toEqual([])
  expect(foundIn(await search('a'))).toHaveLength(20)
  const long = await search(`slug ${'x'.repeat(5000)}`)
  expect(mainOf(long).length).toBeLessThan(1500)
  for (const asked of ['', '   ']) expect(mainOf(await search(asked))).toContain('Type what you are looking for')
  for (const asked of ['.*', '(', '[', '\\', 's', '%'])
    expect((await fetch(`${server.origin}/docs?${new URLSearchParams({ q: asked })}`)).status).toBe(200)
})
