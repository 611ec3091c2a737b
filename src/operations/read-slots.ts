import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'

/** What waits for a slot, by person. */
type Waiting = Map<string, (() => void)[]>

const waiting: Waiting = new Map()
const waitingForLong: Waiting = new Map()

/** Whether a read has begun in this round of the event loop. */
let isTaken = false
let isLongTaken = false

/**
 * Waits for a slot to run what blocks the event loop for long, as reads of a file store do. One read starts per round of
 * the loop, and people take turns: someone who starts a hundred at once delays only their own.
 */
export function waitForReadSlot(person: string): Promise<void> {
  if (!isTaken) {
    takeSlot()
    return Promise.resolve()
  }
  return new Promise((begin) => wait(waiting, person, begin))
}

/**
 * Runs a read that may take long and does not block the event loop: one at a time, and people take turns here too, so that
 * whoever starts many long ones delays only their own.
 */
export async function inLongReadSlot<Result>(person: string, read: () => Promise<Result>): Promise<Result> {
  if (isLongTaken) await new Promise<void>((begin) => wait(waitingForLong, person, begin))
  isLongTaken = true
  try {
    return await read()
  } finally {
    const begin = nextOf(waitingForLong)
    // Stays taken for the next one, because its read begins only after this round.
    if (begin === undefined) isLongTaken = false
    else begin()
  }
}

function takeSlot(): void {
  isTaken = true
  void yieldToEventLoop(performance.now()).then(beginNext)
}

function beginNext(): void {
  const begin = nextOf(waiting)
  if (begin === undefined) {
    isTaken = false
    return
  }
  takeSlot()
  begin()
}

function wait(queue: Waiting, person: string, begin: () => void): void {
  const own = queue.get(person)
  if (own === undefined) queue.set(person, [begin])
  else own.push(begin)
}

/** Takes the next from a queue. Whoever has more waiting goes back to its end. */
function nextOf(queue: Waiting): (() => void) | undefined {
  const [next] = queue
  if (next === undefined) return undefined
  const [person, own] = next
  const begin = own.shift()
  queue.delete(person)
  if (own.length > 0) queue.set(person, own)
  return begin
}
