/** @jsxImportSource @kitajs/html */

import type { Insights } from '../../../src/insights/shapes.ts'
import { DayChart, type DayCount } from '../../parts/charts.tsx'
import { whole } from '../../parts/numbers.ts'
import { ByRule } from './by-rule.tsx'
import { Totals } from './totals.tsx'

/** Every how many days one is named below a chart. */
const NAMED: Record<number, { wide: number; narrow: number }> = {
  7: { wide: 1, narrow: 2 },
  30: { wide: 7, narrow: 7 },
  90: { wide: 14, narrow: 28 },
}

const dayName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Everything that was counted in a range of days. */
export function Counts({ slug, insights }: { slug: string; insights: Insights }): JSX.Element {
  const { series } = insights
  const days = series.map(({ day, views, openAllClicks }) => {
    const name = dayName.format(Date.parse(day))
    return { day, views: dayCount(name, views), clicks: dayCount(name, openAllClicks) }
  })
  const named = NAMED[days.length] ?? { wide: 7, narrow: 7 }
  return (
    <>
      <Totals insights={insights} />
      <section class="card" aria-labelledby="views-heading">
        <h2 id="views-heading">Views per day</h2>
        <DayChart title="Views per day" days={days.map(({ views }) => views)} named={named} />
      </section>
      <section class="card" aria-labelledby="clicks-heading">
        <h2 id="clicks-heading">Open all per day</h2>
        <DayChart title="Presses of Open all per day" days={days.map(({ clicks }) => clicks)} named={named} />
        <details class="more">
          <summary>Both as a table</summary>
          <table>
            <caption class="visually-hidden">Views and presses of Open all, by day, the latest first</caption>
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                <th scope="col" class="number">
                  Views
                </th>
                <th scope="col" class="number">
                  Open all
                </th>
              </tr>
            </thead>
            <tbody>
              {
                days.toReversed().map(({ day, views, clicks }) => (
                  <tr>
                    <td safe>{day}</td>
                    <td class="number" safe>
                      {views.written}
                    </td>
                    <td class="number" safe>
                      {clicks.written}
                    </td>
                  </tr>
                )) as 'safe'[]
              }
            </tbody>
          </table>
        </details>
      </section>
      <ByRule slug={slug} insights={insights} />
    </>
  )
}

function dayCount(name: string, count: number): DayCount {
  return { name, count, written: whole(count) }
}
