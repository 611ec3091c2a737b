/** @jsxImportSource @kitajs/html */

import type { ListedBundle } from '../../../src/bundles/listing.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { plural } from '../../../src/core/words.ts'
import { RECENT_DAYS, type RecentCounts } from '../../../src/insights/recent.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { attribute } from '../../parts/layout.tsx'
import { compact, formatInteger } from '../../parts/numbers.ts'

interface FiguresProps {
  bundle: ListedBundle
  /** Undefined if nothing was counted. */
  recent: RecentCounts | undefined
}

/** The recent views of a bundle as a line and as a number, which lead to its insights. */
export function Figures({ bundle, recent }: FiguresProps): JSX.Element {
  const { views, openAllClicks } = recent ?? { views: 0, openAllClicks: 0 }
  // The name begins with the visible text, so that speech input finds the link (WCAG 2.5.3).
  const label = `${counted(views, 'view')} ${counted(openAllClicks, 'open')} in the last ${RECENT_DAYS} days: insights of ${headingOf(bundle)}`
  return (
    <a class="figures" href={`/dashboard/links/${bundle.slug}/insights`} aria-label={attribute(label)}>
      {recent === undefined || views === 0 ? '' : <Spark daily={recent.daily} createdAt={bundle.createdAt} />}
      <span class="views" title={`${formatInteger(views)} in the last ${RECENT_DAYS} days`} safe>
        {written(views)}
      </span>
      <span class="unit" safe>{` ${plural(views, 'view')}`}</span>
    </a>
  )
}

/** More digits than the column has room for. */
const LONG = 100_000

function written(number: number): string {
  return number < LONG ? formatInteger(number) : compact(number)
}

function counted(number: number, noun: string): string {
  return `${written(number)} ${plural(number, noun)}`
}

const WIDTH = 74
const TOP = 3
const BOTTOM = 19

/** A line of the views of each day, which begins with the bundle; the dot is today. */
function Spark({ daily, createdAt }: { daily: readonly number[]; createdAt: number }): JSX.Element {
  const most = Math.max(...daily)
  const lived = Math.ceil((Date.now() - createdAt) / DAY_MS) + 1
  const counted = daily.findIndex((views) => views > 0)
  const first = Math.max(0, Math.min(daily.length - lived, counted))
  const place = (at: number) => {
    const x = (WIDTH * at) / (daily.length - 1)
    const y = BOTTOM - ((BOTTOM - TOP) * daily[at]!) / most
    return [x.toFixed(1), y.toFixed(1)]
  }
  const points = daily.slice(first).map((_, at) => place(first + at).join())
  const [x, y] = place(daily.length - 1)
  return (
    <svg class="spark" viewBox="0 0 76 22" aria-hidden="true">
      <polyline points={points.join(' ')} />
      <circle cx={x} cy={y} r="2" />
    </svg>
  )
}
