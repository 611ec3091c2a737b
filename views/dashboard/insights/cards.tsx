/** @jsxImportSource @kitajs/html */
import type { Counts, TableName } from '../../../src/insights/shapes.ts'
import { formatInteger, rate, Share } from '../../parts/charts.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { daysQuery, type Shown } from './ranges.tsx'

interface CardHeadProps {
  shown: Shown
  table: TableName
  heading: string
  /** An explanation of the counts. */
  hint: string
  /** Whether there is something to download. */
  hasFile: boolean
}

/** The heading of a card, with an explanation and a download of its numbers. */
export function CardHead({ shown, table, heading, hint, hasFile }: CardHeadProps): JSX.Element {
  return (
    <div class="above cluster">
      <h2 id={`${table}-heading`} safe>
        {heading}
      </h2>
      <Tip of={heading} id={`${table}-tip`} text={hint} />
      {hasFile && (
        <a
          class="quiet"
          href={attribute(`/api/links/${shown.slug}/insights?${daysQuery(shown)}&format=csv&breakdown=${table}`)}
          download=""
          aria-label={attribute(`${heading} as CSV`)}
        >
          <Icon name="download" />
          CSV
        </a>
      )}
    </div>
  )
}

interface TipProps {
  /** The name of the explained term. */
  of: string
  id: string
  text: string
}

/** A definition that is visible while its button is hovered or focused. */
export function Tip({ of, id, text }: TipProps): JSX.Element {
  return (
    <span class="tip">
      <button type="button" aria-label={attribute(`About ${of}`)} aria-describedby={id}>
        ?
      </button>
      <span role="tooltip" id={id} safe>
        {text}
      </span>
    </span>
  )
}

interface CountsTableProps<Row extends Counts> {
  caption: string
  /** The heading of the first column. */
  heading: string
  rows: readonly Row[]
  /** The length of a row's bar, from 0 to 1. */
  shareOf(row: Row): number
  show(row: Row): JSX.Element
}

/** Views and clicks on Open all, by a named value. */
export function CountsTable<Row extends Counts>(props: CountsTableProps<Row>): JSX.Element {
  const { caption, heading, rows, shareOf, show } = props
  return (
    <table class="by-rule">
      <caption class="visually-hidden" safe>
        {caption}
      </caption>
      <thead>
        <tr>
          <th scope="col" safe>
            {heading}
          </th>
          <th scope="col" class="number">
            Views
          </th>
          <th scope="col" class="number">
            Open all
          </th>
          <th scope="col" class="number">
            Open rate
          </th>
        </tr>
      </thead>
      <tbody>
        <Each
          of={rows}
          show={(row) => (
            <tr>
              <th scope="row">
                <div class="behind">
                  <Share share={shareOf(row)} />
                  {show(row)}
                </div>
              </th>
              <td class="number" safe>
                {formatInteger(row.views)}
              </td>
              <td class="number" safe>
                {formatInteger(row.openAllClicks)}
              </td>
              <td class="number" safe>
                {rate(row.openAllRate)}
              </td>
            </tr>
          )}
        />
      </tbody>
    </table>
  )
}
