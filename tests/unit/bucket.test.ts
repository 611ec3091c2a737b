import { expect, test } from 'bun:test'
import { MemoryBucket } from '../../src/limits/memory.ts'
import { prng } from '../prng.ts'

// The front door has one clock, which nobody can turn; the bucket takes its clock.

/** A random schedule of requests: bursts, pauses, and times about a window apart. */
function schedule(random: () => number, windowMs: number): number[] {
  let now = random() * 10_000
  return Array.from({ length: 300 }, () => {
    const kind = random()
    now += kind < 0.5 ? 0 : kind < 0.85 ? (random() * windowMs) / 10 : windowMs * (0.99 + random() * 0.02)
    return now
  })
}

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

test(`a sliding window admits no more than it may and refuses no more than it must (SEED=${seed})`, () => {
  const random = prng(seed)
  for (let round = 0; round < 200; round += 1) {
    const max = 1 + Math.floor(random() * 20)
    const windowMs = [100, 2000, 60_000, 3_600_000][Math.floor(random() * 4)]!
    const stepMs = windowMs / 1000
    let now = 0
    const bucket = new MemoryBucket(max, windowMs, () => now)
    const passed: number[] = []
    for (now of schedule(random, windowMs)) {
      const within = (ms: number) => passed.filter((at) => at > now - ms).length
      const { allowed, retryAfterSeconds } = bucket.take('key')
      if (allowed) {
        expect(retryAfterSeconds).toBeUndefined()
        expect(within(windowMs)).toBeLessThan(max)
        passed.push(now)
      } else {
        expect(within(windowMs + stepMs)).toBeGreaterThanOrEqual(max)
        expect(Number.isInteger(retryAfterSeconds) && retryAfterSeconds! >= 1).toBeTrue()
      }
    }
  }
})

test(`whoever waits as long as the bucket says is let in, and not much sooner would do (SEED=${seed})`, () => {
  const random = prng(seed + 1)
  for (let round = 0; round < 500; round += 1) {
    const windowMs = [100, 2000, 60_000, 3_600_000][Math.floor(random() * 4)]!
    let now = 0
    const bucket = new MemoryBucket(1 + Math.floor(random() * 5), windowMs, () => now)
    for (now of schedule(random, windowMs)) {
      const { retryAfterSeconds } = bucket.take('key')
      if (retryAfterSeconds === undefined) continue
      expect(retryAfterSeconds * 1000).toBeLessThanOrEqual(windowMs * 1.002 + 1000)
      now += retryAfterSeconds * 1000
      expect(bucket.take('key').allowed).toBeTrue()
      break
    }
  }
})

test('keys have buckets of their own', () => {
  const bucket = new MemoryBucket(1, 1000, () => 0)
  expect(['a', 'b', 'a', 'b'].map((key) => bucket.take(key).allowed)).toEqual([true, true, false, false])
})
