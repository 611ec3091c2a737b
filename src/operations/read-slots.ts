import { FairTurns } from '../core/fair-turns.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'

/** What waits for a slot, by person. */
const waiting = new Map<string, (() => void)[]>()

/** Whether a read has begun in this round of the event loop. */
let isTaken = false

/**
 * Waits for a slot to run what blocks the event loop for long, as reads of a file store do. One read starts per round of
 * the loop, and people take turns: someone who starts a hundred at once delays only their own.
 */
export function waitForReadSlot(person: string): Promise<void> {
  if (!isTaken) {
    takeSlot()
    return Promise.resolve()
  }
  return new Promise((begin) => {
    const own = waiting.get(person)
    if (own === undefined) waiting.set(person, [begin])
    else own.push(begin)
  })
}

/**
 * Runs a read that may take long and does not block the event loop: one at a time, and people take turns here too, so that
 * whoever starts many long ones delays only their own.
 */
export function inLongReadSlot<Result>(person: string, read: () => Promise<Result>): Promise<Result> {
  return longReads.run(person, read)
}

const longReads = new FairTurns(1, 1)

function takeSlot(): void {
  isTaken = true
  void yieldToEventLoop(performance.now()).then(beginNext)
}

/** Begins the next. Whoever has more waiting goes back to the end. */
function beginNext(): void {
  const [next] = waiting
  if (next === undefined) {
    isTaken = false
    return
  }
  const [person, own] = next
  const begin = own.shift()
  waiting.delete(person)
  if (own.length > 0) waiting.set(person, own)
  takeSlot()
  begin?.()
}
