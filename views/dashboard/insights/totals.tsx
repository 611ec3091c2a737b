/** @jsxImportSource @kitajs/html */

import type { Insights } from '../../../src/insights/shapes.ts'
import { formatInteger, rate } from '../../parts/numbers.ts'
import { Tip } from './card-head.tsx'
import { CHARTS, type Chart, ChartLink } from './chart-link.tsx'
import { daysBefore, type ShownDays } from './days.ts'

/** Past this, a percentage says less than the number before. */
const MAX_PERCENT = 999

/** How a total differs from the one before: as a chip, empty if there is nothing to compare with, and in words. */
interface Change {
  chip: string
  words: string
}

function changeOf(now: number, before: number, days: number): Change {
  const period = daysBefore(days)
  if (before === 0) return { chip: '', words: `None in ${period}` }
  const percent = Math.round((100 * (now - before)) / before)
  const arrow = percent > 0 ? '▲' : '▼'
  if (percent > MAX_PERCENT)
    return { chip: `${arrow} from ${formatInteger(before)}`, words: `${formatInteger(before)} in ${period}` }
  if (percent === 0) return { chip: '0%', words: `${now === before ? 'Same as' : 'About the same as'} ${period}` }
  const by = rate(Math.abs(percent) / 100)
  return { chip: `${arrow} ${by}`, words: `${percent > 0 ? '+' : '−'}${by} from ${period}` }
}

/** A rate of as many days before, in points; a percentage of a percentage would mislead. */
function rateChange(now: Insights['totals'], before: Insights['totals'], days: number): Change {
  const period = daysBefore(days)
  if (before.views === 0) return { chip: '', words: `None in ${period}` }
  const points = Math.round(100 * (now.openAllRate - before.openAllRate))
  const arrow = points > 0 ? '▲ ' : points < 0 ? '▼ ' : ''
  const chip = `${arrow}${formatInteger(Math.abs(points))} ${Math.abs(points) === 1 ? 'pt' : 'pts'}`
  return { chip, words: `${rate(before.openAllRate)} in ${period}` }
}

interface TotalsProps {
  insights: Pick<Insights, 'totals' | 'previous'>
  shown: ShownDays
  chart: Chart
}

/** The sums over all days, compared with as many days before; of those with a chart, one chooses it. */
export function Totals({ insights: { totals, previous }, shown, chart }: TotalsProps): JSX.Element {
  const { views, uniqueViewerDays, openAllClicks, openAllRate } = totals
  const { days } = shown
  const change = (of: 'views' | 'uniqueViewerDays' | 'openAllClicks') => changeOf(totals[of], previous[of], days)
  const link = (of: Chart) => <ChartLink shown={shown} chart={of} isCurrent={of === chart} />
  return (
    <dl class="totals">
      <Total
        name={CHARTS.views.name}
        number={formatInteger(views)}
        change={change('views')}
        hint="Times the page was opened"
        link={link('views')}
        isCurrent={chart === 'views'}
      />
      <Total
        name="Daily visitors"
        number={formatInteger(uniqueViewerDays)}
        change={change('uniqueViewerDays')}
        hint="Unique visitors each day, added up"
      />
      <Total
        name={CHARTS['open-all'].name}
        number={formatInteger(openAllClicks)}
        change={change('openAllClicks')}
        hint="Clicks on the button"
        link={link('open-all')}
        isCurrent={chart === 'open-all'}
      />
      <Total
        name="Open rate"
        number={rate(openAllRate)}
        change={rateChange(totals, previous, days)}
        hint={openAllRate > 1 ? 'Over 100%: one visitor can click more than once' : 'Share of views that opened all'}
      />
    </dl>
  )
}

interface TotalProps {
  name: string
  number: string
  change: Change
  hint: string
  /** Shows its chart, instead of its name. */
  link?: JSX.Element
  isCurrent?: boolean
}

function Total({ name, number, change, hint, link, isCurrent }: TotalProps): JSX.Element {
  return (
    <div class={isCurrent ? 'current' : undefined}>
      {link === undefined ? <dt safe>{name}</dt> : <dt>{link}</dt>}
      <dd class="figure" safe>
        {number}
      </dd>
      <dd class="change">
        {change.chip === '' ? (
          ''
        ) : (
          <span class="tag" aria-hidden="true" safe>
            {change.chip}
          </span>
        )}
        <span class="visually-hidden" safe>
          {change.words}
        </span>
      </dd>
      <dd>
        <Tip of={name} id={`tip-${name.toLowerCase().replace(' ', '-')}`} text={hint} />
      </dd>
    </div>
  )
}
