import { readFileSync } from 'node:fs'

/** Processor time of this thread in ms: other threads do not hold the event loop. */
function processorMs(): number {
  return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6
}

/** The longest piece of some work on the event loop’s thread, in ms of processor time. To be called in a process of its own. */
export async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let isWorking = true
  let [longest, last] = [0, processorMs()]
  const tick = () => {
    const now = processorMs()
    longest = Math.max(longest, now - last)
    last = now
    if (isWorking) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  isWorking = false
  tick()
  return longest
}
