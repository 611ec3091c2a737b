import { CONDITION_EDITS } from './condition-edits.ts'
import type { Edit, Edited, Editing } from './editing.ts'
import { RULE_EDITS } from './rule-edits.ts'
import { TAB_EDITS } from './tab-edits.ts'

// The buttons of the rule builder, by name; each edits the draft at a path.

const EDITS: Record<string, Edit> = { ...RULE_EDITS, ...CONDITION_EDITS, ...TAB_EDITS }

/**
 * Applies the button named by `rule.up 2` or `if.add rules.0.when.of.1` to a draft. A path that does not exist
 * changes nothing.
 */
export function edit(editing: Editing, [name = '', ...places]: readonly string[]): Edited {
  const done = EDITS[name]?.(editing, places)
  return { removed: null, focus: '', announcement: '', ...done }
}
