/** @jsxImportSource @kitajs/html */

import type { Insights } from '../../../src/insights/shapes.ts'
import { DayChart } from '../../parts/charts.tsx'
import { ByRule } from './by-rule.tsx'
import { dayCount, dayName, labelled } from './days.ts'
import { Totals } from './totals.tsx'

/** All counts of a range of days. */
export function Counts({ slug, insights }: { slug: string; insights: Insights }): JSX.Element {
  const { series } = insights
  const days = series.map(({ day, views, openAllClicks }) => {
    const name = dayName(day)
    return { day, views: dayCount(name, views), clicks: dayCount(name, openAllClicks) }
  })
  const named = labelled(days.length)
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
