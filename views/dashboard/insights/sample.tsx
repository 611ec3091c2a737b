/** @jsxImportSource @kitajs/html */

import { DayChart } from '../../parts/charts.tsx'
import { Sample } from '../parts/sample.tsx'
import { dayCount, dayName, labelled } from './days.ts'

/** Views of a made-up week, which is repeated. */
const WEEK = [14, 22, 31, 27, 35, 9, 6]

/** What the page looks like once people come. */
export function SampleInsights({ days }: { days: readonly string[] }): JSX.Element {
  const counts = days.map((day, at) => dayCount(dayName(day), WEEK[at % WEEK.length] ?? 0))
  return (
    <Sample caption="An example of what you’ll see here">
      <div class="card">
        <h2>Views per day</h2>
        <DayChart title="Views per day" days={counts} named={labelled(days.length)} />
      </div>
    </Sample>
  )
}
