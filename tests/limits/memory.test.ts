import { expect, test } from 'bun:test'
import type { Limit } from '../../src/limits/rate-limits.ts'
import { MemoryBucket } from '../../src/limits/steps.ts'
import { prng } from '../prng.ts'
import { gap, Log } from './schedules.ts'

const SCHEDULES = 10_000
/** docs/api-keys.md: counted in thousandths of the window, a refusal may last up to one of them too long. */
const STEPS_LATE = 1 / 1000
/** Times are multiples of this, in milliseconds, so that sums and differences of them are exact. */
const TICK = 2 ** -12
const ticks = (ms: number) => Math.ceil(ms / TICK) * TICK

let now = 0
/** One bucket for all schedules, each with its own key: keys must be independent. */
const shared = new MemoryBucket(() => now)

/** Runs one random schedule and compares every answer with a plain log. */
function run(seed: number): string[] {
  const random = prng(seed)
  const limit: Limit = {
    name: 'x',
    max: 1 + Math.floor(random() * 8),
    windowMs: [1, 7, 50, 1000, 60_000, 3_600_000][Math.floor(random() * 6)]!,
  }
  const key = String(seed)
  now = ticks(random() * 1e9)
  const log = new Log()
  const wrong: string[] = []
  for (let sent = 0; sent < 60; sent += 1) {
    now += ticks(gap(random, limit.windowMs))
    const exact = log.within(limit.windowMs, now)
    const late = log.within(limit.windowMs * (1 + STEPS_LATE), now)
    const { allowed, remaining, resetSeconds } = shared.take(limit, key)
    if (allowed && exact >= limit.max) wrong.push(`seed ${seed}: request ${sent} passed above the limit`)
    if (!allowed && late < limit.max) wrong.push(`seed ${seed}: request ${sent} was refused below the limit`)
    if (allowed) log.pass(now)
    const used = [exact, late].map((count) => limit.max - count - (allowed ? 1 : 0))
    if (remaining > Math.max(0, used[0]!) || remaining < Math.max(0, used[1]!))
      wrong.push(`seed ${seed}: ${remaining} left after request ${sent}, not ${used}`)
    if (shared.used(limit, key) !== limit.max - remaining) wrong.push(`seed ${seed}: another number used than not left`)
    if (!Number.isInteger(resetSeconds) || resetSeconds < 1) wrong.push(`seed ${seed}: reset in ${resetSeconds}`)
    if (resetSeconds > Math.max(1, limit.windowMs / 1000))
      wrong.push(`seed ${seed}: told to wait ${resetSeconds} s, longer than the window of ${limit.windowMs} ms`)
    if (allowed) continue
    // Retry-After is exact: then one request passes, and not much earlier.
    const latest = log.freeAt(limit) + limit.windowMs * STEPS_LATE - now
    if (resetSeconds > Math.max(1, Math.ceil(latest / 1000) + 1e-9))
      wrong.push(`seed ${seed}: told to wait ${resetSeconds} s where ${latest} ms would do`)
    now += resetSeconds * 1000
    if (!shared.take(limit, key).allowed) wrong.push(`seed ${seed}: refused again after ${resetSeconds} s`)
    log.pass(now)
  }
  return wrong
}

test(`in ${SCHEDULES} random schedules every answer matches a plain log, or lets through up to one step late, and never later than a window`, () => {
  const wrong: string[] = []
  for (let seed = 1; seed <= SCHEDULES; seed += 1) wrong.push(...run(seed))
  expect(wrong.slice(0, 5)).toEqual([])
}, 180_000)

test('refunds do not count, in any order, and the oldest remaining request determines Retry-After', () => {
  let now = 0
  const bucket = new MemoryBucket(() => now)
  const limit: Limit = { name: 'x', max: 3, windowMs: 60_000 }
  bucket.giveBack(limit, 'k')
  for (const at of [0, 0, 20_000]) {
    now = at
    expect(bucket.take(limit, 'k').allowed).toBe(true)
  }
  expect(bucket.take(limit, 'k').allowed).toBe(false)
  bucket.giveBack(limit, 'k')
  expect(bucket.used(limit, 'k')).toBe(2)
  now = 30_000
  expect(bucket.take(limit, 'k')).toMatchObject({ allowed: true, remaining: 0 })
  for (let given = 0; given < 4; given += 1) bucket.giveBack(limit, 'k')
  expect(bucket.used(limit, 'k')).toBe(0)
  now = 40_000
  expect(bucket.take(limit, 'k')).toMatchObject({ allowed: true, remaining: 2, resetSeconds: 60 })
  // Refunded requests can be used again, and no other key lost any.
  expect([bucket.used(limit, 'k'), bucket.used(limit, 'other')]).toEqual([1, 0])
})

test('a key’s hour is rolling: retryAfterSeconds is when its first request is an hour old', () => {
  let now = 0
  const bucket = new MemoryBucket(() => now)
  const limit: Limit = { name: 'key', max: 1000, windowMs: 3_600_000 }
  for (let sent = 0; sent < 1000; sent += 1, now += 1000) expect(bucket.take(limit, '1').allowed).toBeTrue()
  const refused = bucket.take(limit, '1')
  expect(refused.allowed).toBeFalse()
  // 2600 s until the first is an hour old, and at most one step of 3.6 s.
  expect(refused.resetSeconds).toBeWithin(2600, 2605)
  const from = now
  now = from + 2600 * 1000 - 1
  expect(bucket.take(limit, '1').allowed).toBeFalse()
  now = from + refused.resetSeconds * 1000
  expect(bucket.take(limit, '1').allowed).toBeTrue()
})

test('a key is forgotten once its window has passed, because it is often an address; others keep their counts', () => {
  let now = 0
  const bucket = new MemoryBucket(() => now)
  const [short, long]: Limit[] = [1000, 60_000].map((windowMs) => ({ name: `${windowMs}`, max: 3, windowMs }))
  for (const key of ['early', 'late', 'another']) bucket.take(short!, key)
  bucket.take(long!, 'early')
  now = 900
  bucket.take(short!, 'late')
  expect(bucket.forget()).toBe(0)
  now = 1100
  expect(bucket.forget()).toBe(2)
  expect([bucket.used(short!, 'late'), bucket.used(long!, 'early')]).toEqual([1, 1])
  expect(bucket.take(short!, 'early')).toMatchObject({ allowed: true, remaining: 2 })
  now = 70_000
  expect([bucket.forget(), bucket.forget()]).toEqual([3, 0])
})

test('different limits and different keys of one limit are independent', () => {
  const bucket = new MemoryBucket(() => 0)
  const limit: Limit = { name: 'a', max: 1, windowMs: 1000 }
  const takes = [
    [limit, 'k'],
    [limit, 'other'],
    [{ ...limit, name: 'b' }, 'k'],
    [limit, 'k'],
  ] as const
  expect(takes.map(([limit, key]) => bucket.take(limit, key).allowed)).toEqual([true, true, true, false])
})

test('asking for usage is no request, and creates no key', () => {
  const bucket = new MemoryBucket(() => now)
  const limit: Limit = { name: 'x', max: 3, windowMs: 1000 }
  expect(bucket.used(limit, 'k')).toBe(0)
  bucket.take(limit, 'k')
  bucket.take(limit, 'k')
  for (let asked = 0; asked < 10; asked += 1) expect(bucket.used(limit, 'k')).toBe(2)
  expect(bucket.used(limit, 'another')).toBe(0)
  expect(bucket.take(limit, 'k')).toMatchObject({ allowed: true, remaining: 0 })
  now += 2000
  expect(bucket.used(limit, 'k')).toBe(0)
})
