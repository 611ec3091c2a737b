import { expect } from 'bun:test'

/** Only guards against hanging; generous, because the machine may be busy. */
const TIMEOUT_MS = 45_000

/** Polls until a condition holds. @throws after `withinMs`, with `what` in the message. */
export async function eventually(
  isThere: () => boolean | Promise<boolean>,
  what: string,
  withinMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await Bun.sleep(25)
  }
}

/** Polls until a value equals the expected one; otherwise fails like any assertion. */
export async function becomes<T>(read: () => T | Promise<T>, expected: T, withinMs = TIMEOUT_MS): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await read()
    try {
      return expect<unknown>(found).toEqual(expected)
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await Bun.sleep(25)
  }
}
