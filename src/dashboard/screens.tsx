/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { ProblemView } from '../../views/dashboard/parts/problem.tsx'
import { DashboardDocument, DashboardPage, type Section } from '../../views/dashboard/parts/shell.tsx'
import { refuseMethod } from '../api/json.ts'
import { nothingHere, Problem } from '../core/problem.ts'
import { LONG_FORM, readForm } from '../http/body.ts'
import { htmxTarget } from '../http/htmx.ts'
import { page, seeOther } from '../http/respond.ts'
import { charge } from '../limits/charge.ts'
import { headingOf } from '../pages/problem-page.tsx'
import type { Service } from '../service.ts'
import { type Visit, visitOf } from './visit.ts'

/** What a screen shows. */
export interface Shown {
  section: Section
  /** Of the document, without the service's name. */
  title: string
  view: JSX.Element
  /** What the page explains: its status is the answer's. */
  problem?: Problem | undefined
}

/** A part of a page for htmx: what it asked for, or what takes the place of the element that `into` selects. */
interface ShownPart {
  part: JSX.Element
  into?: `#${string}`
}

/** A page, a part of one, or where to go next. */
export type Outcome = Shown | ShownPart | { to: string } | Response

/** One address of the dashboard: path + operation + view. */
export interface Screen {
  path: `/dashboard${string}`
  get?(visit: Visit): Promise<Outcome>
  /** Takes a plain form; what it changed is shown by the page that it leads to. */
  post?(visit: Visit, form: URLSearchParams): Promise<Outcome>
}

/** Screens as routes: signed-in visitors only, a fragment for htmx, a whole page otherwise. */
export function screens(service: Service, table: readonly Screen[]) {
  const app = new Elysia()
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
          await chargeReading(visit, form)
          return answer(visit, await handle(visit, form))
        } catch (error) {
          return told(visit, error)
        }
      },
      { parse: 'none' },
    )
  }
  app.all('/dashboard/*', async ({ request }) => {
    const visit = await visitOf(request, {}, service)
    if (visit === null) throw nothingHere()
    return told(visit, nothingHere())
  })
  return app
}

/**
 * An error as a page of the dashboard, with the way to the others beside it.
 * @throws what is no Problem, or one of ours; and what htmx shows beside a form, so that nothing typed is lost.
 */
function told(visit: Visit, error: unknown): Response {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  const target = htmxTarget(visit.request)
  if (target !== null && (visit.request.method === 'POST' || target !== 'page')) throw error
  const { pathname } = new URL(visit.request.url)
  const section = SECTIONS.find((name) => pathname.startsWith(`/dashboard/${name}`)) ?? 'bundles'
  const heading = headingOf(error)
  const view = <ProblemView heading={heading} text={error.userMessage} typed={error.typed} />
  return answer(visit, { section, title: heading, view, problem: error })
}

/** Those with a path of their own; the others' pages are bundles'. */
const SECTIONS: readonly Section[] = ['keys', 'organizations', 'settings']

/** Forms of more characters than this are counted: by then, reading what was pasted costs more than all else. */
const LONG_FORM_CHARACTERS = 16 * 1024

/**
 * Counts a long form against what one person may have read, before anything in it is.
 * @throws Problem RATE_LIMITED.
 */
async function chargeReading({ service, session }: Visit, form: URLSearchParams): Promise<void> {
  let characters = 0
  for (const value of form.values()) characters += value.length
  if (characters <= LONG_FORM_CHARACTERS) return
  await charge(service.bucket, service.limits.reading, session.userId, 'with this much text')
}

function answer({ request, site }: Visit, outcome: Outcome): Response {
  if (outcome instanceof Response) return outcome
  if ('to' in outcome) return seeOther(outcome.to)
  const vary = { vary: 'Accept-Encoding, HX-Request, HX-Request-Type, HX-Target' }
  if ('part' in outcome) {
    const { part, into } = outcome
    // The page stays where it is: no jump to the top of the part, no new entry in the history.
    const place = { 'hx-reswap': 'outerHTML show:none', 'hx-push-url': 'false' }
    return page(request, part, 200, into === undefined ? vary : { ...vary, ...place, 'hx-retarget': into })
  }
  const { section, title, view, problem } = outcome
  const isFragment = htmxTarget(request) !== null
  const Frame = isFragment ? DashboardPage : DashboardDocument
  const whole = (
    <Frame
      site={site}
      section={section}
      title={title}
      path={new URL(request.url).pathname}
      query={new URL(request.url).searchParams}
    >
      {view as 'safe'}
    </Frame>
  )
  // A form that comes back with its errors is where it was: no new entry in the history.
  const headers = { ...vary, ...problem?.headers, ...(problem === undefined ? {} : { 'hx-push-url': 'false' }) }
  return page(request, whole, problem?.status ?? 200, headers)
}

/**
 * To sign in, and back. htmx is told to leave the page: a form of another page has no place inside this one.
 * @throws Problem for a form that was sent, which stays where it is, with all that was typed.
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
  return htmxTarget(request) === null ? seeOther(to) : new Response(null, { headers: { 'hx-redirect': to } })
}
