/** @jsxImportSource @kitajs/html */

import { linkOf } from '../../../src/bundles/link.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import type { Insights } from '../../../src/insights/shapes.ts'
import { DayChart } from '../../parts/charts.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Sample } from '../parts/sample.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { type Chart, Counts, insightsPath } from './counts.tsx'
import { dayCount, dayName, labelled } from './days.ts'

/** Views of a made-up week, which is repeated. */
const WEEK = [14, 22, 31, 27, 35, 9, 6]

/** What the page looks like once people come. */
function SampleInsights({ days }: { days: readonly string[] }): JSX.Element {
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

/** A short form of docs/privacy.md, whose sentences a test compares with it. */
const HOW_WE_COUNT = [
  'A launcher page sets no cookie, uses no storage of the browser, and contacts no other server.',
  'We count how often a page was opened and how often Open all was pressed, as totals by day.',
  'We count how many different viewers a page had on a day, without knowing who they were, and nobody can be followed from one day to the next.',
  'We count from which sites, with which kind of device and in which languages a page was opened, each as a total of its own by day: no total says who came from where, or what one visitor used.',
  'Two people with the same browser behind one address count as one viewer; one person on a phone and a laptop as two.',
  'We count how often each tab was opened from the page, as a total by day: no total says who opened it, or what else they opened, and we send nothing to the sites behind the tabs.',
  'We record no address, no browser name and no time of a single visit.',
  'Days are UTC days, whatever time zone the host is in; daylight saving has no effect.',
] as const

interface InsightsProps {
  site: DashboardSite
  bundle: StoredBundle
  insights: Insights
  chart: Chart
}

/** The insights of a bundle: totals, by day and by rule. */
export function InsightsView(props: InsightsProps): JSX.Element {
  return (
    <BundleFrame site={props.site} bundle={props.bundle} tab="insights">
      <InsightsPart {...props} />
    </BundleFrame>
  )
}

/** The part that another range replaces. */
export function InsightsPart({ site, bundle, insights, chart }: InsightsProps): JSX.Element {
  const { slug } = bundle
  const { totals, tabs, series } = insights
  const isEmpty = totals.views === 0 && totals.openAllClicks === 0 && tabs.every(({ opens }) => opens === 0)
  return (
    <div id="insights" class="insights">
      <div class="above cluster">
        <Ranges slug={slug} days={series.length} chart={chart} />
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
        <>
          <Nothing link={linkOf(slug, site)} slug={slug} days={series.length} />
          <SampleInsights days={series.map(({ day }) => day)} />
        </>
      ) : (
        <Counts bundle={bundle} insights={insights} chart={chart} />
      )}
      <HowWeCount />
    </div>
  )
}

const RANGES = [7, 30, 90] as const

function Ranges({ slug, days, chart }: { slug: string; days: number; chart: Chart }): JSX.Element {
  return (
    <nav class="segments" aria-label="Days">
      {RANGES.map((range) => (
        <a
          id={`days-${range}`}
          href={insightsPath(slug, range, chart)}
          hx-boost={'target:"#insights", swap:"outerHTML"'}
          aria-current={range === days ? 'true' : undefined}
          safe
        >
          {`${range} days`}
        </a>
      ))}
    </nav>
  )
}

function Nothing({ link, slug, days }: { link: string; slug: string; days: number }): JSX.Element {
  return (
    <Empty
      heading={`No visits in the last ${days} days`}
      text="Share the link: every view and every click on Open all shows up here within a second. No cookies, and nobody is followed."
    >
      <p class="actions">
        <button type="button" class="primary" data-text={link}>
          <Icon name="copy" />
          <span class="label">Copy link</span>
        </button>
        {days < 90 ? (
          <a class="button" href={`/dashboard/links/${slug}/insights?range=90d`}>
            Show 90 days
          </a>
        ) : (
          ''
        )}
      </p>
    </Empty>
  )
}

function HowWeCount(): JSX.Element {
  return (
    <details class="more how">
      <summary>How we count</summary>
      <ul>
        {HOW_WE_COUNT.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </details>
  )
}
