import { afterAll, test } from 'bun:test'
import pLimit from 'p-limit'
import { IS_FULL } from './full.ts'

/** Concurrent, because these tests mostly wait; sequential in the full run, which checks times strictly. */
export const concurrentTest = IS_FULL ? test : test.concurrent

type Scenario = (name: string, run: () => Promise<void>) => void

/**
 * Declares lanes: the tests of one run in sequence, after its `start`, concurrently with those of other lanes. Everything
 * is stopped after the last test of the file, because hooks of one lane would delay the others.
 */
export function newLanes(patienceMs: number): (start: () => Promise<void>, stop: () => Promise<void>) => Scenario {
  const stops: (() => Promise<void>)[] = []
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()))
  }, patienceMs)
  return (start, stop) => {
    const sequential = pLimit(1)
    let starting: Promise<void> | undefined
    stops.push(stop)
    return (name, run) =>
      concurrentTest(
        name,
        () =>
          sequential(async () => {
            await (starting ??= start())
            await run()
          }),
        patienceMs,
      )
  }
}
