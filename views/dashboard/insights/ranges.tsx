/** @jsxImportSource @kitajs/html */

import { dayOf } from '../../../src/launcher/salts.ts'
import { described, FieldError } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { type Chart, insightsPage, insightsPath } from './chart-link.tsx'
import { daysQuery, type ShownDays } from './days.ts'

/** The first and the last day, as typed, and what is wrong with them. */
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
  /** Whether there is something to download. */
  hasFile: boolean
}

/** Which days a page shows: today, ranges, and any two days. */
export function Ranges({ shown, chart, form, said, hasFile }: RangesProps): JSX.Element {
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
          {chart === 'views' ? '' : <input type="hidden" name="chart" value={chart} />}
          <Day name="from" label="From" shown={shown} form={form} last={today} />
          <Day name="to" label="To" shown={shown} form={form} last={today} />
          <button type="submit">Show these days</button>
        </form>
      </details>
      <span class="hint" safe>
        {said}
      </span>
      {hasFile ? (
        <a class="quiet" href={attribute(`/api/links/${slug}/insights?${daysQuery(shown)}&format=csv`)} download="">
          <Icon name="download" />
          CSV
        </a>
      ) : (
        ''
      )}
    </div>
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
