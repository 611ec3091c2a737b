/** @jsxImportSource @kitajs/html */

import type { Children, PropsWithChildren } from '@kitajs/html'
import { allowsRole } from '../../../src/identity/roles.ts'
import { ConfirmNotice } from '../../account/confirm-notice.tsx'
import { Each } from '../../parts/each.tsx'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { Announcements, attribute, Document, type SignedInUser, type Site } from '../../parts/layout.tsx'
import { SearchLink } from '../../parts/open-search.tsx'
import { Blanks } from './blanks.tsx'
import { Flash } from './flash.tsx'
import { Palette, PaletteButton } from './palette.tsx'
import { Waiting } from './waiting.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

/** The sections of the dashboard, in the order of the navigation: a page belongs to the last whose address its own begins with. */
export const SECTIONS = {
  bundles: { href: '/dashboard', name: 'Bundles', icon: 'bundles' },
  proposals: { href: '/dashboard/proposals', name: 'Suggestions', icon: 'idea' },
  overview: { href: '/dashboard/overview', name: 'Overview', icon: 'chart' },
  keys: { href: '/dashboard/keys', name: 'API keys', icon: 'key' },
  webhooks: { href: '/dashboard/webhooks', name: 'Webhooks', icon: 'webhook' },
  organizations: { href: '/dashboard/organizations', name: 'Organisations', icon: 'people' },
  settings: { href: '/dashboard/settings', name: 'Settings', icon: 'settings' },
} as const satisfies Record<string, { href: string; name: string; icon: IconName }>

export type Section = keyof typeof SECTIONS

/** Where a phone's three places at the thumb lead; the other sections are in the menu of the workspace. */
const NEAREST: readonly Section[] = ['bundles', 'proposals', 'settings']

/** Sections whose pages refuse everybody but admins of the workspace. */
const FOR_ADMINS: readonly Section[] = ['keys', 'webhooks']

/** The sections that the visitor may open in their workspace. */
function sectionsFor({ role }: SignedInUser): Section[] {
  return SECTION_NAMES.filter((name) => allowsRole(role, 'admin') || !FOR_ADMINS.includes(name))
}

export const SECTION_NAMES = Object.keys(SECTIONS) as Section[]

/** The service, who is signed in, and what waits in the bundle that a page is about. */
export type DashboardSite = Pick<Site, 'name' | 'origin' | 'shortPaths'> & {
  user: SignedInUser
  /** Open proposals for bundles of whom they act for. */
  toReview: number
  /** Of that bundle, which nobody may be told before they may see it; 0 on other pages. */
  openProposals: number
  /** Whether the visitor has pinned that bundle. */
  isPinned: boolean
}

type DashboardProps = PropsWithChildren<{
  site: DashboardSite
  section: Section
  title: string
  path: string
  query: URLSearchParams
  /** Below the navigation. */
  aside?: Children
}>

/**
 * Turns off inline styles, which the Content-Security-Policy forbids. Without a delay for settling, htmx does not write the
 * `style` of what it replaces, such as the height of a text field that was dragged larger, into what it swaps in.
 */
const HTMX_CONFIG = JSON.stringify({ includeIndicatorCSS: false, defaultSettleDelay: 0, defaultTimeout: 30_000 })

/** A dashboard page as a whole document. */
export function DashboardDocument(props: DashboardProps): JSX.Element {
  const { site, title } = props
  return (
    <Document
      title={`${title} · ${site.name}`}
      styles="dashboard.css"
      hasFace
      scripts={['htmx.js', 'dashboard.js']}
      head={
        <>
          <meta name="htmx-config" content={HTMX_CONFIG} />
          <SearchLink href="/opensearch.xml" name={attribute(site.name)} />
        </>
      }
    >
      <div id="progress" class="progress" aria-hidden="true"></div>
      <Announcements />
      <div
        id="page"
        hx-history-elt="true"
        hx-boost:inherited='target:"#page"'
        hx-indicator:inherited="#progress"
        hx-sync:inherited="this:drop"
      >
        <DashboardFrame {...props}>{props.children}</DashboardFrame>
      </div>
    </Document>
  )
}

/** The same for htmx, which swaps it into the current page. */
export function DashboardPage(props: DashboardProps): JSX.Element {
  return (
    <>
      <title safe>{`${props.title} · ${props.site.name}`}</title>
      <DashboardFrame {...props}>{props.children}</DashboardFrame>
    </>
  )
}

function DashboardFrame({ site, section, query, path, aside, children }: DashboardProps): JSX.Element {
  const { user } = site
  const sections = sectionsFor(user)
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="side">
        <WorkspaceMenu user={user}>
          <Each
            of={sections.filter((own) => !NEAREST.includes(own))}
            show={(own) => (
              <a class="item further" href={SECTIONS[own].href}>
                <Icon name={SECTIONS[own].icon} />
                {SECTIONS[own].name}
              </a>
            )}
          />
        </WorkspaceMenu>
        {user.claimable === 0 ? (
          ''
        ) : (
          <a class="quiet claim" href="/claims" hx-boost="false" safe>
            {`Claim ${user.claimable}`}
          </a>
        )}
        <PaletteButton />
        <nav class="sections" aria-label="Dashboard">
          <Each
            of={sections}
            show={(own) => {
              const { href, name, icon } = SECTIONS[own]
              return (
                <a
                  class={NEAREST.includes(own) ? undefined : 'further'}
                  href={href}
                  aria-current={own === section ? (href === path ? 'page' : 'true') : undefined}
                >
                  <Icon name={icon} />
                  {name}
                  {own === 'proposals' ? <Waiting number={site.toReview} word="to review" /> : ''}
                </a>
              )
            }}
          />
        </nav>
        {aside}
      </header>
      <main id="main" tabindex="-1">
        <div id="messages">
          <Flash query={query} acting={user.acting?.name ?? null} />
        </div>
        <ConfirmNotice user={user} back={path} />
        {children}
      </main>
      <Palette user={user} pages={sections.map((name) => SECTIONS[name])} />
    </>
  )
}

interface HeadProps extends PropsWithChildren {
  title: string
  /** The names of variables in the title. */
  names?: readonly string[]
  lede?: string
  /** Where the page is, above its title. */
  crumb?: Children
  /** In place of the title, where that can be edited. */
  edited?: Children
}

/** The heading of a page and its purpose; children are the page's actions. */
export function Head({ title, names = [], lede, crumb, edited, children }: HeadProps): JSX.Element {
  const actions = <div class="actions">{children}</div>
  return (
    <div class="head cluster">
      <div>
        {crumb}
        {edited}
        {edited === undefined ? (
          <h1 dir="auto">
            <Blanks text={title} names={names} />
          </h1>
        ) : (
          ''
        )}
        {lede === undefined ? (
          ''
        ) : (
          <p class="hint" safe>
            {lede}
          </p>
        )}
      </div>
      {children === undefined ? '' : actions}
    </div>
  )
}

/** An empty state: what would be here, and how to create the first. */
export function Empty({ heading, text, children }: PropsWithChildren<{ heading: string; text: string }>): JSX.Element {
  return (
    <section class="empty">
      <h2 safe>{heading}</h2>
      <p safe>{text}</p>
      {children}
    </section>
  )
}
