import { randomUUID } from 'node:crypto'
import type { Audience } from '../../db/rights.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import type { Service } from '../core/service.ts'
import { type Caller, identify } from '../identity/caller.ts'
import { network } from '../limits/rate-limits.ts'
import type { CallContext } from '../operations/operation.ts'
import { originalEtag } from './respond.ts'

declare module '../core/service.ts' {
  interface Service {
    /** Counts for metrics. */
    tally: Tally
  }
}
/** Kinds of routes: few and fixed metric labels. */
export type RouteClass =
  | 'launcher'
  | 'event'
  | 'api'
  | 'auth'
  | 'webhook'
  | 'mcp'
  | 'page'
  | 'dashboard'
  | 'static'
  | 'operation'
  | 'refused'

/** Counts of this process since it started, for metrics. Plain numbers, because some are counted on the hot path. */
export class Tally {
  /** Launchers answered from the cache; not in `answers`. */
  cachedLaunchers = 0
  /** Answers by kind of route and status. */
  readonly answers = new Map<RouteClass, Map<number, number>>()
  /** Requests refused by a rate limit, by its name. */
  readonly limited = new Map<string, number>()
  /** Duration observer, in seconds; null when metrics are off. */
  time: ((route: RouteClass, seconds: number) => void) | null = null
  /** Observer of durable transactions: duration in seconds and number of writes; null when metrics are off. */
  commit: ((seconds: number, writes: number) => void) | null = null

  /** Counts an answer. */
  answered(route: RouteClass, status: number): void {
    let byStatus = this.answers.get(route)
    if (byStatus === undefined) this.answers.set(route, (byStatus = new Map()))
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  }

  /** Counts a request refused by a rate limit. */
  refusedBy(limit: string): void {
    this.limited.set(limit, (this.limited.get(limit) ?? 0) + 1)
  }
}

/** A router with its routes, of which more may be added later. */
interface Router {
  routes: readonly { path: string }[]
}

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

/** Ids that are accepted from a trusted proxy. */
const GIVEN_ID = /^[\w.:/+=-]{1,128}$/

/** Marks a request to be counted as a cached launcher: generating an id would cost more than serving it. */
export function skipId(request: Identified): void {
  request[ID] = ''
}

/**
 * Counts, times and logs every answer, and adds the request’s id. A cached launcher is only counted and gets no id. Nor does an
 * accepted click on Open all, because its answer is a constant, or one for another host.
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
 * Writes log lines with the request’s id, method, path shape, status and duration, but no address, query, header or name. Only
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
  [routes.launcher.page.start, 'launcher'],
  ['/api/auth/', 'auth'],
  ['/api/webhooks/', 'webhook'],
  ['/api/mcp', 'mcp'],
  ['/api/', 'api'],
  [routes.static.start, 'static'],
  [routes.bundles.list.href(), 'dashboard'],
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
 * The path and query of a request's URL. Works on the text, because the URL may not parse with a malformed Host header, and
 * without one it may be only a path.
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

const ADDRESS = Symbol('client address')

/** A request with the client’s address, determined on arrival. */
type Addressed = Request & { [ADDRESS]?: string }

/**
 * Stores the client’s address on its request, because Elysia has no field for it that both runtimes fill. A WeakMap
 * would cost several times as much per request, garbage collection included.
 */
export function setClientAddress(request: Addressed, address: string): void {
  request[ADDRESS] = address
}

/** The client’s address; empty if unknown. */
export function clientAddress(request: Addressed): string {
  return request[ADDRESS] ?? ''
}

/** Headers that proxies, tunnels and CDNs add, by prefix or suffix. */
const FORWARDING =
  /^(?:forwarded|via|cdn-loop|x-forwarded|x-real-ip|x-original-|x-envoy-|x-azure-|x-amz|cf-|fly-|fastly-)|client-ip$/

/** Whether a proxy forwarded a request: then the socket’s address says nothing about its origin. */
export function isForwarded({ headers }: Request): boolean {
  return [...headers.keys()].some((name) => FORWARDING.test(name))
}

/** Where a request comes from, for `identify`. */
export function clientOrigin(request: Request) {
  const address = clientAddress(request)
  return { address, network: network(address) }
}

/** The client’s address as rate limits key it. */
export function clientNetwork(request: Request): string {
  return network(clientAddress(request))
}

/**
 * Identifies the caller from a request’s headers.
 * @param at the part of the service that the request is for.
 * @throws Problem UNAUTHORIZED for a bad credential, FORBIDDEN for a browser request from another site.
 */
export function callContext(
  request: Request,
  service: Service,
  at: Audience = 'api',
): CallContext | Promise<CallContext> {
  const caller = identify(request.headers, clientOrigin(request), service, at)
  return caller instanceof Promise
    ? caller.then((known) => contextOf(known, request, service))
    : contextOf(caller, request, service)
}

function contextOf(caller: Caller, request: Request, { config }: Service): CallContext {
  const { headers, method } = request
  if (caller.kind === 'session' && method !== 'GET' && method !== 'HEAD') refuseOtherSites(request, config)
  const client = headers.get('service-client')
  return {
    caller,
    client: client !== null && /^[A-Za-z0-9._-]{1,40}\/[A-Za-z0-9._-]{1,40}$/.test(client) ? client : null,
    source: 'api',
    viewer: request,
    conditions: () => ({ idempotencyKey: headers.get('idempotency-key'), ...readIfMatch(headers) }),
  }
}

/**
 * Whether a request was sent by a page of the service, or by no page at all. Clients other than browsers send neither header;
 * over plain http, browsers send only the second.
 */
export function isFromOwnPage({ headers }: Request, { origin }: Pick<Config, 'origin'>): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const from = headers.get('origin')
  return from === null || from === origin
}

/**
 * Refuses requests from other sites' pages, because a cookie identifies a browser but does not prove that its user intended the
 * request.
 * @throws Problem FORBIDDEN.
 */
export function refuseOtherSites(request: Request, config: Pick<Config, 'origin'>): void {
  if (!isFromOwnPage(request, config)) throw fromOtherSite(config)
}

/** The refusal of a request from a page of another site. */
export function fromOtherSite({ origin }: Pick<Config, 'origin'>): Problem {
  return new Problem('FORBIDDEN', `This must be done from a page of ${origin}, not from another site.`, {
    userMessage: `To keep your account safe, this only works from ${origin}. Open it there and try again.`,
  })
}

const ANY_VERSION = { expectedVersion: null }
const NO_ETAG = { expectedVersion: null, wrong: [{ path: ['If-Match'], reason: { code: 'not_an_etag' } }] } as const

function readIfMatch(headers: Headers): Omit<ReturnType<CallContext['conditions']>, 'idempotencyKey'> {
  const match = headers.get('if-match')?.trim()
  if (match === undefined || match === '*') return ANY_VERSION
  const version = /^"v(\d{1,15})"$/.exec(originalEtag(match))?.[1]
  return version === undefined ? NO_ETAG : { expectedVersion: Number(version) }
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/

/** The usual short form: no leading zeros, no dots, not `::ffff:`. Anything else takes the slow path. */
const SHORT_IPV6 = /^(?!::ffff:)(?:[1-9a-f][\da-f]{0,3}|0|:)(?::(?:[1-9a-f][\da-f]{0,3}|0)?)+$/

let loadedNet: typeof import('node:net') | undefined

/** Loaded only behind a proxy: it takes half a megabyte, and nothing else needs it at startup. */
function net() {
  loadedNet ??= process.getBuiltinModule('node:net')
  return loadedNet
}

/** The address in a proxy’s header, possibly with a port, in plain form; null if it is not an address. */
export function addressIn(field: string): string | null {
  const [, bracketed, dotted] = /^(?:\[(.*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(field.trim()) ?? []
  const text = plainAddress(bracketed ?? dotted ?? field)
  if (IPV4.test(text)) return text
  // The usual form from proxies; the URL parser would make a launcher a fifth slower.
  if (SHORT_IPV6.test(text) && net().isIPv6(text)) return text
  const host = `http://[${text}]`
  if (!/^[\da-f:.]+$/.test(text) || !URL.canParse(host)) return null
  // Normalises the address from any form.
  const address = new URL(host).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Number.parseInt(high, 16) * 2 ** 16 + Number.parseInt(low, 16))
  return bytes.join('.')
}

/** An address in its plain form: on a dual-stack socket an IPv4 client appears as `::ffff:a.b.c.d`. */
export function plainAddress(address: string): string {
  const plain = address.trim().toLowerCase()
  return plain.startsWith('::ffff:') && plain.includes('.') ? plain.slice('::ffff:'.length) : plain
}
