// Lenient access to unvalidated JSON: a value of the wrong type reads as an empty one.

/** Whether a value is a JSON object: not null or an array. */
export function isObject(json: unknown): json is Record<string, unknown> {
  return json !== null && typeof json === 'object' && !Array.isArray(json)
}

/** The value if it is an object, else `{}`. */
export function asObject(json: unknown): Record<string, unknown> {
  return isObject(json) ? json : {}
}

/** The value if it is a string, else `''`. */
export function asText(json: unknown): string {
  return typeof json === 'string' ? json : ''
}

/** The value if it is an array, else `[]`. */
export function asList(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : []
}

/** The entry of a table under an untrusted name. Undefined also for `constructor` and other names that every object inherits. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
