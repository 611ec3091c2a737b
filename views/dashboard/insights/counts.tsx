/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/roles.ts'
import type { Insights } from '../../../src/insights/shapes.ts'
import { DayChart } from '../../parts/charts.tsx'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Breakdowns } from './breakdowns.tsx'
import { ByRule } from './by-rule.tsx'
import { dayCount, dayName, labelled } from './days.ts'
import { TabOpens } from './tab-opens.tsx'
import { Totals } from './totals.tsx'

/** What the chart shows, with its name, heading, and title for screen readers. */
const CHARTS = {
  views: { name: 'Views', heading: 'Views per day', title: 'Views per day' },
  'open-all': { name: 'Open all', heading: 'Open all per day', title: 'Clicks on Open all per day' },
} as const
const NAMES = Object.keys(CHARTS) as Chart[]

export type Chart = keyof typeof CHARTS

/** The address of a bundle's insights. */
export function insightsPath(slug: string, days: number, chart: Chart): string {
  return `/dashboard/links/${slug}/insights?range=${days}d${chart === 'views' ? '' : `&chart=${chart}`}`
}

interface CountsProps {
  bundle: StoredBundle
  insights: Insights
  chart: Chart
}

/** All counts of a range of days. */
export function Counts({ bundle, insights, chart }: CountsProps): JSX.Element {
  return (
    <>
      <Totals insights={insights} />
      <Days insights={insights} chart={chart} />
      <TabOpens bundle={bundle} insights={insights} />
      <Breakdowns {...insights} />
      <ByRule slug={bundle.slug} insights={insights} />
    </>
  )
}

function Days({ insights: { slug, series }, chart }: Omit<CountsProps, 'bundle'>): JSX.Element {
  const days = series.map(({ day, views, openAllClicks }) => {
    const name = dayName(day)
    return { day, views: dayCount(name, views), 'open-all': dayCount(name, openAllClicks) }
  })
  const { heading, title } = CHARTS[chart]
  return (
    <section class="card" aria-labelledby="days-heading">
      <div class="above cluster">
        <h2 id="days-heading">{heading}</h2>
        <nav class="segments" aria-label="Chart">
          <Each
            of={NAMES}
            show={(name) => (
              <a
                id={`chart-${name}`}
                href={attribute(insightsPath(slug, series.length, name))}
                hx-boost={'target:"#insights", swap:"outerHTML show:none"'}
                aria-current={name === chart ? 'true' : undefined}
              >
                {CHARTS[name].name}
              </a>
            )}
          />
        </nav>
      </div>
      <DayChart title={title} days={days.map((day) => day[chart])} named={labelled(days.length)} />
      <details class="more">
        <summary>Show both as a table</summary>
        <table>
          <caption class="visually-hidden">Views and clicks on Open all by day, latest first</caption>
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
            <Each
              of={days.toReversed()}
              show={({ day, views, 'open-all': clicks }) => (
                <tr>
                  <td safe>{day}</td>
                  <td class="number" safe>
                    {views.written}
                  </td>
                  <td class="number" safe>
                    {clicks.written}
                  </td>
                </tr>
              )}
            />
          </tbody>
        </table>
      </details>
    </section>
  )
}
