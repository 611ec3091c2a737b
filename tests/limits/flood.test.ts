import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { command, RUNTIMES } from '../server.ts'

const FLOOD = fileURLToPath(new URL('./flood.ts', import.meta.url))

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!

for (const runtime of RUNTIMES) {
  for (const requests of [1, 30]) {
    test(`a million addresses with ${requests} requests each take less than 100 MB, and lookups stay equally fast, on ${runtime}`, async () => {
      const gc = runtime === 'deno' ? ['--v8-flags=--expose-gc'] : []
      const child = Bun.spawn([...command(runtime), ...gc, FLOOD, String(requests)], { stdout: 'pipe' })
      const { grownMb, nanoseconds } = (await new Response(child.stdout).json()) as {
        grownMb: number
        nanoseconds: number[]
      }
      expect(grownMb).toBeLessThan(100)
      // The first tenth includes JIT compilation.
      expect(median(nanoseconds.slice(-4)) / median(nanoseconds.slice(1, 5))).toBeLessThan(3)
    }, 180_000)
  }
}
