import { expect, test } from 'bun:test'
import { type UserAgent, userAgents } from '../../src/launcher/breakdowns.ts'
import { fingerprint, Viewers } from '../../src/launcher/viewers.ts'

const agents = userAgents()
const browser = agents.of('Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0')
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

type Viewer = readonly [bundleId: number, address: string, userAgent: UserAgent]

/** Very similar viewers: only one of three numbers differs. */
const alike: Record<string, (number: number) => Viewer> = {
  bundles: (number) => [number, '192.0.2.1', browser],
  addresses: (number) => [1, addressOf(number), browser],
  'IPv6 addresses': (number) => [1, `2001:db8::${number.toString(16)}`, browser],
  'User-Agents': (number) => [1, '192.0.2.1', agents.of(`Browser/${number}`)],
  'bundles and addresses': (number) => [number % 1000, addressOf(Math.floor(number / 1000)), browser],
}

function addressOf(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
}

test.each(Object.entries(alike))('none of a million %s is mistaken for another', (_, viewer) => {
  const fingerprints = new Set<number>()
  for (const number of numbers(1_000_000)) {
    const [bundleId, address, { hash }] = viewer(number)
    fingerprints.add(fingerprint(4_242, bundleId, address, hash))
  }
  expect(fingerprints.size).toBe(1_000_000)
})

test('each viewer is new once a day, whose bundle’s id may be past 2^32', () => {
  const viewers = new Viewers()
  const newOnes = () => {
    for (const bundleId of [7, 7 + 2 ** 32, 7 + 2 ** 33]) viewers.see(bundleId, '192.0.2.1', browser)
    for (const number of numbers(20_000)) viewers.see(...alike.addresses!(number))
    return viewers.take().length
  }
  viewers.begin('salt')
  expect([newOnes(), newOnes()]).toEqual([20_003, 0])
  viewers.begin('another')
  expect(newOnes()).toBe(20_003)
})
