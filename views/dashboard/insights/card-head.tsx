/** @jsxImportSource @kitajs/html */

import type { TableName } from '../../../src/insights/shapes.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'

interface CardHeadProps {
  slug: string
  days: number
  table: TableName
  heading: string
  /** Whether there is something to download. */
  hasFile: boolean
}

/** The heading of a card, with its numbers as a file. */
export function CardHead({ slug, days, table, heading, hasFile }: CardHeadProps): JSX.Element {
  return (
    <div class="above cluster">
      <h2 id={`${table}-heading`} safe>
        {heading}
      </h2>
      {hasFile ? (
        <a
          class="quiet"
          href={attribute(`/api/links/${slug}/insights?range=${days}d&format=csv&breakdown=${table}`)}
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
