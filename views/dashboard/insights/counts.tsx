/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/roles.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import type { Insights } from '../../../src/insights/shapes.ts'
import { dayOf } from '../../../src/launcher/salts.ts'
import { DayChart } from '../../parts/charts.tsx'
import { Each } from '../../parts/each.tsx'
import { Breakdowns } from './breakdowns.tsx'
import { CardHead } from './card-head.tsx'
import { CHARTS, type Chart } from './chart-link.tsx'
import { CountsTable } from './counts-table.tsx'
import { dayCount, dayName, labelled, type Shown } from './days.ts'
import { TabOpens } from './tab-opens.tsx'
import { Totals } from './totals.tsx'

interface CountsProps {
  bundle: StoredBundle
  insights: Insights
  shown: Shown
  chart: Chart
  icons: SiteIcons
}

/** All counts of a range of days. */
export function Counts({ bundle, insights, shown, chart, icons }: CountsProps): JSX.Element {
  return (
    <>
      <Totals insights={insights} shown={shown} chart={chart} />
      <Days insights={insights} chart={chart} />
      <div class="blocks">
        <TabOpens bundle={bundle} insights={insights} shown={shown} icons={icons} />
        <Breakdowns breakdowns={insights.breakdowns} shown={shown} />
        <ByRule insights={insights} shown={shown} />
      </div>
    </>
  )
}

interface DaysProps extends Pick<CountsProps, 'chart'> {
  insights: Pick<Insights, 'series'>
}

/** The chart of the days, and both counts as a table. */
export function Days({ insights: { series }, chart }: DaysProps): JSX.Element {
  const days = series.map(({ day, views, openAllClicks }) => {
    const name = dayName(day)
    return { day, views: dayCount(name, views), 'open-all': dayCount(name, openAllClicks) }
  })
  const { heading, title } = CHARTS[chart]
  return (
    <section aria-labelledby="days-heading">
      <h2 id="days-heading" class="visually-hidden">
        {heading}
      </h2>
      <DayChart
        title={title}
        days={days.map((day) => day[chart])}
        named={labelled(days.length)}
        isToday={series.at(-1)?.day === dayOf(Date.now())}
      />
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

/** Views and clicks by rule, and without any. */
function ByRule({ insights, shown }: { insights: Insights; shown: Shown }): JSX.Element {
  const { byRule, totals } = insights
  const { slug, days } = shown
  return (
    <section aria-labelledby="rules-heading">
      <CardHead
        shown={shown}
        table="rules"
        heading="By rule"
        hint="The first rule that a viewer matches is counted, with what they did next."
        hasFile={byRule.length > 1}
      />
      {byRule.length === 1 ? (
        <p class="hint">
          Everyone sees the same links. With <a href={`/dashboard/links/${slug}/policy`}>rules</a>, different viewers
          get different ones, and each rule is counted here.
        </p>
      ) : (
        <CountsTable
          caption="Views and clicks on Open all by rule"
          heading="Rule"
          rows={byRule}
          shareOf={({ views }) => (totals.views === 0 ? 0 : views / totals.views)}
          show={({ ruleId, ruleName, views }) => (
            <>
              <RuleName ruleId={ruleId} ruleName={ruleName} />
              {views === 0 && ruleId !== null ? (
                <a class="never" href={`/dashboard/links/${slug}/policy`} safe>
                  {days === 1 ? 'nobody on this day' : `nobody in ${days} days`}
                </a>
              ) : (
                ''
              )}
            </>
          )}
        />
      )}
    </section>
  )
}

/** Removed rules are distinguished by id; Fallthrough is explained in words. */
function RuleName({ ruleId, ruleName }: Pick<Insights['byRule'][number], 'ruleId' | 'ruleName'>): JSX.Element {
  if (ruleId === null) return <span>No rule matched</span>
  return (
    <>
      <span dir="auto" safe>
        {ruleName}
      </span>
      {ruleName === '(removed rule)' ? <span class="hint" safe>{` ${ruleId}`}</span> : ''}
    </>
  )
}
