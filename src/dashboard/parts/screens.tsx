/** @jsxImportSource @kitajs/html */

import { type ForAdmins, ForAdminsView } from '../../../views/dashboard/parts/form.tsx'
import { ProblemView } from '../../../views/dashboard/parts/problem.tsx'
import {
  DashboardDocument,
  DashboardPage,
  SECTION_NAMES,
  SECTIONS,
  type Section,
} from '../../../views/dashboard/parts/shell.tsx'
import { refuseMethod } from '../../api/json.ts'
import { Problem, unknownUrl } from '../../core/problem.ts'
import type { Service } from '../../core/service.ts'
import { LONG_FORM, readForm } from '../../http/body.ts'
import { htmxTarget } from '../../http/htmx.ts'
import { Page, page, pageApp } from '../../http/page.ts'
import { empty, seeOther } from '../../http/respond.ts'
import { allowsRole } from '../../identity/roles.ts'
import { countRequest } from '../../limits/count-requests.ts'
import { waitForReadSlot } from '../../operations/read-slots.ts'
import { headingOf } from '../../pages/problem-page.tsx'
import { type Visit, visitOf } from './visit.ts'

export interface ScreenPage {
  section: Section
  /** The document's title, without the service's name. */
  title: string
  view: JSX.Element
  /** Below the navigation. */
  aside?: JSX.Element
  /** The error that the page explains; the response has its status. */
  problem?: Problem | undefined
}

/** Part of a page, for htmx: it replaces the target of the request, or the element that `into` selects. */
interface ScreenFragment {
  part: JSX.Element
  into?: `#${string}`
}

/** A page, part of one, or a redirect. */
export type Outcome = ScreenPage | ScreenFragment | { to: string } | Page | Response

/** One route of the dashboard: path, operation and view. */
export interface Screen {
  path: `/dashboard${string}`
  get?(visit: Visit): Promise<Outcome>
  /** Handles a plain form, then redirects to the page that shows the change. */
  post?(visit: Visit, form: URLSearchParams): Promise<Outcome>
}

/** Registers screens as routes: for signed-in visitors only; htmx gets a fragment, everyone else a whole page. */
export function screens(service: Service, table: readonly Screen[]) {
  const app = pageApp()
  for (const { path, get, post } of table) {
    const allow = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])]
    app.all(
      path,
      async ({ request, params = {} }) => {
        const isPost = request.method === 'POST'
        const handle = isPost ? post : request.method === 'GET' || request.method === 'HEAD' ? get : undefined
        const visit = await visitOf(request, params, service)
        if (visit === null) return handle === undefined ? refuseMethod(allow) : toSignIn(request)
        try {
          if (handle === undefined) return refuseMethod(allow)
          const form = isPost ? await readForm(request, LONG_FORM) : new URLSearchParams()
          await countReading(visit, form)
          // Rendering a long bundle blocks the event loop, and pages have no rate limit.
          await waitForReadSlot(visit.session.userId)
          return answer(visit, await handle(visit, form))
        } catch (error) {
          return errorPage(visit, error)
        }
      },
      { parse: 'none' },
    )
  }
  app.all('/dashboard/*', async ({ request }) => {
    const visit = await visitOf(request, {}, service)
    if (visit === null) throw unknownUrl()
    return errorPage(visit, unknownUrl())
  })
  return app
}

/**
 * Renders an error inside the dashboard, with its navigation.
 * @throws errors that are not the visitor's; and for htmx any error: it is shown beside the form, so no input is lost.
 */
function errorPage(visit: Visit, error: unknown): Page | Response {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  const target = htmxTarget(visit.request)
  if (target !== null && (visit.request.method === 'POST' || target !== 'page')) throw error
  const { pathname } = new URL(visit.request.url)
  const section = SECTION_NAMES.findLast((name) => pathname.startsWith(SECTIONS[name].href)) ?? 'bundles'
  const heading = headingOf(error)
  const view = <ProblemView heading={heading} text={error.userMessage} typed={error.typed} />
  return answer(visit, { section, title: heading, view, problem: error })
}

/** Forms longer than this are rate limited: parsing the pasted text then costs more than everything else. */
const LONG_FORM_CHARACTERS = 16 * 1024

/**
 * Counts a long form against the person's reading limit, before it is parsed.
 * @throws Problem RATE_LIMITED.
 */
async function countReading({ service, session }: Visit, form: URLSearchParams): Promise<void> {
  let characters = 0
  for (const value of form.values()) characters += value.length
  if (characters <= LONG_FORM_CHARACTERS) return
  await countRequest(service.bucket, service.limits.reading, session.userId, 'with this much text')
}

function answer({ request, site }: Visit, outcome: Outcome): Page | Response {
  if (outcome instanceof Response || outcome instanceof Page) return outcome
  if ('to' in outcome) return seeOther(outcome.to)
  const vary = { vary: 'Accept-Encoding, HX-Request, HX-Request-Type, HX-Target' }
  if ('part' in outcome) {
    const { part, into } = outcome
    // Keep the scroll position and add no history entry.
    const place = { 'hx-reswap': 'outerHTML show:none', 'hx-push-url': 'false' }
    return page(part, 200, into === undefined ? vary : { ...vary, ...place, 'hx-retarget': into })
  }
  const { section, title, view, aside, problem } = outcome
  const isFragment = htmxTarget(request) !== null
  const Frame = isFragment ? DashboardPage : DashboardDocument
  const whole = (
    <Frame
      site={site}
      section={section}
      title={title}
      aside={aside}
      path={new URL(request.url).pathname}
      query={new URL(request.url).searchParams}
    >
      {view}
    </Frame>
  )
  // A form returned with errors is the same page: add no history entry.
  const headers = { ...vary, ...problem?.headers, ...(problem === undefined ? {} : { 'hx-push-url': 'false' }) }
  return page(whole, problem?.status ?? 200, headers)
}

/**
 * Redirects to sign-in, and back afterwards. htmx gets a full navigation, else it would put the form into this page.
 * @throws Problem for a submitted form, which stays on screen with its input.
 */
function toSignIn(request: Request): Response {
  if (request.method === 'POST') {
    throw new Problem(
      'UNAUTHORIZED',
      'You’ve been signed out. Sign in again in another tab, then come back here and try again.',
    )
  }
  const { pathname, search } = new URL(request.url)
  const to = `/sign-in?next=${encodeURIComponent(pathname + search)}`
  return htmxTarget(request) === null ? seeOther(to) : empty(200, { 'hx-redirect': to })
}

/** Makes the `get` of a screen one for admins of the workspace; other members are told whom to ask. */
export function forAdmins(section: Section, words: ForAdmins) {
  return (get: (visit: Visit) => Promise<Outcome>): Screen['get'] =>
    async (visit) => {
      if (isAdmin(visit)) return get(visit)
      return { section, title: words.title, view: <ForAdminsView site={visit.site} {...words} /> }
    }
}

/** Whether the visitor is an admin of the workspace that they act for. */
function isAdmin({ site }: Visit): boolean {
  return allowsRole(site.user.role, 'admin')
}
