import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mint, newBundle, newPerson } from '../contract/people.ts'
import { START_MS } from '../contract/support.ts'
import { startInProcess } from '../in-process.ts'
import { need } from '../needs.ts'
import type { Server } from '../server.ts'
import { blocksOf, pageOf, Shell } from './run.ts'

const blocks = blocksOf(pageOf('proposals.md'), 'sh')
const shell = new Shell()
let server: Server
beforeAll(async () => {
  need('curl')
  server = await startInProcess()
}, START_MS)
afterAll(async () => {
  await server.stop()
  shell.remove()
})

test('the commands of the page work as written, one after the other', async () => {
  const person = await newPerson(server)
  const { rawKey } = await mint(server, person)
  const environment = { OPENALL: server.origin, KEY: rawKey, SLUG: await newBundle(server, person) }
  const { code, output, errors } = await shell.run(blocks.join('\n'), environment)
  expect([code, code === 0 ? '' : output + errors]).toEqual([0, ''])
  expect(output).toContain('"conflicts":[]')
  expect(output).toContain('"title":"Launch month"')
}, 180_000)
