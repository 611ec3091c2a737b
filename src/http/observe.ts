import { randomUUID } from 'node:crypto'
import type { Service } from '../core/service.ts'
import type { RouteClass } from '../core/tally.ts'
import { clientAddress, setClientAddress } from './client.ts'

/** A router, by what is known of it here: its routes, which may become more. */
interface Router {
  routes: readonly { path: string }[]
}

/** Logs an answer. */
type AccessLog = (request: Request, response: Response, startedAt: number) => void

const ID = Symbol('request id')

/** A request that may have been given an id. */
type Identified = Request & { [ID]?: string }

/** The id of a request, generated on first use. Its answer and its log lines carry it. */
export function requestId(request: Identified): string {
  request[ID] ??= randomUUID()
  return request[ID]
}

/** Gives a copy of a request the client's address and the id of the original. @returns the copy. */
export function inPlaceOf(original: Request, copy: Identified): Request {
  setClientAddress(copy, clientAddress(original))
  copy[ID] = requestId(original)
  return copy
}

/** Valid ids from a trusted proxy. */
const GIVEN_ID = /^[\w.:/+=-]{1,128}$/

/** Has the answer to a request counted as a cached launcher: generating an id would cost more than serving it. */
export function withoutId(request: Identified): void {
  request[ID] = ''
}

/**
 * Counts, times and logs every answer, and adds the request’s id. A cached launcher is only counted, and gets no id; nor does
 * an accepted click on Open all, because its answer is a constant, or one for another host.
 */
export function observed(
  answer: (request: Request) => Response | Promise<Response>,
  router: Router,
  service: Service,
): (request: Request) => Response | Promise<Response> {
  const { tally, config } = service
  const idHeader = config.requestIdHeader
  const write = config.accessLog === 'off' ? null : accessLog(router, service)
  const done = (request: Identified, response: Response, startedAt: number) => {
    if (request[ID] === '') tally.cachedLaunchers += 1
    else {
      const { status } = response
      const route = status === 421 ? 'refused' : classOf(request.url)
      tally.answered(route, status)
      tally.time?.(route, (performance.now() - startedAt) / 1000)
      if (route !== 'refused' && (route !== 'event' || status !== 204))
        response.headers.set('x-request-id', requestId(request))
    }
    write?.(request, response, startedAt)
    return response
  }
  return (request: Identified) => {
    const given = idHeader === undefined ? null : request.headers.get(idHeader)
    if (given !== null && GIVEN_ID.test(given)) request[ID] = given
    const startedAt = performance.now()
    const made = answer(request)
    return made instanceof Promise
      ? made.then((response) => done(request, response, startedAt))
      : done(request, made, startedAt)
  }
}

/**
 * A line has the request’s id, method, path shape, status and duration, but no address, query, header or name: only
 * fixed segments of the path are logged, because any other may be a token.
 */
function accessLog(router: Router, { config, log }: Service): AccessLog {
  let known = 0
  let segments: ReadonlySet<string> = new Set()
  return (request: Identified, { status }, startedAt) => {
    if (config.accessLog === 'errors' && status < 400) return
    const { routes } = router
    if (routes.length !== known) {
      segments = new Set(routes.flatMap(({ path }) => path.split('/').filter((part) => /^[\w.-]+$/.test(part))))
      known = routes.length
    }
    const ms = Math.round((performance.now() - startedAt) * 100) / 100
    const method = /^[A-Z]{1,10}$/.test(request.method) ? request.method : 'other'
    log.info({ id: request[ID] || undefined, method, route: shapeOf(request.url, segments), status, ms }, 'request')
  }
}

const MAX_PARTS = 8

function shapeOf(url: string, segments: ReadonlySet<string>): string {
  const parts = pathOf(url).slice(1).split('/', MAX_PARTS)
  return `/${parts.map((part) => (part === '' || segments.has(part) ? part : ':')).join('/')}`
}

/** The first matching prefix wins. */
const CLASSES: readonly (readonly [string, RouteClass])[] = [
  ['/l/', 'launcher'],
  ['/api/auth/', 'auth'],
  ['/api/webhooks/', 'webhook'],
  ['/api/mcp', 'mcp'],
  ['/api/', 'api'],
  ['/static/', 'static'],
  ['/dashboard', 'dashboard'],
  ['/healthz', 'operation'],
  ['/readyz', 'operation'],
  ['/metrics', 'operation'],
]

function classOf(url: string): RouteClass {
  const path = pathOf(url)
  if (path.startsWith('/api/links/') && path.endsWith('/events')) return 'event'
  for (const [prefix, route] of CLASSES) if (path.startsWith(prefix)) return route
  return 'page'
}

const AFTER_SCHEME = 'https://'.length

/**
 * The path and query of a request's URL. Works on the text: with a malformed Host the URL may not parse, and on Bun without
 * one it is only a path.
 */
export function pathIn(url: string): string {
  const from = url.startsWith('/') ? 0 : url.indexOf('/', AFTER_SCHEME)
  return from === -1 ? '/' : url.slice(from)
}

function pathOf(url: string): string {
  const path = pathIn(url)
  const query = path.indexOf('?')
  return query === -1 ? path : path.slice(0, query)
}
