import { randomUUID } from 'node:crypto'
import type { Handle } from '../launcher/front-door.ts'
import type { Service } from '../service.ts'
import type { RouteClass } from '../tally.ts'

/** The router, as far as it is used here. */
interface Router {
  /** What its routes are made of, but for their parameters. */
  words: ReadonlySet<string>
  fetch(request: Request): Response | Promise<Response>
}

/** The words of a router's routes. */
export function wordsOf(routes: readonly { path: string }[]): string[] {
  return routes.flatMap(({ path }) => path.split('/').filter((part) => /^[\w.-]+$/.test(part)))
}

/** Writes a line about an answer. */
type AccessLog = (request: Request, response: Response, startedAt: number) => void

const ID = Symbol('request id')

/** A request that may have got its id. */
type Identified = Request & { [ID]?: string }

/** The id of a request, made when it is first asked for: it is in its answer, and in the log's lines about it. */
export function requestId(request: Identified): string {
  request[ID] ??= randomUUID()
  return request[ID]
}

/** What an id may be that a trusted proxy sets. */
const GIVEN_ID = /^[\w.:/+=-]{1,128}$/

/**
 * The router with every answer counted, timed and given its request's id. Launchers from memory do not come here: the
 * front door counts them, and they carry no id, which would cost more than finding them does. Nor does a click on Open
 * all that was taken, whose answer is always the same.
 */
export function observed(router: Router, service: Service): Pick<Router, 'fetch'> {
  const { tally, config } = service
  const idHeader = config.requestIdHeader
  const write = config.accessLog === 'off' ? null : accessLog(router, service)
  return {
    fetch(request: Identified) {
      const given = idHeader === undefined ? null : request.headers.get(idHeader)
      if (given !== null && GIVEN_ID.test(given)) request[ID] = given
      // The access log knows by it what has come here.
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

/** With the access log on, a line also for what the front door answers by itself. */
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
 * A line has the request's id, method, the shape of its path, status and duration. No address, query, header or name of
 * anything: of the path only the words that routes are made of are told, for the rest may be a token.
 */
function accessLog({ words }: Router, { config, log }: Service): AccessLog {
  return (request: Identified, { status }, startedAt) => {
    if (config.accessLog === 'errors' && status < 400) return
    const ms = Math.round((performance.now() - startedAt) * 100) / 100
    const method = /^[A-Z]{1,10}$/.test(request.method) ? request.method : 'other'
    log.info({ id: request[ID], method, route: shapeOf(request.url, words), status, ms }, 'request')
  }
}

const MAX_PARTS = 8

function shapeOf(url: string, words: ReadonlySet<string>): string {
  const parts = pathOf(url).slice(1).split('/', MAX_PARTS)
  return `/${parts.map((part) => (part === '' || words.has(part) ? part : ':')).join('/')}`
}

/** The first that a path begins with. */
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

/** By the text: an address that a Host made strange need not parse. */
function pathOf(url: string): string {
  const from = url.indexOf('/', AFTER_SCHEME)
  const query = url.indexOf('?', from)
  return from === -1 ? '/' : url.slice(from, query === -1 ? undefined : query)
}
