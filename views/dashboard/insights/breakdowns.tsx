/** @jsxImportSource @kitajs/html */

import { capitalised } from '../../../src/core/words.ts'
import type { Breakdown, Insights } from '../../../src/insights/shapes.ts'
import { Share } from '../../parts/charts.tsx'
import { Each } from '../../parts/each.tsx'
import { formatInteger } from '../../parts/numbers.ts'
import { countryName, DEVICE_NAMES, languageName } from '../rules/values.ts'
import { CardHead } from './card-head.tsx'

/** How many values are in sight. */
const SHOWN = 5

interface BreakdownWords {
  heading: string
  /** The column of the values. */
  column: string
  nameOf(value: string): string
  /** Stands for no value. */
  none: string
  /** Stands for the values beyond those that the report names. */
  other: string
  hint: string
}

const BREAKDOWNS: Record<keyof Insights['breakdowns'], BreakdownWords> = {
  referrers: {
    heading: 'Referrers',
    column: 'Site',
    nameOf: (host) => host,
    none: 'Direct',
    other: 'Other sites',
    hint: 'Direct: the browser named no site, as for links in chats and emails, or typed addresses.',
  },
  devices: {
    heading: 'Devices',
    column: 'Device',
    nameOf: (device) => capitalised(DEVICE_NAMES[device as keyof typeof DEVICE_NAMES]),
    none: 'Unknown',
    other: 'Others',
    hint: 'As browsers describe themselves.',
  },
  languages: {
    heading: 'Languages',
    column: 'Language',
    nameOf: (language) => languageName(language),
    none: 'Unknown',
    other: 'Other languages',
    hint: 'The first language that a browser asks for, whatever its region.',
  },
  countries: {
    heading: 'Countries',
    column: 'Country',
    nameOf: countryName,
    none: 'Unknown',
    other: 'Other countries',
    hint: 'As told by the proxy in front of this service.',
  },
}
const NAMES = Object.keys(BREAKDOWNS) as (keyof Insights['breakdowns'])[]

/** Views by referring site, device, language and, if known here, country. */
export function Breakdowns({
  slug,
  breakdowns,
  series,
}: Pick<Insights, 'slug' | 'breakdowns' | 'series'>): JSX.Element {
  return (
    <div class="breakdowns">
      <Each
        of={NAMES}
        show={(name) => {
          const breakdown = breakdowns[name]
          return breakdown === undefined ? (
            ''
          ) : (
            <Card name={name} breakdown={breakdown} slug={slug} days={series.length} />
          )
        }}
      />
    </div>
  )
}

interface CardProps {
  slug: string
  days: number
  name: keyof Insights['breakdowns']
  breakdown: Breakdown
}

function Card({ slug, days, name, breakdown }: CardProps): JSX.Element {
  const words = BREAKDOWNS[name]
  const rows = breakdown.values.map(({ value, views }) => ({
    name: value === null ? words.none : words.nameOf(value),
    views,
  }))
  if (breakdown.other > 0) rows.push({ name: words.other, views: breakdown.other })
  const total = rows.reduce((sum, { views }) => sum + views, 0)
  const more = rows.slice(SHOWN)
  return (
    <section class="card" aria-labelledby={`${name}-heading`}>
      <CardHead slug={slug} days={days} table={name} heading={words.heading} hasFile={total > 0} />
      {total === 0 ? (
        <p class="hint">Nothing counted in this period yet. The next view shows up here.</p>
      ) : (
        <>
          <Rows words={words} rows={rows.slice(0, SHOWN)} total={total} />
          {more.length === 0 ? (
            ''
          ) : (
            <details class="more">
              <summary safe>{`${more.length} more`}</summary>
              <Rows words={words} rows={more} total={total} />
            </details>
          )}
          <p class="hint" safe>
            {words.hint}
          </p>
        </>
      )}
    </section>
  )
}

interface RowsProps {
  words: BreakdownWords
  rows: readonly { name: string; views: number }[]
  total: number
}

function Rows({ words: { heading, column }, rows, total }: RowsProps): JSX.Element {
  return (
    <table class="by-value">
      <caption class="visually-hidden" safe>{`${heading}, by views`}</caption>
      <thead>
        <tr>
          <th scope="col" safe>
            {column}
          </th>
          <th scope="col" class="number">
            Views
          </th>
        </tr>
      </thead>
      <tbody>
        <Each
          of={rows}
          show={({ name, views }) => (
            <tr>
              <th scope="row">
                <span dir="auto" safe>
                  {name}
                </span>
                <Share share={views / total} />
              </th>
              <td class="number" safe>
                {formatInteger(views)}
              </td>
            </tr>
          )}
        />
      </tbody>
    </table>
  )
}
