import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { createRouter } from '../../src/runtime/app.ts'
import { openLog } from '../../src/runtime/log.ts'
import { startService } from '../../src/runtime/service.ts'
import { dashboard } from '../../views/dashboard/app.ts'
import type { Visitor } from '../people.ts'
import type { Server } from '../server.ts'

/** A route of the service. */
export interface FoundRoute {
  method: string
  /** The path with its parameters, such as `/l/:slug`. */
  template: string
}

const AUTH = '/api/auth'

/**
 * Every route of the service's routers and better-auth's. New routes are found automatically; only values for their
 * parameters have to be added (`fill`).
 */
export async function routesOf({ origin }: Pick<Server, 'origin'>): Promise<FoundRoute[]> {
  const { declared, auth } = await declaredRoutes()
  const routes = new Map<string, FoundRoute>()
  const add = (method: string, template: string) => routes.set(`${method} ${template}`, { method, template })
  for (const { method, path } of [...declared, ...auth]) if (method !== 'ALL') add(method, path)
  for (const template of new Set(declared.map(({ path }) => path))) {
    if (template.includes('*')) continue
    // The dashboard's screens accept any method and refuse unsupported ones themselves, so ask them.
    const { headers } = await fetch(`${origin}${template.replaceAll(/:\w+/g, 'x')}`, { method: 'PUT' })
    for (const method of headers.get('allow')?.split(', ') ?? []) if (method !== 'HEAD') add(method, template)
  }
  return [...routes.values()]
}

async function declaredRoutes() {
  const folder = mkdtempSync(join(tmpdir(), 'openall-routes-'))
  const config = readConfig({ DATABASE_URL: `file:${join(folder, 'test.db')}`, LOG_LEVEL: 'silent' })
  const service = await startService(config, openLog('silent'))
  try {
    const app = createRouter(service, () => new Response())
    const declared = [...app.routes, ...dashboard(service).routes].map(({ method, path }) => ({ method, path }))
    const { api } = await service.auth()
    const endpoints = Object.values(api) as { path?: string; options?: { method?: string | string[] } }[]
    const auth = endpoints.flatMap(({ path, options }) =>
      path === undefined ? [] : [options?.method ?? []].flat().map((method) => ({ method, path: AUTH + path })),
    )
    return { declared, auth }
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The addresses of the pages that a person can open; without values, of those without parameters. */
export async function pagesFor(
  server: Pick<Server, 'origin'>,
  person: Visitor,
  values: Values | null,
): Promise<string[]> {
  const pages: string[] = []
  for (const { method, template } of await routesOf(server)) {
    if (method !== 'GET' || /^\/api\/|\*/.test(template) || (values === null && template.includes(':'))) continue
    const path = fill(template, values ?? {})
    const { status, headers } = await person.fetch(path)
    if (status === 200 && headers.get('content-type')?.startsWith('text/html')) pages.push(path)
  }
  return pages
}

/** Values of path parameters, by name, or by prefix and name if a name has several meanings. */
export type Values = Record<string, string>

/** A route's path with values filled in. @throws for an unknown parameter: add it to the test's `Values`. */
export function fill(template: string, values: Values): string {
  return template.replaceAll(/:(\w+)/g, (_, name: string) => {
    const key = Object.keys(values).find((key) => key.endsWith(`:${name}`) && template.startsWith(key.split(':')[0]!))
    if (key === undefined) throw new Error(`${template} is new: say what :${name} is there`)
    return encodeURIComponent(values[key]!)
  })
}
