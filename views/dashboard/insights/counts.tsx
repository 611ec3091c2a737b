/** @jsxImportSource @kitajs/html */
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { routes } from '../../../src/core/routes.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import type { Insights } from '../../../src/insights/shapes.ts'
import { NO_RULE } from '../../../src/insights/words.ts'
import { dayOf } from '../../../src/launcher/salts.ts'
import { DayChart, formatInteger, rate } from '../../parts/charts.tsx'
import { Each } from '../../parts/layout.tsx'
import { Breakdowns } from './breakdowns.tsx'
import { CardHead, CountsTable, Tip } from './cards.tsx'
import {
  CHARTS,
  type Chart,
  ChartLink,
  dayCount,
  dayName,
  daysBefore,
  labelled,
  type Shown,
  type ShownDays,
} from './ranges.tsx'
import { TabOpens } from './tab-opens.tsx'

interface CountsProps {
  bundle: StoredBundle
  insights: Insights
  shown: Shown
  chart: Chart
  icons: SiteIcons
}

/** All counts in a range of days. */
export function Counts({ bundle, insights, shown, chart, icons }: CountsProps): JSX.Element {
  return (
    <>
      <Totals insights={insights} shown={shown} chart={chart} />
      <Days insights={insights} chart={chart} />
      <div class="blocks">
        <TabOpens bundle={bundle} insights={insights} icons={icons} />
        <Breakdowns breakdowns={insights.breakdowns} />
        <ByRule insights={insights} shown={shown} />
      </div>
    </>
  )
}

interface DaysProps extends Pick<CountsProps, 'chart'> {
  insights: Pick<Insights, 'series'>
}

/** The chart of the days, with both counts as a table. */
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

/** Views and clicks by rule, and without any rule. */
function ByRule({ insights, shown }: { insights: Insights; shown: Shown }): JSX.Element {
  const { byRule, totals } = insights
  const { slug, days } = shown
  return (
    <section aria-labelledby="rules-heading">
      <CardHead table="rules" hint="The first rule that a viewer matches is counted, with what they did next." />
      {byRule.length === 1 ? (
        <p class="hint">
          Everyone sees the same links. With <a href={routes.bundle.rules.href({ slug })}>rules</a>, different viewers
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
              {views === 0 && ruleId !== null && (
                <a class="never" href={routes.bundle.rules.href({ slug })} safe>
                  {days === 1 ? 'nobody on this day' : `nobody in ${days} days`}
                </a>
              )}
            </>
          )}
        />
      )}
    </section>
  )
}

/** The name of a rule; the id distinguishes removed rules. */
function RuleName({ ruleId, ruleName }: Pick<Insights['byRule'][number], 'ruleId' | 'ruleName'>): JSX.Element {
  if (ruleId === null) return <span>{NO_RULE}</span>
  return (
    <>
      <span dir="auto" safe>
        {ruleName}
      </span>
      {ruleName === '(removed rule)' && <span class="hint" safe>{` ${ruleId}`}</span>}
    </>
  )
}

/** Beyond this, a percentage says less than the previous number. */
const MAX_PERCENT = 999

/** The difference between a total and the previous one: as a chip, empty if there is nothing to compare with, and in words. */
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

/** The difference between two rates, in percentage points: a percentage of a percentage would mislead. */
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

/** The sums over all days, compared with the same number of days before. A total with a chart selects it. */
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
  /** A link to its chart, in place of its name. */
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
        {change.chip !== '' && (
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
