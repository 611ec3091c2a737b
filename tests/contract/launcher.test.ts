import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { RUNTIMES, startServer } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'
import { counts, create, newSlug, post, START_MS, sendEvent } from './support.ts'

const EVIL = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`
const HOSTILE = {
  urls: [`https://a.example/?q="><script>alert(1)</script>`, 'https://b.example/&amp;'],
  urlMetadata: [{ note: EVIL, tags: [EVIL.slice(0, 40)] }],
  title: EVIL,
  description: `${EVIL}\n</p></textarea></title>`,
}
onEveryTarget({}, (server) => {
  const page = async (slug: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server().origin}/l/${slug}`, { headers })
    return { headers: answer.headers, html: await answer.text() }
  }

  test('a launcher is not indexed, is cached only with revalidation, and loads nothing from other sites', async () => {
    const slug = await newSlug(server(), {
      urls: ['https://a.example/x'],
      description: 'see https://c.example/pic.png',
    })
    const { headers, html } = await page(slug)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(headers.get('set-cookie')).toBeNull()
    const loaded = [...html.matchAll(/<(?:script|img|link|iframe|source|video)\b[^>]*?(?:src|href)="([^"]*)"/g)]
    expect(loaded.length).toBeGreaterThanOrEqual(4)
    // Same-origin, or within the page itself.
    expect(loaded.map(([, address]) => address ?? '').filter((address) => !/^(?:\/(?!\/)|#)/.test(address))).toEqual([])
    expect(html).not.toMatch(/<style|<script(?![^>]*src)|\son\w+=|\sstyle=/)
  })

  test('an unclaimed launcher says where its links go: up to four hosts, of more the first three and how many', async () => {
    const said = async (hosts: number) => {
      const urls = Array.from({ length: hosts }, (_, at) => `https://h${at}.example/`)
      const { html } = await page(await newSlug(server(), { urls: [...urls, 'https://h0.example/again'].slice(0, 25) }))
      return (/class="unclaimed">(.*?)<\/p>/s.exec(html)?.[1] ?? '').replace(/<[^>]*>/g, '').trim()
    }
    const before = 'Made without an account. These links go to h0.example'
    expect(await said(1)).toBe(`${before}.`)
    expect(await said(4)).toBe(`${before}, h1.example, h2.example, h3.example.`)
    expect(await said(25)).toBe(`${before}, h1.example, h2.example and 22 more.`)
  })

  test('a bare host is not repeated below a tab’s name', async () => {
    const below = async (url: string, note = '') => {
      const { html } = await page(
        await newSlug(server(), { urls: [url], urlMetadata: note === '' ? [{}] : [{ note }] }),
      )
      return /class="where"[^>]*>(.*?)<\/span><\/(?:span|a)>/s.exec(html)?.[1]?.replace(/<[^>]*>/g, '') ?? null
    }
    expect(await below('https://a.example/')).toBeNull()
    expect(await below('https://a.example')).toBeNull()
    expect(await below('https://a.example/one?two')).toBe('/one?two')
    expect(await below('https://a.example/', 'Named')).toBe('a.example')
    expect(await below('https://a.example/one', 'Named')).toBe('a.example')
  })

  test('every tab is a link with its host, note and tags', async () => {
    const slug = await newSlug(server(), {
      urls: ['https://a.example/one', 'https://b.example/two'],
      urlMetadata: [{ note: 'The first', tags: ['red', 'green'] }, { openPolicy: 'manual' }],
      title: 'All of it',
      description: 'What it is for',
    })
    const { html } = await page(slug)
    for (const text of ['All of it', 'What it is for', 'The first', 'red', 'green', 'a.example', 'b.example']) {
      expect(html).toContain(text)
    }
    expect(html).toMatch(/<a [^>]*href="https:\/\/a\.example\/one"[^>]*data-open="auto"/)
    expect(html).toMatch(/<a [^>]*href="https:\/\/b\.example\/two"[^>]*data-open="manual"/)
    expect(html).toContain('<meta property="og:title" content="All of it"/>')
    expect(html).toContain('<meta property="og:description" content="What it is for"/>')
  })

  test('a tab leads to its parsed URL, never to this service', async () => {
    const slug = await newSlug(server(), { urls: ['http:a.example/x', 'https:\\\\b.example', 'https:/c.example'] })
    const { html } = await page(slug)
    for (const address of ['http://a.example/x', 'https://b.example/', 'https://c.example/']) {
      expect(html).toContain(`href="${address}"`)
    }
  })

  test('user text is shown as text everywhere', async () => {
    const slug = await newSlug(server(), HOSTILE)
    const html = (await page(slug)).html
    const file = await (await fetch(`${server().origin}/l/${slug}/bookmarks.html`)).text()
    const tame = await newSlug(server(), {
      ...HOSTILE,
      title: 'a',
      description: 'b',
      urlMetadata: [{ note: 'c', tags: ['d'] }],
    })
    expect(elementsOf(html).map(({ tag }) => tag)).toEqual(elementsOf((await page(tame)).html).map(({ tag }) => tag))
    for (const { tag, attributes } of [...elementsOf(html), ...elementsOf(file)]) {
      expect([tag, Object.keys(attributes).filter((name) => name.startsWith('on'))]).toEqual([tag, []])
      if (tag === 'script') expect(attributes.src).toStartWith('/static/')
      if (tag === 'img') expect(attributes.src).toStartWith('/l/')
    }
    const titled = elementsOf(html).find(({ attributes }) => attributes.property === 'og:title')
    expect(titled?.attributes.content).toBe(EVIL)
  })

  test('a URL that contains something like an entity is linked unchanged', async () => {
    const url = 'https://a.example/?a=1&amp;b=2&lt;3&copy;4'
    const slug = await newSlug(server(), { urls: [url] })
    const file = await (await fetch(`${server().origin}/l/${slug}/bookmarks.html`)).text()
    for (const html of [(await page(slug)).html, file]) {
      const links = elementsOf(html).filter(({ tag }) => tag === 'a')
      expect(links.map(({ attributes }) => attributes.href)).toContain(url)
    }
  })

  test('a page is sent in an encoding that the client accepts', async () => {
    const slug = await newSlug(server(), { urls: ['https://a.example/'] })
    const cases: [string | null, string | null][] = [
      [null, null],
      ['identity', null],
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0', null],
      ['BR;Q=0.5', 'br'],
      ['*', 'br'],
      ['*;q=0', null],
      ['gzip;q=0, *;q=0.1', 'br'],
      ['nonsense;;,,=', null],
    ]
    const { html } = await page(slug)
    for (const path of [`/l/${slug}`, '/']) {
      for (const [accepts, expected] of cases) {
        const headers = { 'accept-encoding': accepts ?? 'identity' }
        const answer = await fetch(server().origin + path, { headers, decompress: false })
        expect([path, accepts, answer.headers.get('content-encoding')]).toEqual([path, accepts, expected])
        expect(answer.headers.get('vary')).toContain('Accept-Encoding')
        const sent = Buffer.from(await answer.arrayBuffer())
        const text = (
          expected === 'br' ? brotliDecompressSync(sent) : expected === 'gzip' ? gunzipSync(sent) : sent
        ).toString()
        if (path !== '/') expect(text).toBe(html)
        else expect(text).toStartWith('<!doctype html>')
      }
    }
  })

  test('files are cached forever under a name with their hash', async () => {
    const { html } = await page(await newSlug(server()))
    const files = [...html.matchAll(/"(\/static\/[^"]+)"/g)].map(([, path]) => path!)
    expect(files.length).toBeGreaterThanOrEqual(3)
    for (const path of files) {
      expect(path).toMatch(/\.[0-9a-f]{8}\.\w+$/)
      const answer = await fetch(server().origin + path)
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ])
    }
    for (const path of ['/static/launcher.js', '/static/..%2fapp.ts', '/static/%2e%2e/%2e%2e/package.json']) {
      expect([path, (await fetch(server().origin + path)).status]).toEqual([path, 404])
    }
  })

  test('the QR code is an image without active content, and the bookmarks file opens everywhere', async () => {
    const slug = await newSlug(server(), {
      urls: ['https://a.example/?a=1&b=2', 'https://b.example/'],
      urlMetadata: [{ note: 'two\nlines' }],
      title: 'Kept',
    })
    const code = await fetch(`${server().origin}/l/${slug}/qr.svg`)
    expect(code.headers.get('content-type')).toBe('image/svg+xml')
    expect(await code.text()).toMatch(/^<svg (?![\s\S]*(<script|href|onload))/)
    const file = await fetch(`${server().origin}/l/${slug}/bookmarks.html`)
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${slug}.html"`)
    const text = await file.text()
    expect(text).toStartWith('<!DOCTYPE NETSCAPE-Bookmark-file-1>')
    expect(text).toContain('<H3>Kept</H3>')
    expect(text).toContain('<DT><A HREF="https://a.example/?a=1&amp;b=2">two</A>\n    <DD>lines')
    expect(text).toContain('<DT><A HREF="https://b.example/">https://b.example/</A>')
  })

  test('an event is 204 and empty for every slug, so nobody learns which ones exist', async () => {
    const known = await newSlug(server())
    const seen = []
    for (const slug of [known, 'unknown123', 'x', 'x'.repeat(3000), '%00', encodeURIComponent('’ OR 1=1 --')]) {
      const { status, headers } = await sendEvent(server(), slug)
      seen.push([
        status,
        [...headers.keys()]
          .filter((name) => name !== 'date')
          .sort()
          .join(),
      ])
    }
    expect(new Set(seen.map(String)).size).toBe(1)
    expect(seen[0]?.[0]).toBe(204)
  })

  test('an event may come as text/plain, as sendBeacon sends it; any other shape is refused', async () => {
    const target = `${server().origin}/api/links/unknown123/events`
    const send = (body: unknown, type = 'application/json') => post(target, body, { 'content-type': type })
    expect((await send('{"kind":"open_all"}', 'text/plain;charset=UTF-8')).status).toBe(204)
    expect((await send({ kind: 'open_all', matchedRuleId: null })).status).toBe(204)
    expect((await send({ kind: 'open_all', matchedRuleId: 'r_0000000000' })).status).toBe(204)
    const long = await send({ kind: 'open_all', matchedRuleId: 'x'.repeat(65) })
    expect(long.status).toBe(400)
    expect(JSON.stringify(long.body)).toContain('matchedRuleId must have at most 64 characters')
    for (const body of [{}, { kind: 'view' }, { kind: 'open_all', x: 1 }, { kind: 'open_all', matchedRuleId: 5 }]) {
      expect((await send(body)).body.code).toBe('BAD_REQUEST')
    }
    expect((await send('{', 'text/plain')).body.code).toBe('INVALID_JSON')
  })
})

for (const runtime of RUNTIMES) {
  describe(`counting on ${runtime}`, () => {
    test(
      'views and clicks are in the database after SIGTERM; HEAD, prefetches, pictures and bots are not counted',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'openall-'))
        const server = await startServer({ runtime, database: join(folder, 'test.db') })
        const [looked, unseen] = [await newSlug(server), await newSlug(server)]
        const get = (slug: string, headers: Record<string, string> = {}, method = 'GET') =>
          fetch(`${server.origin}/l/${slug}`, {
            method,
            headers: { 'user-agent': 'Mozilla/5.0 Firefox/153.0', ...headers },
          })
        await get(looked)
        await get(looked, { 'user-agent': 'Mozilla/5.0 Chrome/156.0' })
        await get(looked, { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' })
        await sendEvent(server, looked)
        await sendEvent(server, looked)
        await post(`${server.origin}/api/links/${looked}/events`, { kind: 'open_all', matchedRuleId: 'r_never' })
        await get(unseen, {}, 'HEAD')
        await get(unseen, { 'sec-purpose': 'prefetch;prerender' })
        await get(unseen, { purpose: 'prefetch' })
        // What any page can have its visitors load, and what a frame is refused.
        for (const as of ['image', 'script', 'style', 'empty', 'iframe', 'object', 'embed', '']) {
          await get(unseen, { 'sec-fetch-dest': as, 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' })
        }
        await get(unseen, { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' })
        await get(unseen, { 'user-agent': 'curl/8.0' })
        await create(server, { urls: [] })
        expect(await server.stop()).toBe(0)
        expect(await counts(server, looked)).toEqual({ views: 3, clicks: 2 })
        expect(await counts(server, unseen)).toBeNull()
        rmSync(folder, { recursive: true, force: true })
      },
      START_MS,
    )
  })
}
