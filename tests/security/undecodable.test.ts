import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { WITHOUT_LIMITS } from './callers.ts'
import { type FoundRoute, routesOf } from './routes.ts'

/** Path segments with an escape that is none, or that is no UTF-8. */
const UNDECODABLE = ['%', '%ff', '%E0%A4%A', 'a%zz', '%C3%28x']

function typeAt(template: string): string {
  if (template.startsWith('/api/')) return 'application/json'
  // A reader of feeds and a calendar show no page.
  return /\/(?:feed|calendar\.ics)$/.test(template) ? 'text/plain' : 'text/html'
}

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    let server: Server
    let routes: FoundRoute[]
    beforeAll(async () => {
      server = await startOn({ name: runtime, runtime, store: 'file' }, WITHOUT_LIMITS)
      routes = (await routesOf(server)).filter(({ template }) => template.includes(':'))
    })
    afterAll(async () => {
      await server?.stop()
    })

    test('a path parameter that cannot be decoded is 404 on every route: JSON below /api, a page elsewhere', async () => {
      const wrong: unknown[] = []
      for (const { method, template } of routes) {
        for (const sent of UNDECODABLE) {
          const path = template.replaceAll(/:\w+/g, sent)
          const answer = await fetch(`${server.origin}${path}`, { method, redirect: 'manual' })
          const text = await answer.text()
          const type = typeAt(template)
          const isSaid = type === 'application/json' ? JSON.parse(text).code === 'NOT_FOUND' : text.length > 20
          const isOfType = answer.headers.get('content-type')?.startsWith(type) === true
          if (answer.status !== 404 || !isOfType || !isSaid) wrong.push([method, path, answer.status, text])
        }
      }
      expect(routes.length).toBeGreaterThan(60)
      expect(wrong).toEqual([])
      expect(server.output()).not.toContain('"level":50')
    })

    test('an escape that says something is a parameter like any other, and a query may say anything', async () => {
      for (const path of ['/claim/%C3%A9', '/docs/%E2%9C%93', '/l/%41b', '/api/links/%20']) {
        expect([path, (await fetch(`${server.origin}${path}?q=%&r=%ff`)).status < 500]).toEqual([path, true])
      }
      expect((await fetch(`${server.origin}/docs/quick%2Dstart?q=%&r=%ff`)).status).toBe(200)
    })
  })
}
