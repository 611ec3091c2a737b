/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/access.ts'
import type { Insights } from '../../../src/insights/shapes.ts'
import { DayChart, type DayCount, Share } from '../../parts/charts.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { rate, whole } from '../../parts/numbers.ts'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { HOW_WE_COUNT } from './how-we-count.ts'

interface InsightsProps {
  site: DashboardSite
  bundle: StoredBundle
  insights: Insights
}

/** What was counted of a bundle: totals, day by day, rule by rule (decisions 11). */
export function InsightsView(props: InsightsProps): JSX.Element {
  return (
    <BundleFrame site={props.site} bundle={props.bundle} tab="insights">
      <InsightsPart {...props} />
    </BundleFrame>
  )
}

/** The same without what stays: what another range replaces. */
export function InsightsPart({ site, bundle, insights }: InsightsProps): JSX.Element {
  const { slug } = bundle
  const { totals, series } = insights
  const isEmpty = totals.views === 0 && totals.openAllClicks === 0
  return (
    <div id="insights" class="insights">
      <div class="above">
        <Ranges slug={slug} days={series.length} />
        {isEmpty ? (
          ''
        ) : (
          <a
            class="button"
            href={attribute(`/api/links/${slug}/insights?range=${series.length}d&format=csv`)}
            download=""
          >
            <Icon name="download" />
            CSV
          </a>
        )}
      </div>
      {isEmpty ? (
        <Nothing link={`${site.origin}/l/${slug}`} slug={slug} days={series.length} />
      ) : (
        <Counted bundle={bundle} insights={insights} />
      )}
      <HowWeCount />
    </div>
  )
}

const RANGES = [7, 30, 90] as const

function Ranges({ slug, days }: { slug: string; days: number }): JSX.Element {
  return (
    <nav class="segments" aria-label="Days">
      {RANGES.map((range) => (
        <a
          id={`days-${range}`}
          href={`/dashboard/links/${slug}/insights?range=${range}d`}
          hx-boost={'target:"#insights", swap:"outerHTML"'}
          aria-current={range === days ? 'true' : undefined}
        >
          {`${range} days` as 'safe'}
        </a>
      ))}
    </nav>
  )
}

function Nothing({ link, slug, days }: { link: string; slug: string; days: number }): JSX.Element {
  return (
    <Empty
      heading={`Nothing was counted in these ${days} days`}
      text="Share the link: each time somebody opens it you see it here within a second, and so you do when they press Open all. No cookies, and nobody is followed."
    >
      <p class="actions">
        <button type="button" class="primary" data-text={link}>
          <Icon name="copy" />
          <span class="label">Copy link</span>
        </button>
        {days < 90 ? (
          <a class="button" href={`/dashboard/links/${slug}/insights?range=90d`}>
            Look at 90 days
          </a>
        ) : (
          ''
        )}
      </p>
    </Empty>
  )
}

/** Every how many days one is named below a chart. */
const NAMED: Record<number, { wide: number; narrow: number }> = {
  7: { wide: 1, narrow: 2 },
  30: { wide: 7, narrow: 7 },
  90: { wide: 14, narrow: 28 },
}

const dayName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function Counted({ bundle, insights }: Omit<InsightsProps, 'site'>): JSX.Element {
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
            <caption class="said">Views and presses of Open all, by day, the latest first</caption>
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
      <ByRule bundle={bundle} insights={insights} />
    </>
  )
}

function dayCount(name: string, count: number): DayCount {
  return { name, count, written: whole(count) }
}

function Totals({ insights: { totals } }: { insights: Insights }): JSX.Element {
  const { views, uniqueViewerDays, openAllClicks, openAllRate } = totals
  return (
    <dl class="totals">
      <Total name="Views" number={whole(views)} says="Times the page was opened" />
      <Total
        name="Viewers, day by day"
        number={whole(uniqueViewerDays)}
        says="Who comes on three days counts three times"
      />
      <Total name="Open all" number={whole(openAllClicks)} says="Presses of the button" />
      <Total
        name="Open all per view"
        number={rate(openAllRate)}
        says={
          openAllRate > 1
            ? 'Over 100%: a page that was opened once may be pressed twice'
            : 'How many go on to open the tabs'
        }
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

function ByRule({ bundle, insights }: Omit<InsightsProps, 'site'>): JSX.Element {
  const { byRule, totals } = insights
  return (
    <section class="card" aria-labelledby="rules-heading">
      <h2 id="rules-heading">By rule</h2>
      {byRule.length === 1 ? (
        <p class="hint">
          Everybody sees the same links. With <a href={`/dashboard/links/${bundle.slug}/policy`}>rules</a> different
          viewers get different ones, and each rule is counted here.
        </p>
      ) : (
        <table class="by-rule">
          <caption class="said">Views and presses of Open all, by rule</caption>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col" class="number">
                Views
              </th>
              <th scope="col" class="number">
                Open all
              </th>
              <th scope="col" class="number">
                Per view
              </th>
            </tr>
          </thead>
          <tbody>
            {
              byRule.map(({ ruleId, ruleName, views, openAllClicks, openAllRate }) => (
                <tr>
                  <th scope="row">
                    <RuleName ruleId={ruleId} ruleName={ruleName} />
                    <Share share={totals.views === 0 ? 0 : views / totals.views} />
                  </th>
                  <td class="number" safe>
                    {whole(views)}
                  </td>
                  <td class="number" safe>
                    {whole(openAllClicks)}
                  </td>
                  <td class="number" safe>
                    {rate(openAllRate)}
                  </td>
                </tr>
              )) as 'safe'[]
            }
          </tbody>
        </table>
      )}
    </section>
  )
}

/** The ids of rules that are gone tell them apart; Fallthrough is said in words. */
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

function HowWeCount(): JSX.Element {
  return (
    <details class="more how">
      <summary>How we count</summary>
      <ul>
        {HOW_WE_COUNT.map((sentence) => (
          <li>{sentence as 'safe'}</li>
        ))}
      </ul>
    </details>
  )
}
