import { expect, test } from 'bun:test'
import { FairTurns } from '../../src/core/scheduling.ts'

/** Work that ends when it is told to, and in which order it began. */
function works(turns: FairTurns) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const start = (whose: string, name: string) =>
    turns.run(whose, () => {
      begun.push(name)
      return new Promise<void>((end) => ends.set(name, end))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { begun, start, end }
}

test('whoever has much work waits for others, who have little', async () => {
  const { begun, start, end } = works(new FairTurns(1, 1))
  for (const name of ['a1', 'a2', 'a3', 'a4']) void start('a', name)
  void start('b', 'b1')
  void start('c', 'c1')
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await end(name)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
})

test('one takes its share of the places and no more, even if others are free', async () => {
  const { begun, start, end } = works(new FairTurns(3, 2))
  for (const name of ['a1', 'a2', 'a3']) void start('a', name)
  expect(begun).toEqual(['a1', 'a2'])
  void start('b', 'b1')
  void start('b', 'b2')
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await end('a1')
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
  await end('b1')
  expect(begun.at(-1)).toBe('b2')
})

test('work that fails gives its place back, and nothing of it is left', async () => {
  const turns = new FairTurns(1, 1)
  const failing = turns.run('a', () => Promise.reject(new Error('no')))
  const next = turns.run('a', async () => 'done')
  expect(turns.countOf('a')).toBe(2)
  expect(await Promise.allSettled([failing, next])).toMatchObject([{ status: 'rejected' }, { value: 'done' }])
  expect([turns.countOf('a'), turns.waiting]).toEqual([0, 0])
})
