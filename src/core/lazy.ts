/**
 * Creates a value on first use and keeps it, so that unused values cost neither memory nor start time. A rejected promise
 * is not kept: the next call retries.
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
