/** @jsxImportSource @kitajs/html */
import type { Children, PropsWithChildren } from '@kitajs/html'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { routes } from '../../../src/core/routes.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import {
  Announcements,
  attribute,
  ConfirmNotice,
  Document,
  Each,
  SearchLink,
  type SignedInUser,
  type Site,
} from '../../parts/layout.tsx'
import { personName } from '../../parts/tile.tsx'
import { Blanks } from './blanks.tsx'
import { Flash } from './flash.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

/** The sections of the dashboard, in navigation order: a page belongs to the last section whose address begins its own. */
export const SECTIONS = {
  bundles: { href: routes.bundles.list.href(), name: 'Bundles', icon: 'bundles' },
  proposals: { href: routes.proposals.href(), name: 'Suggestions', icon: 'idea' },
  overview: { href: routes.overview.href(), name: 'Overview', icon: 'chart' },
  keys: { href: routes.keys.list.href(), name: 'API keys', icon: 'key' },
  webhooks: { href: routes.webhooks.list.href(), name: 'Webhooks', icon: 'webhook' },
  organizations: { href: routes.organizations.list.href(), name: 'Organisations', icon: 'people' },
  settings: { href: routes.settings.page.href(), name: 'Settings', icon: 'settings' },
} as const satisfies Record<string, { href: string; name: string; icon: IconName }>

export type Section = keyof typeof SECTIONS

/** The three destinations in a phone's bottom bar; the other sections are in the menu of the workspace. */
const NEAREST: readonly Section[] = ['bundles', 'proposals', 'settings']

/** Sections for admins of the workspace only. */
const FOR_ADMINS: readonly Section[] = ['keys', 'webhooks']

/** The sections that the visitor may open in their workspace. */
function sectionsFor({ role }: SignedInUser): Section[] {
  return SECTION_NAMES.filter((name) => allowsRole(role, 'admin') || !FOR_ADMINS.includes(name))
}

export const SECTION_NAMES = Object.keys(SECTIONS) as Section[]

/** The service, the visitor, and the counts that pages show. */
export type DashboardSite = Pick<Site, 'name' | 'origin' | 'shortPaths'> & {
  user: SignedInUser
  /** Read once, and only by pages that show it: most forms redirect to another page. */
  badges: () => Promise<Badges>
}

/** Counts and states beside the entries of the navigation and of the current bundle's pages. */
interface Badges {
  /** How many bundles the visitor can claim without a token. */
  claimable: number
  /** The number of open proposals for bundles of the acting subject. */
  toReview: number
  /** The number of open proposals for the current bundle, secret until the visitor may see it; 0 on other pages. */
  openProposals: number
  /** Whether the visitor has pinned the current bundle. */
  isPinned: boolean
}

type DashboardProps = PropsWithChildren<{
  site: DashboardSite
  section: Section
  title: string
  path: string
  query: URLSearchParams
  /** Content below the navigation. */
  aside?: Children
  /** The end of the message about the last action. */
  told?: string | undefined
}>

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
export function DashboardContent({ site, title, query, path, told, children }: DashboardProps): JSX.Element {
  return (
    <>
      <title safe>{`${title} · ${site.name}`}</title>
      <Content site={site} query={query} path={path} told={told}>
        {children}
      </Content>
    </>
  )
}

type ContentProps = Pick<DashboardProps, 'site' | 'query' | 'path' | 'told' | 'children'>

function Content({ site, query, path, told, children }: ContentProps) {
  return (
    <>
      <div id="messages">
        <Flash query={query} acting={site.user.acting?.name ?? null} told={told} />
      </div>
      <ConfirmNotice user={site.user} back={path} />
      {children}
    </>
  )
}

async function DashboardFrame({ site, section, query, path, aside, told, children }: DashboardProps): Promise<string> {
  const { user } = site
  const { claimable, toReview } = await site.badges()
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
                  class={NEAREST.includes(own) ? undefined : 'further'}
                  href={href}
                  aria-current={own === section ? (href === path ? 'page' : 'true') : undefined}
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
        <Content site={site} query={query} path={path} told={told}>
          {children}
        </Content>
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

/** The shortcuts in the help; `palette-keys.js` implements them. */
const KEYS = [
  ['Ctrl K or ⌘ K', 'Go to a bundle or a page'],
  ['Alt ↑ or Alt ↓', 'Move the link that has the focus'],
  ['/', 'Search'],
  ['n', 'New bundle'],
  ['?', 'Show these shortcuts'],
] as const

/** The text field selects it with `aria-activedescendant`. */
const OPTION = { class: 'item', role: 'option', tabindex: '-1', 'aria-selected': 'false' } as const

interface Place {
  href: string
  name: string
  icon: IconName
  /** The single key that leads there. */
  key?: string
}

interface PaletteProps {
  user: SignedInUser
  pages: readonly Place[]
}

/** Opens the palette, whose entries are all reachable without it too. */
function PaletteButton(): JSX.Element {
  return (
    <button type="button" class="quiet scripted to-palette" data-opens="palette" aria-keyshortcuts="Control+K Meta+K">
      <Icon name="search" />
      <span>{'Go to… '}</span>
      <kbd>Ctrl K</kbd>
    </button>
  )
}

/** The command palette for pages, workspaces and bundles, and the help on shortcuts. Both need the script. */
function Palette({ user, pages }: PaletteProps): JSX.Element {
  const mayEdit = allowsRole(user.role, 'editor')
  const actions: Place[] = mayEdit
    ? [
        { href: routes.newBundle.page.href(), name: 'New bundle', icon: 'plus', key: 'n' },
        { href: routes.bundles.import.href(), name: 'Import', icon: 'download' },
      ]
    : []
  const others = [{ id: '', name: personName(user) }, ...user.organizations].filter(
    ({ id }) => id !== (user.acting?.id ?? ''),
  )
  return (
    <>
      <dialog id="palette" class="palette" aria-label="Go to a bundle or a page">
        <input
          id="palette-q"
          type="text"
          role="combobox"
          aria-label="Go to a bundle or a page"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          placeholder="Find a bundle, or go to…"
          maxlength={BOUNDS.title}
          autocomplete="off"
          spellcheck="false"
        />
        <div id="palette-list" data-bundle={routes.bundle.edit.template}>
          <Each
            of={[...actions, ...pages]}
            show={({ href, name, icon, key }) => (
              <div {...OPTION} id={`palette-${href}`} data-href={href} data-icon={icon} data-key={key}>
                <Icon name={icon} />
                <span safe>{name}</span>
              </div>
            )}
          />
          <Each
            of={others}
            show={({ id, name }) => (
              <div {...OPTION} id={`palette-workspace-${id}`} data-workspace={attribute(id)}>
                <Icon name="switch" />
                <span dir="auto" safe>
                  {`Switch to ${name}`}
                </span>
              </div>
            )}
          />
        </div>
        <p id="palette-count" class="hint" role="status"></p>
        <button type="button" class="quiet small" data-opens="shortcuts">
          Keyboard shortcuts
        </button>
      </dialog>
      <dialog id="shortcuts" class="palette" aria-labelledby="shortcuts-heading">
        <h2 id="shortcuts-heading">Keyboard shortcuts</h2>
        <dl class="keys">
          <Each
            of={KEYS}
            show={([key, does]) => (
              <div>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            )}
          />
        </dl>
        <label class="choice">
          <input type="checkbox" id="single-keys" />
          <span>Use single keys</span>
        </label>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
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
