/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import type { Insights, TableName } from '../../../src/insights/shapes.ts'
import { dayOf } from '../../../src/launcher/salts.ts'
import { type DayCount, formatInteger } from '../../parts/charts.tsx'
import { described, FieldError } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { dayAndMonth } from '../parts/relative-time.tsx'
import { HEADINGS } from './cards.tsx'

/** The first and last day, as typed, with their errors. */
export interface DaysForm {
  from: string
  to: string
  errors: { from?: string; to?: string }
}

interface RangesProps {
  shown: ShownDays
  chart: Chart
  form: DaysForm | null
  /** The days in words. */
  said: string
  /** The tables that can be downloaded beside the days; null if nothing can be. */
  files: readonly TableName[] | null
}

/** The days of a page: today, ranges, or any two days. */
export function Ranges({ shown, chart, form, said, files }: RangesProps): JSX.Element {
  const { slug, days, chosen } = shown
  const today = dayOf(Date.now())
  const isToday = chosen?.from === today && chosen.to === today
  const ranges = [
    { name: 'Today', days: 1, chosen: { from: today, to: today } },
    ...[7, 30, 90].map((range) => ({ name: `${range} days`, days: range, chosen: null })),
  ]
  return (
    <div class="above cluster">
      <nav class="segments" aria-label="Days">
        {ranges.map((range) => (
          <a
            id={`days-${range.days}`}
            href={attribute(insightsPath({ slug, ...range }, chart))}
            hx-boost={'target:"#insights", swap:"outerHTML"'}
            aria-current={
              (range.chosen === null ? chosen === null && range.days === days : isToday) ? 'true' : undefined
            }
            safe
          >
            {range.name}
          </a>
        ))}
      </nav>
      <details class="menu" open={form !== null}>
        <summary class={['quiet', chosen !== null && !isToday && 'current']}>Custom</summary>
        <form class="pop stack" method="get" action={attribute(insightsPage(shown))} novalidate>
          {chart !== 'views' && <input type="hidden" name="chart" value={chart} />}
          <Day name="from" label="From" shown={shown} form={form} last={today} />
          <Day name="to" label="To" shown={shown} form={form} last={today} />
          <button type="submit">Show these days</button>
        </form>
      </details>
      <span class="hint" safe>
        {said}
      </span>
      {files !== null && <Files shown={shown} files={files} />}
    </div>
  )
}

/** One menu for all files of the page. */
function Files({ shown, files }: { shown: ShownDays; files: readonly TableName[] }): JSX.Element {
  const report = `/api/links/${shown.slug}/insights?${daysQuery(shown)}&format=csv`
  const all = [
    { name: 'Views per day', href: report },
    ...files.map((table) => ({ name: HEADINGS[table], href: `${report}&breakdown=${table}` })),
  ]
  return (
    <details class="menu files" name="menu">
      <summary class="quiet">
        <Icon name="download" />
        CSV
      </summary>
      <div class="pop">
        <Each
          of={all}
          show={({ name, href }) => (
            <a class="item" href={attribute(href)} download="" aria-label={attribute(`${name} as CSV`)} safe>
              {name}
            </a>
          )}
        />
      </div>
    </details>
  )
}

interface DayProps extends Pick<RangesProps, 'shown' | 'form'> {
  name: 'from' | 'to'
  label: string
  last: string
}

function Day({ name, label, shown, form, last }: DayProps): JSX.Element {
  const error = form?.errors[name]
  return (
    <div class="field">
      <label for={name} safe>
        {label}
      </label>
      <input
        id={name}
        name={name}
        type="date"
        max={last}
        required
        value={attribute(form?.[name] ?? shown.chosen?.[name] ?? '')}
        {...described(name, error)}
      />
      <FieldError id={name} error={error} />
    </div>
  )
}

/** A day for display: `3 Sept` for `2026-09-03`. */
export function dayName(day: string): string {
  return dayAndMonth.format(Date.parse(day))
}

/** A bar of the chart. */
export function dayCount(called: string, count: number): DayCount {
  return { name: called, count, written: formatInteger(count) }
}

const INTERVALS = [1, 2, 7, 14]
/** The number of labels that fit below a wide chart. */
const LABELS = 8

/** The interval between labelled days below a chart, by its number of days. */
export function labelled(days: number): { wide: number; narrow: number } {
  const wide = INTERVALS.find((interval) => days / interval < LABELS) ?? INTERVALS.at(-1)!
  return { wide, narrow: wide * 2 }
}

/** The days of a page: a range, or chosen days. */
export interface ShownDays {
  /** The bundle; null for all bundles. */
  slug: string | null
  days: number
  /** The first and last day; null for a range. */
  chosen: { from: string; to: string } | null
}

/** The days of a page for one bundle. */
export interface Shown extends ShownDays {
  slug: string
}

/** The days of a page, from a report on them. */
export function shownOf<Slug extends string | null>(
  slug: Slug,
  { series }: Pick<Insights, 'series'>,
  isChosen: boolean,
): ShownDays & { slug: Slug } {
  const [from, to] = [series[0]?.day ?? '', series.at(-1)?.day ?? '']
  return { slug, days: series.length, chosen: isChosen ? { from, to } : null }
}

/** The query that selects these days. */
function daysQuery({ days, chosen }: Pick<ShownDays, 'days' | 'chosen'>): string {
  return chosen === null ? `range=${days}d` : `from=${chosen.from}&to=${chosen.to}`
}

/** `26 Oct to 24 Nov, compared with the previous 30 days`. */
export function saidOf({ series }: Pick<Insights, 'series'>): string {
  const [first, last] = [dayName(series[0]?.day ?? ''), dayName(series.at(-1)?.day ?? '')]
  return `${first === last ? first : `${first} to ${last}`}, compared with ${daysBefore(series.length)}`
}

/** `No visits in the last 30 days`. */
export function nothingOn({ days, chosen }: Pick<ShownDays, 'days' | 'chosen'>): string {
  if (chosen === null) return `No visits in the last ${days} days`
  return days === 1 ? 'No visits on this day' : 'No visits on these days'
}

/** The previous days for comparison, in words. */
export function daysBefore(days: number): string {
  return days === 1 ? 'the day before' : `the previous ${days} days`
}

/** What the charts show: name, heading, and title for screen readers. */
export const CHARTS = {
  views: { name: 'Views', heading: 'Views per day', title: 'Views per day' },
  'open-all': { name: 'Open all', heading: 'Open all per day', title: 'Clicks on Open all per day' },
} as const

export type Chart = keyof typeof CHARTS

/** The address of the insights of a bundle or of all bundles, without a query. */
function insightsPage({ slug }: Pick<ShownDays, 'slug'>): string {
  return slug === null ? routes.overview.href() : routes.bundle.insights.href({ slug })
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

/** A link to another chart of the same days. */
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
