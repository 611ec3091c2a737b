import { expect, test } from 'bun:test'
import { Counter, MAX_RULES } from '../../src/launcher/batches.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { EXACT_VIEWERS, ViewerQuota } from '../../src/launcher/viewers.ts'
import { headersOf, log, newFixture, rows } from './support.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)
/** Draws that are as different as a hash's, the same in every run. */
const drawOf = (number: number) => Math.imul(number + 1, 0x9e3779b1) >>> 0
const spread = (number: number) => drawOf(drawOf(number) ^ (drawOf(number) >>> 15)) >>> 7
const takenBy = (quota: ViewerQuota, bundleId: number, network: string, times: number) =>
  numbers(times).map((number) => quota.take(bundleId, network, spread(number)))
const sum = (shares: number[]) => shares.reduce((total, share) => total + share, 0)

test('a bundle of which any number of rules is made up leaves a bounded number of rows a day, and loses no click', async () => {
  const fixture = await newFixture('2026-11-20T12:00:00Z')
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  for (const round of numbers(3)) {
    for (const number of numbers(MAX_RULES)) recorder.openAll(new Counter(1, `r_${round}_${number}`), headersOf({}))
    await recorder.flush()
  }
  // A rule that is counted already goes on.
  recorder.openAll(new Counter(1, 'r_0_7'), headersOf({}))
  await recorder.stop()
  const [[kept, clicks] = []] = await rows(fixture.store, 'SELECT count(*), sum(open_all_clicks) FROM daily_counters')
  expect(kept as number).toBeLessThanOrEqual(MAX_RULES + 1)
  expect(clicks).toBe(3 * MAX_RULES + 1)
  expect(await rows(fixture.store, "SELECT open_all_clicks FROM daily_counters WHERE rule_id = 'r_0_7'")).toEqual([[2]])
  await fixture.close()
})

test('each network has a quota of viewers per bundle who are counted one by one', () => {
  const quota = new ViewerQuota()
  for (const [bundleId, network] of [
    [1, '192.0.2.1'],
    [2, '192.0.2.1'],
    [1 + 2 ** 32, '192.0.2.1'],
    [1, '192.0.2.2'],
    [1, '2001:db8:0:0::/64'],
  ] as const) {
    expect(takenBy(quota, bundleId, network, EXACT_VIEWERS)).toEqual(Array(EXACT_VIEWERS).fill(1))
    // Only those whose draw is even, for two each.
    expect([1, 2, 3, 4].map((draw) => quota.take(bundleId, network, draw))).toEqual([0, 2, 0, 2])
  }
  quota.clear()
  expect(takenBy(quota, 1, '192.0.2.1', EXACT_VIEWERS)).toEqual(Array(EXACT_VIEWERS).fill(1))
})

test('beyond its quota a network is sampled, in ever fewer rows', () => {
  for (const [viewers, most] of [
    [2_000, 3],
    [20_000, 6],
    [1_000_000, 12],
  ] as const) {
    const taken = takenBy(new ViewerQuota(), 1, '192.0.2.1', viewers).filter((share) => share > 0)
    expect(taken.length).toBeLessThan(most * EXACT_VIEWERS)
    expect(Math.abs(sum(taken) / viewers - 1)).toBeLessThan(0.12)
  }
})

test('a flood of other networks and bundles, each seen once, does not reset a full quota', () => {
  const quota = new ViewerQuota()
  takenBy(quota, 1, '192.0.2.1', EXACT_VIEWERS)
  for (const number of numbers(500_000)) {
    const network = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
    if (quota.take(number % 1000, network, spread(number)) !== 1) throw new Error('full')
  }
  expect(quota.take(1, '192.0.2.1', 1)).toBe(0)
})

test('processes that see the same crowd of one network count it once, each viewer with whichever comes first', async () => {
  const fixture = await newFixture('2026-11-20T12:00:00Z')
  const recorders = await Promise.all(numbers(2).map(() => Recorder.start(fixture.store, log, fixture.now)))
  const crowd = numbers(6_000).map((number) => headersOf({ 'user-agent': `Mozilla/5.0 Firefox/153.${number}` }))
  for (const round of numbers(3)) {
    for (const [number, headers] of crowd.entries()) {
      recorders[(drawOf(number) >>> (10 + round)) % 2]?.view(new Counter(1, ''), '192.0.2.1', headers)
      if (number % 500 === 0) await Promise.all(recorders.map((recorder) => recorder.flush()))
    }
  }
  for (const recorder of recorders) await recorder.stop()
  const [[viewers] = [], [hashes] = []] = [
    ...(await rows(fixture.store, 'SELECT viewers FROM daily_viewers')),
    ...(await rows(fixture.store, 'SELECT count(*) FROM viewer_hashes')),
  ] as number[][]
  expect(Math.abs(viewers! / crowd.length - 1)).toBeLessThan(0.15)
  expect(hashes).toBeLessThan(8 * EXACT_VIEWERS)
  await fixture.close()
})
