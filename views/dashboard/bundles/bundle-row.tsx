/** @jsxImportSource @kitajs/html */

import type { Broken } from '../../../src/bundles/health.ts'
import { linkOf } from '../../../src/bundles/link.ts'
import type { ListedBundle } from '../../../src/bundles/listing.ts'
import type { Listing } from '../../../src/bundles/shapes.ts'
import { tagsOf } from '../../../src/bundles/tags.ts'
import { count } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { allowsRole, type Role } from '../../../src/identity/roles.ts'
import type { RecentCounts } from '../../../src/insights/recent.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { Each } from '../../parts/each.tsx'
import { fromNow } from '../../parts/exact-time.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Blanks } from '../parts/blanks.tsx'
import { BundleMenu } from '../parts/bundle-menu.tsx'
import { Form } from '../parts/panel.tsx'
import { Pin } from '../parts/pin.tsx'
import { dayOf, RelativeTime } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { Tiles } from '../parts/tiles.tsx'
import { listAddress } from './address.ts'
import { mayChoose } from './bulk-bar.tsx'
import { Figures } from './row-figures.tsx'

interface BundleRowProps {
  bundle: ListedBundle
  site: DashboardSite
  listing: Listing
  /** Undefined if nothing was counted. */
  recent: RecentCounts | undefined
  /** How many proposals wait to be decided. */
  open: number
  /** Undefined if nothing is. */
  broken: Broken | undefined
  /** Those of the sites of all rows. */
  icons: SiteIcons
}

/** Tags beyond this number are only counted. */
const MOST = 3

export function BundleRow({ bundle, site, listing, recent, open, broken, icons }: BundleRowProps): JSX.Element {
  const { slug, urls, deletedAt, updatedAt, versionNumber } = bundle
  const isDeleted = deletedAt !== null
  const waiting = isDeleted ? 0 : open
  const opening = isDeleted ? '' : openingState(bundle)
  const name = <Blanks text={headingOf(bundle)} names={bundle.variables.map(({ name }) => name)} />
  return (
    <li class={['row bundle', (waiting > 0 || opening !== '' || broken !== undefined) && 'marked']}>
      {mayChoose(listing, site.user.role) ? (
        <label class="choose">
          <input
            type="checkbox"
            name="slug"
            value={slug}
            form="bulk"
            aria-label={attribute(`Select ${headingOf(bundle)}`)}
          />
        </label>
      ) : (
        ''
      )}
      <Tiles urls={urls} icons={bundle.icons ? icons : {}} />
      <div class="what">
        {isDeleted ? (
          <span class="name" dir="auto">
            {name}
          </span>
        ) : (
          <a class="name" href={`/dashboard/links/${slug}`} dir="auto">
            {name}
          </a>
        )}
        <bdi class="where" safe>
          {linkOf(slug, site).slice(site.origin.length)}
        </bdi>
      </div>
      <div class="marks">
        {broken === undefined ? (
          ''
        ) : (
          <a class="waits" href={`/dashboard/links/${slug}#health`}>
            <Icon name="alert" />
            <span safe>{`${broken.links} broken since ${dayOf(broken.since)}`}</span>
          </a>
        )}
        {waiting === 0 ? (
          ''
        ) : (
          <a class="waits" href={`/dashboard/links/${slug}/proposals`}>
            <Icon name="idea" />
            <span safe>{count(waiting, 'suggestion')}</span>
          </a>
        )}
        {opening === '' ? (
          ''
        ) : (
          <span class="until" safe>
            {opening}
          </span>
        )}
        <Tags tags={tagsOf(bundle)} listing={listing} />
      </div>
      {isDeleted ? '' : <Figures bundle={bundle} recent={recent} />}
      <span class="when">
        <span class="visually-hidden">{isDeleted ? 'deleted ' : versionNumber === 1 ? 'created ' : 'edited '}</span>
        <RelativeTime at={deletedAt ?? updatedAt} isShort />
      </span>
      {isDeleted ? (
        <RestoreButton slug={slug} role={site.user.role} />
      ) : (
        <RowActions bundle={bundle} site={site} listing={listing} />
      )}
    </li>
  )
}

/** The tags of a bundle's links; each links to the list of bundles with that tag. */
function Tags({ tags, listing }: { tags: string[]; listing: Listing }): JSX.Element {
  if (tags.length === 0) return ''
  const { sort, state } = listing
  const rest = tags.length - MOST
  return (
    <span class="tags">
      <Each
        of={tags.slice(0, MOST)}
        show={(tag) => (
          <a class="tag" href={attribute(listAddress({ tag, sort, state, offset: 0 }))} dir="auto" safe>
            {tag}
          </a>
        )}
      />
      {rest > 0 ? (
        <span class="rest">
          <span class="visually-hidden" safe>{`and ${rest} more`}</span>
          <span aria-hidden="true" safe>{`+${rest}`}</span>
        </span>
      ) : (
        ''
      )}
    </span>
  )
}

function RestoreButton({ slug, role }: { slug: string; role: Role }): JSX.Element {
  if (!allowsRole(role, 'admin')) return ''
  return <Form action={`/dashboard/links/${slug}/restore`} button="Restore" look="quiet" />
}

function RowActions({ bundle, site, listing }: Pick<BundleRowProps, 'bundle' | 'site' | 'listing'>): JSX.Element {
  const { slug, isPinned } = bundle
  return (
    <div class="acts">
      <button
        type="button"
        class="quiet"
        data-text={attribute(linkOf(slug, site))}
        aria-label={attribute(`Copy the link of ${headingOf(bundle)}`)}
      >
        <Icon name="copy" />
        <span class="label">Copy</span>
      </button>
      <a
        class="quiet"
        href={`/l/${slug}`}
        target="_blank"
        rel="noopener"
        aria-label={attribute(`Open ${headingOf(bundle)}`)}
      >
        <Icon name="out" />
      </a>
      <BundleMenu bundle={bundle} user={site.user} role={site.user.role}>
        <Pin slug={slug} isPinned={isPinned} back={listAddress(listing).split('?')[1]} />
      </BundleMenu>
    </div>
  )
}

/** What a bundle's times will change, or have changed: `opens in 3 days`; `''` for nothing. */
function openingState({ opensAt, closesAt }: { opensAt: string | null; closesAt: string | null }): string {
  const now = Date.now()
  const [opens, closes] = [opensAt, closesAt].map((time) => (time === null ? Number.NaN : Date.parse(time)))
  if (opens !== undefined && opens > now) return `opens ${fromNow(opens, now)}`
  if (closes === undefined || Number.isNaN(closes)) return ''
  return closes > now ? `closes ${fromNow(closes, now)}` : `closed ${fromNow(closes, now)}`
}
