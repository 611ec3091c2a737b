/** @jsxImportSource @kitajs/html */

import type { Children, PropsWithChildren } from '@kitajs/html'
import { linkOf } from '../../../src/bundles/link.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { BundleMenu } from './bundle-menu.tsx'
import { Pin } from './pin.tsx'
import { roleOver } from './role.ts'
import { type DashboardSite, Head } from './shell.tsx'
import { TabbedSheet } from './tabs.tsx'
import { Waiting } from './waiting.tsx'

const TABS = {
  edit: { path: '', name: 'Links' },
  policy: { path: '/policy', name: 'Rules' },
  versions: { path: '/versions', name: 'Versions' },
  proposals: { path: '/proposals', name: 'Suggestions' },
  insights: { path: '/insights', name: 'Insights' },
} as const

/** The export formats, by file extension. */
const EXPORTS = {
  json: 'Export as JSON',
  csv: 'Export as CSV',
  html: 'Export as bookmarks',
} as const

type BundleFrameProps = PropsWithChildren<{
  site: DashboardSite
  bundle: StoredBundle
  /** Which of the bundle's pages this is. */
  tab: keyof typeof TABS
  /** The title where it can be edited. */
  title?: Children
}>

/** The head of every page of a bundle: its name, its link, and links to its other pages. */
export function BundleFrame({ site, bundle, tab, title, children }: BundleFrameProps): JSX.Element {
  const { slug } = bundle
  const link = linkOf(slug, site)
  const pageOf = (key: keyof typeof TABS) => `/dashboard/links/${slug}${TABS[key].path}`
  const counts = { edit: bundle.urls.length, policy: bundle.resolutionPolicy?.rules.length ?? 0 }
  const pages = (Object.keys(TABS) as (keyof typeof TABS)[]).map((key) => ({
    href: pageOf(key),
    name: TABS[key].name,
    ...(key === 'edit' || key === 'policy' ? { count: counts[key] } : {}),
    ...(key === 'proposals' ? { after: <Waiting number={site.openProposals} word="open" /> } : {}),
  }))
  return (
    <>
      <Head
        crumb={<BundlesCrumb />}
        title={headingOf(bundle)}
        names={bundle.variables.map(({ name }) => name)}
        edited={title}
        {...ownerOf(bundle, site)}
      >
        <span class="link">
          <bdi>
            <span class="host" safe>
              {new URL(link).host}
            </span>
            <span safe>{link.slice(new URL(link).origin.length, -slug.length)}</span>
            <b safe>{slug}</b>
          </bdi>
          <button type="button" data-text={link}>
            <span class="label">Copy</span>
            <span class="visually-hidden"> link</span>
          </button>
        </span>
        <a class="button" href={`/l/${slug}`} target="_blank" rel="noopener">
          <Icon name="out" />
          Open
        </a>
        <BundleMenu bundle={bundle} user={site.user} role={roleOver(bundle, site.user)}>
          <Pin slug={slug} isPinned={site.isPinned} />
          <a class="item" href={`/l/${slug}/qr.svg`} download={`${slug}.svg`}>
            QR code (SVG)
          </a>
          <Each
            of={Object.entries(EXPORTS)}
            show={([extension, name]) => (
              <a class="item" href={`/dashboard/links/${slug}/export.${extension}`} download="">
                {name}
              </a>
            )}
          />
        </BundleMenu>
      </Head>
      <TabbedSheet label="This bundle" pages={pages} at={pageOf(tab)}>
        {children}
      </TabbedSheet>
    </>
  )
}

/** Where a bundle's page is. */
function BundlesCrumb(): JSX.Element {
  return (
    <nav class="crumb" aria-label="Where you are">
      <a href="/dashboard">Bundles</a>
    </nav>
  )
}

/** The owner of a bundle that is not in the current workspace. */
function ownerOf({ owner }: StoredBundle, { user: { acting, organizations } }: DashboardSite): { lede?: string } {
  if (owner.type === 'user') return acting === null ? {} : { lede: 'Personal bundle' }
  const { organizationId } = owner
  if (organizationId === acting?.id) return {}
  const name = organizations.find(({ id }) => id === organizationId)?.name
  return name === undefined ? {} : { lede: `Belongs to ${name}` }
}
