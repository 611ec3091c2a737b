/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/content/content.ts'
import type { Listing } from '../../../src/bundles/content/shapes.ts'
import type { Broken } from '../../../src/bundles/links/health.ts'
import { linkOf, tagsOf } from '../../../src/bundles/links/link-fields.ts'
import type { ListedBundle } from '../../../src/bundles/list/listing.ts'
import { routes } from '../../../src/core/routes.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { count, plural } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { allowsRole, type Role, type Subject } from '../../../src/identity/caller.ts'
import { RECENT_DAYS, type RecentCounts } from '../../../src/insights/recent.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { compact, formatInteger } from '../../parts/charts.tsx'
import { fromNow } from '../../parts/exact-time.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each, type SignedInUser } from '../../parts/layout.tsx'
import { Tiles } from '../../parts/tile.tsx'
import { Blanks } from '../parts/blanks.tsx'
import { BundleMenu, Pin, receiversOf } from '../parts/bundle-frame.tsx'
import { Form } from '../parts/panel.tsx'
import { dayOf, RelativeTime } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { listAddress } from './list-query.ts'

interface BundleRowProps {
  bundle: ListedBundle
  site: DashboardSite
  listing: Listing
  /** Undefined if nothing was counted. */
  recent: RecentCounts | undefined
  /** The number of open proposals. */
  open: number
  /** Undefined if nothing is broken. */
  broken: Broken | undefined
  /** Icons for the sites of all rows. */
  icons: SiteIcons
}

/** How many tags are shown; the others are only counted. */
const MOST = 3

export function BundleRow({ bundle, site, listing, recent, open, broken, icons }: BundleRowProps): JSX.Element {
  const { slug, urls, deletedAt, updatedAt, versionNumber } = bundle
  const isDeleted = deletedAt !== null
  const waiting = isDeleted ? 0 : open
  const opening = isDeleted ? '' : openingState(bundle)
  const name = <Blanks text={headingOf(bundle)} names={bundle.variables.map(({ name }) => name)} />
  return (
    <li class={['row bundle', (waiting > 0 || opening !== '' || broken !== undefined) && 'marked']}>
      {mayChoose(listing, site.user.role) && (
        <label class="choose">
          <input
            type="checkbox"
            name="slug"
            value={slug}
            form="bulk"
            aria-label={attribute(`Select ${headingOf(bundle)}`)}
          />
        </label>
      )}
      <Tiles urls={urls} icons={bundle.icons ? icons : {}} />
      <div class="what">
        {isDeleted ? (
          <span class="name" dir="auto">
            {name}
          </span>
        ) : (
          <a class="name" href={routes.bundle.edit.href({ slug })} dir="auto">
            {name}
          </a>
        )}
        <bdi class="where" safe>
          {linkOf(slug, site).slice(site.origin.length)}
        </bdi>
      </div>
      <div class="marks">
        {broken !== undefined && (
          <a class="waits" href={`${routes.bundle.edit.href({ slug })}#health`}>
            <Icon name="alert" />
            <span safe>{`${broken.links} broken since ${dayOf(broken.since)}`}</span>
          </a>
        )}
        {waiting !== 0 && (
          <a class="waits" href={routes.bundle.proposals.href({ slug })}>
            <Icon name="idea" />
            <span safe>{count(waiting, 'suggestion')}</span>
          </a>
        )}
        {opening !== '' && (
          <span class="until" safe>
            {opening}
          </span>
        )}
        <Tags tags={tagsOf(bundle)} listing={listing} />
      </div>
      {!isDeleted && <Figures bundle={bundle} recent={recent} />}
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
      {rest > 0 && (
        <span class="rest">
          <span class="visually-hidden" safe>{`and ${rest} more`}</span>
          <span aria-hidden="true" safe>{`+${rest}`}</span>
        </span>
      )}
    </span>
  )
}

function RestoreButton({ slug, role }: { slug: string; role: Role }): JSX.Element {
  if (!allowsRole(role, 'admin')) return ''
  return <Form action={routes.bundle.restore.href({ slug })} button="Restore" look="quiet" />
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
        href={routes.launcher.page.href({ slug })}
        target="_blank"
        rel="noopener"
        aria-label={attribute(`Open ${headingOf(bundle)}`)}
      >
        <Icon name="out" />
      </a>
      <BundleMenu bundle={bundle} user={site.user} role={site.user.role}>
        <Pin slug={slug} isPinned={isPinned} back={listAddress(listing).split('?')[1]} />
        <a class="item opens" href={routes.launcher.page.href({ slug })} target="_blank" rel="noopener">
          Open
        </a>
      </BundleMenu>
    </div>
  )
}

/** The next or last effect of a bundle's opening times: `opens in 3 days`; `''` for none. */
function openingState({ opensAt, closesAt }: { opensAt: string | null; closesAt: string | null }): string {
  const now = Date.now()
  const [opens, closes] = [opensAt, closesAt].map((time) => (time === null ? Number.NaN : Date.parse(time)))
  if (opens !== undefined && opens > now) return `opens ${fromNow(opens, now)}`
  if (closes === undefined || Number.isNaN(closes)) return ''
  return closes > now ? `closes ${fromNow(closes, now)}` : `closed ${fromNow(closes, now)}`
}

interface FiguresProps {
  bundle: ListedBundle
  /** Undefined if nothing was counted. */
  recent: RecentCounts | undefined
}

/** The recent views of a bundle as a line and a number, which link to its insights. */
function Figures({ bundle, recent }: FiguresProps): JSX.Element {
  const { views, openAllClicks } = recent ?? { views: 0, openAllClicks: 0 }
  // The name begins with the visible text, so that speech input finds the link (WCAG 2.5.3).
  const label = `${counted(views, 'view')} ${counted(openAllClicks, 'open')} in the last ${RECENT_DAYS} days: insights of ${headingOf(bundle)}`
  return (
    <a class="figures" href={routes.bundle.insights.href({ slug: bundle.slug })} aria-label={attribute(label)}>
      {recent !== undefined && views !== 0 && <Spark daily={recent.daily} createdAt={bundle.createdAt} />}
      <span class="views" title={`${formatInteger(views)} in the last ${RECENT_DAYS} days`} safe>
        {written(views)}
      </span>
      <span class="unit" safe>{` ${plural(views, 'view')}`}</span>
    </a>
  )
}

/** The limit beyond which numbers are too long for the column. */
const LONG = 100_000

function written(number: number): string {
  return number < LONG ? formatInteger(number) : compact(number)
}

function counted(number: number, noun: string): string {
  return `${written(number)} ${plural(number, noun)}`
}

const WIDTH = 74
const TOP = 3
const BOTTOM = 19

/** The daily views as a line that starts with the bundle's creation; the dot is today. */
function Spark({ daily, createdAt }: { daily: readonly number[]; createdAt: number }): JSX.Element {
  const most = Math.max(...daily)
  const lived = Math.ceil((Date.now() - createdAt) / DAY_MS) + 1
  const counted = daily.findIndex((views) => views > 0)
  const first = Math.max(0, Math.min(daily.length - lived, counted))
  const place = (at: number) => {
    const x = (WIDTH * at) / (daily.length - 1)
    const y = BOTTOM - ((BOTTOM - TOP) * daily[at]!) / most
    return [x.toFixed(1), y.toFixed(1)]
  }
  const points = daily.slice(first).map((_, at) => place(first + at).join())
  const [x, y] = place(daily.length - 1)
  return (
    <svg class="spark" viewBox="0 0 76 22" aria-hidden="true">
      <polyline points={points.join(' ')} />
      <circle cx={x} cy={y} r="2" />
    </svg>
  )
}

/** The bulk actions; the checkboxes in the list belong to this form. */
export function BulkBar({ listing, user }: { listing: Listing; user: SignedInUser }): JSX.Element {
  const isDeleted = listing.state === 'deleted'
  const { role, acting, userId } = user
  const mayDelete = allowsRole(role, 'admin')
  const owner: Subject =
    acting === null ? { type: 'user', userId } : { type: 'organization', organizationId: acting.id }
  const mayMove = mayDelete && receiversOf(owner, user).length > 0
  return (
    <form
      id="bulk"
      class="bulk"
      method="post"
      action={routes.bundles.bulk.href()}
      hx-boost="false"
      aria-label="Selected bundles"
    >
      <input type="hidden" name="back" value={attribute(listAddress(listing).split('?')[1] ?? '')} />
      <label class="choose scripted">
        <input type="checkbox" id="choose-all" aria-label="Select all on this page" />
      </label>
      <span id="chosen" role="status">
        Selected bundles
      </span>
      {!isDeleted && allowsRole(role, 'editor') && (
        <span class="add-tag">
          <input
            name="tag"
            maxlength={BOUNDS.tag}
            aria-label="Tag for every link of the selected bundles"
            placeholder="Tag every link"
            autocomplete="off"
            dir="auto"
          />
          <BulkButton what="tag" />
        </span>
      )}
      {!isDeleted && (
        <button type="button" id="copy-chosen" data-links="[]">
          <Icon name="copy" />
          <span class="label">Copy links</span>
        </button>
      )}
      {!isDeleted && <BulkButton what="export" />}
      {!isDeleted && mayMove && <BulkButton what="move" />}
      {isDeleted && mayDelete && <BulkButton what="restore" />}
      {!isDeleted && mayDelete && <BulkButton what="delete" />}
      <button type="reset" aria-label="Clear">
        <Icon name="cross" />
      </button>
    </form>
  )
}

const WORDS = {
  tag: { says: 'Add tag', icon: 'tag' },
  export: { says: 'Export', icon: 'download' },
  move: { says: 'Move…', icon: 'move' },
  restore: { says: 'Restore', icon: 'history' },
  delete: { says: 'Delete', icon: 'trash' },
} as const

function BulkButton({ what }: { what: keyof typeof WORDS }): JSX.Element {
  const { says, icon } = WORDS[what]
  return (
    <button type="submit" name="do" value={what}>
      <Icon name={icon} />
      <span>{says}</span>
    </button>
  )
}

/** Whether a role allows any bulk action on this list. */
export function mayChoose({ state }: Listing, role: Role): boolean {
  return state === 'active' || allowsRole(role, 'admin')
}
