/** @jsxImportSource @kitajs/html */

import type { Insights } from '../../../src/insights/shapes.ts'
import { formatInteger, rate } from '../../parts/numbers.ts'
import { changeOf, rateBefore } from './change.ts'

/** The sums over all days, compared with as many days before. */
export function Totals({ insights: { totals, previous, series } }: { insights: Insights }): JSX.Element {
  const { views, uniqueViewerDays, openAllClicks, openAllRate } = totals
  const change = (of: 'views' | 'uniqueViewerDays' | 'openAllClicks') =>
    changeOf(totals[of], previous[of], series.length)
  return (
    <dl class="totals">
      <Total name="Views" number={formatInteger(views)} change={change('views')} hint="Times the page was opened" />
      <Total
        name="Daily visitors"
        number={formatInteger(uniqueViewerDays)}
        change={change('uniqueViewerDays')}
        hint="Someone who visits on three days counts three times"
      />
      <Total
        name="Open all"
        number={formatInteger(openAllClicks)}
        change={change('openAllClicks')}
        hint="Clicks on the button"
      />
      <Total
        name="Open all per view"
        number={rate(openAllRate)}
        change={rateBefore(previous, series.length)}
        hint={openAllRate > 1 ? 'Over 100%: one visitor can click more than once' : 'Clicks on Open all for each view'}
      />
    </dl>
  )
}

interface TotalProps {
  name: string
  number: string
  change: string
  hint: string
}

function Total({ name, number, change, hint }: TotalProps): JSX.Element {
  return (
    <div class="card">
      <dt>{name as 'safe'}</dt>
      <dd class="figure" safe>
        {number}
      </dd>
      <dd class="change" safe>
        {change}
      </dd>
      <dd class="hint">{hint as 'safe'}</dd>
    </div>
  )
}
