/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/access.ts'
import { count } from '../../../src/core/words.ts'
import { allowsRole, type Role } from '../../../src/identity/roles.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { destination } from '../../parts/destination.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { BundleMenu } from '../parts/bundle-menu.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { When } from '../parts/time.tsx'

/** A bundle in the list, and what can be done with it there. */
export function BundleRow({ bundle, site }: { bundle: StoredBundle; site: DashboardSite }): JSX.Element {
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

/** The first hosts of a bundle, as people read them. */
function hostSummary(urls: readonly string[]): string {
  const hosts = [
    ...new Set(urls.map((url) => destination(url)).map(({ host, unicode }) => (unicode ?? host).replace(/^www\./, ''))),
  ]
  const rest = hosts.length - 3
  return hosts.slice(0, 3).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
