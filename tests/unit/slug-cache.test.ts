import { expect, test } from 'bun:test'
import { type CacheEntry, SlugCache } from '../../src/launcher/slug-cache.ts'
import { prng } from '../prng.ts'

const one = (slug: string, weight = 1): CacheEntry => ({ slug, weight, wasUsed: false, at: -1 })

test('similar slugs find their own entries', () => {
  const cache = new SlugCache<CacheEntry>(Number.MAX_SAFE_INTEGER)
  const random = prng(1)
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789-'
  const slugs = new Set([
    'a',
    'aa',
    '-',
    '--',
    '0',
    '00',
    'a0',
    '0a',
    'zzzzzzzzzz',
    '9999999999',
    '----------',
    'zzzzzzzzz',
  ])
  for (const letter of letters) for (const other of letters) slugs.add(letter + other).add(`zzzzzzzz${letter}${other}`)
  while (slugs.size < 20_000) {
    const length = 1 + Math.floor(random() * 14)
    slugs.add(Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join(''))
  }
  for (const slug of slugs) cache.set(one(slug))
  expect([...slugs].filter((slug) => cache.get(slug)?.slug !== slug)).toEqual([])
  for (const strange of ['', 'A', 'aA', 'ä', 'a b', 'a/', 'zzzzzzzzz_', '`', '{'])
    expect(cache.get(strange)).toBeUndefined()
})

test('used entries stay, and no more are kept than fit', () => {
  const cache = new SlugCache<CacheEntry>(100)
  for (let number = 0; number < 100; number += 1) cache.set(one(`slug${number}`))
  // One round evicts unused entries; from then on only the favourite is used.
  for (let number = 100; number < 1000; number += 1) {
    cache.set(one(`slug${number}`))
    expect(cache.get('slug50')?.slug).toBe('slug50')
  }
  const left = Array.from({ length: 1000 }, (_, number) => `slug${number}`).filter(
    (slug) => cache.get(slug) !== undefined,
  )
  expect(left).toHaveLength(100)
  expect(left).toContain('slug999')
})

test('after any changes it holds the latest entries, by weight', () => {
  const cache = new SlugCache<CacheEntry>(500)
  const random = prng(2)
  const model = new Map<string, CacheEntry>()
  for (let turn = 0; turn < 50_000; turn += 1) {
    const slug = `s${Math.floor(random() * 200)}`
    const action = random()
    if (action < 0.5) {
      const value = one(slug, Math.floor(random() * 20))
      cache.set(value)
      model.set(slug, value)
    } else if (action < 0.6) {
      cache.delete(slug)
      model.delete(slug)
    } else if (action < 0.7) {
      const value = model.get(slug)
      if (value !== undefined) cache.weigh(value, Math.floor(random() * 20))
    } else if (action < 0.701) {
      cache.clear()
      model.clear()
    } else {
      const found = cache.get(slug)
      expect(found === undefined || found === model.get(slug)).toBe(true)
    }
    if (turn % 100 === 0) {
      const there = [...model.values()].filter(({ slug }) => cache.get(slug) !== undefined)
      expect(there.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(500)
    }
  }
})

test('an entry larger than the whole cache is not kept', () => {
  const cache = new SlugCache<CacheEntry>(10)
  cache.set(one('huge', 11))
  expect(cache.get('huge')).toBeUndefined()
  cache.set(one('small', 10))
  expect(cache.get('small')?.weight).toBe(10)
})
