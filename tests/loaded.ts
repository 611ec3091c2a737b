import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { createApp } from '../src/runtime/app.ts'
import { openLog } from '../src/runtime/log.ts'
import { startService } from '../src/runtime/service.ts'

// Run by contract/identity-loading.test.ts in its own process. Prints, for each kind of request, its status and whether
// better-auth had been loaded by then.

let isLoaded = false
Bun.plugin({
  name: 'notices when better-auth is loaded',
  setup(build) {
    build.onLoad({ filter: /node_modules.better-auth.dist.index\.mjs$/ }, ({ path }) => {
      isLoaded = true
      return { contents: readFileSync(path, 'utf8'), loader: 'js' }
    })
  },
})

const config = readConfig({
  DATABASE_URL: `file:${join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')}`,
  LOG_LEVEL: 'silent',
})
const service = await startService(config, openLog(config.logLevel))
const handle = createApp(service)

async function send(method: string, path: string, body?: unknown, cookie = '') {
  const headers = { host: config.authority, 'content-type': 'application/json', cookie }
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const response = await handle(new Request(`${config.origin}${path}`, init), () => '127.0.0.1')
  return { result: [response.status, isLoaded], text: await response.text() }
}

const created = await send('POST', '/api/links', { urls: ['https://a.example/'] })
const { slug } = JSON.parse(created.text)
const { result: launcher } = await send('GET', `/l/${slug}`)
const { result: launcherWithCookie } = await send('GET', `/l/${slug}`, undefined, 'session=some.thing')
const credentials = { email: 'x@people.example', password: 'correct horse battery' }
const { result: signIn } = await send('POST', '/api/auth/sign-in/email', credentials)
console.log(JSON.stringify({ launcher, launcherWithCookie, signIn }))
await service.stop()
process.exit(0)
