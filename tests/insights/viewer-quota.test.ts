import { expect, test } from 'bun:test'
import { MAX_VIEWERS, ViewerQuota } from '../../src/launcher/viewer-quota.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)
const takenBy = (quota: ViewerQuota, bundleId: number, network: string, times: number) =>
  numbers(times).filter(() => quota.take(bundleId, network)).length

test('each network has a quota of viewers per bundle', () => {
  const quota = new ViewerQuota()
  expect(takenBy(quota, 1, '192.0.2.1', 1000)).toBe(MAX_VIEWERS)
  expect(takenBy(quota, 2, '192.0.2.1', 1000)).toBe(MAX_VIEWERS)
  expect(takenBy(quota, 1 + 2 ** 32, '192.0.2.1', 1000)).toBe(MAX_VIEWERS)
  expect(takenBy(quota, 1, '192.0.2.2', 1000)).toBe(MAX_VIEWERS)
  expect(takenBy(quota, 1, '2001:db8:0:0::/64', 1000)).toBe(MAX_VIEWERS)
  quota.clear()
  expect(takenBy(quota, 1, '192.0.2.1', 1000)).toBe(MAX_VIEWERS)
})

test('a flood of other networks and bundles, each seen once, does not reset a full quota', () => {
  const quota = new ViewerQuota()
  takenBy(quota, 1, '192.0.2.1', MAX_VIEWERS)
  for (const number of numbers(500_000)) {
    if (!quota.take(number % 1000, `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`)) throw new Error('full')
  }
  expect(quota.take(1, '192.0.2.1')).toBe(false)
})
