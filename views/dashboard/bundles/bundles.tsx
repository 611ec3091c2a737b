/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import type { StoredBundle } from '../../../src/bundles/access.ts'
import type { Listed } from '../../../src/bundles/listing.ts'
import type { Listing } from '../../../src/bundles/shapes.ts'
import { count } from '../../../src/core/words.ts'
import { allowsRole, type Role } from '../../../src/identity/roles.ts'
import type { HistoryUse } from '../../../src/plans/history.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { destination } from '../../parts/destination.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { HistoryNotice } from '../parts/history-notice.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { When } from '../parts/time.tsx'

interface BundlesProps extends ListProps {
  history: HistoryUse
}

interface ListProps {
  site: DashboardSite
  listed: Listed
  asked: Listing
}

/** The acting subject's bundles: search, sort, page (decisions 11). */
export function BundlesView(props: BundlesProps): JSX.Element {
  const { site, listed, asked, history } = props
  const isDeleted = asked.state === 'deleted'
  const mayEdit = allowsRole(site.viewer.role, 'editor')
  return (
    <>
      <Head title={isDeleted ? 'Deleted bundles' : 'Bundles'}>
        {mayEdit && !isDeleted ? (
          <>
            <a class="button" href="/dashboard/links/import">
              Import
            </a>
            <a class="button primary" href="/dashboard/links/new">
              <Icon name="plus" />
              New bundle
            </a>
          </>
        ) : (
          ''
        )}
      </Head>
      <HistoryNotice history={history} />
      {listed.total === 0 && asked.q === undefined ? (
        <NoBundles isDeleted={isDeleted} mayEdit={mayEdit} />
      ) : (
        <Search {...props} />
      )}
      <p class="foot">
        {isDeleted ? (
          <a href="/dashboard">Back to your bundles</a>
        ) : (
          <a class="hint" href="/dashboard?state=deleted">
            Deleted bundles
          </a>
        )}
      </p>
    </>
  )
}

function NoBundles({ isDeleted, mayEdit }: { isDeleted: boolean; mayEdit: boolean }): JSX.Element {
  if (isDeleted) {
    return <Empty heading="Nothing was deleted" text="Bundles that are deleted can be restored from here." />
  }
  if (!mayEdit) {
    return <Empty heading="No bundles yet" text="What the editors of this organisation make is listed here." />
  }
  return (
    <Empty
      heading="Your first bundle"
      text="A bundle is up to 25 links behind one. Whoever opens it gets every tab with one press: a new colleague’s first day, the agenda of a meeting, the reading for a course."
    >
      <p class="actions">
        <a class="button primary" href="/dashboard/links/new">
          <Icon name="plus" />
          New bundle
        </a>
        <a class="button" href="/dashboard/links/import">
          Import bookmarks or a list
        </a>
      </p>
    </Empty>
  )
}

const SORTS: Record<Listing['sort'], string> = {
  updated: 'Last edited',
  created: 'Newest',
  title: 'Title',
}

function Search(props: ListProps): JSX.Element {
  const { asked } = props
  return (
    <>
      <search>
        <form class="tools" method="get" action="/dashboard">
          {asked.state === 'deleted' ? <input type="hidden" name="state" value="deleted" /> : ''}
          <div class="search">
            <Icon name="search" />
            <input
              id="q"
              name="q"
              type="search"
              maxlength="200"
              placeholder="Search titles, links and notes"
              aria-label="Search bundles"
              value={attribute(asked.q ?? '')}
              hx-get="/dashboard"
              hx-trigger="input changed delay:250ms"
              hx-include="closest form"
              hx-target="#list"
              hx-swap="outerHTML"
              hx-replace-url="true"
              hx-sync="this:replace"
            />
          </div>
          <label for="sort" class="said">
            Sort by
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
            {
              Object.entries(SORTS).map(([sort, name]) => (
                <option value={sort} selected={sort === asked.sort}>
                  {name as 'safe'}
                </option>
              )) as 'safe'[]
            }
          </select>
          <button type="submit" class="scriptless">
            Search
          </button>
        </form>
      </search>
      <BundleList {...props} />
    </>
  )
}

/** A page of bundles: what searching, sorting and paging replace. */
export function BundleList({ site, listed, asked }: ListProps): JSX.Element {
  const { bundles, total, pagination } = listed
  if (total === 0) {
    return (
      <div id="list">
        <Empty heading="Nothing found" text={`No title, link or note holds “${asked.q ?? ''}”.`}>
          <p>
            <a href="/dashboard">Show all bundles</a>
          </p>
        </Empty>
      </div>
    )
  }
  return (
    <div id="list">
      <ul class="rows">{bundles.map((bundle) => <BundleRow bundle={bundle} site={site} />) as 'safe'[]}</ul>
      <Pager asked={asked} total={total} shown={bundles.length} {...pagination} />
    </div>
  )
}

function BundleRow({ bundle, site }: { bundle: StoredBundle; site: DashboardSite }): JSX.Element {
  const { slug, urls, deletedAt, updatedAt, resolutionPolicy } = bundle
  const rules = resolutionPolicy?.rules.length ?? 0
  const isDeleted = deletedAt !== null
  return (
    <li class="row">
      <div class="what">
        {isDeleted ? (
          <span class="name" dir="auto" safe>
            {headingOf(bundle)}
          </span>
        ) : (
          <a class="name" href={`/dashboard/links/${slug}`} dir="auto" safe>
            {headingOf(bundle)}
          </a>
        )}
        <span class="hint where">
          <bdi safe>{`/l/${slug}`}</bdi>
          {' · '}
          <bdi safe>{hostSummary(urls)}</bdi>
        </span>
      </div>
      <div class="facts hint">
        <span safe>{count(urls.length, 'tab')}</span>
        {rules === 0 ? '' : <span safe>{count(rules, 'rule')}</span>}
        <span>
          {isDeleted ? 'deleted ' : 'edited '}
          <When at={deletedAt ?? updatedAt} />
        </span>
      </div>
      {isDeleted ? <RestoreButton slug={slug} role={site.viewer.role} /> : <RowActions bundle={bundle} site={site} />}
    </li>
  )
}

function RestoreButton({ slug, role }: { slug: string; role: Role }): JSX.Element {
  if (!allowsRole(role, 'admin')) return ''
  return (
    <form method="post" action={`/dashboard/links/${slug}/restore`}>
      <button type="submit" class="quiet">
        Restore
      </button>
    </form>
  )
}

function RowActions({ bundle, site }: { bundle: StoredBundle; site: DashboardSite }): JSX.Element {
  const { slug } = bundle
  return (
    <div class="actions">
      <button
        type="button"
        class="quiet"
        data-text={`${site.origin}/l/${slug}`}
        aria-label={attribute(`Copy the link of ${headingOf(bundle)}`)}
      >
        <Icon name="copy" />
        <span class="label">Copy</span>
      </button>
      <BundleMenu bundle={bundle} role={site.viewer.role} />
    </div>
  )
}

type BundleMenuProps = PropsWithChildren<{ bundle: StoredBundle; role: Role }>

/** What can be done with a bundle beside its pages; children are further items. */
export function BundleMenu({ bundle, role, children }: BundleMenuProps): JSX.Element {
  const { slug } = bundle
  return (
    <details class="menu" name="menu">
      <summary class="quiet" aria-label={attribute(`More for ${headingOf(bundle)}`)}>
        <Icon name="more" />
      </summary>
      <div class="pop">
        <a class="item" href={`/l/${slug}`} target="_blank" rel="noopener">
          Open the launcher
        </a>
        {allowsRole(role, 'editor') ? (
          <a class="item" href={`/dashboard/links/new?from=${slug}`}>
            Duplicate
          </a>
        ) : (
          ''
        )}
        {children as 'safe'}
        {allowsRole(role, 'admin') ? (
          <form method="post" action={`/dashboard/links/${slug}/delete`}>
            <button type="submit" class="item danger">
              Delete
            </button>
          </form>
        ) : (
          ''
        )}
      </div>
    </details>
  )
}

interface PagerProps {
  asked: Listing
  total: number
  shown: number
  limit: number
  offset: number
}

function Pager({ asked, total, shown, limit, offset }: PagerProps): JSX.Element {
  const to = (at: number) => attribute(`/dashboard?${queryOf({ ...asked, offset: at })}`)
  return (
    <nav class="pager hint" aria-label="Pages">
      <span safe>{`${offset + 1} to ${offset + shown} of ${total}`}</span>
      {offset > 0 ? (
        <a class="quiet" rel="prev" href={to(Math.max(0, offset - limit))}>
          Previous
        </a>
      ) : (
        ''
      )}
      {offset + shown < total ? (
        <a class="quiet" rel="next" href={to(offset + limit)}>
          Next
        </a>
      ) : (
        ''
      )}
    </nav>
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

/** The first hosts of a bundle, as people read them. */
function hostSummary(urls: readonly string[]): string {
  const hosts = [
    ...new Set(urls.map((url) => destination(url)).map(({ host, unicode }) => (unicode ?? host).replace(/^www\./, ''))),
  ]
  const rest = hosts.length - 3
  return hosts.slice(0, 3).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
