import { expect, test } from 'bun:test'
import { coalesced } from '../../db/coalesced.ts'

test('concurrent callers share a few runs, each started after they called', async () => {
  const EVERY_MS = 20
  const begun: number[] = []
  const ask = coalesced(async () => {
    begun.push(performance.now())
    await Bun.sleep(5)
  }, EVERY_MS)
  const from = performance.now()
  const askers = Array.from({ length: 500 }, async (_, number) => {
    await Bun.sleep(number % 100)
    const askedAt = performance.now()
    await ask()
    expect(begun.some((at) => at >= askedAt)).toBe(true)
  })
  await Promise.all(askers)
  // However slow the machine is, runs are at least this far apart.
  expect(begun.length).toBeLessThanOrEqual(Math.ceil((performance.now() - from) / EVERY_MS) + 1)
  expect(begun.length).toBeGreaterThan(1)
})

test('a failed run fails only its own callers, and the next run is new', async () => {
  let runs = 0
  const ask = coalesced(async () => {
    runs += 1
    if (runs === 1) throw new Error('away')
  }, 1)
  const failed = await Promise.allSettled([ask(), ask()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await ask()
  expect(runs).toBe(2)
})
