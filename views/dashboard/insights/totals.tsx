/** @jsxImportSource @kitajs/html */

import type { Insights } from '../../../src/insights/shapes.ts'
import { rate, whole } from '../../parts/numbers.ts'

/** The sums over all days. */
export function Totals({ insights: { totals } }: { insights: Insights }): JSX.Element {
  const { views, uniqueViewerDays, openAllClicks, openAllRate } = totals
  return (
    <dl class="totals">
      <Total name="Views" number={whole(views)} says="Times the page was opened" />
      <Total
        name="Daily visitors"
        number={whole(uniqueViewerDays)}
        says="Someone who visits on three days counts three times"
      />
      <Total name="Open all" number={whole(openAllClicks)} says="Clicks on the button" />
      <Total
        name="Open all per view"
        number={rate(openAllRate)}
        says={openAllRate > 1 ? 'Over 100%: one visitor can click more than once' : 'Clicks on Open all for each view'}
      />
    </dl>
  )
}

function Total({ name, number, says }: { name: string; number: string; says: string }): JSX.Element {
  return (
    <div class="card">
      <dt>{name as 'safe'}</dt>
      <dd class="figure" safe>
        {number}
      </dd>
      <dd class="hint">{says as 'safe'}</dd>
    </div>
  )
}
