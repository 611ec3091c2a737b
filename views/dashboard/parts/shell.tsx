/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { Document, type Site, type Viewer } from '../../parts/layout.tsx'
import { asset } from '../../static.ts'
import { Said } from './said.tsx'

/** What of the dashboard a page belongs to. */
export type Section = 'bundles' | 'keys' | 'organizations' | 'settings'

/** The service, and who is signed in. */
export type DashboardSite = Pick<Site, 'name' | 'origin'> & { viewer: Viewer }

type DashboardProps = PropsWithChildren<{
  site: DashboardSite
  section: Section
  title: string
  path: string
  query: URLSearchParams
}>

const SECTIONS: { section: Section; href: string; name: string; icon: IconName }[] = [
  { section: 'bundles', href: '/dashboard', name: 'Bundles', icon: 'bundles' },
  { section: 'keys', href: '/dashboard/keys', name: 'API keys', icon: 'key' },
  { section: 'organizations', href: '/dashboard/organizations', name: 'Organisations', icon: 'people' },
  { section: 'settings', href: '/dashboard/settings', name: 'Settings', icon: 'settings' },
]

/** htmx without what a strict Content-Security-Policy forbids it; answers of any status are shown. */
const HTMX_CONFIG = JSON.stringify({ includeIndicatorCSS: false, defaultTimeout: 30_000 })

/** A page of the dashboard as a whole document. */
export function DashboardDocument(props: DashboardProps): JSX.Element {
  const { site, title } = props
  return (
    <Document
      title={`${title} · ${site.name}`}
      styles="dashboard.css"
      scripts={['htmx.js', 'dashboard.js']}
      head={<meta name="htmx-config" content={HTMX_CONFIG} />}
    >
      <div id="progress" class="progress" aria-hidden="true"></div>
      <div id="live" class="said" aria-live="polite"></div>
      <div
        id="page"
        hx-history-elt="true"
        hx-boost:inherited='target:"#page"'
        hx-indicator:inherited="#progress"
        hx-sync:inherited="this:drop"
      >
        <DashboardFrame {...props}>{props.children as 'safe'}</DashboardFrame>
      </div>
    </Document>
  )
}

/** The same for htmx, which puts it into the page that is there. */
export function DashboardPage(props: DashboardProps): JSX.Element {
  return (
    <>
      <title safe>{`${props.title} · ${props.site.name}`}</title>
      <DashboardFrame {...props}>{props.children as 'safe'}</DashboardFrame>
    </>
  )
}

function DashboardFrame({ site, section, query, path, children }: DashboardProps): JSX.Element {
  const { viewer } = site
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="side">
        <a class="brand" href="/dashboard">
          <img src={asset('icon.svg')} alt="" width="26" height="26" />
          <span safe>{site.name}</span>
        </a>
        <Subjects viewer={viewer} />
        <nav class="sections" aria-label="Dashboard">
          {
            SECTIONS.map(({ section: name, href, name: label, icon }) => (
              <a href={href} aria-current={name === section ? (href === path ? 'page' : 'true') : undefined}>
                <Icon name={icon} />
                {label as 'safe'}
              </a>
            )) as 'safe'[]
          }
        </nav>
        <div class="me">
          {viewer.claimable === 0 ? (
            ''
          ) : (
            <a class="quiet" href="/claims" hx-boost="false" safe>
              {`Claim ${viewer.claimable}`}
            </a>
          )}
          <span class="address" title={viewer.email} safe>
            {viewer.email}
          </span>
          <form method="post" action="/sign-out" hx-boost="false">
            <button type="submit" class="quiet">
              Sign out
            </button>
          </form>
        </div>
      </header>
      <main id="main" tabindex="-1">
        <div id="said">
          <Said query={query} />
        </div>
        {children as 'safe'}
      </main>
    </>
  )
}

/** Whom the visitor acts for, always in sight, and whom they may act for instead. */
function Subjects({ viewer }: { viewer: Viewer }): JSX.Element {
  const { acting, organizations, role } = viewer
  const name = acting === null ? personName(viewer) : acting.name
  return (
    <details class="menu subjects" name="menu">
      <summary>
        <span class="said">Acting for</span>
        <Monogram text={name} />
        <span class="who">
          <span class="name" dir="auto" safe>
            {name}
          </span>
          <span class="hint" safe>
            {acting === null ? 'Personal' : `You are ${role}`}
          </span>
        </span>
        <Icon name="switch" />
      </summary>
      <div class="pop">
        <form method="post" action="/dashboard/subject">
          <Choice id="" name={personName(viewer)} hint="Personal" current={acting === null} />
          {
            organizations.map((one) => (
              <Choice id={one.id} name={one.name} hint={`You are ${one.role}`} current={one.id === acting?.id} />
            )) as 'safe'[]
          }
        </form>
        <a class="item" href="/dashboard/organizations">
          <Icon name="plus" />
          Create an organisation
        </a>
      </div>
    </details>
  )
}

interface ChoiceProps {
  id: string
  name: string
  hint: string
  current: boolean
}

function Choice({ id, name, hint, current }: ChoiceProps): JSX.Element {
  return (
    <button type="submit" class="item" name="organizationId" value={id} aria-pressed={current ? 'true' : 'false'}>
      <Monogram text={name} />
      <span class="who">
        <span class="name" dir="auto" safe>
          {name}
        </span>
        <span class="hint">{hint as 'safe'}</span>
      </span>
      {current ? <Icon name="check" /> : ''}
    </button>
  )
}

/** How a person is called: by their name, else their address. */
export function personName({ name, email }: Pick<Viewer, 'name' | 'email'>): string {
  return name.trim() || email
}

/** The first letter of a name, as a picture of it. */
export function Monogram({ text }: { text: string }): JSX.Element {
  return (
    <span class="monogram" aria-hidden="true" safe>
      {(/[^\p{C}\p{Z}]/u.exec(text)?.[0] ?? '?').toUpperCase()}
    </span>
  )
}

interface HeadProps extends PropsWithChildren {
  title: string
  lede?: string
}

/** The heading of a page, and beside it what the page is for; children are its actions. */
export function Head({ title, lede, children }: HeadProps): JSX.Element {
  return (
    <div class="head">
      <div>
        <h1 dir="auto" safe>
          {title}
        </h1>
        {lede === undefined ? (
          ''
        ) : (
          <p class="hint" safe>
            {lede}
          </p>
        )}
      </div>
      {children === undefined ? '' : <div class="actions">{children as 'safe'}</div>}
    </div>
  )
}

/** What stands where there is nothing yet: what it would be, and how to make the first. */
export function Empty({ heading, text, children }: PropsWithChildren<{ heading: string; text: string }>): JSX.Element {
  return (
    <section class="empty">
      <h2 safe>{heading}</h2>
      <p safe>{text}</p>
      {children as 'safe'}
    </section>
  )
}
