import { expect, test } from 'bun:test'
import { MAX_VIEWERS, Places } from '../../src/launcher/places.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)
const takenBy = (places: Places, bundleId: number, network: string, times: number) =>
  numbers(times).filter(() => places.take(bundleId, network)).length

test('a network has so many viewers of a bundle, of each bundle anew, and each network its own', () => {
  const places = new Places()
  expect(takenBy(places, 1, '192.0.2.1', 1000)).toBe(MAX_VIEWERS)
  expect(takenBy(places, 2, '192.0.2.1', 1000)).toBe(MAX_VIEWERS)
  expect(takenBy(places, 1 + 2 ** 32, '192.0.2.1', 1000)).toBe(MAX_VIEWERS)
  expect(takenBy(places, 1, '192.0.2.2', 1000)).toBe(MAX_VIEWERS)
  expect(takenBy(places, 1, '2001:db8:0:0::/64', 1000)).toBe(MAX_VIEWERS)
  places.clear()
  expect(takenBy(places, 1, '192.0.2.1', 1000)).toBe(MAX_VIEWERS)
})

test('a flood of other networks and bundles, each seen once, does not free one that is full', () => {
  const places = new Places()
  takenBy(places, 1, '192.0.2.1', MAX_VIEWERS)
  for (const number of numbers(500_000)) {
    if (!places.take(number % 1000, `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`))
      throw new Error('full')
  }
  expect(places.take(1, '192.0.2.1')).toBe(false)
})
