/** @jsxImportSource @kitajs/html */

import type { Entry } from '../../../src/bundles/list-diff.ts'
import { VARIABLE_LABELS, type WholeVariable } from '../../../src/bundles/variables.ts'
import { Each } from '../../parts/each.tsx'
import { DiffEntry } from './diff-entry.tsx'
import { type Effort, TextDiff } from './text-diff.tsx'

/** The changes of a variable: of one that stays its name and what differs, else all that it has. */
export function VariableEntry({ entry, effort }: { entry: Entry<WholeVariable>; effort: Effort }): JSX.Element {
  const { value } = entry
  const changes = entry.kind === 'kept' ? entry.changes : {}
  const fields = (Object.keys(VARIABLE_LABELS) as (keyof WholeVariable)[]).filter(
    (name) => name !== 'name' && (entry.kind === 'kept' ? name in changes : value[name].length > 0),
  )
  const name = changes.name ?? { from: value.name, to: value.name }
  return (
    <DiffEntry entry={entry}>
      <p class="name">
        <TextDiff from={`{${name.from}}`} to={`{${name.to}}`} effort={effort} />
      </p>
      <Each
        of={fields}
        show={(field) => {
          const text = value[field]
          const { from, to } = changes[field] ?? { from: text, to: text }
          return (
            <p>
              <span class="hint" safe>{`${VARIABLE_LABELS[field]} `}</span>
              <TextDiff from={[from].flat().join(', ')} to={[to].flat().join(', ')} effort={effort} />
            </p>
          )
        }}
      />
    </DiffEntry>
  )
}
