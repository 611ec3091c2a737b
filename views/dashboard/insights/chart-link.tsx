/** @jsxImportSource @kitajs/html */

import { attribute } from '../../parts/layout.tsx'
import { daysQuery, type ShownDays } from './days.ts'

/** What the chart shows, with its name, heading, and title for screen readers. */
export const CHARTS = {
  views: { name: 'Views', heading: 'Views per day', title: 'Views per day' },
  'open-all': { name: 'Open all', heading: 'Open all per day', title: 'Clicks on Open all per day' },
} as const

export type Chart = keyof typeof CHARTS

/** The address of a bundle's insights, or of those of all together, without its query. */
export function insightsPage({ slug }: Pick<ShownDays, 'slug'>): string {
  return slug === null ? '/dashboard/overview' : `/dashboard/links/${slug}/insights`
}

/** The same with its days and chart. */
export function insightsPath(shown: ShownDays, chart: Chart): string {
  return `${insightsPage(shown)}?${daysQuery(shown)}${chart === 'views' ? '' : `&chart=${chart}`}`
}

interface ChartLinkProps {
  shown: ShownDays
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
