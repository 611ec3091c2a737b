import { expect, test } from 'bun:test'
import { KnownViewers } from '../../src/launcher/known-viewers.ts'
import { type UserAgent, userAgents } from '../../src/launcher/user-agents.ts'

const agents = userAgents()
const browser = agents.of('Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0')

/** Whether a viewer is known, and adds them. */
function meets(known: KnownViewers, bundleId: number, address: string, userAgent: UserAgent): boolean {
  const viewer = known.fingerprintOf(bundleId, address, userAgent)
  if (known.has(viewer)) return true
  known.add(viewer)
  return false
}

/** Very similar viewers: only one of three numbers differs. */
const alike: Record<string, (known: KnownViewers, number: number) => boolean> = {
  bundles: (known, number) => meets(known, number, '192.0.2.1', browser),
  addresses: (known, number) => meets(known, 1, addressOf(number), browser),
  'IPv6 addresses': (known, number) => meets(known, 1, `2001:db8::${number.toString(16)}`, browser),
  'User-Agents': (known, number) => meets(known, 1, '192.0.2.1', agents.of(`Browser/${number}`)),
  'bundles and addresses': (known, number) =>
    meets(known, number % 1000, addressOf(Math.floor(number / 1000)), browser),
}

function addressOf(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
}

for (const [what, add] of Object.entries(alike)) {
  const numbers = (from: number, count: number) => Array.from({ length: count }, (_, number) => from + number)

  test(`each of 20 000 ${what} is new once and then known`, () => {
    const known = new KnownViewers()
    expect(numbers(0, 20_000).filter((one) => add(known, one))).toEqual([])
    // A full bucket evicts one; among so many that is one in hundreds.
    expect(numbers(0, 20_000).filter((one) => !add(known, one)).length).toBeLessThan(200)
    known.clear()
    expect(add(known, 0)).toBe(false)
  })

  test(`among a million ${what}, more than fit, none is mistaken for known`, () => {
    const known = new KnownViewers()
    for (const one of numbers(0, 1_000_000)) add(known, one)
    expect(numbers(1_000_000, 10_000).filter((one) => add(known, one))).toEqual([])
  })
}

test('bundle ids past 2^32 are distinguished', () => {
  const known = new KnownViewers()
  expect(meets(known, 7, '192.0.2.1', browser)).toBe(false)
  expect(meets(known, 7 + 2 ** 32, '192.0.2.1', browser)).toBe(false)
  expect(meets(known, 7 + 2 ** 33, '192.0.2.1', browser)).toBe(false)
  expect(meets(known, 7, '192.0.2.1', browser)).toBe(true)
})
