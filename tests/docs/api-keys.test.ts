import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { confirm, mint, newBundle, PASSWORD, type Person, signUp } from '../contract/people.ts'
import { START_MS } from '../contract/support.ts'
import { startInProcess } from '../in-process.ts'
import { need } from '../needs.ts'
import type { Server } from '../server.ts'
import { blocksOf, pageOf, Shell } from './run.ts'

const PAGE = pageOf('api-keys.md')
const blocks = blocksOf(PAGE, 'sh')

const shell = new Shell()
let server: Server
let person: Person
beforeAll(async () => {
  need('curl')
  server = await startInProcess()
  person = await signUp(server)
  await confirm(server, person)
  const words = `curl -s "$OPENALL/api/auth/sign-in/email" -c "$COOKIES" --json "$WORDS"`
  await shell.run(words, { ...places(), WORDS: JSON.stringify({ email: person.email, password: PASSWORD }) })
}, START_MS)
afterAll(async () => {
  await server.stop()
  shell.remove()
})

const places = () => ({ OPENALL: server.origin, COOKIES: join(shell.home, 'cookies.txt') })

/** The environment that the page assumes. */
async function environment() {
  const [id, use] = [await mint(server, person), await mint(server, person)]
  return { ...places(), KEY: use.rawKey, KEY_ID: String(id.apiKey.id), SLUG: await newBundle(server, person) }
}

test('every command of the page works as written, in order', async () => {
  expect(blocks.length).toBeGreaterThanOrEqual(8)
  expect(blocks.filter((block) => !block.includes('curl '))).toEqual([])
  for (const block of blocks) {
    const { code, output, errors } = await shell.run(block, await environment())
    expect([block, code, code === 0 ? '' : output + errors]).toEqual([block, 0, ''])
  }
})

test('a command that the service refuses fails the test', async () => {
  const { code } = await shell.run(blocks.at(-1)!, { ...(await environment()), KEY_ID: '999999' })
  expect(code).not.toBe(0)
})

test('the page names every variable that its commands use', async () => {
  const [intro = ''] = PAGE.split('```sh')
  const used = new Set(Array.from(blocks.join('').matchAll(/\$([A-Z_]+)/g), ([, name = '']) => name))
  expect([...used].filter((name) => !intro.includes(`\`${name}\``))).toEqual([])
})
