/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import type { Listing } from '../../../src/bundles/shapes.ts'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { listAddress } from './address.ts'
import { BundleList, type ListProps } from './bundle-list.tsx'

const SORTS: Record<Listing['sort'], string> = {
  updated: 'Last edited',
  created: 'Newest',
  title: 'Title',
}

/** The search and sort controls, and the list that they change. */
export function Search(props: ListProps): JSX.Element {
  const { listing } = props
  return (
    <>
      <search>
        <form class="tools" method="get" action="/dashboard">
          {listing.state === 'deleted' ? <input type="hidden" name="state" value="deleted" /> : ''}
          {listing.tag === undefined ? '' : <input type="hidden" name="tag" value={attribute(listing.tag)} />}
          {listing.health === undefined ? '' : <input type="hidden" name="health" value={listing.health} />}
          <div class="search">
            <Icon name="search" />
            <input
              id="q"
              name="q"
              type="search"
              maxlength={BOUNDS.title}
              placeholder="Search titles, links, tags"
              aria-label="Search bundles"
              value={attribute(listing.q ?? '')}
              hx-get="/dashboard"
              hx-trigger="input changed delay:250ms"
              hx-include="closest form"
              hx-target="#list"
              hx-swap="outerHTML"
              hx-replace-url="true"
              hx-sync="this:replace"
            />
            <kbd class="scripted">/</kbd>
          </div>
          <label for="sort" class="sort">
            <Icon name="sort" />
            Sort<span class="visually-hidden"> by</span>
          </label>
          <select
            id="sort"
            name="sort"
            hx-get="/dashboard"
            hx-include="closest form"
            hx-target="#list"
            hx-swap="outerHTML"
            hx-replace-url="true"
          >
            <Each
              of={Object.entries(SORTS)}
              show={([sort, name]) => (
                <option value={sort} selected={sort === listing.sort} safe>
                  {name}
                </option>
              )}
            />
          </select>
          <button type="submit" class="scriptless">
            Search
          </button>
          <button type="submit" class="quiet scriptless" formmethod="post" formaction="/dashboard/sort">
            Remember this order
          </button>
        </form>
        {listing.tag === undefined ? '' : <TagFilter listing={listing} tag={listing.tag} />}
        {listing.health === undefined ? '' : <HealthFilter listing={listing} />}
      </search>
      <BundleList {...props} />
    </>
  )
}

/** The state of links that the list is filtered by, and a link that removes the filter. */
function HealthFilter({ listing }: Pick<ListProps, 'listing'>): JSX.Element {
  const { health, ...rest } = listing
  return (
    <p class="filter hint">
      {health === 'moved' ? 'With links that have moved' : 'With broken links'}
      <a class="quiet small" href={attribute(listAddress({ ...rest, offset: 0 }))}>
        <Icon name="cross" />
        Show all
      </a>
    </p>
  )
}

/** The tag that the list is filtered by, and a link that removes the filter. */
function TagFilter({ listing, tag }: Pick<ListProps, 'listing'> & { tag: string }): JSX.Element {
  const { tag: _, ...rest } = listing
  return (
    <p class="filter hint">
      {'Tag '}
      <span class="tag" dir="auto" safe>
        {tag}
      </span>
      <a class="quiet small" href={attribute(listAddress({ ...rest, offset: 0 }))}>
        <Icon name="cross" />
        Show all
      </a>
    </p>
  )
}
