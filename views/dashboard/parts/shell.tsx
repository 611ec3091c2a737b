/** @jsxImportSource @kitajs/html */
import type { Children, PropsWithChildren } from '@kitajs/html'
import { routes } from '../../../src/core/routes.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import type { Uses } from '../../../src/plans/owners.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import {
  Announcements,
  attribute,
  Document,
  Each,
  SearchLink,
  type SignedInUser,
  type Site,
} from '../../parts/layout.tsx'
import { Blanks } from './blanks.tsx'
import { Notices, type NoticesProps } from './notices.tsx'
import { Palette, PaletteButton } from './palette.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

/** The sections of the dashboard, in navigation order: a page belongs to the last section whose address begins its own. */
export const SECTIONS = {
  bundles: { href: routes.bundles.list.href(), name: 'Bundles', icon: 'bundles' },
  proposals: { href: routes.proposals.href(), name: 'Suggestions', icon: 'idea' },
  overview: { href: routes.overview.href(), name: 'Insights', icon: 'chart' },
  keys: { href: routes.keys.list.href(), name: 'API keys', icon: 'key' },
  webhooks: { href: routes.webhooks.list.href(), name: 'Webhooks', icon: 'webhook' },
  organizations: { href: routes.organizations.list.href(), name: 'Team', icon: 'people' },
  settings: { href: routes.settings.page.href(), name: 'Settings', icon: 'settings' },
} as const satisfies Record<string, { href: string; name: string; icon: IconName }>

export type Section = keyof typeof SECTIONS

/** A phone's bottom bar has these if not all fit; the other sections are in the menu of the workspace. */
const NEAREST: readonly Section[] = ['bundles', 'proposals', 'overview', 'settings']

/** Sections for admins of the workspace only, and those that stand elsewhere until there is something in them. */
const FOR_ADMINS: readonly Section[] = ['keys', 'webhooks']
const ELSEWHERE: Partial<Record<Section, { within: Section; isUsed: keyof Uses }>> = {
  proposals: { within: 'bundles', isUsed: 'hasProposals' },
  keys: { within: 'settings', isUsed: 'hasDeveloperTools' },
  webhooks: { within: 'settings', isUsed: 'hasDeveloperTools' },
}

/** The sections that the visitor may open in their workspace. */
function sectionsFor({ role }: SignedInUser): Section[] {
  return SECTION_NAMES.filter((name) => allowsRole(role, 'admin') || !FOR_ADMINS.includes(name))
}

/** Those of them in the navigation. */
function inNavigation(sections: readonly Section[], uses: Uses): Section[] {
  return sections.filter((name) => {
    const elsewhere = ELSEWHERE[name]
    return elsewhere === undefined || uses[elsewhere.isUsed]
  })
}

export const SECTION_NAMES = Object.keys(SECTIONS) as Section[]

/** The service, the visitor, and the counts that pages show. */
export type DashboardSite = Pick<Site, 'name' | 'origin' | 'shortPaths'> & {
  user: SignedInUser
  /** Read once, and only by pages that show it: most forms redirect to another page. */
  badges: () => Promise<Badges>
}

/** Counts and states beside the entries of the navigation and of the current bundle's pages. */
interface Badges extends Uses {
  /** How many bundles the visitor can claim without a token. */
  claimable: number
  /** The number of open proposals for bundles of the acting subject. */
  toReview: number
  /** The number of open proposals for the current bundle, secret until the visitor may see it; 0 on other pages. */
  openProposals: number
  /** Whether the visitor has pinned the current bundle. */
  isPinned: boolean
  /** Whether an admin has pinned it for everybody, secret likewise. */
  isPinnedForEveryone: boolean
}

type DashboardProps = PropsWithChildren<
  NoticesProps & {
    site: DashboardSite
    section: Section
    title: string
    /** Content below the navigation. */
    aside?: Children
  }
>

/**
 * Turns off inline styles, which the Content-Security-Policy forbids. Without a settle delay, htmx does not copy the `style` of
 * replaced elements, such as the dragged height of a text field, to the new ones.
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

/** The page's own content without the frame, for htmx: the answer to a form on the same page. */
export function DashboardContent({ site, title, query, path, told, notices, children }: DashboardProps): JSX.Element {
  return (
    <>
      <title safe>{`${title} · ${site.name}`}</title>
      <Notices site={site} query={query} path={path} told={told} notices={notices} />
      {children}
    </>
  )
}

async function DashboardFrame(props: DashboardProps): Promise<string> {
  const { site, section, query, path, aside, told, notices, children } = props
  const { user } = site
  const badges = await site.badges()
  const { claimable, toReview } = badges
  const all = sectionsFor(user)
  const sections = inNavigation(all, badges)
  const nearest = sections.length <= NEAREST.length ? sections : NEAREST
  const current = sections.includes(section) ? section : (ELSEWHERE[section]?.within ?? section)
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="side">
        <WorkspaceMenu user={user}>
          <Each
            of={sections.filter((own) => !nearest.includes(own))}
            show={(own) => (
              <a class="item further" href={SECTIONS[own].href}>
                <Icon name={SECTIONS[own].icon} />
                {SECTIONS[own].name}
              </a>
            )}
          />
        </WorkspaceMenu>
        {claimable !== 0 && (
          <a class="quiet claim" href={routes.account.claims.href()} hx-boost="false" safe>
            {`${claimable} to keep`}
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
                  class={nearest.includes(own) ? undefined : 'further'}
                  href={href}
                  aria-current={own === current ? (href === path ? 'page' : 'true') : undefined}
                >
                  <Icon name={icon} />
                  {name}
                  {own === 'proposals' && <Waiting number={toReview} word="to review" />}
                </a>
              )
            }}
          />
        </nav>
        {aside}
      </header>
      <main id="main" tabindex="-1">
        <Notices site={site} query={query} path={path} told={told} notices={notices} />
        {children}
      </main>
      <Palette user={user} pages={all.map((name) => SECTIONS[name])} />
    </>
  )
}

interface HeadProps extends PropsWithChildren {
  title: string
  /** The names of variables in the title. */
  names?: readonly string[]
  lede?: string
  /** The path to the page, above its title. */
  crumb?: Children
  /** An editable field in place of the title. */
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
        {edited === undefined && (
          <h1 dir="auto">
            <Blanks text={title} names={names} />
          </h1>
        )}
        {lede !== undefined && (
          <p class="hint" safe>
            {lede}
          </p>
        )}
      </div>
      {children !== undefined && actions}
    </div>
  )
}

/** An empty state: the missing content, and how to create the first. */
export function Empty({ heading, text, children }: PropsWithChildren<{ heading: string; text: string }>): JSX.Element {
  return (
    <section class="empty">
      <h2 safe>{heading}</h2>
      <p safe>{text}</p>
      {children}
    </section>
  )
}

/** The number of open proposals, beside a link to them; nothing for zero. */
export function Waiting({ number, word }: { number: number; word: string }): JSX.Element {
  if (number === 0) return ''
  return (
    <>
      {' '}
      <span class="tag good" safe>
        {String(number)}
      </span>
      <span class="visually-hidden" safe>{` ${word}`}</span>
    </>
  )
}
