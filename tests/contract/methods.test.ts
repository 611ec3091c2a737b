import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { BELOW_LAUNCHERS, OWN_PATHS } from '../../src/core/launcher-link.ts'
import { onBothSchemes, testOnce } from '../targets.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The routes of the routers with their methods; none means that the route accepts all and refuses some itself. */
async function routesOf(): Promise<[path: string, methods: string[]][]> {
  const child = Bun.spawn([process.execPath, fileURLToPath(new URL('../routes.ts', import.meta.url))], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const routes = JSON.parse(await new Response(child.stdout).text()) as { method: string; path: string }[]
  const methodsOf = new Map<string, string[]>()
  for (const { method, path } of routes) {
    if (!path.includes('*'))
      methodsOf.set(path, [...(methodsOf.get(path) ?? []), ...(method === 'ALL' ? [] : [method])])
  }
  return [...methodsOf]
}

const routes = await routesOf()

testOnce('what launchers have below their link is taken for no value', () => {
  const below = routes.flatMap(([path]) => /^\/l\/:slug\/([^:]+)$/.exec(path)?.[1] ?? [])
  expect(below.length).toBeGreaterThan(5)
  expect([...BELOW_LAUNCHERS].sort()).toEqual(below.sort())
})

testOnce('the service’s own pages are at no short path of a launcher', () => {
  const own = routes.flatMap(([path]) => /^\/([a-z0-9-]{3,64})(?:\/|$)/.exec(path)?.[1] ?? [])
  expect([...OWN_PATHS]).toEqual([...new Set(own)].sort())
})

onBothSchemes({}, (server) => {
  test('an unsupported method is 405 with Allow, on every path', async () => {
    expect(routes.length).toBeGreaterThan(60)
    for (const [path, named] of routes) {
      const target = `${server().origin}${path.replaceAll(/:\w+/g, 'abc')}`
      // There it takes an external id, and no slug.
      const known = path.startsWith('/api/links/:slug') ? named.filter((method) => method !== 'PUT') : named
      const allowed = named.includes('GET') ? [...known, 'HEAD'] : known
      if (named.includes('GET')) {
        const { status } = await fetch(target, { method: 'HEAD', redirect: 'manual' })
        expect(['HEAD', path, status === 405]).toEqual(['HEAD', path, false])
      }
      for (const method of METHODS.filter((one) => !named.includes(one))) {
        const answer = await fetch(target, { method, redirect: 'manual' })
        const said = answer.headers.get('allow')?.split(', ') ?? []
        // A dashboard route accepts all methods and decides itself.
        if (named.length === 0 && answer.status !== 405 && method !== 'DELETE') continue
        expect([method, path, answer.status]).toEqual([method, path, 405])
        expect([method, path, said.includes(method)]).toEqual([method, path, false])
        if (named.length > 0) expect([method, path, said.toSorted()]).toEqual([method, path, allowed.toSorted()])
        else expect([method, path, said.length > 0]).toEqual([method, path, true])
        const type = /^\/(api|\.well-known|oauth\/(register|token|revoke|introspect|device_authorization))/.test(path)
          ? 'application/json; charset=utf-8'
          : 'text/html; charset=utf-8'
        expect([method, path, answer.headers.get('content-type')]).toEqual([method, path, type])
      }
    }
  })
})
