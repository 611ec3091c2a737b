import { expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { command, RUNTIMES } from '../server.ts'

setDefaultTimeout(180_000)

/** In ms of processor time; most take a third of it at most. */
const MOST = 100

test.each(RUNTIMES)('on %s, no read of one’s own data holds the event loop', async (runtime) => {
  const child = Bun.spawn([...command(runtime), fileURLToPath(new URL('../held.ts', import.meta.url))], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [text, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(error)
  const pieces = Object.entries(JSON.parse(text) as Record<string, number>)
  expect(pieces.length).toBeGreaterThan(15)
  expect(pieces.filter(([, ms]) => ms > MOST)).toEqual([])
})
