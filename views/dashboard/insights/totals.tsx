/** @jsxImportSource @kitajs/html */

import type { Insights } from '../../../src/insights/shapes.ts'
import { formatInteger, rate } from '../../parts/numbers.ts'

/** Past this, a percentage says less than the number before. */
const MAX_PERCENT = 999

/** How a total differs from the one of as many days before. */
function changeOf(now: number, before: number, days: number): string {
  const period = `the previous ${days} days`
  if (before === 0) return `None in ${period}`
  const percent = Math.round((100 * (now - before)) / before)
  if (percent > MAX_PERCENT) return `${formatInteger(before)} in ${period}`
  if (percent === 0) return `${now === before ? 'Same as' : 'About the same as'} ${period}`
  return `${percent > 0 ? '+' : '−'}${rate(Math.abs(percent) / 100)} from ${period}`
}

/** A rate of as many days before; a percentage of a percentage would mislead. */
function rateBefore({ views, openAllRate }: { views: number; openAllRate: number }, days: number): string {
  return views === 0 ? `None in the previous ${days} days` : `${rate(openAllRate)} in the previous ${days} days`
}

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
        hint="Unique visitors each day, added up"
      />
      <Total
        name="Open all"
        number={formatInteger(openAllClicks)}
        change={change('openAllClicks')}
        hint="Clicks on the button"
      />
      <Total
        name="Open rate"
        number={rate(openAllRate)}
        change={rateBefore(previous, series.length)}
        hint={openAllRate > 1 ? 'Over 100%: one visitor can click more than once' : 'Share of views that opened all'}
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
      <dt safe>{name}</dt>
      <dd class="figure" safe>
        {number}
      </dd>
      <dd class="change" safe>
        {change}
      </dd>
      <dd class="hint" safe>
        {hint}
      </dd>
    </div>
  )
}
