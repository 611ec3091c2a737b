import { html } from '@elysiajs/html'
import { Elysia } from 'elysia'
import { HTML, text } from './respond.ts'

/** A page as routes return it; `pageApp` sends it. */
export class Page {
  constructor(
    readonly view: JSX.Element,
    readonly status: number,
    readonly headers: Record<string, string>,
    /** Set-Cookie headers. */
    readonly cookies: readonly string[],
  ) {}
}

/**
 * A page rendered for this request. It may send its address to its own site: otherwise browsers would send its forms
 * with `Origin: null`, which over plain http, without Sec-Fetch-Site, is the only evidence of their origin.
 * @param from whose cookies it sets too.
 */
export function page(view: JSX.Element, status = 200, headers: Record<string, string> = {}, from?: Response): Page {
  return new Page(
    view,
    status,
    { 'referrer-policy': 'same-origin', ...headers },
    from === undefined ? [] : from.headers.getSetCookie(),
  )
}

/**
 * An app whose routes may return pages. The plugin's hook holds for every route that is added after it, anywhere above
 * this app too: there, use this app last.
 */
export function pageApp() {
  return new Elysia()
    .use(html({ contentType: HTML, autoDetect: false, autoDoctype: false }))
    .mapResponse(async ({ html, request, responseValue }) => {
      if (!(responseValue instanceof Page)) return
      const { view, status, headers, cookies } = responseValue
      const made = (await html(view)) as Response
      const answer = text(request, await made.text(), { type: HTML, status, headers })
      for (const cookie of cookies) answer.headers.append('set-cookie', cookie)
      return answer
    })
}
