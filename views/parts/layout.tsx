/** @jsxImportSource @kitajs/html */

import type { Children, PropsWithChildren } from '@kitajs/html'
import type { OwnOrganization } from '../../src/identity/members.ts'
import type { Role } from '../../src/identity/roles.ts'
import { AccountMenu } from './account-menu.tsx'
import { SearchLink } from './open-search.tsx'
import { asset } from './static.ts'

/** What every page knows about the service and its visitor. */
export interface Site {
  /** SERVICE_NAME. */
  name: string
  /** Without a trailing slash. */
  origin: string
  /** SERVICE_SHORT_PATHS. */
  shortPaths: boolean
  /** SERVICE_SOURCE_URL, on pages that lead to it. */
  sourceUrl?: string
  /** The signed-in visitor; null if signed out; missing if there is a session that the page does not read. */
  user?: SignedInUser | null
}

/** A signed-in visitor. */
export interface SignedInUser {
  userId: string
  name: string
  email: string
  emailVerified: boolean
  /** Whether they signed in within the last day. */
  hasRecentSignIn: boolean
  /** The organisation they act for; null if they act for themselves. */
  acting: OwnOrganization | null
  /** Their role over the subject they act for. */
  role: Role
  organizations: OwnOrganization[]
  /** How many bundles they may claim without a token. */
  claimable: number
}

/**
 * Untrusted text as an attribute's value. The JSX runtime escapes quotes there but not ampersands, so
 * `&amp;` in a URL or in typed text would be read as `&`.
 */
export function attribute(text: string): string {
  return text.replaceAll('&', '&amp;')
}

type DocumentProps = PropsWithChildren<{
  title: string
  styles: string
  /** Whether its headings have the display face; launchers have the system's. */
  hasFace?: true
  /** Loaded in this order. */
  scripts: readonly string[]
  /** Additional head elements, already escaped. */
  head: Children
}>

/** A whole HTML document. */
export function Document({ title, styles, hasFace, scripts, head, children }: DocumentProps): JSX.Element {
  return (
    <>
      {'<!doctype html>'}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title safe>{title}</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          {/* Renders the page only once it is complete, so that nothing shifts while it loads. */}
          <link rel="expect" href="#end" blocking="render" />
          <link rel="icon" href={asset('icon.svg')} type="image/svg+xml" />
          {hasFace ? (
            <link rel="preload" href={asset('display.woff2')} as="font" type="font/woff2" crossorigin="anonymous" />
          ) : (
            ''
          )}
          <link rel="stylesheet" href={asset(styles)} />
          {scripts.map((script) => (
            <script src={asset(script)} defer></script>
          ))}
          {head}
        </head>
        <body>
          {children}
          <div id="end" hidden></div>
        </body>
      </html>
    </>
  )
}

type PageProps = PropsWithChildren<{
  site: Site
  title: string
  /** The description for search engines and link previews. */
  description?: string
  /** `wide` is home, `result` is as wide as a link. */
  kind?: 'wide' | 'result'
  /** `plain` is the name of the service alone, in the middle: the page is about signing in itself. */
  header?: 'plain'
  /** The page’s own script, loaded after those of every page. */
  script?: string
}>

/** Live region for announcements of scripts. It must exist before the first one, or that would not be read out. */
export function Announcements(): JSX.Element {
  return <div id="live" class="visually-hidden" aria-live="polite"></div>
}

/** The service's name, which leads home. */
function Brand({ site }: Pick<PageProps, 'site'>): JSX.Element {
  return (
    <a class="brand" href="/">
      <img src={asset('icon.svg')} alt="" width="26" height="26" />
      <span safe>{site.name}</span>
    </a>
  )
}

/** The footer links of every page. */
function Footer({ site }: Pick<PageProps, 'site'>): JSX.Element {
  return (
    <footer>
      <Brand site={site} />
      <a href="/docs/quick-start">Guides</a>
      <a href="/docs">API</a>
      <a href="/llms.txt">For AI agents</a>
      <a href="/privacy">Privacy</a>
      {site.sourceUrl === undefined ? '' : <a href={attribute(site.sourceUrl)}>Source code</a>}
    </footer>
  )
}

/** A page of the service itself: its name at the top, one column. */
export function Page({ site, title, description, kind, header, script, children }: PageProps): JSX.Element {
  const head = (
    <>
      {description === undefined ? '' : <meta name="description" content={attribute(description)} />}
      <link rel="manifest" href="/site.webmanifest" />
      <SearchLink href="/opensearch.xml" name={attribute(site.name)} />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
    </>
  )
  return (
    <Document
      title={title}
      styles="site.css"
      hasFace
      scripts={['site.js', ...(script === undefined ? [] : [script])]}
      head={head}
    >
      <Announcements />
      {header === 'plain' ? (
        <header class="gate">
          <Brand site={site} />
          <p>One link that opens many tabs.</p>
        </header>
      ) : (
        <header class="top">
          <Brand site={site} />
          <nav class="who" aria-label="Main">
            <a class="quiet" href="/docs/quick-start">
              Guides
            </a>
            <a class="quiet" href="/docs">
              API
            </a>
          </nav>
          <AccountMenu user={site.user} />
        </header>
      )}
      <main class={kind}>{children}</main>
      <Footer site={site} />
    </Document>
  )
}
