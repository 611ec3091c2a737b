import { configure } from 'arktype/config'

/**
 * Makes arktype interpret schemas instead of compiling them, which saves 12 to 15 MB per process; only those that run as
 * often as page views are compiled. Import this before anything that imports arktype, which reads the setting once, while
 * loading.
 */
configure({ jitless: true, clone: copyOf })

/** Copies a value from JSON: arktype’s own copy takes ten times as long, for kinds of objects that no input has. */
function copyOf<Value extends object>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copied) as unknown as Value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  // Spread first, so that a key `__proto__` is a field like any other.
  const copy = { ...value } as Record<string, unknown>
  for (const key in copy) copy[key] = copied(copy[key])
  return copy as Value
}

function copied(value: unknown): unknown {
  return value !== null && typeof value === 'object' ? copyOf(value) : value
}
