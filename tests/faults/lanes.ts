import { afterAll, test } from 'bun:test'
import pLimit from 'p-limit'
import { IS_FULL } from './full.ts'

/** Beside other tests, for most of what they do is wait; but not where times are looked at strictly. */
export const beside = IS_FULL ? test : test.concurrent

type Scenario = (name: string, run: () => Promise<void>) => void

/**
 * For a file: gives what declares the tests of a case, which follow one another over what `start` has started, beside
 * those of other cases. What was started is stopped after all of them; hooks of a case would hold the others up.
 */
export function newLanes(patienceMs: number): (start: () => Promise<void>, stop: () => Promise<void>) => Scenario {
  const stops: (() => Promise<void>)[] = []
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()))
  }, patienceMs)
  return (start, stop) => {
    const inTurn = pLimit(1)
    let starting: Promise<void> | undefined
    stops.push(stop)
    return (name, run) =>
      beside(
        name,
        () =>
          inTurn(async () => {
            await (starting ??= start())
            await run()
          }),
        patienceMs,
      )
  }
}
