import { giveWay } from './give-way.ts'

const waiting = new Map<string, (() => void)[]>()

/** Whether a read has begun in this round of the event loop. */
let isTaken = false

/**
 * Waits for a turn to run a long read, because reads of a file store block the event loop. One read starts per round of
 * the loop, and people take turns: someone who starts a hundred at once delays only their own.
 */
export function turnOf(person: string): Promise<void> {
  if (!isTaken) {
    takeTurn()
    return Promise.resolve()
  }
  return new Promise((begin) => {
    const own = waiting.get(person)
    if (own === undefined) waiting.set(person, [begin])
    else own.push(begin)
  })
}

function takeTurn(): void {
  isTaken = true
  void giveWay(performance.now()).then(beginNext)
}

function beginNext(): void {
  const [next] = waiting
  if (next === undefined) {
    isTaken = false
    return
  }
  const [person, own] = next
  const begin = own.shift()
  waiting.delete(person)
  // Back to the end of the queue.
  if (own.length > 0) waiting.set(person, own)
  takeTurn()
  begin?.()
}
