import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { command, RUNTIMES } from '../server.ts'
import * as WILD from './wild.ts'

const SCRIPT = fileURLToPath(new URL('./wild-read.ts', import.meta.url))

for (const runtime of RUNTIMES) {
  const read = new Response(Bun.spawn([...command(runtime), SCRIPT], { stdout: 'pipe' }).stdout).json()

  for (const [kind, cases] of Object.entries(WILD)) {
    test.each(cases)(`${kind.toLowerCase()} on ${runtime}: %s`, async (what, _, ...links) => {
      const [, ...found] = ((await read) as unknown[][]).find(([name]) => name === what) ?? []
      expect(found).toEqual(links.map((link) => [...link]))
    })
  }
}
