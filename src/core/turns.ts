/** A read that held the event loop for longer is followed by a short wait. */
const LONG_MS = 2

let beganAt = 0
const waiting = new Map<string, (() => void)[]>()

/**
 * Waits for a turn to read much. One read begins in each round of the event loop, and people take turns, so that
 * somebody who asks for a hundred at once delays their own and nobody else's: a file store reads without giving way.
 */
export function turnOf(person: string): Promise<void> {
  return new Promise((begin) => {
    if (waiting.size === 0) setImmediate(beginNext)
    const own = waiting.get(person)
    if (own === undefined) waiting.set(person, [begin])
    else own.push(begin)
  })
}

function beginNext(): void {
  const [next] = waiting
  if (next === undefined) return
  const [person, own] = next
  const begin = own.shift()
  waiting.delete(person)
  // To the end of the queue of people.
  if (own.length > 0) waiting.set(person, own)
  if (waiting.size > 0) setImmediate(goOn)
  beganAt = performance.now()
  begin?.()
}

/** Deno needs more than a round of its event loop to take the requests that came during a long read. */
function goOn(): void {
  if (performance.now() - beganAt > LONG_MS) setTimeout(beginNext, 0)
  else beginNext()
}
