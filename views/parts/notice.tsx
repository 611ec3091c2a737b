/** @jsxImportSource @kitajs/html */

import { type Problem, UnknownUrl } from '../../src/core/problem.ts'
import { routes } from '../../src/core/routes.ts'
import type { Service } from '../../src/core/service.ts'
import { requestId } from '../../src/http/request.ts'
import { HTML, htmxTarget, text } from '../../src/http/respond.ts'
import { cookieIn, sessionCookieName } from '../../src/identity/sessions.ts'
import { TypedText } from './fields.tsx'
import { attribute, Page, type Site } from './layout.tsx'
import { NO_TABS, Stubs } from './tile.tsx'
import { plainSite } from './visitor.ts'

interface NoticeProps {
  site: Site
  /** The text on the tab, such as the status of an error. */
  tab?: string
  heading: string
  /** What happened and what to do next. */
  text: string
  /** The typed text from a form that was refused as a whole. */
  typed?: string | undefined
  /** The reference by which the operator finds the error. */
  reference?: string | undefined
  /** A link to continue with. */
  next?: Next | undefined
}

interface Next {
  href: string
  label: string
}

const NEW_BUNDLE = { href: routes.paste.href(), label: 'New bundle' }

/** A page with a single message, such as an error, in the form of a launcher without tabs. */
export function NoticePage({
  site,
  tab,
  heading,
  text,
  typed,
  reference,
  next = NEW_BUNDLE,
}: NoticeProps): JSX.Element {
  return (
    <Page site={site} title={`${heading} · ${site.name}`}>
      <section class="narrow notice">
        <div class="door">
          <div class="strip">
            {tab !== undefined && (
              <span class="tab-name" safe>
                {tab}
              </span>
            )}
            <Stubs urls={NO_TABS} />
          </div>
          <div class="sheet">
            <h1 safe>{heading}</h1>
            <p class="lede" safe>
              {text}
            </p>
            <TypedText text={typed} />
            {reference !== undefined && (
              <p class="hint">
                If it happens again, tell whoever runs this service: <code safe>{reference}</code>
              </p>
            )}
            <p class="actions">
              <a class="button primary" href={attribute(next.href)} safe>
                {next.label}
              </a>
            </p>
          </div>
        </div>
      </section>
    </Page>
  )
}

/** An error as a page; for htmx, as a message in the current page, so that no typed text is lost. */
export function problemPage(request: Request, problem: Problem, service: Service): Response {
  const { status, headers, userMessage, typed } = problem
  if (htmxTarget(request) !== null) {
    const view = (
      <p class="alert" role="alert" safe>
        {userMessage}
      </p>
    )
    const into = { 'hx-retarget': '#messages', 'hx-reswap': 'innerHTML', 'hx-push-url': 'false' }
    return text(request, view as string, { type: HTML, status, headers: { ...headers, ...into } })
  }
  const { config } = service
  // Only the cookie is checked, because the database may have failed.
  const isSignedOut = cookieIn(request.headers, sessionCookieName(config)) === null
  const site = { ...plainSite(config), ...(isSignedOut ? { user: null } : {}) }
  const shown = { heading: headingOf(problem), text: userMessage, typed }
  const reference = problem.code === 'INTERNAL_ERROR' ? requestId(request) : undefined
  const next =
    problem instanceof UnknownUrl ? bundleAbove(request.url) : isSignedOut ? signInFor(request.url) : undefined
  const view = <NoticePage site={site} tab={String(status)} {...shown} reference={reference} next={next} />
  return text(request, view as string, { type: HTML, status, headers })
}

/** The bundle of a link with something behind it; undefined for another link. */
function bundleAbove(url: string): Next | undefined {
  const path = URL.parse(url)?.pathname ?? ''
  const slug = path.startsWith(routes.launcher.page.start) ? /^[^/]+\/([\w-]+)\/./.exec(path.slice(1))?.[1] : undefined
  if (slug === undefined) return undefined
  return { href: routes.launcher.page.href({ slug }), label: 'Go to the bundle' }
}

/** The sign-in for a start page, which members may see; undefined for another page. */
function signInFor(url: string): Next | undefined {
  const path = URL.parse(url)?.pathname ?? ''
  if (!path.startsWith(routes.startPage.page.start)) return undefined
  return { href: `${routes.account.signIn.href()}?${new URLSearchParams({ next: path })}`, label: 'Sign in' }
}

export function headingOf({ code, status }: Problem): string {
  if (code === 'NOT_OPEN_YET') return 'Not open yet'
  if (code === 'PASSWORD_REQUIRED') return 'Password needed'
  return HEADINGS[status] ?? 'That didn’t work'
}

const HEADINGS: Record<number, string> = {
  401: 'Sign in first',
  403: 'You can’t do this',
  404: 'Page not found',
  410: 'Closed',
  413: 'That’s too long',
  429: 'Too many requests',
  451: 'Taken down',
  500: 'Something went wrong',
  503: 'Back in a moment',
}
