import { expect } from 'bun:test'

/** A guard against waiting for ever, not a promise: the machine may be busy. */
const PATIENCE_MS = 15_000

/** Waits for something that must come about by itself. */
export async function eventually(
  isThere: () => boolean | Promise<boolean>,
  what: string,
  withinMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await Bun.sleep(25)
  }
}

/** Waits until what is read equals what is expected; where it never does, it fails as any assertion does. */
export async function becomes<T>(read: () => T | Promise<T>, expected: T): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
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
