/** @jsxImportSource @kitajs/html */

import { NoticePage } from '../../views/parts/notice.tsx'
import type { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { htmxTarget } from '../http/htmx.ts'
import { requestId } from '../http/observe.ts'
import { HTML, text } from '../http/respond.ts'
import { cookieIn } from '../identity/cookies.ts'
import { sessionCookieName } from '../identity/sessions.ts'
import { plainSite } from './site.ts'

/** An error as a page; for htmx as a message in the current page, so that nothing typed there is lost. */
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
  // The cookie alone: the database may be what failed.
  const isSignedOut = cookieIn(request.headers, sessionCookieName(config)) === null
  const site = { ...plainSite(config), ...(isSignedOut ? { user: null } : {}) }
  const shown = { heading: headingOf(problem), text: userMessage, typed }
  const reference = problem.code === 'INTERNAL_ERROR' ? requestId(request) : undefined
  const view = <NoticePage site={site} tab={String(status)} {...shown} reference={reference} />
  return text(request, view as string, { type: HTML, status, headers })
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
