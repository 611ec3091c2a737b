/** @jsxImportSource @kitajs/html */

import type { Counts } from '../../../src/insights/shapes.ts'
import { Share } from '../../parts/charts.tsx'
import { Each } from '../../parts/each.tsx'
import { formatInteger, rate } from '../../parts/numbers.ts'

interface CountsTableProps<Row extends Counts> {
  caption: string
  /** What its rows are. */
  heading: string
  rows: readonly Row[]
  /** How long the bar of a row is, from 0 to 1. */
  shareOf(row: Row): number
  show(row: Row): JSX.Element
}

/** Views and clicks on Open all, by something that has a name. */
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
