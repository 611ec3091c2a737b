import { expect, test } from 'bun:test'
import { repeat } from '../../src/core/scheduling.ts'
import { eventually } from '../eventually.ts'

const NEVER_MS = 3_600_000

/** A log that counts its warnings. */
function counting() {
  const warned: string[] = []
  return { warned, warn: (_: unknown, text?: string) => void warned.push(text ?? '') }
}

test('runs do not overlap, and a stop waits for the one under way and begins no other', async () => {
  let [begun, ended] = [0, 0]
  const ends: (() => void)[] = []
  const run = async () => {
    expect(begun).toBe(ended)
    begun += 1
    await new Promise<void>((resolve) => ends.push(resolve))
    ended += 1
  }
  const loop = repeat(1, run, counting(), 'no')
  await eventually(async () => begun === 1, 'it runs')
  loop.runWithin(0)
  ends.shift()!()
  await eventually(async () => begun === 2, 'it runs again')
  const stopped = loop.stop()
  loop.runWithin(0)
  ends.shift()!()
  await stopped
  expect([begun, ended]).toEqual([2, 2])
})

test('an error ends nothing, and the log says it once until a run has succeeded', async () => {
  const log = counting()
  let runs = 0
  const loop = repeat(
    1,
    () => {
      if (++runs !== 4) throw new Error('away')
    },
    log,
    'could not',
  )
  await eventually(async () => runs >= 6, 'it goes on')
  await loop.stop()
  expect(log.warned).toEqual(['could not', 'could not'])
})

test('a run can be brought forward, before it and from within the one before', async () => {
  let runs = 0
  const loop = repeat(
    NEVER_MS,
    () => {
      if (++runs < 3) loop.runWithin(0)
    },
    counting(),
    'no',
  )
  loop.runWithin(0)
  await eventually(async () => runs === 3, 'it ran three times')
  loop.runWithin(NEVER_MS)
  loop.runWithin(0)
  await eventually(async () => runs === 4, 'it ran once more')
  await loop.stop()
})

test('after an error nothing brings the next try forward', async () => {
  let runs = 0
  const loop = repeat(
    NEVER_MS,
    () => {
      runs += 1
      loop.runWithin(0)
      throw new Error('away')
    },
    counting(),
    'could not',
  )
  loop.runWithin(0)
  await eventually(async () => runs === 1, 'it runs')
  for (let time = 0; time < 20; time += 1) {
    loop.runWithin(0)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect(runs).toBe(1)
  await loop.stop()
})
