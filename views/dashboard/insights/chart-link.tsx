/** @jsxImportSource @kitajs/html */

import { attribute } from '../../parts/layout.tsx'
import { daysQuery, type Shown } from './days.ts'

/** What the chart shows, with its name, heading, and title for screen readers. */
export const CHARTS = {
  views: { name: 'Views', heading: 'Views per day', title: 'Views per day' },
  'open-all': { name: 'Open all', heading: 'Open all per day', title: 'Clicks on Open all per day' },
} as const

export type Chart = keyof typeof CHARTS

/** The address of a bundle's insights. */
export function insightsPath(shown: Shown, chart: Chart): string {
  return `/dashboard/links/${shown.slug}/insights?${daysQuery(shown)}${chart === 'views' ? '' : `&chart=${chart}`}`
}

interface ChartLinkProps {
  shown: Shown
  chart: Chart
  isCurrent: boolean
}

/** Shows another chart of the same days. */
export function ChartLink({ shown, chart, isCurrent }: ChartLinkProps): JSX.Element {
  return (
    <a
      id={`chart-${chart}`}
      href={attribute(insightsPath(shown, chart))}
      hx-boost={'target:"#insights", swap:"outerHTML show:none"'}
      aria-current={isCurrent ? 'true' : undefined}
    >
      {CHARTS[chart].name}
    </a>
  )
}
