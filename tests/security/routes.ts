import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { dashboard } from '../../src/dashboard/app.ts'
import { launcherPages } from '../../src/launcher/pages.tsx'
import { openLog } from '../../src/log.ts'
import { createRouter } from '../../src/router.ts'
import { startService } from '../../src/service.ts'
import type { Server } from '../server.ts'

/** A route as the service declares it. */
export interface FoundRoute {
  method: string
  /** With its parameters: `/l/:slug`. */
  template: string
}

const AUTH = '/api/auth'

/**
 * Every route that the service answers, from its own routers and from better-auth's, so that a new one is found here
 * without a word: only the values of its parameters must be known (`fill`).
 */
export async function routesOf({ origin }: Pick<Server, 'origin'>): Promise<FoundRoute[]> {
  const { declared, auth } = await declaredRoutes()
  const routes = new Map<string, FoundRoute>()
  const add = (method: string, template: string) => routes.set(`${method} ${template}`, { method, template })
  for (const { method, path } of [...declared, ...auth]) if (method !== 'ALL') add(method, path)
  for (const template of new Set(declared.map(({ path }) => path))) {
    if (template.includes('*')) continue
    // Screens take any method and refuse those they do not have: they know best.
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
    const { routes } = createRouter(service, launcherPages(service), () => new Response())
    const declared = [...routes, ...dashboard(service).routes].map(({ method, path }) => ({ method, path }))
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

/** What parameters of paths stand for, by name; where a name means several things, by the beginning of the path and the name. */
export type Values = Record<string, string>

/** A route's address. A parameter that nobody knows is one of a new route: say in the test's `Values` what it is. */
export function fill(template: string, values: Values): string {
  return template.replaceAll(/:(\w+)/g, (_, name: string) => {
    const key = Object.keys(values).find((key) => key.endsWith(`:${name}`) && template.startsWith(key.split(':')[0]!))
    if (key === undefined) throw new Error(`${template} is new: say what :${name} is there`)
    return encodeURIComponent(values[key]!)
  })
}
