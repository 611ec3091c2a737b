/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { routes } from '../../../src/core/routes.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import type { Insights, TableName } from '../../../src/insights/shapes.ts'
import { DayChart } from '../../parts/charts.tsx'
import { Icon } from '../../parts/icons.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Sample } from '../parts/lists.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { Counts } from './counts.tsx'
import {
  type Chart,
  type DaysForm,
  dayCount,
  dayName,
  labelled,
  nothingOn,
  Ranges,
  type Shown,
  saidOf,
  shownOf,
} from './ranges.tsx'

/** Views of a made-up week, which is repeated. */
const WEEK = [14, 22, 31, 27, 35, 9, 6]

/** A sample of the page with visits. */
export function SampleInsights({ days }: { days: readonly string[] }): JSX.Element {
  const counts = days.map((day, at) => dayCount(dayName(day), WEEK[at % WEEK.length] ?? 0))
  return (
    <Sample caption="An example of what you’ll see here">
      <DayChart title="Views per day" days={counts} named={labelled(days.length)} isToday />
    </Sample>
  )
}

/** A short form of docs/privacy.md, with which a test compares its sentences. */
const HOW_WE_COUNT = [
  'A launcher page sets no cookie, uses no storage of the browser, and contacts no other server.',
  'We count how often a page was opened and how often Open all was pressed, as totals by day.',
  'We count how many different viewers a page had on a day, without knowing who they were, and nobody can be followed from one day to the next.',
  'We count from which sites, with which kind of device, in which languages and, where the operator has set it up, from which countries a page was opened, each as a total of its own by day: no total says who came from where, or what one visitor used.',
  'Two people with the same browser behind one address count as one viewer; one person on a phone and a laptop as two.',
  'We count how often each tab was opened from the page, as a total by day: no total says who opened it, or what else they opened, and we send nothing to the sites behind the tabs.',
  'We record no address, no browser name and no time of a single visit.',
  'Days are UTC days, whatever time zone the host is in; daylight saving has no effect.',
] as const

interface InsightsProps {
  site: DashboardSite
  bundle: StoredBundle
  insights: Insights
  icons: SiteIcons
  /** Whether the visitor chose the days. */
  isChosen: boolean
  chart: Chart
  /** The refused days. */
  form: DaysForm | null
}

/** The insights of a bundle: totals, by day and by rule. */
export function InsightsView(props: InsightsProps): JSX.Element {
  return (
    <BundleFrame site={props.site} bundle={props.bundle} tab="insights">
      <InsightsPart {...props} />
    </BundleFrame>
  )
}

/** The part of the page that another range replaces. */
export function InsightsPart({ site, bundle, insights, icons, isChosen, chart, form }: InsightsProps): JSX.Element {
  const { slug } = bundle
  const { totals, tabs, series } = insights
  const shown = shownOf(insights.slug, insights, isChosen)
  const isEmpty = totals.views === 0 && totals.openAllClicks === 0 && tabs.every(({ opens }) => opens === 0)
  return (
    <div id="insights" class="insights">
      <Ranges
        shown={shown}
        chart={chart}
        form={form}
        said={saidOf(insights)}
        files={isEmpty ? null : filesOf(insights)}
      />
      {isEmpty ? (
        <>
          <Nothing link={linkOf(slug, site)} shown={shown} />
          <SampleInsights days={series.map(({ day }) => day)} />
        </>
      ) : (
        <Counts bundle={bundle} insights={insights} shown={shown} chart={chart} icons={icons} />
      )}
      <HowWeCount />
    </div>
  )
}

/** The tables of a report with something to download, in the order of the page. */
function filesOf({ tabs, breakdowns, byRule }: Insights): TableName[] {
  const names = Object.keys(breakdowns) as (keyof typeof breakdowns)[]
  const counted = names.filter((name) => {
    const { values = [], other = 0 } = breakdowns[name] ?? {}
    return other > 0 || values.some(({ views }) => views > 0)
  })
  return [
    ...(tabs.some(({ opens }) => opens > 0) ? (['tabs'] as const) : []),
    ...counted,
    ...(byRule.length > 1 ? (['rules'] as const) : []),
  ]
}

function Nothing({ link, shown }: { link: string; shown: Shown }): JSX.Element {
  const { slug, days, chosen } = shown
  return (
    <Empty
      heading={nothingOn(shown)}
      text="Share the link: every view and every click on Open all shows up here within a second. No cookies, and nobody is followed."
    >
      <p class="actions">
        <button type="button" class="primary" data-text={link}>
          <Icon name="copy" />
          <span class="label">Copy link</span>
        </button>
        {(chosen !== null || days < 90) && (
          <a class="button" href={`${routes.bundle.insights.href({ slug })}?range=90d`}>
            Show 90 days
          </a>
        )}
      </p>
    </Empty>
  )
}

/** A short explanation of the counts. */
export function HowWeCount(): JSX.Element {
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
