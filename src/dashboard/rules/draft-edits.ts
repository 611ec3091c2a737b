import { CONDITION_EDITS } from './condition-edits.ts'
import type { Edit, Edited, Editing } from './editing.ts'
import { RULE_EDITS } from './rule-edits.ts'
import { TAB_EDITS } from './tab-edits.ts'

// What the buttons of a rule builder do to a draft, each by a name and the place that it is done at.

const EDITS: Record<string, Edit> = { ...RULE_EDITS, ...CONDITION_EDITS, ...TAB_EDITS }

/**
 * Does to a draft what a button names: `rule.up 2`, `if.add rules.0.when.of.1`. One that there is no place for
 * does nothing.
 */
export function edit(editing: Editing, [name = '', ...places]: readonly string[]): Edited {
  const done = EDITS[name]?.(editing, places)
  return { removed: null, focus: '', announcement: '', ...done }
}
