/**
 * Makes a value on first use and keeps it: what nobody uses costs no memory and no start time. A promise that rejects is
 * not kept, so the next call tries again.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    if (made === undefined) {
      const value = make()
      made = { value }
      if (value instanceof Promise) value.catch(() => (made = undefined))
    }
    return made.value
  }
}
