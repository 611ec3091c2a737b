/** @jsxImportSource @kitajs/html */

import type { Listing } from '../../../src/bundles/content/shapes.ts'
import type { Broken } from '../../../src/bundles/links/health.ts'
import type { Listed, ListedBundle } from '../../../src/bundles/list/listing.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import { RECENT_DAYS, type RecentCounts } from '../../../src/insights/recent.ts'
import { attribute, Each } from '../../parts/layout.tsx'
import { Pager } from '../parts/lists.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { BulkBar, BundleRow, mayChoose } from './bundle-row.tsx'
import { listAddress } from './list-query.ts'

/** A page of bundles with its query. */
export interface ListProps {
  site: DashboardSite
  listed: Listed
  /** The number of bundles on all pages. */
  total: number
  listing: Listing
  /** Recent views and clicks, by bundle id. */
  recent: ReadonlyMap<number, RecentCounts>
  /** Numbers of open proposals, by bundle id. */
  open: ReadonlyMap<number, number>
  /** Broken links, by bundle id. */
  broken: ReadonlyMap<number, Broken>
  icons: SiteIcons
}

/** A page of bundles; search, sorting and paging replace it. */
export function BundleList({ site, listed, total, listing, recent, open, broken, icons }: ListProps): JSX.Element {
  const { bundles, pagination } = listed
  const { limit, offset } = pagination
  const to = offset + bundles.length
  const addressOf = (at: number) => listAddress({ ...listing, offset: at })
  if (total === 0) {
    return (
      <div id="list" data-announcement="Nothing found">
        <Empty heading="Nothing found" text={nothingFound(listing)}>
          <p>
            <a href={routes.bundles.list.href()}>Show all bundles</a>
          </p>
        </Empty>
      </div>
    )
  }
  const isFiltered = listing.q !== undefined || listing.tag !== undefined || listing.health !== undefined
  return (
    <div id="list" data-announcement={`${count(total, 'bundle')}${isFiltered ? ' found' : ''}`}>
      {allowsRole(site.user.role, 'editor') && listing.state === 'active' && (
        <ReplaceOffer listing={listing} total={total} />
      )}
      <div class="columns" aria-hidden="true">
        {listing.state !== 'deleted' && (
          <>
            <span>{RECENT_DAYS} days</span>
            <span>Views</span>
          </>
        )}
        <span>{listing.state === 'deleted' ? 'Deleted' : 'Edited'}</span>
      </div>
      <Each
        of={groupsOf(bundles)}
        show={({ name, rows }) => (
          <>
            {name !== null && <h2 class="group">{name}</h2>}
            <ul class="rows">
              <Each
                of={rows}
                show={(bundle) => (
                  <BundleRow
                    bundle={bundle}
                    site={site}
                    listing={listing}
                    recent={recent.get(bundle.id)}
                    open={open.get(bundle.id) ?? 0}
                    broken={broken.get(bundle.id)}
                    icons={icons}
                  />
                )}
              />
            </ul>
          </>
        )}
      />
      <Pager
        text={bundles.length === total ? count(total, 'bundle') : `${offset + 1} to ${to} of ${total}`}
        previous={offset > 0 ? addressOf(Math.max(0, offset - limit)) : null}
        next={to < total ? addressOf(offset + limit) : null}
      />
      {mayChoose(listing, site.user.role) && <BulkBar listing={listing} user={site.user} />}
    </div>
  )
}

/** For a search for a link: offers to replace that link. */
function ReplaceOffer({ listing: { q = '' }, total }: Pick<ListProps, 'listing' | 'total'>): JSX.Element {
  if (!/^https?:\/\/\S+$/i.test(q)) return ''
  return (
    <p class="hint">
      <span safe>{`Used in ${count(total, 'bundle')}.`}</span>{' '}
      <a href={attribute(`${routes.bundles.replace.href()}?${new URLSearchParams({ from: q })}`)}>
        Replace it everywhere
      </a>
    </p>
  )
}

interface Group {
  /** Null on a page without pinned bundles. */
  name: 'Pinned' | 'All bundles' | null
  rows: readonly ListedBundle[]
}

/** The pinned bundles of a page, and then the others. */
function groupsOf(bundles: readonly ListedBundle[]): Group[] {
  const pinned = bundles.filter(({ isPinned }) => isPinned)
  const others = bundles.slice(pinned.length)
  if (pinned.length === 0) return [{ name: null, rows: others }]
  const groups: Group[] = [
    { name: 'Pinned', rows: pinned },
    { name: 'All bundles', rows: others },
  ]
  return groups.filter(({ rows }) => rows.length > 0)
}

function nothingFound({ q, tag, health }: Listing): string {
  if (health !== undefined)
    return `No bundle ${q === undefined && tag === undefined ? '' : 'of these '}has a ${health === 'moved' ? 'link that has moved' : 'broken link'}.`
  const wanted = q === undefined ? '' : `No title, link or tag contains “${q}”`
  if (tag === undefined) return `${wanted}.`
  return q === undefined
    ? `No bundle has a link with the tag “${tag}”.`
    : `${wanted} where a link has the tag “${tag}”.`
}
