import { empty } from '../http/respond.ts'

// Cross-origin calls, without credentials of the browser: anonymous ones, and those that send a key. A cookie never makes
// an answer readable for another site.

/** Request headers that operations read and browsers do not send by themselves. */
const REQUEST_HEADERS = 'authorization, content-type, idempotency-key, if-match, if-none-match, service-client'

const ANSWER_HEADERS =
  'etag, link, location, retry-after, ratelimit, ratelimit-policy, idempotency-replayed, content-disposition, x-request-id'

/** How long browsers may keep what OPTIONS says; Chromium caps it at two hours. */
const MAX_AGE = '7200'

/** Lets a page of another site read an answer. */
export function share(request: Request, answer: Response): Response {
  const { headers } = request
  if (!headers.has('origin') || headers.has('cookie')) return answer
  answer.headers.set('access-control-allow-origin', '*')
  answer.headers.set('access-control-expose-headers', ANSWER_HEADERS)
  return answer
}

/** The answer to OPTIONS of a path. It never allows credentials, so browsers send no cookie. */
export function optionsOf(methods: readonly string[]): Response {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  return empty(204, {
    allow: `${allow}, OPTIONS`,
    'access-control-allow-origin': '*',
    'access-control-allow-methods': allow,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': MAX_AGE,
  })
}
