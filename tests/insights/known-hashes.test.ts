import { expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { KnownHashes } from '../../src/insights/known-hashes.ts'

const hashes = (count: number, of: string) =>
  Array.from({ length: count }, (_, number) => hash('sha256', `${of}${number}`, 'buffer'))

test('of 20 000 hashes each is new once and then known', () => {
  const known = new KnownHashes()
  const all = hashes(20_000, 'viewer')
  expect(all.filter((one) => known.add(one))).toEqual([])
  // A full bucket forgets one; of so many that is one in hundreds.
  expect(all.filter((one) => !known.add(one)).length).toBeLessThan(200)
  known.clear()
  expect(known.add(all[0]!)).toBe(false)
})

test('of a million, more than there is room for, none is taken for known that never came', () => {
  const known = new KnownHashes()
  for (const one of hashes(1_000_000, 'viewer')) known.add(one)
  expect(hashes(10_000, 'stranger').filter((one) => known.add(one))).toEqual([])
})
