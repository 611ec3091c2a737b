import { expect, test } from 'bun:test'
import { Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// The page through which Firefox opens tabs on plain http. What its script leads to is tested in Firefox
// (tests/browser/engines.test.ts).

onEveryTarget({}, (server) => {
  const visit = (query = '') => new Visitor(server()).fetch(`/away${query}`)

  test('leads nowhere by itself: no redirect, no refresh, nothing inline, no address but our own', async () => {
    const answer = await visit()
    const html = await answer.text()
    expect(answer.status).toBe(200)
    expect(['location', 'refresh', 'set-cookie'].map((name) => answer.headers.get(name))).toEqual([null, null, null])
    expect(html).not.toMatch(/http-equiv|<form|<iframe|<script>|javascript:/i)
    const addresses = [...html.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, address = '']) => address)
    expect(addresses.filter((address) => !/^(?:\/static\/|#end$)/.test(address))).toEqual([])
  })

  test('has the headers of every page: its own scripts only, no frames, no referrer, not kept', async () => {
    const { headers } = await visit()
    const said = ['content-type', 'cache-control', 'referrer-policy', 'x-content-type-options'].map((name) =>
      headers.get(name),
    )
    expect(said).toEqual(['text/html; charset=utf-8', 'no-store, no-transform', 'no-referrer', 'nosniff'])
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('without JavaScript it says where the link is, and search engines leave it out', async () => {
    const html = await (await visit()).text()
    expect(html).toContain('If this tab stays empty, open the link on the page you come from.')
    expect(html).toContain('<meta name="robots" content="noindex"')
  })

  test('is the same page of a few hundred bytes, whatever its address asks for', async () => {
    const plain = await (await visit()).text()
    expect(plain.length).toBeLessThan(2000)
    const asked = [
      'url=https://evil.example/',
      'next=//evil.example',
      'to=javascript:alert(1)',
      '%',
      '%00%ff',
      '<script>alert(1)</script>',
      'x'.repeat(7000),
    ]
    for (const query of asked) {
      const answer = await visit(`?${query}`)
      expect([query, answer.status, (await answer.text()) === plain]).toEqual([query, 200, true])
    }
    const head = await new Visitor(server()).fetch('/away', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
