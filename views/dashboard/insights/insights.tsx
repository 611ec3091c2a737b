/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/access.ts'
import type { Insights } from '../../../src/insights/shapes.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { type Chart, Counts, insightsPath } from './counts.tsx'
import { HOW_WE_COUNT } from './how-we-count.ts'
import { SampleInsights } from './sample.tsx'

interface InsightsProps {
  site: DashboardSite
  bundle: StoredBundle
  insights: Insights
  chart: Chart
}

/** The insights of a bundle: totals, by day and by rule (decisions 11). */
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
  const { totals, series } = insights
  const isEmpty = totals.views === 0 && totals.openAllClicks === 0
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
          <Nothing link={`${site.origin}/l/${slug}`} slug={slug} days={series.length} />
          <SampleInsights days={series.map(({ day }) => day)} />
        </>
      ) : (
        <Counts slug={slug} insights={insights} chart={chart} />
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
          <li>{sentence as 'safe'}</li>
        ))}
      </ul>
    </details>
  )
}
