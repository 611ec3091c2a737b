import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { command, RUNTIMES } from '../server.ts'

const SCRIPT = fileURLToPath(new URL('./placeholders.ts', import.meta.url))

for (const runtime of RUNTIMES) {
  test(`no value changes the scheme, user, host or port of a link, or its other segments, on ${runtime}`, async () => {
    const child = Bun.spawn([...command(runtime), SCRIPT], { stdout: 'pipe' })
    const { wrong, pairs, filled, refused, savedLinks, refusedLinks } = await new Response(child.stdout).json()
    expect(wrong).toEqual([])
    expect(pairs).toBe(50_000)
    // Each of these is tried often.
    for (const often of [filled, refused]) expect(often).toBeGreaterThan(10_000)
    for (const often of [savedLinks, refusedLinks]) expect(often).toBeGreaterThan(200)
  }, 180_000)
}
