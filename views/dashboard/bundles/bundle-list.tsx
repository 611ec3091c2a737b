/** @jsxImportSource @kitajs/html */

import type { Listed } from '../../../src/bundles/listing.ts'
import type { Listing } from '../../../src/bundles/shapes.ts'
import { count } from '../../../src/core/words.ts'
import { Pager } from '../parts/pager.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { BundleRow } from './bundle-row.tsx'

/** A page of bundles, and what was asked for. */
export interface ListProps {
  site: DashboardSite
  listed: Listed
  /** How many bundles there are on all pages together. */
  total: number
  asked: Listing
}

/** A page of bundles: what searching, sorting and paging replace. */
export function BundleList({ site, listed, total, asked }: ListProps): JSX.Element {
  const { bundles, pagination } = listed
  const { limit, offset } = pagination
  const to = offset + bundles.length
  const addressOf = (at: number) => `/dashboard?${queryOf({ ...asked, offset: at })}`
  if (total === 0) {
    return (
      <div id="list" data-announcement="Nothing found">
        <Empty heading="Nothing found" text={`No title, link, note or tag holds “${asked.q ?? ''}”.`}>
          <p>
            <a href="/dashboard">Show all bundles</a>
          </p>
        </Empty>
      </div>
    )
  }
  return (
    <div id="list" data-announcement={`${count(total, 'bundle')}${asked.q === undefined ? '' : ' found'}`}>
      <ul class="rows">{bundles.map((bundle) => <BundleRow bundle={bundle} site={site} />) as 'safe'[]}</ul>
      <Pager
        says={`${offset + 1} to ${to} of ${total}`}
        previous={offset > 0 ? addressOf(Math.max(0, offset - limit)) : null}
        next={to < total ? addressOf(offset + limit) : null}
      />
    </div>
  )
}

function queryOf({ q, sort, state, offset }: Listing): string {
  const query = new URLSearchParams()
  if (q !== undefined) query.set('q', q)
  if (sort !== 'updated') query.set('sort', sort)
  if (state !== 'active') query.set('state', state)
  if (offset > 0) query.set('offset', String(offset))
  return query.toString()
}
