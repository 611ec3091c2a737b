/** @jsxImportSource @kitajs/html */

import type { Breakdown, Insights } from '../../../src/insights/shapes.ts'
import { BREAKDOWN_WORDS } from '../../../src/insights/words.ts'
import { formatInteger, rate, Share } from '../../parts/charts.tsx'
import { Each } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { CardHead, HEADINGS } from './cards.tsx'

/** How many values are visible at first. */
const SHOWN = 5

interface BreakdownWords {
  /** The heading of the values. */
  column: string
  hint: string
}

const BREAKDOWNS: Record<keyof Insights['breakdowns'], BreakdownWords> = {
  referrers: {
    column: 'Site',
    hint: 'Direct: the browser named no site, as for links in chats and emails, or typed addresses.',
  },
  devices: {
    column: 'Device',
    hint: 'As browsers describe themselves.',
  },
  languages: {
    column: 'Language',
    hint: 'The first language that a browser asks for, whatever its region.',
  },
  countries: {
    column: 'Country',
    hint: 'As told by the proxy in front of this service.',
  },
}
const NAMES = Object.keys(BREAKDOWNS) as (keyof Insights['breakdowns'])[]

interface BreakdownsProps {
  breakdowns: Insights['breakdowns']
}

/** Views by referring site, device, language and, if known, country. */
export function Breakdowns({ breakdowns }: BreakdownsProps): JSX.Element {
  return (
    <Each
      of={NAMES}
      show={(name) => {
        const breakdown = breakdowns[name]
        return breakdown === undefined ? '' : <Card name={name} breakdown={breakdown} />
      }}
    />
  )
}

interface CardProps {
  name: keyof Insights['breakdowns']
  breakdown: Breakdown
}

function Card({ name, breakdown }: CardProps): JSX.Element {
  const { none, other, nameOf } = BREAKDOWN_WORDS[name]
  const rows = breakdown.values.map(({ value, views }) => ({
    name: value === null ? none : nameOf(value),
    site: name === 'referrers' ? value : null,
    views,
  }))
  if (breakdown.other > 0) rows.push({ name: other, site: null, views: breakdown.other })
  const total = rows.reduce((sum, { views }) => sum + views, 0)
  const sums = { name, total, most: Math.max(...rows.map(({ views }) => views)) }
  const more = rows.slice(SHOWN)
  return (
    <section aria-labelledby={`${name}-heading`}>
      <CardHead table={name} hint={BREAKDOWNS[name].hint} />
      {total === 0 ? (
        <p class="hint">Nothing counted in this period yet. The next view shows up here.</p>
      ) : (
        <>
          <Rows {...sums} rows={rows.slice(0, SHOWN)} />
          {more.length > 0 && (
            <details class="more">
              <summary safe>{`${more.length} more`}</summary>
              <Rows {...sums} rows={more} />
            </details>
          )}
        </>
      )}
    </section>
  )
}

interface RowsProps {
  name: keyof Insights['breakdowns']
  rows: readonly { name: string; site: string | null; views: number }[]
  total: number
  most: number
}

function Rows({ name: table, rows, total, most }: RowsProps): JSX.Element {
  return (
    <table class="by-value">
      <caption class="visually-hidden" safe>{`${HEADINGS[table]}, by views`}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden" safe>
              {BREAKDOWNS[table].column}
            </span>
          </th>
          <th scope="col">
            <span class="visually-hidden">Views</span>
          </th>
          <th scope="col">
            <span class="visually-hidden">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <Each
          of={rows}
          show={({ name, site, views }) => (
            <tr>
              <th scope="row">
                <div class="behind">
                  {site !== null && <Tile url={`https://${site}`} />}
                  <Share share={views / most} />
                  <span dir="auto" safe>
                    {name}
                  </span>
                </div>
              </th>
              <td class="number" safe>
                {formatInteger(views)}
              </td>
              <td class="number hint" safe>
                {rate(views / total)}
              </td>
            </tr>
          )}
        />
      </tbody>
    </table>
  )
}
