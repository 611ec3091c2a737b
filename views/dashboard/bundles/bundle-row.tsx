/** @jsxImportSource @kitajs/html */

import { linkOf } from '../../../src/bundles/link.ts'
import type { ListedBundle } from '../../../src/bundles/listing.ts'
import type { Listing } from '../../../src/bundles/shapes.ts'
import { tagsOf } from '../../../src/bundles/tags.ts'
import { count, plural } from '../../../src/core/words.ts'
import { allowsRole, type Role } from '../../../src/identity/roles.ts'
import { RECENT_DAYS, type RecentCounts } from '../../../src/insights/recent.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { destination } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { openingState } from '../../parts/exact-time.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { compact, formatInteger } from '../../parts/numbers.ts'
import { Blanks } from '../parts/blanks.tsx'
import { BundleMenu } from '../parts/bundle-menu.tsx'
import { Pin } from '../parts/pin.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { listAddress } from './address.ts'
import { mayChoose } from './bulk-bar.tsx'

interface BundleRowProps {
  bundle: ListedBundle
  site: DashboardSite
  listing: Listing
  /** Undefined if nothing was counted. */
  recent: RecentCounts | undefined
  /** How many proposals wait to be decided. */
  open: number
}

/** Tags beyond this number are only counted. */
const MOST_TAGS = 3

/** A row of the list, with its actions. */
export function BundleRow({ bundle, site, listing, recent, open }: BundleRowProps): JSX.Element {
  const { slug, urls, deletedAt, updatedAt, versionNumber, resolutionPolicy } = bundle
  const rules = resolutionPolicy?.rules.length ?? 0
  const isDeleted = deletedAt !== null
  const opening = openingState(bundle)
  const names = bundle.variables.map(({ name }) => name)
  return (
    <li class="row bundle">
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
      <div class="what">
        {isDeleted ? (
          <span class="name" dir="auto">
            <Blanks text={headingOf(bundle)} names={names} />
          </span>
        ) : (
          <a class="name" href={`/dashboard/links/${slug}`} dir="auto">
            <Blanks text={headingOf(bundle)} names={names} />
          </a>
        )}
        <span class="hint where">
          <bdi safe>{linkOf(slug, site).slice(site.origin.length)}</bdi>
          {' · '}
          <bdi safe>{hostSummary(urls)}</bdi>
        </span>
        <Tags tags={tagsOf(bundle)} listing={listing} />
      </div>
      <div class="facts hint">
        <span safe>{count(urls.length, 'tab')}</span>
        {rules === 0 ? '' : <span safe>{count(rules, 'rule')}</span>}
        {open === 0 || isDeleted ? (
          ''
        ) : (
          <a class="tag good" href={`/dashboard/links/${slug}/proposals`} safe>
            {count(open, 'suggestion')}
          </a>
        )}
        {opening === '' || isDeleted ? '' : <span safe>{opening}</span>}
        <span>
          {isDeleted ? 'deleted ' : versionNumber === 1 ? 'created ' : 'edited '}
          <RelativeTime at={deletedAt ?? updatedAt} />
        </span>
      </div>
      {isDeleted ? '' : <Figures bundle={bundle} recent={recent} />}
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
  const rest = tags.length - MOST_TAGS
  return (
    <span class="tags">
      <Each
        of={tags.slice(0, MOST_TAGS)}
        show={(tag) => (
          <a class="tag" href={attribute(listAddress({ tag, sort, state, offset: 0 }))} dir="auto" safe>
            {tag}
          </a>
        )}
      />
      {rest > 0 ? <span class="hint" safe>{`and ${rest} more`}</span> : ''}
    </span>
  )
}

/** Recent counts and the time of the last edit. */
function Figures({ bundle, recent }: Pick<BundleRowProps, 'bundle' | 'recent'>): JSX.Element {
  const { views, openAllClicks } = recent ?? { views: 0, openAllClicks: 0 }
  const [viewed, opened] = [counted(views, 'view'), counted(openAllClicks, 'open')]
  // The name begins with the visible text, so that speech input finds the link (WCAG 2.5.3).
  const label = `${viewed} ${opened} in the last ${RECENT_DAYS} days: insights of ${headingOf(bundle)}`
  return (
    <a class="figures hint" href={`/dashboard/links/${bundle.slug}/insights`} aria-label={attribute(label)}>
      <span title={`${formatInteger(views)} in the last ${RECENT_DAYS} days`} safe>
        {viewed}
      </span>{' '}
      <span title={`${formatInteger(openAllClicks)} in the last ${RECENT_DAYS} days`} safe>
        {opened}
      </span>
    </a>
  )
}

function counted(number: number, noun: string): string {
  return `${compact(number)} ${plural(number, noun)}`
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

function RowActions({ bundle, site, listing }: Pick<BundleRowProps, 'bundle' | 'site' | 'listing'>): JSX.Element {
  const { slug, isPinned } = bundle
  return (
    <div class="actions">
      <button
        type="button"
        class="quiet"
        data-text={attribute(linkOf(slug, site))}
        aria-label={attribute(`Copy the link of ${headingOf(bundle)}`)}
      >
        <Icon name="copy" />
        <span class="label">Copy</span>
      </button>
      <BundleMenu bundle={bundle} user={site.user} role={site.user.role}>
        <Pin slug={slug} isPinned={isPinned} back={listAddress(listing).split('?')[1]} />
      </BundleMenu>
    </div>
  )
}

/** The first hosts of a bundle, for display. */
function hostSummary(urls: readonly string[]): string {
  // Without its path, which may be long, a URL is parsed much faster.
  const sites = new Set(urls.map((url) => /^https?:[/\\]*[^/\\?#]*/i.exec(url)?.[0] ?? url))
  const hosts = [
    ...new Set([...sites].map(destination).map(({ host, unicode }) => (unicode ?? host).replace(/^www\./, ''))),
  ]
  const rest = hosts.length - 3
  return hosts.slice(0, 3).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
