/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { EXAMPLES } from '../../../src/bundles/content/examples.ts'
import type { Listing } from '../../../src/bundles/content/shapes.ts'
import type { TagCount } from '../../../src/bundles/links/tag-counts.ts'
import { routes } from '../../../src/core/routes.ts'
import { count, plural } from '../../../src/core/words.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { Empty, Head } from '../parts/shell.tsx'
import { BundleList, type ListProps } from './bundle-list.tsx'
import { listAddress } from './list-query.ts'

/** Examples to start with: one click copies a bundle and opens it. */
function Examples({ idempotencyKey }: { idempotencyKey: string }): JSX.Element {
  return (
    <section class="examples stack" aria-labelledby="examples">
      <h2 id="examples">Or start with an example</h2>
      <ul>
        <Each
          of={Object.entries(EXAMPLES)}
          show={([name, { title, urls, urlMetadata }]) => (
            <li class="card">
              <h3 safe>{title}</h3>
              <p class="hint" safe>
                {count(urls.length, 'link')}
              </p>
              <ol>
                <Each<{ note: string }>
                  of={urlMetadata.slice(0, SHOWN)}
                  show={({ note }, at) => (
                    <li>
                      <Tile url={urls[at]!} />
                      <span safe>{note}</span>
                    </li>
                  )}
                />
              </ol>
              <form method="post" action={routes.bundles.examples.href()}>
                <input type="hidden" name="idempotencyKey" value={`${idempotencyKey}-${name}`} />
                <button type="submit" name="example" value={name} aria-label={`Use this example: ${title}`}>
                  Use this example
                </button>
              </form>
            </li>
          )}
        />
      </ul>
    </section>
  )
}

/** Maximum number of links on an example's card. */
const SHOWN = 3

interface BundlesProps extends ListProps {
  /** Prevents a second bundle after another press of an example. */
  idempotencyKey: string
  /** How long deleted bundles can be restored. */
  keptDays: number
  /** The number of open proposals for these bundles. */
  proposals: number
}

/** The acting subject's bundles, with search, sorting and paging. */
export function BundlesView(props: BundlesProps): JSX.Element {
  const { site, total, listing, idempotencyKey, keptDays, proposals } = props
  const isDeleted = listing.state === 'deleted'
  const mayEdit = allowsRole(site.user.role, 'editor')
  const isEmpty = total === 0 && listing.q === undefined && listing.tag === undefined
  return (
    <>
      <Head title={isDeleted ? 'Deleted bundles' : 'Bundles'}>
        {mayEdit && !isDeleted && !isEmpty && (
          <>
            <a class="quiet" href={routes.bundles.import.href()}>
              <Icon name="download" />
              Import
            </a>
            <a class="button primary" href={routes.newBundle.page.href()}>
              <Icon name="plus" />
              New bundle
            </a>
          </>
        )}
      </Head>
      {proposals !== 0 && !isDeleted && (
        <p class="waiting">
          <a class="button" href={routes.proposals.href()} safe>
            {mayEdit ? `${count(proposals, 'suggestion')} to review` : count(proposals, 'open suggestion')}
          </a>
        </p>
      )}
      {isEmpty ? (
        <NoBundles isDeleted={isDeleted} mayEdit={mayEdit} idempotencyKey={idempotencyKey} />
      ) : (
        <Search {...props} />
      )}
      <p class="cluster">
        {isDeleted ? (
          <>
            <a href={routes.bundles.list.href()}>Back to your bundles</a>
            <span class="hint" safe>{`Deleted bundles are erased after ${count(keptDays, 'day')}.`}</span>
          </>
        ) : (
          <a class="hint" href={`${routes.bundles.list.href()}?state=deleted`}>
            Deleted bundles
          </a>
        )}
        <a class="hint" href={routes.docs.guide.href({ guide: 'quick-start' })} hx-boost="false">
          Guides
        </a>
      </p>
    </>
  )
}

interface NoBundlesProps extends Pick<BundlesProps, 'idempotencyKey'> {
  isDeleted: boolean
  mayEdit: boolean
}

function NoBundles({ isDeleted, mayEdit, idempotencyKey }: NoBundlesProps): JSX.Element {
  if (isDeleted) {
    return <Empty heading="Nothing in here" text="Bundles you delete can be restored from here." />
  }
  if (!mayEdit) {
    return <Empty heading="No bundles yet" text="Bundles that this organisation’s editors create will show up here." />
  }
  return (
    <>
      <Empty
        heading="Your first bundle"
        text="A bundle puts up to 25 links behind one. Anyone with the link opens every tab in one click: a new colleague’s first day, a meeting’s agenda, a course’s reading."
      >
        <p class="actions">
          <a class="button primary" href={routes.newBundle.page.href()}>
            <Icon name="plus" />
            New bundle
          </a>
          <a class="button" href={routes.bundles.import.href()}>
            Import bookmarks or a list
          </a>
        </p>
      </Empty>
      <Examples idempotencyKey={idempotencyKey} />
    </>
  )
}

interface FoldersProps {
  tags: readonly TagCount[]
  /** Whether any bundle has a broken link. */
  isAnyBroken: boolean
  listing: Listing
}

/** The tags of the visitor's bundles, each a separate list, and the list of bundles with broken links. */
export function Folders({ tags, isAnyBroken, listing }: FoldersProps): JSX.Element {
  return (
    <>
      {isAnyBroken && <BrokenLinks listing={listing} />}
      {tags.length > 0 && <Tags tags={tags} listing={listing} />}
    </>
  )
}

function BrokenLinks({ listing: { health, sort } }: Pick<FoldersProps, 'listing'>): JSX.Element {
  return (
    <nav class="folders" aria-label="Health of links">
      <a
        href={attribute(listAddress({ health: 'broken', sort, state: 'active', offset: 0 }))}
        aria-current={health === 'broken' ? 'page' : undefined}
      >
        <Icon name="alert" />
        <span>Broken links</span>
      </a>
    </nav>
  )
}

function Tags({ tags, listing }: Pick<FoldersProps, 'tags' | 'listing'>): JSX.Element {
  const { sort } = listing
  return (
    <nav class="folders" aria-labelledby="folders">
      <p id="folders">Tags</p>
      <Each
        of={tags}
        show={({ tag, bundles }) => (
          <a
            href={attribute(listAddress({ tag, sort, state: 'active', offset: 0 }))}
            aria-current={tag === listing.tag ? 'page' : undefined}
          >
            <Icon name="folder" />
            <span dir="auto" safe>
              {tag}
            </span>
            <span class="count">
              {bundles}
              <span class="visually-hidden" safe>{` ${plural(bundles, 'bundle')}`}</span>
            </span>
          </a>
        )}
      />
    </nav>
  )
}

const SORTS: Record<Listing['sort'], string> = {
  updated: 'Last edited',
  created: 'Newest',
  title: 'Title',
}

/** The search and sort controls, and the list that they change. */
function Search(props: ListProps): JSX.Element {
  const { listing } = props
  return (
    <>
      <search>
        <form class="tools" method="get" action={routes.bundles.list.href()}>
          {listing.state === 'deleted' && <input type="hidden" name="state" value="deleted" />}
          {listing.tag !== undefined && <input type="hidden" name="tag" value={attribute(listing.tag)} />}
          {listing.health !== undefined && <input type="hidden" name="health" value={listing.health} />}
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
              hx-get={routes.bundles.list.href()}
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
            hx-get={routes.bundles.list.href()}
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
          <button type="submit" class="quiet scriptless" formmethod="post" formaction={routes.bundles.sort.href()}>
            Remember this order
          </button>
        </form>
        {listing.tag !== undefined && <TagFilter listing={listing} tag={listing.tag} />}
        {listing.health !== undefined && <HealthFilter listing={listing} />}
      </search>
      <BundleList {...props} />
    </>
  )
}

/** The link state that filters the list, with a link that removes the filter. */
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

/** The tag that filters the list, with a link that removes the filter. */
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
