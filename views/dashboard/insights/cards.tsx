/** @jsxImportSource @kitajs/html */
import type { Counts, TableName } from '../../../src/insights/shapes.ts'
import { formatInteger, rate, Share } from '../../parts/charts.tsx'
import { attribute, Each } from '../../parts/layout.tsx'

/** The headings of the tables, on the page and in its menu of files. */
export const HEADINGS: Record<TableName, string> = {
  tabs: 'Opens per tab',
  referrers: 'Referrers',
  devices: 'Devices',
  languages: 'Languages',
  countries: 'Countries',
  rules: 'By rule',
}

interface CardHeadProps {
  table: TableName
  /** An explanation of the counts. */
  hint: string
}

/** The heading of a card, with an explanation. */
export function CardHead({ table, hint }: CardHeadProps): JSX.Element {
  const heading = HEADINGS[table]
  return (
    <div class="above cluster">
      <h2 id={`${table}-heading`} safe>
        {heading}
      </h2>
      <Tip of={heading} id={`${table}-tip`} text={hint} />
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
