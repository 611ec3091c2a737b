import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readConfig } from '../src/config/config.ts'
import { createApp } from '../src/runtime/app.ts'
import { openLog } from '../src/runtime/log.ts'
import { startService } from '../src/runtime/service.ts'

// Run by contract/loading.test.ts in its own process, which has loaded what `main.ts` loads before it listens. Prints, for each
// of a list of requests, its status and the modules that it loaded.

const folder = mkdtempSync(join(tmpdir(), 'openall-'))
const config = readConfig({
  DATABASE_URL: `file:${join(folder, 'test.db')}`,
  LOG_LEVEL: 'silent',
  SERVICE_ICONS: 'off',
  SERVICE_PICTURES_AHEAD: 'off',
})
const service = await startService(config, openLog(config.logLevel), { N: 16, r: 1, p: 1 })
const handle = createApp(service)
await service.auth()

const cookies = new Map<string, string>()
const results: Record<string, [status: number, modules: string[]]> = {}
const known = new Set(Object.keys(require.cache))

async function send(name: string, method: string, path: string, body?: unknown, type = 'application/json') {
  const headers = {
    host: config.authority,
    origin: config.origin,
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...(body === undefined ? {} : { 'content-type': type }),
  }
  const text = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await handle(new Request(config.origin + path, { method, headers, ...text }), () => '127.0.0.1')
  for (const line of response.headers.getSetCookie()) {
    const [pair = ''] = line.split(';', 1)
    cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  }
  const answer = await response.text()
  // Mails and the like go out once it has answered.
  await new Promise((resolve) => setTimeout(resolve, 20))
  const modules = Object.keys(require.cache).filter((module) => !known.has(module))
  for (const module of modules) known.add(module)
  results[name] = [
    response.status,
    modules.map((module) => module.replace(/^.*?(?=node_modules|src\/|db\/|views\/)/, '')),
  ]
  return answer
}

const form = 'application/x-www-form-urlencoded'
await send('health', 'GET', '/healthz')
await send('ready', 'GET', '/readyz')
await send('home', 'GET', '/')
await send('home, pasted', 'POST', '/', 'urls=https%3A%2F%2Fa.example%2F', form)
const created = await send('create', 'POST', '/api/links', {
  urls: ['https://a.example/{id}'],
  variables: [{ name: 'id', label: 'Number' }],
  title: 'One',
})
const { slug } = JSON.parse(created) as { slug: string }
for (const end of [
  '',
  '?id=1',
  '/1',
  '.json',
  '.md',
  '/feed',
  '/qr.svg',
  '/bookmarks.html',
  '/opensearch.xml',
  '/report',
  '/remind',
  '/calendar.ics?days=mon&at=09:00&zone=Europe/Berlin',
])
  await send(`launcher${end}`, 'GET', `/l/${slug}${end}`)
await send('event', 'POST', `/api/links/${slug}/events`, { kind: 'open_all' })
await send('no launcher', 'GET', '/l/there-is-none')
for (const path of ['/sign-in', '/sign-up', '/docs', '/docs/api', '/llms.txt', '/api/openapi.json'])
  await send(path, 'GET', path)
await send('well known', 'GET', '/.well-known/oauth-authorization-server')
await send('register an app', 'POST', '/oauth/register', { redirect_uris: ['https://app.example/back'] })
await send('a token', 'POST', '/oauth/token', 'grant_type=authorization_code', form)
await send('an unknown app', 'GET', '/oauth/authorize?client_id=none&response_type=code')
await send('device', 'GET', '/device')
const person = { email: 'ann@people.example', password: 'correct horse battery', name: 'Ann' }
await send('sign up', 'POST', '/api/auth/sign-up/email', person)
await service.store.write([sql.raw('UPDATE user SET email_verified = 1')])
await send('sign in', 'POST', '/api/auth/sign-in/email', person)
await send('session', 'GET', '/api/auth/get-session')
await send('a link to sign in', 'POST', '/api/auth/sign-in/magic-link', { email: person.email })
await send('a forgotten password', 'POST', '/api/auth/request-password-reset', { email: person.email })
for (const path of [
  '',
  '/links/new',
  '/links/import',
  '/settings/activity',
  '/keys',
  '/webhooks',
  '/settings',
  '/organizations',
])
  await send(`dashboard${path}`, 'GET', `/dashboard${path}`)
const made = await send('a key', 'POST', '/api/me/keys', { name: 'k', scopes: ['links:write'] })
const { rawKey = '' } = JSON.parse(made) as { rawKey?: string }
await send('own bundle', 'POST', '/api/links', {
  urls: ['https://a.example/', 'https://b.example/'],
  slug: 'own',
  resolutionPolicy: {
    version: 1,
    rules: [
      {
        name: 'Finland',
        when: { op: 'in', field: 'country', values: ['FI'] },
        tabs: [{ url: 'https://fi.example/' }],
      },
    ],
  },
})
for (const end of ['', '/policy', '/versions', '/insights', '/export.csv', '/proposals'])
  await send(`dashboard of a bundle${end}`, 'GET', `/dashboard/links/own${end}`)
await send('its launcher', 'GET', '/l/own')
await send('an edit', 'PATCH', '/api/links/own', { title: 'Two' })
await send('versions', 'GET', '/api/links/own/versions')
await send('export', 'GET', '/api/me/export')
cookies.clear()
const mcp = new Request(`${config.origin}/api/mcp`, {
  method: 'POST',
  headers: {
    host: config.authority,
    authorization: `Bearer ${rawKey}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
})
const tools = await handle(mcp, () => '127.0.0.1')
await tools.text()
results.tools = [tools.status, Object.keys(require.cache).filter((module) => !known.has(module))]
console.log(JSON.stringify(results))
await service.stop()
rmSync(folder, { recursive: true })
process.exit(0)
