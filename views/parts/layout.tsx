/** @jsxImportSource @kitajs/html */
import { type Children, escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { routes } from '../../src/core/routes.ts'
import type { Role } from '../../src/identity/caller.ts'
import type { OwnOrganization } from '../../src/identity/members.ts'
import { asset } from './static.ts'

/** The service and its visitor, as every page needs them. */
export interface Site {
  /** SERVICE_NAME. */
  name: string
  /** Without a trailing slash. */
  origin: string
  /** SERVICE_SHORT_PATHS. */
  shortPaths: boolean
  /** SERVICE_SOURCE_URL, on pages that link to it. */
  sourceUrl?: string
  /** SERVICE_EXTENSION_URL, on launchers. */
  extensionUrl?: string
  /** The signed-in visitor; null if signed out; missing if the page does not read the session. */
  user?: SignedInUser | null
  /** How many bundles the visitor can claim without a token. */
  claimable?: number
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
  /** Their role in the subject they act for. */
  role: Role
  organizations: OwnOrganization[]
}

/**
 * Untrusted text as an attribute value. The JSX runtime escapes quotes there but not ampersands, so browsers would read `&amp;`
 * in a URL or in typed text as `&`.
 */
export function attribute(text: string): string {
  return text.replaceAll('&', '&amp;')
}

type DocumentProps = PropsWithChildren<{
  title: string
  styles: string
  /** Whether headings use the display face; launchers use the system font. */
  hasFace?: true
  /** Whether an on-screen keyboard makes the page smaller, so that what sticks to its end stays in view. */
  isTyped?: boolean
  /** In loading order. */
  scripts: readonly string[]
  /** Additional head elements, already escaped. */
  head: Children
}>

/** A whole HTML document. */
export function Document({
  title,
  styles,
  hasFace,
  isTyped = false,
  scripts,
  head,
  children,
}: DocumentProps): JSX.Element {
  return (
    <>
      {'<!doctype html>'}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title safe>{title}</title>
          <meta
            name="viewport"
            content={`width=device-width, initial-scale=1${isTyped ? ', interactive-widget=resizes-content' : ''}`}
          />
          <meta name="color-scheme" content="light dark" />
          {/* Delays rendering until the page is complete, so that nothing shifts while it loads. */}
          <link rel="expect" href="#end" blocking="render" />
          <link rel="icon" href={asset('icon.svg')} type="image/svg+xml" />
          {hasFace && (
            <link rel="preload" href={asset('display.woff2')} as="font" type="font/woff2" crossorigin="anonymous" />
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
  /** For search engines and link previews. */
  description?: string
  /** `wide` is the home page; `result` is as wide as a link. */
  kind?: 'wide' | 'result'
  /** `plain` shows only the service's name, centred, on pages for signing in. */
  header?: 'plain'
  /** The page’s own script, which imports that of every page. */
  script?: string
  /** The page’s own styles, with those of every page. */
  styles?: string
}>

/** Live region for announcements by scripts. It must exist before the first one, which would not be read out otherwise. */
export function Announcements(): JSX.Element {
  return <div id="live" class="visually-hidden" aria-live="polite"></div>
}

/** The service's name, linked to the home page. */
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
      <a href={routes.docs.guide.href({ guide: 'quick-start' })}>Guides</a>
      <a href={routes.docs.reference.href()}>API</a>
      <a href="/llms.txt">For AI agents</a>
      <a href={routes.privacy.href()}>Privacy</a>
      {site.sourceUrl !== undefined && <a href={attribute(site.sourceUrl)}>Source code</a>}
    </footer>
  )
}

/** A page of the service itself: the service's name at the top, and one column. */
export function Page(props: PageProps): JSX.Element {
  const { site, title, description, kind, header, script = 'site.js', styles = 'site.css', children } = props
  const head = (
    <>
      {description !== undefined && <meta name="description" content={attribute(description)} />}
      <link rel="manifest" href="/site.webmanifest" />
      <SearchLink href="/opensearch.xml" name={attribute(site.name)} />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
    </>
  )
  return (
    <Document title={title} styles={styles} hasFace isTyped={kind === 'wide'} scripts={[script]} head={head}>
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
            <a class="quiet" href={routes.docs.guide.href({ guide: 'quick-start' })}>
              Guides
            </a>
            <a class="quiet" href={routes.docs.reference.href()}>
              API
            </a>
          </nav>
          <AccountMenu user={site.user} claimable={site.claimable} />
        </header>
      )}
      <main class={kind}>{children}</main>
      <Footer site={site} />
    </Document>
  )
}

/** The details of a signed-in user that the menu shows. */
interface User {
  email: string
  /** The organisation they act for; null if they act for themselves. */
  acting: Pick<OwnOrganization, 'name'> | null
}

/** The signed-in user, with links to their pages. */
function AccountMenu({ user, claimable = 0 }: { user: User | null | undefined; claimable?: number | undefined }) {
  if (user === undefined) {
    return (
      <nav class="who" aria-label="Account">
        <a class="button" href={routes.bundles.list.href()}>
          Dashboard
        </a>
      </nav>
    )
  }
  if (user === null) {
    return (
      <nav class="who" aria-label="Account">
        <a class="button" href={routes.account.signIn.href()}>
          Sign in
        </a>
      </nav>
    )
  }
  const { email, acting } = user
  return (
    <nav class="who" aria-label="Account">
      {claimable !== 0 && <a class="quiet" href={routes.account.claims.href()} safe>{`Keep ${claimable}`}</a>}
      <span class="acting" safe>
        {acting === null ? email : `${email} · ${acting.name}`}
      </span>
      <a class="button" href={routes.bundles.list.href()}>
        Dashboard
      </a>
      <form method="post" action={routes.account.signOut.href()} data-signs-out="">
        <button type="submit" class="quiet">
          Sign out
        </button>
      </form>
    </nav>
  )
}

interface ConfirmNoticeProps {
  user: Site['user']
  /** The destination after the link in the confirmation email. */
  back: string
  /** The sentence before it. */
  after?: string
}

/** Reminds a signed-in visitor to confirm their address; empty once it is confirmed. */
export function ConfirmNotice({ user, back, after }: ConfirmNoticeProps): JSX.Element {
  if (user === null || user === undefined || user.emailVerified) return ''
  return (
    <div class="confirm cluster">
      <p>
        {after !== undefined && <span safe>{`${after} `}</span>}
        Confirm <bdi safe>{user.email}</bdi> with the link we sent.
      </p>
      <ConfirmationForm back={back} />
    </div>
  )
}

/** A button that resends the confirmation email. @param back the destination after its link. */
export function ConfirmationForm({ back }: { back: string }): JSX.Element {
  return (
    <form method="post" action={routes.settings.page.href()} class="actions">
      <input type="hidden" name="change" value="verification" />
      <input type="hidden" name="next" value={attribute(back)} />
      <button type="submit" aria-label="Resend confirmation email">
        Resend
      </button>
    </form>
  )
}

interface EachProps<Item> {
  of: readonly Item[]
  show: (item: Item, index: number) => JSX.Element
}

/** Renders each item of a list with `show`. */
export function Each<Item>({ of, show }: EachProps<Item>) {
  return <>{of.map(show)}</>
}

/** The media type of an OpenSearch description. */
export const OPEN_SEARCH = 'application/opensearchdescription+xml'
/** Limits from the OpenSearch specification, in characters. */
const SHORT_NAME = 16
const LONG_NAME = 48

/** Offers browsers a search for their address bar. @param name as an attribute. */
export function SearchLink({ href, name }: { href: string; name: string }): JSX.Element {
  return <link rel="search" type={OPEN_SEARCH} href={href} title={name} />
}

interface Search {
  /** The name in the browser's list of searches. */
  name: string
  description: string
  /** The URL of the results, with `{searchTerms}` in its query. */
  template: string
  origin: string
}

/** An OpenSearch 1.1 description, with which browsers offer a search in their address bar. */
export function openSearch({ name, description, template, origin }: Search): string {
  const field = (tag: string, text: string) => `  <${tag}>${escapeHtml(text)}</${tag}>`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">',
    field('ShortName', clipped(name, SHORT_NAME)),
    field('LongName', clipped(name, LONG_NAME)),
    field('Description', description),
    field('InputEncoding', 'UTF-8'),
    `  <Image width="192" height="192" type="image/png">${escapeHtml(origin)}/icon-192.png</Image>`,
    `  <Url type="text/html" method="get" template="${escapeHtml(template)}"/>`,
    '</OpenSearchDescription>',
    '',
  ].join('\n')
}

function clipped(text: string, max: number): string {
  const letters = [...text]
  return letters.length <= max
    ? text
    : `${letters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}
