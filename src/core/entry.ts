/**
 * The entry of a table under a name from outside; undefined also for `constructor` and the like, which every object
 * inherits.
 */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
