import { type MatchKeys, originsOf } from '../bundles/list-diff.ts'
import { isSame } from '../core/json.ts'

/** What both sides changed, each in its own way. `undefined`: that side has removed it, or the base never had it. */
export interface Clash {
  /** From the list: an entry's name, then what of it; without it, the order of the entries. */
  at: readonly string[]
  base: unknown
  newest: unknown
  proposed: unknown
}

/** How entries of a list are merged. */
interface Entries<T> extends MatchKeys<T> {
  /** What an entry is called in a conflict. */
  nameOf(entry: T): string
  /** Merges one field that both sides changed; null if it must be decided. */
  merge?: (field: keyof T, sides: { [Side in 'base' | 'newest' | 'proposed']: unknown }) => Merged<unknown> | null
}

export interface Merged<T> {
  /** With the newest state of whatever clashes. */
  value: T
  clashes: Clash[]
}

/** An entry of the merged list; which side has it where. */
interface Node<T> {
  value: T
  newest: number | null
  proposed: number | null
}

/**
 * Merges two lists that started from the same: entries that only one side changed, added, removed or moved become as
 * they are there. Entries must be plain data with a fixed order of fields.
 */
export function mergeLists<T extends object>(
  base: readonly T[],
  newest: readonly T[],
  proposed: readonly T[],
  entries: Entries<T>,
): Merged<T[]> {
  const clashes: Clash[] = []
  const [inNewest, inProposed] = [placesIn(base, newest, entries), placesIn(base, proposed, entries)]
  const nodes: Node<T>[] = []
  for (const [at, value] of base.entries()) {
    const [here, there] = [inNewest.of[at] ?? null, inProposed.of[at] ?? null]
    if (here !== null && there !== null) {
      const merged = mergeEntry({ base: value, newest: newest[here]!, proposed: proposed[there]! }, entries)
      clashes.push(...merged.clashes)
      nodes.push({ value: merged.value, newest: here, proposed: there })
    } else if (here !== null && !isSame(newest[here], value)) {
      clashes.push({ at: [entries.nameOf(value)], base: value, newest: newest[here], proposed: undefined })
      nodes.push({ value: newest[here]!, newest: here, proposed: null })
    } else if (there !== null && !isSame(proposed[there], value)) {
      clashes.push({ at: [entries.nameOf(value)], base: value, newest: undefined, proposed: proposed[there] })
    }
  }
  // What both added is added once.
  const [ours, theirs] = [inNewest.added, inProposed.added]
  const twins = originsOf(
    ours.map((at) => newest[at]!),
    theirs.map((at) => proposed[at]!),
    { same: entries.same, similar: [] },
  )
  for (const [index, at] of ours.entries()) {
    const twin = theirs[twins.indexOf(index)]
    const only = { value: newest[at]!, clashes: [] }
    const merged = twin === undefined ? only : mergeEntry({ newest: only.value, proposed: proposed[twin]! }, entries)
    clashes.push(...merged.clashes)
    nodes.push({ value: merged.value, newest: at, proposed: twin ?? null })
  }
  for (const [index, at] of theirs.entries()) {
    if (twins[index] === -1) nodes.push({ value: proposed[at]!, newest: null, proposed: at })
  }
  const { main, isClash } = orderOf(nodes, inNewest.of, inProposed.of)
  if (isClash) clashes.push({ at: [], base: names(base), newest: names(newest), proposed: names(proposed) })
  return { value: inOrder(nodes, main).map(({ value }) => value), clashes }

  function names(list: readonly T[]): string[] {
    return list.map((entry) => entries.nameOf(entry))
  }
}

/** Where the entries of the base are in a later list, and which of that list are new. */
function placesIn<T>(base: readonly T[], later: readonly T[], keys: MatchKeys<T>) {
  const of = new Map<number, number>()
  const added: number[] = []
  for (const [at, origin] of originsOf(base, later, keys).entries()) {
    if (origin === -1) added.push(at)
    else of.set(origin, at)
  }
  return { of: base.map((_, at) => of.get(at)), added }
}

/** Merges one entry field by field; without a base, what both sides added. */
function mergeEntry<T extends object>(
  { base, newest, proposed }: { base?: T; newest: T; proposed: T },
  { nameOf, merge }: Entries<T>,
): Merged<T> {
  const value = { ...newest }
  const clashes: Clash[] = []
  for (const field of Object.keys(newest) as (keyof T & string)[]) {
    const sides = { base: base?.[field], newest: newest[field], proposed: proposed[field] }
    if (isSame(sides.newest, sides.proposed) || isUnchanged(base, sides.base, sides.proposed)) continue
    if (isUnchanged(base, sides.base, sides.newest)) {
      value[field] = proposed[field]
      continue
    }
    const within = base === undefined ? null : (merge?.(field, sides) ?? null)
    const at = [nameOf(base ?? newest), field]
    if (within === null) clashes.push({ at, ...sides })
    else {
      value[field] = within.value as T[typeof field]
      clashes.push(...within.clashes.map((clash) => ({ ...clash, at: [...at, ...clash.at] })))
    }
  }
  return { value, clashes }
}

/** Whether a side has a field as in the base; without one, whether it leaves the field empty. */
function isUnchanged(base: object | undefined, before: unknown, now: unknown): boolean {
  return base === undefined ? now === '' || isSame(now, []) : isSame(before, now)
}

/** Whose order the entries get that both sides kept: of the side that moved any. */
function orderOf<T>(
  nodes: readonly Node<T>[],
  inNewest: readonly (number | undefined)[],
  inProposed: readonly (number | undefined)[],
): { main: 'newest' | 'proposed'; isClash: boolean } {
  const kept = inNewest.flatMap((here, at) => {
    const there = inProposed[at]
    return here === undefined || there === undefined ? [] : [{ here, there }]
  })
  const [byNewest, byProposed] = [sorted(kept, 'here'), sorted(kept, 'there')]
  const [isOurs, isTheirs] = [!isSame(byNewest, kept), !isSame(byProposed, kept)]
  const isClash = isOurs && isTheirs && !isSame(byNewest, byProposed)
  return { main: isTheirs && !isOurs && nodes.length > 0 ? 'proposed' : 'newest', isClash }
}

function sorted<T extends Record<Key, number>, Key extends string>(list: readonly T[], key: Key): T[] {
  return [...list].sort((one, other) => one[key] - other[key])
}

/** The entries of one side in its order, with those that only the other side has after what they follow there. */
function inOrder<T>(nodes: readonly Node<T>[], main: 'newest' | 'proposed'): Node<T>[] {
  const side = main === 'newest' ? 'proposed' : 'newest'
  const of = (which: typeof main) =>
    nodes.filter((node) => node[which] !== null).sort((one, other) => (one[which] ?? 0) - (other[which] ?? 0))
  const list = of(main)
  let previous: Node<T> | null = null
  for (const node of of(side)) {
    if (node[main] === null) {
      let at: number = previous === null ? 0 : list.indexOf(previous) + 1
      // What the main side added in the same place comes first.
      while (at < list.length && list[at]![side] === null) at += 1
      list.splice(at, 0, node)
    }
    previous = node
  }
  return list
}
