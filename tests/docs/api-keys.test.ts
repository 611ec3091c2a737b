import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleOf, mint, PASSWORD, type Person, signUp } from '../contract/people.ts'
import { START_MS } from '../contract/support.ts'
import { type Server, startServer } from '../server.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/api-keys.md', import.meta.url)), 'utf8')
const blocks = Array.from(PAGE.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)

const home = mkdtempSync(join(tmpdir(), 'openall-docs-'))
let server: Server
let person: Person
beforeAll(async () => {
  server = await startServer()
  person = await signUp(server)
  // Has curl fail where the service refuses; the page's lines stay as they stand.
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\n')
  const words = `curl -s "$OPENALL/api/auth/sign-in/email" -c "$COOKIES" --json "$WORDS"`
  await bash(words, { ...places(), WORDS: JSON.stringify({ email: person.email, password: PASSWORD }) })
}, START_MS)
afterAll(async () => {
  await server.stop()
  rmSync(home, { recursive: true })
})

async function bash(script: string, env: Record<string, string>) {
  const words = ['bash', '-euo', 'pipefail', '-c', script]
  const child = Bun.spawn(words, {
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output, errors }
}

const places = () => ({ OPENALL: server.origin, COOKIES: join(home, 'cookies.txt') })

/** What the page says that its lines are run with. */
async function environment() {
  const [id, use] = [await mint(server, person), await mint(server, person)]
  return { ...places(), KEY: use.rawKey, KEY_ID: String(id.apiKey.id), SLUG: await bundleOf(server, person) }
}

test('every command of the page does what it says, as it stands, in the page’s order', async () => {
  expect(blocks.length).toBeGreaterThanOrEqual(8)
  expect(blocks.filter((block) => !block.includes('curl '))).toEqual([])
  for (const block of blocks) {
    const { code, output, errors } = await bash(block, await environment())
    expect([block, code, code === 0 ? '' : output + errors]).toEqual([block, 0, ''])
  }
})

test('a command that the service refuses would be noticed', async () => {
  const { code } = await bash(blocks.at(-1)!, { ...(await environment()), KEY_ID: '999999' })
  expect(code).not.toBe(0)
})

test('the page names every variable that its commands use', async () => {
  const [intro = ''] = PAGE.split('```sh')
  const used = new Set(Array.from(blocks.join('').matchAll(/\$([A-Z_]+)/g), ([, name = '']) => name))
  expect([...used].filter((name) => !intro.includes(`\`${name}\``))).toEqual([])
})
