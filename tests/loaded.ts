import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { openLog } from '../src/log.ts'
import { startService } from '../src/service.ts'

// Run by contract/identity-loading.test.ts in a process of its own: prints, after each kind of request, its status
// and whether better-auth has been loaded by then.

let isLoaded = false
Bun.plugin({
  name: 'tells when better-auth is loaded',
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

async function ask(method: string, path: string, body?: unknown, cookie = '') {
  const headers = { host: config.authority, 'content-type': 'application/json', cookie }
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const response = await handle(new Request(`${config.origin}${path}`, init), () => '127.0.0.1')
  return { result: [response.status, isLoaded], text: await response.text() }
}

const made = await ask('POST', '/api/links', { urls: ['https://a.example/'] })
const { slug } = JSON.parse(made.text)
const { result: launcher } = await ask('GET', `/l/${slug}`)
const { result: launcherWithCookie } = await ask('GET', `/l/${slug}`, undefined, 'session=some.thing')
const words = { email: 'x@people.example', password: 'correct horse battery' }
const { result: signIn } = await ask('POST', '/api/auth/sign-in/email', words)
console.log(JSON.stringify({ launcher, launcherWithCookie, signIn }))
await service.stop()
process.exit(0)
