import { randomUUID } from 'node:crypto'
import type { Service } from '../service.ts'
import type { RouteClass } from '../tally.ts'
import type { Handle } from './draining.ts'

/** The part of the router used here. */
interface Router {
  /** The path segments of its routes. */
  segments: ReadonlySet<string>
  fetch(request: Request): Response | Promise<Response>
}

/** The path segments of a router’s routes. */
export function fixedSegments(routes: readonly { path: string }[]): string[] {
  return routes.flatMap(({ path }) => path.split('/').filter((part) => /^[\w.-]+$/.test(part)))
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

/** Gives a copy of a request the id of the original. */
export function setRequestId(request: Identified, id: string): void {
  request[ID] = id
}

/** Valid ids from a trusted proxy. */
const GIVEN_ID = /^[\w.:/+=-]{1,128}$/

/**
 * Counts and times every answer of the router and adds the request’s id. Cached launchers bypass it: the front door
 * counts them, and generating an id would cost more than serving them. An accepted click on Open all gets no id either,
 * because its answer is a constant.
 */
export function observed(router: Router, service: Service): Pick<Router, 'fetch'> {
  const { tally, config } = service
  const idHeader = config.requestIdHeader
  const write = config.accessLog === 'off' ? null : accessLog(router, service)
  return {
    fetch(request: Identified) {
      const given = idHeader === undefined ? null : request.headers.get(idHeader)
      if (given !== null && GIVEN_ID.test(given)) request[ID] = given
      // Marks the request as logged by the router; see `logged`.
      else if (write !== null) requestId(request)
      const startedAt = performance.now()
      const done = (response: Response) => {
        const route = classOf(request.url)
        tally.answered(route, response.status)
        tally.time?.(route, (performance.now() - startedAt) / 1000)
        if (route !== 'event' || response.status !== 204) response.headers.set('x-request-id', requestId(request))
        write?.(request, response, startedAt)
        return response
      }
      const answer = router.fetch(request)
      return answer instanceof Promise ? answer.then(done) : done(answer)
    },
  }
}

/** If the access log is on, also logs answers that bypass the router. */
export function logged(handle: Handle, router: Router, service: Service): Handle {
  if (service.config.accessLog === 'off') return handle
  const write = accessLog(router, service)
  return (request: Identified, socketAddress) => {
    const startedAt = performance.now()
    const answer = handle(request, socketAddress)
    if (!(answer instanceof Promise) && request[ID] === undefined) write(request, answer, startedAt)
    return answer
  }
}

/**
 * A line has the request’s id, method, path shape, status and duration, but no address, query, header or name: only
 * fixed segments of the path are logged, because any other may be a token.
 */
function accessLog({ segments }: Router, { config, log }: Service): AccessLog {
  return (request: Identified, { status }, startedAt) => {
    if (config.accessLog === 'errors' && status < 400) return
    const ms = Math.round((performance.now() - startedAt) * 100) / 100
    const method = /^[A-Z]{1,10}$/.test(request.method) ? request.method : 'other'
    log.info({ id: request[ID], method, route: shapeOf(request.url, segments), status, ms }, 'request')
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

/** Works on the text: with a malformed Host the URL may not parse. */
function pathOf(url: string): string {
  const from = url.indexOf('/', AFTER_SCHEME)
  const query = url.indexOf('?', from)
  return from === -1 ? '/' : url.slice(from, query === -1 ? undefined : query)
}
