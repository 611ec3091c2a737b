/** @jsxImportSource @kitajs/html */

import type { Variable } from '../../../db/schema.ts'
import type { Findings } from '../../../src/policies/draft/findings.ts'
import { idOf } from './parts.tsx'
import { ConditionTree } from './tree.tsx'

// Why a rule matches the viewer of the tester, beside the rule.

interface ReasonProps {
  /** The path of its rule. */
  place: string
  findings: Findings
  /** The bundle's variables. */
  variables: readonly Variable[]
}

/** The id of the element for a rule's reason, which a test fills. */
export const reasonId = (place: string) => `${idOf(place)}-why`

/** Why a closed rule matches or not; updated while typing. An open one has the results at its conditions. */
export function RuleReason(props: ReasonProps): JSX.Element {
  return (
    <div class="why" id={reasonId(props.place)}>
      <ReasonContent {...props} />
    </div>
  )
}

/** The same without the surrounding element. Of a single condition, the mark at the rule’s sentence says it. */
export function ReasonContent({ place, findings: { reasons }, variables }: ReasonProps): JSX.Element {
  const reason = reasons.get(place)
  if (reason === undefined) return ''
  const { condition, isReached } = reason
  return (
    <>
      {!isReached && <p class="hint">Not reached: an earlier rule matches.</p>}
      {'of' in condition && (
        <>
          <h4>Why</h4>
          <ul class="trace">
            <ConditionTree condition={condition} variables={variables} />
          </ul>
        </>
      )}
    </>
  )
}
