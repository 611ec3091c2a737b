/** @jsxImportSource @kitajs/html */

import type { TableName } from '../../../src/insights/shapes.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { daysQuery, type Shown } from './days.ts'

interface CardHeadProps {
  shown: Shown
  table: TableName
  heading: string
  /** What is counted. */
  hint: string
  /** Whether there is something to download. */
  hasFile: boolean
}

/** The heading of a card, with what it counts and its numbers as a file. */
export function CardHead({ shown, table, heading, hint, hasFile }: CardHeadProps): JSX.Element {
  return (
    <div class="above cluster">
      <h2 id={`${table}-heading`} safe>
        {heading}
      </h2>
      <Tip of={heading} id={`${table}-tip`} text={hint} />
      {hasFile ? (
        <a
          class="quiet"
          href={attribute(`/api/links/${shown.slug}/insights?${daysQuery(shown)}&format=csv&breakdown=${table}`)}
          download=""
          aria-label={attribute(`${heading} as CSV`)}
        >
          <Icon name="download" />
          CSV
        </a>
      ) : (
        ''
      )}
    </div>
  )
}

interface TipProps {
  /** The name of what is explained. */
  of: string
  id: string
  text: string
}

/** A definition that shows while its button is hovered or has the focus. */
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
