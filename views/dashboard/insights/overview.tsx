/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import type { Overview } from '../../../src/insights/shapes.ts'
import { attribute } from '../../parts/layout.tsx'
import { Empty, Head } from '../parts/shell.tsx'
import { CountsTable } from './cards.tsx'
import { Days, Totals } from './counts.tsx'
import {
  type Chart,
  type DaysForm,
  insightsPath,
  nothingOn,
  Ranges,
  type ShownDays,
  saidOf,
  shownOf,
} from './ranges.tsx'
import { HowWeCount, SampleInsights } from './view.tsx'

interface OverviewProps {
  overview: Overview
  /** Whether the visitor chose the days. */
  isChosen: boolean
  chart: Chart
  /** The refused days. */
  form: DaysForm | null
}

/** The insights of all bundles together. */
export function OverviewView(props: OverviewProps): JSX.Element {
  return (
    <>
      <Head title="Insights" lede="All your bundles together." />
      <div class="sheet">
        <OverviewPart {...props} />
      </div>
    </>
  )
}

/** The part of the page that another range replaces. */
export function OverviewPart({ overview, isChosen, chart, form }: OverviewProps): JSX.Element {
  const { totals, series, topBundles } = overview
  const shown = shownOf(null, overview, isChosen)
  const isEmpty = totals.views === 0 && totals.openAllClicks === 0
  return (
    <div id="insights" class="insights">
      <Ranges shown={shown} chart={chart} form={form} said={saidOf(overview)} files={null} />
      {isEmpty ? (
        <>
          <Empty
            heading={nothingOn(shown)}
            text="Share the link of a bundle: the views of all your bundles are added up here, with those that are opened most."
          >
            <p class="actions">
              <a class="button primary" href={routes.bundles.list.href()}>
                Your bundles
              </a>
            </p>
          </Empty>
          <SampleInsights days={series.map(({ day }) => day)} />
        </>
      ) : (
        <>
          <Totals insights={overview} shown={shown} chart={chart} />
          <Days insights={overview} chart={chart} />
          <div class="blocks">
            <TopBundles bundles={topBundles} shown={shown} chart={chart} />
          </div>
        </>
      )}
      <HowWeCount />
    </div>
  )
}

interface TopBundlesProps {
  bundles: Overview['topBundles']
  shown: ShownDays
  chart: Chart
}

/** The most viewed bundles, each with a link to its insights on the same days. */
function TopBundles({ bundles, shown, chart }: TopBundlesProps): JSX.Element {
  const most = Math.max(1, ...bundles.map(({ views }) => views))
  return (
    <section aria-labelledby="top-heading">
      <h2 id="top-heading">Most viewed bundles</h2>
      <CountsTable
        caption="Views and clicks on Open all by bundle, most viewed first"
        heading="Bundle"
        rows={bundles}
        shareOf={({ views }) => views / most}
        show={({ slug, title }) => (
          <a dir="auto" href={attribute(insightsPath({ ...shown, slug }, chart))} safe>
            {title || slug}
          </a>
        )}
      />
    </section>
  )
}
