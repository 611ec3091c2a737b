import type { Draft, DraftRule, DraftTab } from './draft.ts'

// What every button of the rule builder works with: the draft, and a place in it.

/** A rule that was taken out, to be put back. */
export interface Removed {
  at: number
  json: unknown
}

/** A draft that was changed. */
export interface Edited {
  removed: Removed | null
  /** The place where the work goes on, as the path of a field or button; `''` for none. */
  focus: string
  /** What was done, for whoever cannot see it. */
  announcement: string
}

export interface Editing {
  draft: Draft
  /** The bundle's own tabs. */
  own: readonly DraftTab[]
  removed: Removed | null
}

/** What a button does; nothing where its place is none. */
export type Edit = (editing: Editing, places: readonly string[]) => Partial<Edited> | undefined

/** Changes the rule at a place. */
export function atRule(
  { rules }: Draft,
  place: string | undefined,
  change: (rule: DraftRule, at: number) => Partial<Edited>,
): Partial<Edited> | undefined {
  const at = Number(place)
  const rule = rules[at]
  return rule === undefined ? undefined : change(rule, at)
}

/** Moves an entry of a list, and the focus with it. */
export function moved<T>(
  list: T[],
  place: string | undefined,
  by: number,
  what: string,
  pathOf: (at: number) => string,
): Partial<Edited> | undefined {
  const from = Number(place)
  const to = from + by
  if (list[from] === undefined || list[to] === undefined) return
  list.splice(to, 0, ...list.splice(from, 1))
  // The button that was pressed, or where it cannot be pressed again, the other.
  const isAtEnd = by < 0 ? to === 0 : to === list.length - 1
  const button = by < 0 === isAtEnd ? 'down' : 'up'
  return { focus: `${pathOf(to)}.${button}`, announcement: `${what} moved to place ${to + 1} of ${list.length}` }
}
