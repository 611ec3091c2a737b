/** @jsxImportSource @kitajs/html */

import { RULE_DAYS } from '../../../src/insights/rule-views.ts'
import { rate } from '../../parts/numbers.ts'

/** The share of recent views that each saved rule had, from 0 to 1, by its id, `''` for those that matched none. Empty without views. */
export type RuleShares = ReadonlyMap<string, number>

/** How many viewers a rule has had lately; nothing for one of which nothing can be known. */
export function ShareOfViews({ share }: { share: number | undefined }): JSX.Element {
  if (share === undefined) return ''
  const isUsed = share > 0
  return (
    <span class={isUsed ? 'hint' : 'never'} title={`In the last ${RULE_DAYS} days`}>
      {isUsed ? `${rate(share)} of views` : `Nobody in ${RULE_DAYS} days`}
    </span>
  )
}
