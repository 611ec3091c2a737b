/** @jsxImportSource @kitajs/html */

import { NoticePage } from '../../views/parts/notice.tsx'
import type { Problem } from '../core/problem.ts'
import { htmxTarget } from '../http/htmx.ts'
import { HTML, text } from '../http/respond.ts'
import type { Service } from '../service.ts'

/** An error as a page; for htmx as a part of the page that is there, so that nothing typed on it is lost. */
export function problemPage(request: Request, problem: Problem, service: Service): Response {
  const { status, headers, message } = problem
  if (htmxTarget(request) !== null) {
    const view = (
      <p class="alert" role="alert" safe>
        {message}
      </p>
    )
    const into = { 'hx-retarget': '#said', 'hx-reswap': 'innerHTML', 'hx-push-url': 'false' }
    return text(request, view as string, { type: HTML, status, headers: { ...headers, ...into } })
  }
  const { name, origin } = service.config
  const heading = HEADINGS[status] ?? 'That did not work'
  const view = <NoticePage site={{ name, origin }} heading={heading} text={message} />
  return text(request, view as string, { type: HTML, status, headers })
}

const HEADINGS: Record<number, string> = {
  404: 'Nothing here',
  451: 'Taken down',
  429: 'A little slower, please',
  500: 'Our mistake',
}
