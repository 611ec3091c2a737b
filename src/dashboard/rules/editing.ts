import type { Draft, DraftRule, DraftTab } from './draft.ts'

// Shared by all buttons of the rule builder: the draft, and a path in it.

/** A removed rule, for undo. */
export interface Removed {
  at: number
  json: unknown
}

/** The draft after an edit. */
export interface Edited {
  removed: Removed | null
  /** The path of the field or button to focus; `''` for none. */
  focus: string
  /** What was done, for screen readers. */
  announcement: string
}

export interface Editing {
  draft: Draft
  /** The bundle's own tabs. */
  own: readonly DraftTab[]
  removed: Removed | null
}

/** A button's edit; it does nothing if its path does not exist. */
export type Edit = (editing: Editing, places: readonly string[]) => Partial<Edited> | undefined

/** Changes the rule at an index. */
export function atRule(
  { rules }: Draft,
  place: string | undefined,
  change: (rule: DraftRule, at: number) => Partial<Edited>,
): Partial<Edited> | undefined {
  const at = Number(place)
  const rule = rules[at]
  return rule === undefined ? undefined : change(rule, at)
}

/** Moves an entry of a list and keeps the focus on it. */
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
  // Focus the same button, or its opposite if the entry cannot move further.
  const isAtEnd = by < 0 ? to === 0 : to === list.length - 1
  const button = by < 0 === isAtEnd ? 'down' : 'up'
  return { focus: `${pathOf(to)}.${button}`, announcement: `${what} moved to place ${to + 1} of ${list.length}` }
}
